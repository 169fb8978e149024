/* tokens.c TOKENIZER.json -- reads JSON strings, a line each, and prints for
 * each what our tokenizer makes of it: {"ids", "special", "d", "ds", "chunks"}:
 * without and with the template, decoded with and without special tokens, and
 * token by token.  `tokens TOKENIZER.json FILE` encodes the whole file again
 * and again for a second instead, and prints the bytes it did per second. */
#include "base/json.h"
#include "base/json_read.h"
#include "llm/tokenizer/tokenizer.h"
#include "os/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool slurp(struct buf *out, FILE *file)
{
    char part[65536];
    size_t got;

    while (file && (got = fread(part, 1, sizeof(part), file)) > 0)
        buf_add(out, part, got);
    if (file && file != stdin)
        (void)fclose(file);
    return file != NULL;
}

static void print_ids(struct json *j, const char *key, const struct ids *ids)
{
    json_array(j, key);
    for (size_t i = 0; i < ids->count; i++)
        json_int(j, NULL, ids->id[i]);
    json_end(j);
}

static void print_chunks(struct json *j, struct tokenizer *t,
        const struct ids *ids)
{
    struct token_stream stream = { 0 };
    struct buf text = { 0 };

    json_array(j, "chunks");
    for (size_t i = 0; i < ids->count; i++) {
        buf_clear(&text);
        token_stream_add(&stream, t, false, ids->id[i], &text);
        json_str(j, NULL, buf_str(&text));
    }
    json_end(j);
    token_stream_release(&stream);
    buf_release(&text);
}

static void print_line(struct tokenizer *t, struct str text)
{
    struct ids ids = { 0 }, special = { 0 };
    struct buf out = { 0 }, decoded = { 0 };
    struct json j = json_line_into(&out);

    tokenizer_encode(t, text, false, &ids);
    tokenizer_encode(t, text, true, &special);
    json_object(&j, NULL);
    print_ids(&j, "ids", &ids);
    print_ids(&j, "special", &special);
    tokenizer_decode(t, ids.id, ids.count, false, &decoded);
    json_str(&j, "d", buf_str(&decoded));
    buf_clear(&decoded);
    tokenizer_decode(t, ids.id, ids.count, true, &decoded);
    json_str(&j, "ds", buf_str(&decoded));
    print_chunks(&j, t, &ids);
    json_end(&j);
    (void)printf("%s\n", buf_cstr(&out));
    ids_release(&ids);
    ids_release(&special);
    buf_release(&out);
    buf_release(&decoded);
}

static void print_speed(struct tokenizer *t, struct str text)
{
    struct ids ids = { 0 };
    uint64_t begin = mono_ns(), now;
    double bytes = 0;

    do {
        ids.count = 0;
        tokenizer_encode(t, text, false, &ids);
        bytes += (double)text.len;
        now = mono_ns();
    } while (now - begin < 1000000000);
    (void)printf("%.0f\n", bytes * 1e9 / (double)(now - begin));
    ids_release(&ids);
}

int main(int argc, char **argv)
{
    struct buf file = { 0 }, text = { 0 }, lines = { 0 };
    struct tokenizer *t = NULL;
    struct error e = { 0 };

    if (argc < 2 || !slurp(&file, fopen(argv[1], "rb")))
        return 2;
    if (tokenizer_read(&t, buf_str(&file), &e)) {
        (void)fprintf(stderr, "%s: %s\n", argv[1], e.text);
        return 1;
    }
    (void)slurp(&lines, argc > 2 ? fopen(argv[2], "rb") : stdin);
    if (argc > 2)
        print_speed(t, buf_str(&lines));

    struct str rest = buf_str(&lines), line;

    while (argc == 2 && str_line(&line, &rest)) {
        buf_clear(&text);
        if (json_read_text(&text, line))
            return 2;
        print_line(t, buf_str(&text));
    }
    tokenizer_free(t);
    buf_release(&file);
    buf_release(&text);
    buf_release(&lines);
    return 0;
}
