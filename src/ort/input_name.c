#include "ort/input_name.h"

#include "base/compiler.h"

#include <string.h>
#include <strings.h>

bool name_has(const char *text, const char *part)
{
    size_t len = strlen(part);

    for (; *text; text++)
        if (strncasecmp(text, part, len) == 0)
            return true;
    return false;
}

bool name_is(const char *text, const char *word)
{
    return strcasecmp(text, word) == 0;
}

/* The first line that fits counts, so the more special ones come first. */
static const struct {
    const char *text;
    bool whole; /* the whole name, not a part of it */
    enum input_use use;
} known[] = {
    { "sr", true, INPUT_RATE },
    { "sample_rate", false, INPUT_RATE },
    { "sampling_rate", false, INPUT_RATE },
    { "seqlens_k", false, INPUT_LAST },
    { "use_cache", false, INPUT_HAS_CACHE },
    { "total_seq", false, INPUT_TOTAL },
    { "past_seq", false, INPUT_PAST },
    { "past_len", false, INPUT_PAST },
    { "cache_pos", false, INPUT_POSITIONS },
    { "position", false, INPUT_POSITIONS },
    { "mask", false, INPUT_MASK },
    { "token_type", false, INPUT_SEGMENTS },
    { "segment", false, INPUT_SEGMENTS },
    { "past", false, INPUT_CACHE },
    { "cache", false, INPUT_CACHE },
    { "hidden_state", false, INPUT_PLAIN }, /* what an encoder made */
    { "state", false, INPUT_STATE },
    { "hidden", false, INPUT_STATE },
    { "h0", true, INPUT_STATE },
    { "c0", true, INPUT_STATE },
    { "h", true, INPUT_STATE },
    { "c", true, INPUT_STATE },
    { "ids", false, INPUT_IDS },
    { "tokens", false, INPUT_IDS },
    { "input_values", true, INPUT_SOUND },
    { "audio", false, INPUT_SOUND },
    { "wav", false, INPUT_SOUND },
    { "speech", false, INPUT_SOUND },
    { "len", false, INPUT_LENGTH },
};

enum input_use input_use_of(const char *name)
{
    for (size_t i = 0; i < LEN(known); i++)
        if (known[i].whole ? name_is(name, known[i].text)
                           : name_has(name, known[i].text))
            return known[i].use;
    return INPUT_PLAIN;
}
