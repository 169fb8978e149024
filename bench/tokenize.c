/* tokenize.c -- how fast a tokenizer reads texts:
 *
 *     tokenize TOKENIZER.json TURNS FILE...
 *
 * Each file is a text.  Prints bytes, tokens and the median seconds of a turn,
 * in which all texts are read, as JSON; bench/tokenize_peer.py does the same
 * with Hugging Face's library. */
#include "base/alloc.h"
#include "base/json.h"
#include "bench/quantile.h"
#include "llm/tokenizer/tokenizer.h"
#include "os/clock.h"
#include "tests/programs/ort_host.h"

#include <stdio.h>
#include <stdlib.h>

static struct buf slurp(const char *path)
{
    struct buf out = { 0 };
    FILE *file = fopen(path, "rb");
    char part[65536];
    size_t got;

    if (!file)
        die("%s cannot be read", path);
    while ((got = fread(part, 1, sizeof(part), file)) > 0)
        buf_add(&out, part, got);
    (void)fclose(file);
    return out;
}

int main(int argc, char **argv)
{
    struct tokenizer *t = NULL;
    struct error e = { 0 };

    if (argc < 4)
        die("use: %s TOKENIZER.json TURNS FILE...", argv[0]);

    struct buf description = slurp(argv[1]);
    size_t turns = number(argv[2]), count = (size_t)argc - 3;
    double *took_s = alloc_zero(turns + 1, sizeof(*took_s));
    struct buf *texts = alloc_zero(count, sizeof(*texts));
    uint64_t bytes = 0, tokens = 0;

    if (!turns || tokenizer_read(&t, buf_str(&description), &e))
        die("%s", e.text);
    for (size_t i = 0; i < count; i++) {
        texts[i] = slurp(argv[i + 3]);
        bytes += texts[i].len;
    }
    for (size_t k = 0; k < turns; k++) {
        uint64_t since_ns = mono_ns();

        tokens = 0;
        for (size_t i = 0; i < count; i++) {
            struct ids ids = { 0 };

            tokenizer_encode(t, buf_str(&texts[i]), true, &ids);
            tokens += ids.count;
            ids_release(&ids);
        }
        took_s[k] = (double)(mono_ns() - since_ns) / 1e9;
    }

    struct buf text = { 0 };
    struct json j = json_line_into(&text);

    json_object(&j, NULL);
    json_u64(&j, "bytes", bytes);
    json_u64(&j, "tokens", tokens);
    json_real(&j, "seconds", median(took_s, turns));
    json_end(&j);
    (void)puts(buf_cstr(&text));
    buf_release(&text);
    for (size_t i = 0; i < count; i++)
        buf_release(&texts[i]);
    buf_release(&description);
    free(texts);
    free(took_s);
    tokenizer_free(t);
    return 0;
}
