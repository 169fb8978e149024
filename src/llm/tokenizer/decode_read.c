/* decode_read.c -- reads the decoders of a tokenizer.json. */
#include "base/alloc.h"
#include "base/json_member.h"
#include "base/json_read.h"
#include "llm/setting.h"
#include "llm/tokenizer/decode.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct decoder *add(struct decoders *d, enum decoder_kind kind)
{
    d->item = alloc_resize(d->item, (d->count + 1) * sizeof(*d->item));

    struct decoder *item = &d->item[d->count++];

    *item = (struct decoder){ .kind = kind };
    return item;
}

static void read_mark(struct decoder *item, struct str value, const char *key,
        const char *otherwise)
{
    if (!json_member_text(&item->content, value, key))
        buf_text(&item->content, otherwise);
}

static void read_metaspace(struct decoders *d, struct str value)
{
    struct decoder *item = add(d, DECODER_METASPACE);
    struct buf scheme = { 0 };

    read_mark(item, value, "replacement", "\xe2\x96\x81");
    item->keep_first = !setting_bool(value, "add_prefix_space", true);
    if (json_member_text(&scheme, value, "prepend_scheme"))
        item->keep_first = strcmp(buf_cstr(&scheme), "never") == 0;
    buf_release(&scheme);
}

static void read_strip(struct decoders *d, struct str value)
{
    struct decoder *item = add(d, DECODER_STRIP);

    read_mark(item, value, "content", " ");
    (void)setting_i64(&item->start, value, "start");
    (void)setting_i64(&item->stop, value, "stop");
}

static int read_one(struct decoders *d, struct str value, struct error *e);

static int read_sequence(struct decoders *d, struct str value, struct error *e)
{
    struct str rest = json_member(value, "decoders"), one;
    int rc;

    while ((rc = json_next_element(&rest, &one)) > 0) {
        rc = read_one(d, one, e);
        if (rc)
            return rc;
    }
    return rc ? fail(e, rc, "its decoders are no list") : 0;
}

static int read_one(struct decoders *d, struct str value, struct error *e)
{
    char type[32];

    setting_type(type, sizeof(type), value);
    if (strcmp(type, "Sequence") == 0)
        return read_sequence(d, value, e);
    if (strcmp(type, "ByteLevel") == 0) {
        add(d, DECODER_BYTE_LEVEL);
    } else if (strcmp(type, "ByteFallback") == 0) {
        add(d, DECODER_BYTE_FALLBACK);
    } else if (strcmp(type, "Fuse") == 0) {
        add(d, DECODER_FUSE);
    } else if (strcmp(type, "Strip") == 0) {
        read_strip(d, value);
    } else if (strcmp(type, "Metaspace") == 0) {
        read_metaspace(d, value);
    } else if (strcmp(type, "BPEDecoder") == 0) {
        read_mark(add(d, DECODER_BPE), value, "suffix", "</w>");
    } else if (strcmp(type, "WordPiece") == 0) {
        struct decoder *item = add(d, DECODER_WORDPIECE);

        read_mark(item, value, "prefix", "##");
        item->cleanup = setting_bool(value, "cleanup", true);
    } else if (strcmp(type, "Replace") == 0) {
        struct decoder *item = add(d, DECODER_REPLACE);

        (void)json_member_text(&item->content, value, "content");
        return setting_pattern(&item->pattern, json_member(value, "pattern"),
                e);
    } else {
        return fail(e, -ENOTSUP, "its decoder '%s' is not known", type);
    }
    return 0;
}

int decoders_read(struct decoders *d, struct str value, struct error *e)
{
    d->spaced = !value.len || str_is(value, "null");
    return d->spaced ? 0 : read_one(d, value, e);
}

void decoders_release(struct decoders *d)
{
    for (size_t i = 0; i < d->count; i++) {
        pattern_release(&d->item[i].pattern);
        buf_release(&d->item[i].content);
    }
    free(d->item);
    *d = (struct decoders){ 0 };
}
