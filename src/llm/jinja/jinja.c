#include "llm/jinja/jinja.h"

#include "base/json_read.h"
#include "base/utf8.h"
#include "llm/jinja/jinja_eval.h"
#include "llm/jinja/jinja_state.h"

#include <errno.h>
#include <stdlib.h>

/* Every newline is one character, and the last one is not the template's. */
static void read_lines(struct buf *out, struct str template)
{
    struct buf sound = { 0 };

    utf8_add(&sound, template);
    for (size_t i = 0; i < sound.len; i++) {
        if (sound.p[i] != '\r')
            buf_char(out, sound.p[i]);
        else if (i + 1 == sound.len || sound.p[i + 1] != '\n')
            buf_char(out, '\n');
    }
    if (out->len && out->p[out->len - 1] == '\n')
        out->len--;
    buf_release(&sound);
}

int jinja_render(struct buf *out, struct str template, struct str context,
        const char *date, struct error *e)
{
    struct buf text = { 0 }, written = { 0 };
    struct jinja j = { .e = e, .date = date, .out = &written };

    if (!json_is_sound(context) || json_kind(context) != '{')
        return fail(e, -EINVAL, "the template's variables are no JSON object");
    read_lines(&text, template);
    j.global = j.scope = jinja_from_json(&j, context).dict;

    struct jinja_node *tree = jinja_parse(&j, buf_str(&text));

    if (!j.rc)
        jinja_run(&j, tree);
    if (!j.rc)
        buf_add(out, written.p, written.len);
    while (j.memory) {
        struct jinja_block *next = j.memory->next;

        free(j.memory);
        j.memory = next;
    }
    buf_release(&text);
    buf_release(&written);
    return j.rc;
}
