#include "ort/shape_text.h"

#include <string.h>

static bool take(const char **at, const char *wanted)
{
    size_t len = strlen(wanted);

    if (strncmp(*at, wanted, len) != 0)
        return false;
    *at += len;
    return true;
}

/* As JSON has it: no zero before other digits. */
static bool take_number(const char **at)
{
    (void)take(at, "-");

    size_t digits = strspn(*at, "0123456789");

    if (!digits || (digits > 1 && **at == '0'))
        return false;
    *at += digits;
    return true;
}

/* {"float":[1,3]} */
static bool take_tensor(const char **at)
{
    if (!take(at, "{\""))
        return false;
    *at += strspn(*at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                       "0123456789_()");
    if (!take(at, "\":["))
        return false;
    if (take(at, "]"))
        return take(at, "}");
    do {
        if (!take_number(at))
            return false;
    } while (take(at, ","));
    return take(at, "]}");
}

bool shape_text_is_sound(const char *text)
{
    const char *at = text;

    if (!take(&at, "["))
        return false;
    if (take(&at, "]"))
        return !*at;
    do {
        if (!take_tensor(&at))
            return false;
    } while (take(&at, ","));
    return take(&at, "]") && !*at;
}
