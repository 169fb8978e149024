/* kernel_text.c -- see proc(5), os-release(5), and Documentation/ABI of the
 * kernel for sysfs. */
#include "os/kernel_text.h"

#include <errno.h>
#include <string.h>

void text_copy(char *out, size_t cap, struct str s)
{
    /* Some files end with zero bytes, or hold several texts so divided. */
    struct str t = str_trim(str_before(s, 0));
    size_t len = t.len < cap ? t.len : cap - 1;

    if (len)
        memcpy(out, t.p, len);
    out[len] = 0;
}

/* Splits a line at its first `at`; both sides trimmed.  False: there is none.
 */
static bool split(struct str line, char at, struct str *left, struct str *right)
{
    struct str before = str_before(line, at);

    if (before.len == line.len)
        return false;
    *left = str_trim(before);
    *right = str_trim(str_after(line, at));
    return true;
}

struct str text_field(struct str text, const char *key)
{
    struct str line, left, right;

    while (str_line(&line, &text))
        if (split(line, ':', &left, &right) && str_is(left, key))
            return right;
    return (struct str){ text.p, 0 };
}

int text_size(uint64_t *out, struct str s)
{
    struct str t = str_trim(s);
    size_t digits = 0;
    uint64_t number;

    while (digits < t.len && t.p[digits] >= '0' && t.p[digits] <= '9')
        digits++;

    int rc = str_u64(&number, (struct str){ t.p, digits });
    struct str unit = str_trim((struct str){ t.p + digits, t.len - digits });
    int shift = -1;

    if (rc)
        return rc;
    if (!unit.len)
        shift = 0;
    else if (str_is(unit, "kB") || str_is(unit, "K"))
        shift = 10;
    else if (str_is(unit, "M"))
        shift = 20;
    else if (str_is(unit, "G"))
        shift = 30;
    if (shift < 0)
        return -EINVAL;
    if (number > UINT64_MAX >> shift)
        return -ERANGE;
    *out = number << shift;
    return 0;
}

bool text_cpu_range(struct str *rest, uint64_t *first, uint64_t *last)
{
    struct str item = str_trim(*rest);
    struct str tail = { item.p + item.len, 0 };
    struct str left, right;

    if (split(item, ',', &left, &right)) {
        item = left;
        tail = right;
    }
    if (!split(item, '-', &left, &right))
        left = right = item;

    uint64_t a, b;

    if (str_u64(&a, left) || str_u64(&b, right) || b < a)
        return false;
    *first = a;
    *last = b;
    *rest = tail;
    return true;
}

/* What the shell would make of a value: quotes are dropped, and a backslash
 * stands for the character behind it. */
static void unquote(char *out, size_t cap, struct str value)
{
    size_t len = 0;

    for (size_t i = 0; i < value.len && len + 1 < cap; i++) {
        char c = value.p[i];

        if (c == '"' || c == '\'')
            continue;
        if (c == '\\' && i + 1 < value.len)
            c = value.p[++i];
        out[len++] = c;
    }
    out[len] = 0;
}

void text_os_release(char *out, size_t cap, struct str text, const char *key)
{
    struct str line, left, right;

    out[0] = 0;
    while (str_line(&line, &text)) {
        if (split(line, '=', &left, &right) && str_is(left, key)) {
            unquote(out, cap, right);
            return;
        }
    }
}

static struct str first_field(struct str text, const char *const *keys)
{
    struct str value = { text.p, 0 };

    for (; *keys && !value.len; keys++)
        value = text_field(text, *keys);
    return value;
}

/* Whether one of the words of `line` is `word`. */
static bool has_word(struct str line, const char *word)
{
    for (struct str w = str_word(&line); w.len; w = str_word(&line))
        if (str_is(w, word))
            return true;
    return false;
}

struct cpuinfo text_cpuinfo(struct str text)
{
    /* x86 and LoongArch; POWER; RISC-V. */
    static const char *const models[] = { "model name", "Model Name", "cpu",
        "uarch", NULL };
    static const char *const vendors[] = { "vendor_id", "CPU implementer",
        "mvendorid", NULL };
    struct cpuinfo info = {
        .model = first_field(text, models),
        .vendor = first_field(text, vendors),
        .part = text_field(text, "CPU part"),
        .hypervisor = has_word(text_field(text, "flags"), "hypervisor"),
    };
    struct str line, left, right;

    while (str_line(&line, &text))
        if (split(line, ':', &left, &right))
            info.threads += str_is(left, "processor");
    return info;
}

struct str text_nvidia_version(struct str text)
{
    struct str rest = text_field(text, "NVRM version");

    for (struct str w = str_word(&rest); w.len; w = str_word(&rest))
        if (w.p[0] >= '0' && w.p[0] <= '9' && memchr(w.p, '.', w.len))
            return w;
    return (struct str){ text.p, 0 };
}

/* The name behind a line's id, or empty when it is another id. */
static struct str named(struct str line, struct str id)
{
    if (id.len != 4 || line.len < 6 || memcmp(line.p, id.p, 4) != 0 ||
            line.p[4] != ' ')
        return (struct str){ line.p, 0 };
    return str_trim((struct str){ line.p + 4, line.len - 4 });
}

/*     10de  NVIDIA Corporation
 *     <tab>2684  AD102 [GeForce RTX 4090]
 *     <tab><tab>10de 1657  a board's maker and its name, which we skip */
struct pci_names text_pci_names(struct str ids, struct str vendor,
        struct str device)
{
    struct str none = { ids.p, 0 };
    struct pci_names names = { none, none };
    struct str line;

    while (str_line(&line, &ids)) {
        bool below = str_starts(line, "\t");

        if (!line.len || line.p[0] == '#')
            continue;
        if (!below && names.vendor.len)
            break; /* the next vendor */
        if (!below)
            names.vendor = named(line, vendor);
        else if (names.vendor.len && !names.device.len)
            names.device =
                    named((struct str){ line.p + 1, line.len - 1 }, device);
    }
    return names;
}
