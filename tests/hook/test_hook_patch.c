/* test_hook_patch.c -- which slots of which runtimes are taken. */
#include "base/compiler.h"
#include "hooked.h"

#include <fcntl.h>
#include <sys/mman.h>

/* The slots that a version has, of those that we want. */
static bool is_expected(uint32_t slot, uint32_t minor)
{
#define X(name)                                               \
    if (slot == ORT_SLOT_##name && minor >= ORT_SINCE_##name) \
        return true;
    HOOK_WRAPS(X)
#undef X
    return false;
}

static bool is_expected_of_editor(uint32_t slot, uint32_t minor)
{
#define X(name)                                               \
    if (slot == ORT_SLOT_##name && minor >= ORT_SINCE_##name) \
        return true;
    HOOK_EDITOR_WRAPS(X)
#undef X
    return false;
}

static uint32_t count_taken(const struct ort_api *api, uint32_t minor)
{
    uint32_t taken = 0;

    for (uint32_t i = 0; i < FAKE_SLOTS; i++) {
        bool changed = api->slot[i] != fake_original(0, i);

        CHECK_INT(changed, is_expected(i, minor));
        taken += changed;
    }
    for (uint32_t i = 0; i < FAKE_SLOTS && minor >= 22; i++)
        taken += is_expected_of_editor(i, minor);
    return taken;
}

static const struct {
    const char *version;
    uint32_t minor;
    const char *ops;
} versions[] = {
    { "1.4.0", 4, NULL },
    { "1.10.0", 10, NULL },
    { "1.10.0", 10, "all" },
    { "1.16.3", 16, "off" },
    { "1.23.2", 23, NULL },
    { "1.24.1-dev+build", 24, "auto" },
    { "1.30.0", 30, NULL },
    { "1.30.0", 30, "7" },
    { "1.99.0", 99, NULL },
};
static size_t version;

static void slots(void)
{
    if (versions[version].ops)
        CHECK(setenv("ORTMETER_OPS", versions[version].ops, 1) == 0);
    hooked_begin(versions[version].version);

    uint32_t minor = versions[version].minor;
    uint32_t taken = count_taken(hooked.api, minor);
    const struct record *r = hooked_last(RECORD_LIBRARY);

    CHECK_INT(r->library_found.slots, taken);
    CHECK(hooked_text(r->library_found.version, versions[version].version));
    CHECK(hooked_text(r->library_found.path, "/opt/lib/libonnxruntime.so.1"));
    CHECK(r->library_found.time > 0);
    CHECK_INT(record_library(r), 0);
    /* The editor's table came with 1.22; before, there lies something else. */
    for (uint32_t i = 0; i < FAKE_SLOTS; i++)
        CHECK_INT(fake_editor(0)->slot[i] != fake_editor_original(i),
                is_expected_of_editor(i, minor));
}

/* --- not taken ------------------------------------------------------------ */

static void check_refused(const struct candidate *c)
{
    CHECK(!patch(c));
    for (uint32_t i = 0; i < FAKE_SLOTS; i++)
        CHECK(hooked.api->slot[i] == fake_original(0, i));
    CHECK(hook_libraries[0].api == NULL);
}

static const struct ort_api_base *no_base(void)
{
    return NULL;
}

static const struct ort_api *no_api(uint32_t asked)
{
    (void)asked;
    return NULL;
}

static const char *good_version(void)
{
    return "1.23.2";
}

static const struct ort_api_base *base_without_api(void)
{
    static const struct ort_api_base base = { no_api, good_version };

    return &base;
}

/* Its functions lie elsewhere: so it is none of this object's. */
static const struct ort_api_base *base_of_others(void)
{
    static struct ort_api_base base;

    base.get_api = (const struct ort_api *(*)(uint32_t))(uintptr_t)getpid;
    base.get_version_string = good_version;
    return &base;
}

static void strange_runtimes(void)
{
    static const char *const strange[] = { NULL, "", "2.0.0", "1", "1.", "1.x",
        "10.2.0", "1.1000.0", "1.99999999999999999999.0", "v1.23.2" };
    struct candidate c = fake_candidate(0);

    hooked_listen();
    channel_init();
    for (size_t i = 0; i < LEN(strange); i++) {
        hooked.api = fake_runtime(0, strange[i]);
        check_refused(&c);
    }
    hooked.api = fake_runtime(0, "1.23.2");
    c.get_base = no_base;
    check_refused(&c);
    c.get_base = base_without_api;
    check_refused(&c);
    c.get_base = base_of_others;
    check_refused(&c);

    /* The object ends before its table does, or before it. */
    c = fake_candidate(0);
    c.image.end = (uintptr_t)hooked.api + 100;
    check_refused(&c);
    c = fake_candidate(0);
    c.image.start = (uintptr_t)hooked.api + 8;
    check_refused(&c);
    CHECK_INT(hooked_read(), 0);

    c = fake_candidate(0);
    CHECK(patch(&c)); /* it is still there to be taken */
    CHECK_INT(hooked_count(RECORD_LIBRARY), 1);
}

/* Nobody listens, or the file cannot be made: then all stays as it is. */
static void nobody_listens(void)
{
    struct candidate c = fake_candidate(0);

    CHECK(unsetenv("ORTMETER_DIR") == 0);
    channel_init();
    hooked.api = fake_runtime(0, "1.23.2");
    check_refused(&c);
}

static void no_folder(void)
{
    struct candidate c = fake_candidate(0);

    CHECK(setenv("ORTMETER_DIR", "/no/such/folder", 1) == 0);
    channel_init();
    CHECK(!channel_wanted());
    hooked.api = fake_runtime(0, "1.23.2");
    check_refused(&c);
}

/* --- several -------------------------------------------------------------- */

/* Eight may meet in one process; each call goes to its own. */
static void several(void)
{
    hooked_listen();
    channel_init();
    for (size_t i = 0; i < FAKE_RUNTIMES; i++) {
        const struct ort_api *api = fake_runtime(i, "1.23.2");
        struct candidate c = fake_candidate(i);

        CHECK_INT(patch(&c), i < LIBRARIES);
        CHECK(!patch(&c)); /* not twice */
        if (i >= LIBRARIES)
            CHECK(api->slot[ORT_SLOT_Run] == fake_original(i, ORT_SLOT_Run));
    }
    CHECK_INT(hooked_count(RECORD_LIBRARY), LIBRARIES);
    for (size_t i = 0; i < LIBRARIES; i++) {
        struct candidate c = fake_candidate(i);
        const struct ort_api *api = c.get_base()->get_api(1);
        struct ort_session *session = (struct ort_session *)(i + 1);

        CHECK(!ORT(api, Run)(session, NULL, NULL, NULL, 0, NULL, 0, NULL));
        CHECK_INT(fake.last.args[0], i + 1);
        CHECK_INT(record_library(hooked_last(RECORD_RUN)), i);
    }
}

/* --- the memory is as it was ---------------------------------------------- */

/* Asks the kernel to write there: it says so, and no signal comes. */
static bool is_writable(const struct ort_api *api, uint32_t slot)
{
    int fd = open("/dev/zero", O_RDONLY);
    bool writable = read(fd, (void *)(uintptr_t)&api->slot[slot], 1) == 1;

    (void)close(fd);
    return writable;
}

static void read_only_again(void)
{
    struct candidate c = fake_candidate(0);
    uintptr_t table;

    hooked_listen();
    channel_init();
    hooked.api = fake_runtime(0, "1.23.2");
    table = (uintptr_t)hooked.api;
    c.image.relro_start = table;
    c.image.relro_end = table + 4096;
    CHECK(mprotect((void *)table, 4096, PROT_READ) == 0);
    CHECK(patch(&c));
    CHECK(!is_writable(hooked.api, FAKE_SLOTS - 1));
    CHECK(!CALL(Run)(NULL, NULL, NULL, NULL, 0, NULL, 0, NULL));
    CHECK_INT(hooked_count(RECORD_RUN), 1);

    /* What the loader left writable stays so. */
    c = fake_candidate(1);
    hooked.api = fake_runtime(1, "1.23.2");
    CHECK(patch(&c));
    CHECK(is_writable(hooked.api, FAKE_SLOTS - 1));
}

int main(void)
{
    for (version = 0; version < LEN(versions); version++)
        HOOKED(slots);
    HOOKED(strange_runtimes);
    HOOKED(nobody_listens);
    HOOKED(no_folder);
    HOOKED(several);
    HOOKED(read_only_again);
    return test_result();
}
