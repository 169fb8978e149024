/* chat.c -- reads JSON objects {"template", "context", "date"}, a line each,
 * and prints for each {"text"} or {"code", "error"}. */
#include "base/json.h"
#include "base/json_member.h"
#include "llm/jinja/jinja.h"

#include <stdio.h>

static void render(struct str line)
{
    struct buf template = { 0 }, text = { 0 }, out = { 0 };
    struct error e = { 0 };
    struct json j = json_line_into(&out);

    (void)json_member_text(&template, line, "template");

    int rc = jinja_render(&text, buf_str(&template),
            json_member(line, "context"), "26 Jul 2024", &e);

    json_object(&j, NULL);
    if (rc) {
        json_int(&j, "code", rc);
        json_text(&j, "error", e.text);
    } else {
        json_str(&j, "text", buf_str(&text));
    }
    json_end(&j);
    (void)printf("%s\n", buf_cstr(&out));
    buf_release(&template);
    buf_release(&text);
    buf_release(&out);
}

int main(void)
{
    struct buf lines = { 0 };
    struct str rest, line;
    char part[65536];
    size_t got;

    while ((got = fread(part, 1, sizeof(part), stdin)) > 0)
        buf_add(&lines, part, got);
    rest = buf_str(&lines);
    while (str_line(&line, &rest))
        render(line);
    buf_release(&lines);
    return 0;
}
