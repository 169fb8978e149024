/* kernel.c -- who a kernel is.
 *
 * A kernel, onnxruntime::OpKernel, keeps the address of its description behind
 * that of its table; ONNX Runtime's API takes that address as OrtKernelInfo and
 * tells the name, from 1.24 on also the type.  The description leads to the
 * node and to its execution provider:
 *
 *     kernel:  table, description, ...
 *     description:  protocol, node, ?, provider, ...
 *     node:  index, name, type, ...                (the last two: std::string)
 *
 * The protocol is a part of the description that names the node, too: unless
 * that is so, nothing is asked and nothing is believed.  What is read beyond
 * that is looked at only where there is memory, and only where it says what is
 * known from elsewhere: the type follows a name that equals the API's. */
#include "base/compiler.h"
#include "hook/memory.h"
#include "hook/ops/ops.h"
#include "hook/text.h"

#include <stdatomic.h>

enum { KERNEL_INFO = 1 };
enum { INFO_PROTOCOL = 0, INFO_NODE = 1, INFO_PROVIDER = 3, INFO_WORDS = 4 };
enum { NODE_INDEX = 0, NODE_NAME = 1, NODE_WORDS = 12 };

/* The protocol lies in the description. */
#define PROTOCOL_WITHIN 256

/* --- kernels that were sent ----------------------------------------------- */

#define KNOWN        (UINT64_C(1) << 17) /* a power of 2 */
#define KNOWN_PROBES 64
#define KNOWN_SHIFT  5 /* kernels are larger than 32 bytes */
#define WAS_THERE    1

/* Neighbours in memory are neighbours here: kernels run about in the order in
 * which they were made, so the next one's place is in the cache. */
static _Atomic uintptr_t *_Atomic known;

static _Atomic uint64_t generation;

uint64_t kernel_generation(void)
{
    return atomic_load_explicit(&generation, memory_order_acquire);
}

static size_t known_place(const void *kernel, size_t i)
{
    return (size_t)((((uintptr_t)kernel >> KNOWN_SHIFT) + i) % KNOWN);
}

HOT bool kernel_is_known(const void *kernel)
{
    const _Atomic uintptr_t *set =
            atomic_load_explicit(&known, memory_order_acquire);

    for (size_t i = 0; set && i < KNOWN_PROBES; i++) {
        uintptr_t there = atomic_load_explicit(&set[known_place(kernel, i)],
                memory_order_relaxed);

        if (there == (uintptr_t)kernel)
            return true;
        if (!there)
            break;
    }
    return false;
}

static _Atomic uintptr_t *known_set(void)
{
    _Atomic uintptr_t *there = atomic_load(&known);
    _Atomic uintptr_t *made;

    if (there)
        return there;
    made = memory_pages(KNOWN * sizeof(*made));
    if (made && !atomic_compare_exchange_strong(&known, &there, made)) {
        memory_give_back((void *)made, KNOWN * sizeof(*made));
        made = there;
    }
    return made;
}

/* Without a place it is sent again each time. */
void kernel_remember(const void *kernel)
{
    _Atomic uintptr_t *set = known_set();

    for (size_t i = 0; set && i < KNOWN_PROBES; i++) {
        _Atomic uintptr_t *place = &set[known_place(kernel, i)];
        uintptr_t there = atomic_load(place);

        if (there == (uintptr_t)kernel)
            return;
        while (there <= WAS_THERE)
            if (atomic_compare_exchange_weak(place, &there, (uintptr_t)kernel))
                return;
    }
}

/* Two threads may both have found a place for it. */
bool kernel_forget(const void *kernel)
{
    _Atomic uintptr_t *set = atomic_load(&known);
    bool was_known = false;

    for (size_t i = 0; set && i < KNOWN_PROBES; i++) {
        _Atomic uintptr_t *place = &set[known_place(kernel, i)];
        uintptr_t there = atomic_load(place);

        if (!there)
            break;
        if (there == (uintptr_t)kernel) {
            atomic_store(place, WAS_THERE);
            was_known = true;
        }
    }
    if (was_known)
        atomic_fetch_add(&generation, 1);
    return was_known;
}

void kernels_again(void)
{
    _Atomic uintptr_t *set = atomic_load(&known);

    for (size_t i = 0; set && i < KNOWN; i++)
        if (atomic_load_explicit(&set[i], memory_order_relaxed))
            atomic_store(&set[i], WAS_THERE);
    atomic_fetch_add(&generation, 1);
}

void kernels_in_child(void)
{
    atomic_fetch_add(&generation, 1);

    _Atomic uintptr_t *set = atomic_exchange(&known, NULL);

    if (set)
        memory_give_back((void *)set, KNOWN * sizeof(*set));
}

/* --- its description ------------------------------------------------------ */

const uintptr_t *kernel_info(struct library *lib, const uintptr_t *self)
{
    const uintptr_t *info = (const uintptr_t *)self[KERNEL_INFO];
    uintptr_t at = (uintptr_t)info;

    /* Once it was as expected, it is there. */
    if (!lib->kernels_fit &&
            (at % sizeof(*info) ||
                    !memory_readable(info, INFO_WORDS * sizeof(*info))))
        return NULL;

    uintptr_t protocol = info[INFO_PROTOCOL];

    if (protocol <= at || protocol - at >= PROTOCOL_WITHIN ||
            protocol % sizeof(*info) ||
            (!lib->kernels_fit &&
                    !memory_readable((const void *)protocol, sizeof(*info))) ||
            *(const uintptr_t *)protocol != info[INFO_NODE])
        return NULL;
    lib->kernels_fit = true;
    return info;
}

/* A text of the C++ library's in its two forms, and where the next one is. */
enum form { FORM_NONE, FORM_LONG, FORM_SHORT };
enum { LONG_WORDS = 4, SHORT_WORDS = 1 };

/* Long: address, length, and room for 15 characters.  NULL: it is none. */
static const char *long_text(const uintptr_t *at, size_t *len)
{
    const char *text = (const char *)at[0];

    *len = at[1];
    if (*len >= THREAD_TEXT || (*len <= 15 && text != (const char *)(at + 2)) ||
            !memory_readable(text, *len + 1) || text[*len])
        return NULL;
    return text;
}

/* Short: an address, with the length before. */
static const char *short_text(const uintptr_t *at, size_t *len)
{
    const char *text = (const char *)at[0];
    const uintptr_t *before = (const uintptr_t *)at[0] - 3;

    if ((uintptr_t)text % sizeof(uintptr_t) ||
            !memory_readable(before, 3 * sizeof(*before)))
        return NULL;
    *len = before[0];
    if (*len >= THREAD_TEXT || !memory_readable(text, *len + 1) || text[*len])
        return NULL;
    return text;
}

static const char *text_at(const uintptr_t *at, enum form form)
{
    size_t len;

    return form == FORM_LONG ? long_text(at, &len) : short_text(at, &len);
}

/* The type, behind a name that is this one. */
static const char *node_type(const uintptr_t *node, const char *name)
{
    const char *text = text_at(node + NODE_NAME, FORM_LONG);

    if (text && text_is(text, name))
        return text_at(node + NODE_NAME + LONG_WORDS, FORM_LONG);
    text = text_at(node + NODE_NAME, FORM_SHORT);
    if (text && text_is(text, name))
        return text_at(node + NODE_NAME + SHORT_WORDS, FORM_SHORT);
    return NULL;
}

/* --- its execution provider ----------------------------------------------- */

static bool text_ends(const char *text, size_t len, const char *with)
{
    size_t n = text_len(with);

    return len >= n && text_is(text + len - n, with);
}

/* Before the functions in a table stands the description, in there the name. */
const char *kernel_class(const uintptr_t *object)
{
    const size_t word = sizeof(uintptr_t);
    const uintptr_t *table, *type;

    if (!memory_readable(object, word))
        return NULL;
    table = (const uintptr_t *)object[0];
    if ((uintptr_t)table % word || !memory_readable(table - 1, word))
        return NULL;
    type = (const uintptr_t *)table[-1];
    if ((uintptr_t)type % word || !memory_readable(type, 2 * word) ||
            !memory_readable((const void *)type[1], word))
        return NULL;
    return (const char *)type[1];
}

/* "N11onnxruntime20CPUExecutionProviderE": copies the last of the names. False:
 * it is no such thing. */
static bool last_name(char *out, const char *name)
{
    const char *last = NULL;
    size_t len = 0;

    if (*name++ != 'N')
        return false;
    while (*name >= '0' && *name <= '9') {
        for (len = 0; *name >= '0' && *name <= '9' && len < 256; name++)
            len = len * 10 + (size_t)(*name - '0');
        if (len >= 256 || !memory_readable(name, len + 1))
            return false;
        last = name;
        for (size_t i = 0; i < len; i++) /* it may end before it says so */
            if (!*name++)
                return false;
    }
    if (!last || *name != 'E')
        return false;
    for (size_t i = 0; i < len; i++)
        out[i] = last[i];
    out[len] = 0;
    return true;
}

/* Providers that come from others have a class in common, and keep their name
 * among their first words. */
static const char *name_inside(const uintptr_t *provider)
{
    for (size_t i = 1; i < 12; i++) {
        const uintptr_t *at = provider + i;
        size_t len = 0;
        const char *text;

        if (!memory_readable(at, 2 * sizeof(*at)))
            return NULL;
        text = long_text(at, &len);
        if (!text)
            text = short_text(at, &len);
        if (text && text_ends(text, len, "Provider"))
            return text;
    }
    return NULL;
}

static uint64_t provider_name(const uintptr_t *provider, char *text)
{
    const char *mangled = kernel_class(provider);

    if (mangled && last_name(text, mangled) &&
            text_ends(text, text_len(text), "ExecutionProvider") &&
            !text_begins(text, "Plugin"))
        return channel_text(text);
    return channel_text(mangled ? name_inside(provider) : NULL);
}

/* --- all of it ------------------------------------------------------------ */

/* Calls of the API that copy a text.  False: there is none. */
typedef struct ort_status *(
        *copy_text)(const void *info, char *out, size_t *size);

static bool read_text(const struct kernel *k, enum ort_slot slot)
{
    size_t size = THREAD_TEXT;
    struct ort_status *st =
            ((copy_text)k->lib->api->slot[slot])(k->info, k->text, &size);

    if (st)
        ORT(k->lib->api, ReleaseStatus)(st);
    return !st;
}

static uint64_t read_type(const struct kernel *k, const uintptr_t *node)
{
    if (k->lib->minor < ORT_SINCE_KernelInfo_GetOperatorType)
        return channel_text(node_type(node, k->text));
    return read_text(k, ORT_SLOT_KernelInfo_GetOperatorType)
                   ? channel_text(k->text)
                   : 0;
}

static uint32_t read_since(const struct kernel *k)
{
    int since = 0;
    struct ort_status *st =
            ORT(k->lib->api, KernelInfo_GetOperatorSinceVersion)(
                    (const struct ort_kernel_info *)k->info, &since);

    if (st)
        ORT(k->lib->api, ReleaseStatus)(st);
    return st || since < 0 ? 0 : (uint32_t)since;
}

bool kernel_send(const struct kernel *k, uint64_t parent)
{
    const uintptr_t *node = (const uintptr_t *)k->info[INFO_NODE];
    struct record r = {
        .kind = RECORD_KERNEL,
        .place = record_place(PHASE_OTHER, k->lib->index),
        .kernel = { .kernel = (uintptr_t)k->self, .parent = parent },
    };

    if (!memory_readable(node, NODE_WORDS * sizeof(*node)))
        return false;
    r.kernel.node_index = (uint32_t)node[NODE_INDEX];
    if (!read_text(k, ORT_SLOT_KernelInfo_GetNodeName))
        return false;
    r.kernel.name = *k->text ? channel_text(k->text) : 0;
    r.kernel.op_type = read_type(k, node);
    if (k->lib->minor >= ORT_SINCE_KernelInfo_GetOperatorDomain) {
        if (read_text(k, ORT_SLOT_KernelInfo_GetOperatorDomain))
            r.kernel.domain = channel_text(k->text);
        r.kernel.since_version = read_since(k);
    }
    r.kernel.provider =
            provider_name((const uintptr_t *)k->info[INFO_PROVIDER], k->text);
    return channel_try(&r);
}
