/* Profiles of many versions of ONNX Runtime, cut at every byte.  What they hold
 * is counted, by jq, in tests/e2e/import.sh. */
#include "ort/profile.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "base/compiler.h"
#include "os/path.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

static bool read_whole(struct buf *out, const char *folder, const char *name)
{
    struct buf path = { 0 };
    char bytes[65536];
    size_t n;

    buf_printf(&path, "%s/%s", folder, name);

    FILE *f = fopen(buf_cstr(&path), "rb");

    buf_release(&path);
    if (!f)
        return false;
    while ((n = fread(bytes, 1, sizeof(bytes), f)) > 0)
        buf_add(out, bytes, n);
    (void)fclose(f);
    return true;
}

static void count(void *to, const struct profile_event *e)
{
    if (profile_kind(e) != PROFILE_OTHER)
        ++*(uint64_t *)to;
}

/* For each length, how many events are whole in so much of the text, found by
 * their last brace: these profiles have one event a line, and no newline in a
 * name.  For free(). */
static uint32_t *whole_events(struct str text)
{
    static const char *const ends[] = { "}\n", "},\n", "}]\n" };
    uint32_t *whole = alloc_zero(text.len + 1, sizeof(*whole));

    for (size_t i = 0; i < text.len; i++) {
        whole[i + 1] = whole[i];
        for (size_t k = 0; text.p[i] == '}' && k < LEN(ends); k++)
            whole[i + 1] += text.len - i >= strlen(ends[k]) &&
                            !memcmp(text.p + i, ends[k], strlen(ends[k]));
    }
    return whole;
}

/* Whether text[from..len) reads as `want` events and nothing else. */
static bool reads_as(struct str text, size_t from, size_t len, uint32_t want)
{
    uint64_t events = 0;
    struct profile *p = profile_new(count, &events);
    char *copy = alloc_zero(len - from, 1);

    memcpy(copy, text.p + from, len - from);
    profile_feed(p, copy, len - from);

    const struct profile_tally *t = profile_end(p);
    bool good = events == want && !t->broken && !t->skipped_bytes &&
                (!t->closed || len + 2 > text.len);

    profile_free(p);
    free(copy);
    return good;
}

/* Cut at every byte: what is whole is read.  What lies more than a line before
 * the cut is read with it only now and then. */
static void cut_everywhere(struct str text, const char *name)
{
    uint32_t *whole = whole_events(text);
    size_t line = 0, before = 0;

    for (size_t len = 0; len <= text.len; len++) {
        bool good = reads_as(text, before, len, whole[len] - whole[before]) &&
                    (len % 997 || reads_as(text, 0, len, whole[len]));

        if (!good) {
            (void)fprintf(stderr, "%s cut at %zu\n", name, len);
            test_failures++;
            break;
        }
        if (len < text.len && text.p[len] == '\n') {
            before = line;
            line = len + 1;
        }
    }
    free(whole);
}

int main(void)
{
    const char *data = getenv("DATA");
    struct buf path = { 0 };
    struct folder f;
    uint64_t files = 0;

    buf_printf(&path, "%s/ort_profiles",
            data ? data : SOURCE_ROOT "/../shared/data");
    if (folder_read(&f, "%s", buf_cstr(&path))) {
        (void)printf("there are no recordings in %s\n", buf_cstr(&path));
        buf_release(&path);
        return 77;
    }
    for (size_t i = 0; i < f.count; i++) {
        struct buf text = { 0 };

        if (strstr(f.name[i], ".json") &&
                read_whole(&text, buf_cstr(&path), f.name[i])) {
            cut_everywhere(buf_str(&text), f.name[i]);
            files++;
        }
        buf_release(&text);
    }
    CHECK(files >= 10);
    folder_release(&f);
    buf_release(&path);
    return test_result();
}
