/* test_hook_channel.c -- how records get out of a process, and what happens
 * where they cannot. */
#include "base/compiler.h"
#include "hooked.h"
#include "wire/ring.h"

#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>

static struct ort_session *const session = (struct ort_session *)0x7000;

static void run(void)
{
    CHECK(!CALL(Run)(session, NULL, NULL, NULL, 0, NULL, 0, NULL));
}

/* --- texts ---------------------------------------------------------------- */

static char long_text[6000];

static const char *text_of(size_t len)
{
    for (size_t i = 0; i < len; i++)
        long_text[i] = (char)('!' + i % 89);
    long_text[len] = 0;
    return long_text;
}

/* Around the size of a piece, and of the longest; what is longer is cut. */
static void lengths(void)
{
    static const size_t lens[] = { 0, 1, 39, 40, 41, 80, 81, 4095, 4096, 4097,
        5999 };

    hooked_begin("1.30.0");
    CHECK_INT(channel_text(NULL), 0);
    for (size_t i = 0; i < LEN(lens); i++) {
        uint64_t name = channel_text(text_of(lens[i]));
        size_t sent = lens[i] < 4096 ? lens[i] : 4096;

        CHECK(name != 0);
        (void)hooked_read();
        CHECK(hooked_text(name, text_of(sent)));
    }
}

/* Each is sent once. */
static void once(void)
{
    hooked_begin("1.30.0");

    uint64_t a = channel_text("a"), b = channel_text("b");

    (void)hooked_read();

    size_t before = hooked.pieces;

    CHECK(a != b);
    CHECK_INT(channel_text("a"), a);
    CHECK_INT(channel_text("b"), b);
    (void)hooked_read();
    CHECK_INT(hooked.pieces, before);

    /* Far more than are remembered: they are sent again, and never wrong. */
    for (int i = 0; i < 70001; i++) {
        char text[32];

        (void)snprintf(text, sizeof(text), "text %d", i);

        uint64_t name = channel_text(text);

        if (i % 1000 == 0) {
            (void)hooked_read();
            CHECK(hooked_text(name, text));
        }
    }
    CHECK_INT(channel_text("a"), a);
}

/* --- a full ring ---------------------------------------------------------- */

static void full(void)
{
    CHECK(setenv("ORTMETER_RING", "64", 1) == 0);
    hooked_begin("1.30.0");
    (void)hooked_read();

    size_t before = hooked.count;

    for (int i = 0; i < 100; i++)
        run(); /* none of them waits */
    CHECK_INT(hooked_read(), before + 64);
    run();
    CHECK_INT(hooked_read(), before + 65);

    /* A text that did not get out is sent the next time. */
    for (int i = 0; i < 63; i++)
        run();

    uint64_t name = channel_text(text_of(100)); /* three pieces, one place */

    (void)hooked_read();
    CHECK(texts_find(&hooked.texts, name) == NULL);
    CHECK_INT(channel_text(text_of(100)), name);
    (void)hooked_read();
    CHECK(hooked_text(name, text_of(100)));
    hooked_end();
    CHECK_INT(hooked.gone[0].lost, 100 - 64 + 1);
}

static const struct {
    const char *asked;
    uint32_t records;
} rings[] = {
    { NULL, 1 << 16 },
    { "", 1 << 16 },
    { "64", 64 },
    { "63", 1 << 16 },
    { "100", 1 << 16 },
    { "32", 1 << 16 },
    { "4096", 4096 },
    { "4096x", 4096 },
    { "33554432", 1 << 16 },
    { "99999999999999999999", 1 << 16 },
    { "-64", 1 << 16 },
};
static size_t asked;

static void ring_sizes(void)
{
    if (rings[asked].asked)
        CHECK(setenv("ORTMETER_RING", rings[asked].asked, 1) == 0);
    hooked_begin("1.30.0"); /* asks for 65536 */
    CHECK(channel_ring() && channel_ring()->count == rings[asked].records);
}

static size_t files_in(const char *folder, const char *ending)
{
    DIR *d = opendir(folder);
    const struct dirent *e;
    size_t n = 0;

    while (d && (e = readdir(d)))
        n += strlen(e->d_name) > strlen(ending) &&
             strcmp(e->d_name + strlen(e->d_name) - strlen(ending), ending) ==
                     0;
    (void)closedir(d);
    return n;
}

/* --- children ------------------------------------------------------------- */

static void forked(void)
{
    hooked_begin("1.30.0");
    run();
    CHECK_INT(channel_text("the parent's"), channel_text("the parent's"));

    pid_t pid = fork();

    if (pid == 0) {
        for (int i = 0; i < 3; i++)
            run();
        (void)channel_text("the child's");
        (void)raise(SIGKILL);
    }
    CHECK(waitpid(pid, NULL, 0) == pid);
    CHECK_INT(hooked_count(RECORD_RUN), 4);
    CHECK_INT(hooked.owners, 2);
    CHECK_INT(hooked.records[hooked.count - 1].run.thread, pid);
    hooked_await_gone(1);
    CHECK_INT(hooked.gone[0].pid, pid);
    CHECK_INT(hooked.gone[0].parent, 1);
    CHECK_INT(files_in(rings_folder(hooked.rings), ".ring"), 2);
    CHECK(hooked_text(channel_text("the parent's"), "the parent's"));
    run(); /* the parent goes on in its own */
    CHECK_INT(hooked_count(RECORD_RUN), 5);
    CHECK_INT(hooked.owners, 2);
}

/* A child that records nothing leaves nothing. */
static void silent_child(void)
{
    hooked_begin("1.30.0");

    pid_t pid = fork();

    if (pid == 0)
        _exit(0);
    CHECK(waitpid(pid, NULL, 0) == pid);
    (void)hooked_read();
    CHECK_INT(hooked.owners, 1);
}

/* --- no room, no folder --------------------------------------------------- */

/* The collector went before the program came: the hook is off, calls pass. */
static void folder_gone(void)
{
    char folder[512];

    hooked_listen();
    (void)snprintf(folder, sizeof(folder), "%s", rings_folder(hooked.rings));
    rings_close(hooked.rings);
    hooked.rings = NULL;
    CHECK(mkdir(folder, 0700) == 0);

    struct record r = { .kind = RECORD_MARK };

    errno = 77;
    channel_init();
    channel_reserve(64);
    channel_send(&r);
    CHECK_INT(errno, 77); /* theirs */
    CHECK(rmdir(folder) == 0);
    CHECK(channel_folder() == NULL);
    CHECK(!channel_wanted());
    CHECK(channel_ring() == NULL);
    CHECK_INT(channel_text("x"), 0);
    channel_untimed();
    channel_set_hook_ns(5);
    channel_send(&r);
}

/* The collector went: the child writes on to its parent's ring, which is there
 * as long as anybody has it. */
static void folder_gone_for_the_child(void)
{
    hooked_begin("1.30.0");
    run();
    (void)hooked_read();
    rings_close(hooked.rings);
    hooked.rings = NULL;

    pid_t pid = fork();

    if (pid == 0) {
        uint64_t calls = atomic_load(&fake.calls);

        run();
        run();
        channel_reserve(1 << 18);
        run();
        CHECK_INT(atomic_load(&fake.calls), calls + 3);
        _exit(test_result());
    }

    int status = -1;

    CHECK(waitpid(pid, &status, 0) == pid && status == 0);
}

static int refusals, refused_why;

static void note_refusal(void *context, const struct ring_unhooked *s)
{
    (void)context;
    CHECK_INT(s->pid, getpid());
    refusals++;
    refused_why = s->why;
}

/* The hook is off, and somebody learns of it. */
static void check_refused(int why)
{
    channel_init();
    CHECK(channel_ring() == NULL);
    CHECK(!channel_wanted());
    CHECK(channel_folder() != NULL); /* what it starts is still followed */
    CHECK_INT(files_in(rings_folder(hooked.rings), ".ring"), 0);
    rings_each_unhooked(hooked.rings, note_refusal, NULL);
    CHECK_INT(refusals, 1);
    CHECK_INT(refused_why, why);
}

/* The program may not write files that large: that would be a signal. */
static void file_size_limit(void)
{
    const struct rlimit most = { 16384, 16384 };

    hooked_listen();
    CHECK(setrlimit(RLIMIT_FSIZE, &most) == 0);
    check_refused(EFBIG);
}

/* A file system that is full: that would be a signal, too. */
static void file_system_full(void)
{
    char folder[] = "/tmp/ortmeter-test-XXXXXX";

    CHECK(mkdtemp(folder) != NULL);
    if ((unshare(CLONE_NEWNS) && unshare(CLONE_NEWUSER | CLONE_NEWNS)) ||
            mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
            mount("tmpfs", folder, "tmpfs", 0, "size=24k") ||
            mount(folder, "/dev/shm", NULL, MS_BIND, NULL)) {
        (void)fprintf(stderr, "no small file system can be made here\n");
    } else {
        CHECK(setenv("TMPDIR", "/dev/shm", 1) == 0);
        hooked_listen();
        check_refused(ENOSPC);
        CHECK(umount2(folder, MNT_DETACH) == 0);
    }
    CHECK(rmdir(folder) == 0);
}

/* There is no room for a larger one: the small one goes on, and that is told.
 */
static void cramped(void)
{
    const struct rlimit most = { 65536, 65536 };

    hooked_listen();
    CHECK(setrlimit(RLIMIT_FSIZE, &most) == 0);
    channel_init();
    channel_reserve(1 << 16);
    CHECK_INT(channel_ring()->count, 512);
    channel_send(&(struct record){ .kind = RECORD_MARK });
    hooked_end();
    CHECK_INT(hooked.gone[0].cramped, 7);
    CHECK_INT(hooked.gone[0].lost, 0);
}

/* Records come in their order over all the rings of a process. */
static void moves_over(void)
{
    uint64_t last = 0;

    hooked_listen();
    channel_init();
    for (uint32_t i = 1; i <= 500; i++) {
        channel_send(&(
                struct record){ .kind = RECORD_MARK, .mark = { .thread = i } });
        if (i % 100 == 0)
            channel_reserve(channel_ring()->count * 4);
    }
    (void)hooked_read();
    CHECK_INT(hooked.owners, 1);
    CHECK_INT(hooked.count, 500);
    for (size_t i = 0; i < hooked.count; i++) {
        CHECK_INT(hooked.records[i].mark.thread, last + 1);
        last = hooked.records[i].mark.thread;
    }
    hooked_end();
    CHECK_INT(hooked.gone_count, 1);
}

/* The collector gives leave to grow where a ring fills, and only there. */
static void grows_by_leave(void)
{
    hooked_listen();
    channel_init();
    CHECK_INT(channel_ring()->count, 256);
    for (int i = 0; i < 200; i++)
        channel_send(&(struct record){ .kind = RECORD_MARK });
    (void)hooked_read();
    CHECK(channel_ring()->count > 256);
    (void)hooked_read();

    uint32_t now = channel_ring()->count;

    (void)hooked_read();
    CHECK_INT(channel_ring()->count, now);
    hooked_end();
    CHECK_INT(hooked.gone[0].lost, 0);
}

static void strange_folders(void)
{
    static char too_long[600] = "/";
    static const char *const names[] = { "", "relative/folder", too_long };

    memset(too_long + 1, 'x', sizeof(too_long) - 2);
    CHECK(unsetenv("ORTMETER_DIR") == 0);
    channel_init();
    CHECK(!channel_wanted());
    for (size_t i = 0; i < LEN(names); i++) {
        CHECK(setenv("ORTMETER_DIR", names[i], 1) == 0);
        channel_init();
        CHECK(!channel_wanted());
        CHECK(channel_ring() == NULL);
    }
    CHECK(setenv("ORTMETER_DIRECTORY", "/tmp", 1) == 0); /* not ours */
    CHECK(unsetenv("ORTMETER_DIR") == 0);
    CHECK(hook_variable("ORTMETER_DIR") == NULL);
}

/* --- the file ------------------------------------------------------------- */

static void header(void)
{
    hooked_listen();
    channel_init();
    channel_set_hook_ns(123);
    channel_untimed();
    channel_untimed();
    channel_send(&(struct record){ .kind = RECORD_MARK });
    CHECK_INT(files_in(rings_folder(hooked.rings), ".ring"), 1);
    hooked_end();
    CHECK_INT(hooked.gone_count, 1);
    CHECK_INT(hooked.gone[0].pid, getpid());
    CHECK_INT(hooked.gone[0].parent, 0);
    CHECK_INT(hooked.gone[0].hook_ns, 123);
    CHECK_INT(hooked.gone[0].untimed, 2);
    CHECK(hooked.gone[0].start_ns > 0);
}

/* What we add to a run that does nothing: more than nothing, less than a run
 * that is worth measuring. */
static void cost(void)
{
    hooked_begin("1.30.0");

    uint32_t ns = run_cost_ns();

    CHECK(ns > 0 && ns < 100000);
    CHECK_INT(hooked_count(RECORD_RUN), 0); /* it leaves no trace */
}

/* A collector that comes later, goes, and comes again: each is told all. */
static void listens_again(void)
{
    for (int i = 0; i < 30; i++) {
        hooked_listen();
        CHECK(unsetenv("ORTMETER_DIR") == 0);
        CHECK(!channel_wanted());
        CHECK_INT(channel_listen(rings_folder(hooked.rings)), 0);
        CHECK_INT(channel_listen(rings_folder(hooked.rings)), EBUSY);
        channel_reserve(1 << 10);
        channel_send(&(struct record){ .kind = RECORD_MARK,
                .mark = { .text = channel_text("the same text") } });
        CHECK(hooked_text(hooked_last(RECORD_MARK)->mark.text,
                "the same text"));
        CHECK_INT(hooked_count(RECORD_MARK), 1);
        channel_stop();
        CHECK(!channel_wanted());
        channel_send(&(struct record){ .kind = RECORD_MARK });
        CHECK_INT(hooked_count(RECORD_MARK), 1);
        hooked_end();
        CHECK_INT(channel_listen("/nonexistent"), ENOENT);
        CHECK_INT(channel_listen("relative"), EINVAL);
    }
}

/* A collector that found no room is not in the way of the next. */
static void listens_after_refusal(void)
{
    struct rlimit before;

    hooked_listen();
    CHECK(unsetenv("ORTMETER_DIR") == 0);
    CHECK(getrlimit(RLIMIT_FSIZE, &before) == 0);
    CHECK(setrlimit(RLIMIT_FSIZE, &(struct rlimit){ 16384, before.rlim_max }) ==
            0);
    CHECK_INT(channel_listen(rings_folder(hooked.rings)), EFBIG);
    CHECK(!channel_wanted());
    CHECK(!channel_folder());
    CHECK(setrlimit(RLIMIT_FSIZE, &before) == 0);
    CHECK_INT(channel_listen(rings_folder(hooked.rings)), 0);
    channel_send(&(struct record){ .kind = RECORD_MARK });
    CHECK_INT(hooked_count(RECORD_MARK), 1);
    hooked_end();
}

int main(void)
{
    HOOKED(lengths);
    HOOKED(once);
    HOOKED(full);
    for (asked = 0; asked < LEN(rings); asked++)
        HOOKED(ring_sizes);
    HOOKED(forked);
    HOOKED(silent_child);
    HOOKED(folder_gone);
    HOOKED(folder_gone_for_the_child);
    HOOKED(file_size_limit);
    HOOKED(file_system_full);
    HOOKED(cramped);
    HOOKED(moves_over);
    HOOKED(grows_by_leave);
    HOOKED(strange_folders);
    HOOKED(header);
    HOOKED(listens_again);
    HOOKED(listens_after_refusal);
    HOOKED(cost);
    return test_result();
}
