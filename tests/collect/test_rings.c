/* test_rings.c -- the test is the hooked programs: it writes their files. */
#include "collect/rings.h"

#include "collect/ring_folder.h"

#include "base/compiler.h"
#include "os/clock.h"
#include "ring_files.h"

#include "tree.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- what the collector is told ------------------------------------------- */

static struct {
    struct ring_owner owner; /* as told last */
    char program[64];
    bool gone;
    uint64_t records;
    uint64_t sum, last; /* of the texts' names, which are 1, 2, 3, ... */
} told[16];
static size_t told_count;

static void came(void *context, const struct ring_owner *o)
{
    CHECK(context == told);
    CHECK_INT(o->number, ++told_count);
    if (told_count > LEN(told))
        abort();
    told[o->number - 1].owner = *o;
    (void)snprintf(told[o->number - 1].program, sizeof(told->program), "%s",
            o->program);
}

static void record(void *context, uint32_t owner, const struct record *r,
        const struct tick_line *clock)
{
    (void)clock;
    (void)context;
    CHECK(owner && owner <= told_count && !told[owner - 1].gone);
    CHECK_INT(r->kind, RECORD_TEXT);
    CHECK(r->text.hash > told[owner - 1].last); /* in their order */
    told[owner - 1].last = r->text.hash;
    told[owner - 1].records++;
    told[owner - 1].sum += r->text.hash;
}

static void gone(void *context, const struct ring_owner *o)
{
    (void)context;
    CHECK(!told[o->number - 1].gone);
    told[o->number - 1].owner = *o;
    told[o->number - 1].gone = true;
}

static struct rings *begin(void)
{
    struct rings *r = NULL;
    struct error e = { 0 };

    memset(told, 0, sizeof(told));
    told_count = 0;
    CHECK_INT(rings_open(&r, NULL,
                      &(struct rings_sink){ told, came, record, gone }, &e),
            0);
    if (!r) {
        (void)fprintf(stderr, "%s\n", e.text);
        abort();
    }
    return r;
}

static void look(struct rings *r)
{
    rings_look(r);
    (void)rings_poll(r);
}

static bool is_there(const char *path)
{
    struct stat s;

    return lstat(path, &s) == 0;
}

/* --- what programs leave -------------------------------------------------- */

/* A process that works and is killed; returns its number when it is dead. */
static uint32_t killed(struct rings *r, void (*work)(const struct file *f))
{
    int status;
    pid_t pid = fork();

    if (pid == 0) {
        struct file f = make(r, own_pid(), 1000 + own_pid());

        work(&f);
        (void)raise(SIGKILL);
    }
    CHECK(waitpid(pid, &status, 0) == pid);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    return (uint32_t)pid;
}

/* --- one program ---------------------------------------------------------- */

static void work_some(const struct file *f)
{
    (void)snprintf(f->header->program, sizeof(f->header->program), "node x.js");
    f->header->hook_ns = 91;
    f->header->untimed = 7;
    push(f, 1, 37);
}

static void dies(void)
{
    struct rings *r = begin();
    uint32_t pid = killed(r, work_some);
    char folder[512];

    (void)snprintf(folder, sizeof(folder), "%s", rings_folder(r));
    look(r);
    CHECK_INT(told_count, 1);
    CHECK_INT(told[0].owner.pid, pid);
    CHECK_INT(told[0].owner.start_ns, 1000 + pid);
    CHECK_INT(told[0].owner.parent, 0);
    CHECK(strcmp(told[0].program, "node x.js") == 0);
    CHECK_INT(told[0].records, 37);
    CHECK_INT(told[0].sum, 37 * 38 / 2);
    CHECK(told[0].gone);
    CHECK_INT(told[0].owner.hook_ns, 91);
    CHECK_INT(told[0].owner.untimed, 7);
    CHECK_INT(told[0].owner.lost, 0);
    CHECK_INT(told[0].owner.torn, 0);
    CHECK_INT(rings_alive(r), 0);
    CHECK_INT(rings_malformed(r), 0);
    look(r); /* nothing more of it */
    CHECK_INT(told_count, 1);
    rings_close(r);
    CHECK_INT(told_count, 1);
    CHECK(!is_there(folder));
    rings_close(NULL);
}

/* Claims a place and never fills it, as one who dies between the two. */
static void tear(const struct file *f)
{
    _Atomic uint64_t *head = (_Atomic uint64_t *)(void *)f->ring.shared;

    (*head)++;
}

static void work_torn(const struct file *f)
{
    push(f, 1, 5);
    tear(f);
    push(f, 6, 9);
    tear(f);
}

static void work_too_much(const struct file *f)
{
    push(f, 1, RECORDS + 5);
}

/* The ends are further apart than there is room: nobody wrote that. */
static void work_damaged(const struct file *f)
{
    push(f, 1, 5);
    memset(f->ring.shared, 0x7f, 8);
}

static void holes_and_losses(void)
{
    static const struct {
        void (*work)(const struct file *f);
        uint64_t records, torn, lost;
    } cases[] = {
        { work_torn, 9, 2, 0 },
        { work_too_much, RECORDS, 0, 5 },
        { work_damaged, 0, 0, 1 },
    };

    for (size_t i = 0; i < LEN(cases); i++) {
        struct rings *r = begin();

        (void)killed(r, cases[i].work);
        look(r);
        CHECK(told[0].gone);
        CHECK_INT(told[0].records, cases[i].records);
        CHECK_INT(told[0].owner.torn, cases[i].torn);
        CHECK_INT(told[0].owner.lost, cases[i].lost);
        rings_close(r);
    }
}

/* A program may do what it likes with its file: what was told stays. */
static void cuts_its_file(void)
{
    struct rings *r = begin();
    struct file f = make(r, own_pid(), 5);
    char name[64];

    push(&f, 1, 7);
    look(r);
    CHECK_INT(told[0].records, 7);
    push(&f, 8, 9);
    (void)snprintf(name, sizeof(name), "%u-5.ring", own_pid());
    CHECK(truncate(in_folder(r, name), 0) == 0);
    look(r);
    look(r);
    CHECK(told[0].gone);
    CHECK_INT(told[0].records, 7);
    CHECK_INT(told[0].owner.lost, 1);
    rings_close(r);
    forget(&f);
}

/* As long as it lives, a hole may still be filled. */
static void lives(void)
{
    struct rings *r = begin();
    struct file f = make(r, own_pid(), 5);

    push(&f, 1, RECORDS / 2);
    rings_look(r);
    CHECK(rings_poll(r) == 0.5);
    CHECK_INT(told[0].records, RECORDS / 2);
    CHECK(rings_poll(r) < 0.5);
    CHECK_INT(rings_alive(r), 1);
    tear(&f);
    push(&f, 100, 101);
    look(r);
    CHECK_INT(told[0].records, RECORDS / 2);
    CHECK(!told[0].gone);

    /* Round and round. */
    struct file g = make(r, own_pid(), 6);

    for (uint64_t i = 1; i <= 1009; i++) {
        push(&g, i, i);
        look(r);
    }
    CHECK_INT(told[1].records, 1009);
    CHECK_INT(told[1].sum, 1009 * 1010 / 2);
    rings_close(r); /* it still lives: what is whole was told */
    CHECK(told[0].gone && told[1].gone);
    CHECK_INT(told[0].owner.torn, 0);
    forget(&f);
    forget(&g);
}

/* Of a process elsewhere we cannot tell whether it lives. */
static void elsewhere(void)
{
    struct rings *r = begin();
    struct file f = make(r, 1, 5);

    f.header->pid_namespace++;
    push(&f, 1, 3);
    tear(&f);
    push(&f, 4, 4);
    look(r);
    CHECK_INT(told[0].records, 3);
    CHECK(!told[0].gone);
    CHECK_INT(rings_alive(r), 0);
    rings_close(r);
    CHECK(told[0].gone);
    CHECK_INT(told[0].records, 4);
    CHECK_INT(told[0].owner.torn, 1);
    forget(&f);
}

/* Whatever number it claims: it is not among us. */
static void strange_numbers(void)
{
    static const uint32_t numbers[] = { 0, UINT32_MAX, UINT32_C(1) << 31 };

    for (size_t i = 0; i < LEN(numbers); i++) {
        struct rings *r = begin();
        struct file f = make(r, numbers[i], 5);

        push(&f, 1, 3);
        look(r);
        CHECK(told[0].gone);
        CHECK_INT(told[0].records, 3);
        rings_close(r);
        forget(&f);
    }
}

/* Parents are told of before their children, whatever their numbers are. */
static void families(void)
{
    struct rings *r = begin();
    struct file child = make(r, 100000, 1000);
    struct file stranger = make(r, 5, 1001);
    struct file parent = make(r, 300000, 999);

    child.header->parent_pid = 300000;
    child.header->parent_start_ns = 999;
    stranger.header->parent_pid = 300000;
    stranger.header->parent_start_ns = 998; /* an earlier one of that number */
    push(&child, 1, 1);
    push(&stranger, 1, 1);
    push(&parent, 1, 1);
    look(r);
    CHECK_INT(told_count, 3);
    CHECK_INT(told[0].owner.pid, 300000);
    CHECK_INT(told[1].owner.pid, 100000);
    CHECK_INT(told[1].owner.parent, 1);
    CHECK_INT(told[2].owner.parent, 0);
    rings_close(r);
    forget(&child);
    forget(&stranger);
    forget(&parent);
}

static uint32_t dead_number(void)
{
    pid_t pid = fork();

    if (pid == 0)
        _exit(0);
    CHECK(waitpid(pid, NULL, 0) == pid);
    return (uint32_t)pid;
}

/* --- many that write to one ring ------------------------------------------ */

static void writes_as(struct file *f, uint32_t writer, uint64_t first,
        uint64_t last)
{
    struct ring own = f->ring;

    own.writer = writer;
    for (uint64_t i = first; i <= last; i++)
        (void)ring_push(&own,
                &(struct record){ .kind = RECORD_TEXT, .text = { .hash = i } });
}

/* Children of fork() in their parent's ring, and one of them is gone. */
static void writers(void)
{
    struct rings *r = begin();
    struct file f = make(r, own_pid(), 5);
    uint32_t dead = dead_number();

    f.header->writers[0] = (struct channel_writer){ dead, 0, 100 };
    f.header->writers[1] = (struct channel_writer){ own_pid(), 1, 200 };
    push(&f, 1, 3);
    writes_as(&f, 1, 1, 4);
    writes_as(&f, 2, 1, 5);
    writes_as(&f, CHANNEL_UNKNOWN, 1, 6);
    writes_as(&f, 777, 7, 7); /* nobody's */
    look(r);
    CHECK_INT(told_count, 4);
    CHECK_INT(told[0].records, 3);
    CHECK_INT(told[1].records, 4);
    CHECK_INT(told[1].owner.pid, dead);
    CHECK_INT(told[1].owner.parent, 1);
    CHECK_INT(told[1].owner.start_ns, 100);
    CHECK_INT(told[2].records, 5);
    CHECK_INT(told[2].owner.parent, 2);
    CHECK_INT(told[3].records, 7);
    CHECK_INT(told[3].owner.parent, 1);
    CHECK(told[1].gone && !told[0].gone && !told[2].gone);
    CHECK_INT(f.header->writers[0].pid, 0); /* free again */
    CHECK_INT(rings_alive(r), 2);
    rings_close(r);
    CHECK(told[0].gone && told[2].gone && told[3].gone);
    forget(&f);
}

/* A ring lives as long as one of its writers: a daemon's parent ends first. */
static void outlives_its_maker(void)
{
    struct rings *r = begin();
    struct file f = make(r, dead_number(), 5);

    f.header->writers[0] = (struct channel_writer){ own_pid(), 0, 100 };
    push(&f, 1, 3);
    look(r);
    CHECK(!told[0].gone);
    writes_as(&f, 1, 1, 4);
    look(r);
    CHECK_INT(told[1].records, 4);
    rings_close(r);
    CHECK(told[0].gone && told[1].gone);
    forget(&f);
}

/* --- what else may lie there ---------------------------------------------- */

static void put(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");

    CHECK(f && fputs(text, f) >= 0 && fclose(f) == 0);
}

static void foreign_files(void)
{
    struct rings *r = begin();
    struct file wrong[4];
    char folder[512];

    (void)snprintf(folder, sizeof(folder), "%s", rings_folder(r));
    for (size_t i = 0; i < LEN(wrong); i++)
        wrong[i] = make(r, own_pid(), 10 + i);
    push(&wrong[3], 1, 1);
    wrong[0].header->version++;
    wrong[1].header->magic++;
    ((uint32_t *)(void *)wrong[2].ring.shared)[32] = 128; /* size of a record */
    CHECK(truncate(in_folder(r, "empty.ring"), 0) != 0);
    put(in_folder(r, "empty.ring"), "");
    put(in_folder(r, "text.ring"), "this is no ring");
    CHECK(symlink("/etc/passwd", in_folder(r, "link.ring")) == 0);
    CHECK(mkfifo(in_folder(r, "pipe.ring"), 0600) == 0);
    put(in_folder(r, "readme.txt"), "hello");
    put(in_folder(r, ".hidden.ring"), "not yet");
    put(in_folder(r, ".ring"), "");

    char name[128];

    memset(name, 'x', sizeof(name));
    memcpy(name + sizeof(name) - 6, ".ring", 6);
    put(in_folder(r, name), "");

    look(r);
    CHECK_INT(rings_malformed(r), 3 + 4);
    CHECK_INT(told_count, 1); /* wrong[3], which is right */
    CHECK(!is_there(in_folder(r, "text.ring")));
    CHECK(is_there(in_folder(r, "readme.txt")));
    CHECK(is_there("/etc/passwd"));
    look(r); /* each is counted once */
    CHECK_INT(rings_malformed(r), 3 + 4);
    rings_close(r);
    CHECK(!is_there(folder));
    for (size_t i = 0; i < LEN(wrong); i++)
        forget(&wrong[i]);
}

/* Folders where files should be are left, and looked at only once more. */
static void foreign_folders(void)
{
    struct rings *r = begin();
    char folder[600];

    CHECK(mkdir(in_folder(r, "f.ring"), 0700) == 0);
    look(r);
    look(r);
    CHECK_INT(rings_malformed(r), 0);
    CHECK_INT(told_count, 0);
    (void)snprintf(folder, sizeof(folder), "%s", rings_folder(r));
    CHECK(rmdir(in_folder(r, "f.ring")) == 0);
    rings_close(r);
    CHECK(!is_there(folder));
}

/* --- folders of meters that died ------------------------------------------ */

static void stale_folders(void)
{
    uint32_t dead = dead_number(), alive = own_pid();
    struct rings *r = begin();
    char base[512];
    const struct {
        const char *meter; /* in the folder's name */
        uint32_t program;  /* that left a file in it; 0: it is empty */
        bool stays;
        uint32_t number;
    } cases[] = {
        { "", 0, false, dead },
        { "", dead, false, dead },
        { "", alive, true, dead }, /* its program still runs */
        { "", dead, true, alive },
        { "notes", dead, true, 0 }, /* no meter's */
        { "notes-", dead, true, 0 },
    };
    char path[LEN(cases)][640], file[700];

    (void)snprintf(base, sizeof(base), "%s", rings_folder(r));
    *strrchr(base, '/') = 0;
    for (size_t i = 0; i < LEN(cases); i++) {
        char number[16] = "";

        if (cases[i].number)
            (void)snprintf(number, sizeof(number), "%u-", cases[i].number);
        (void)snprintf(path[i], sizeof(path[i]), "%s/ortmeter-%u-%s%stest%zu",
                base, (unsigned)geteuid(), number, cases[i].meter, i);
        CHECK(mkdir(path[i], 0700) == 0);
        (void)snprintf(file, sizeof(file), "%.600s/%u-5.ring", path[i],
                cases[i].program);
        if (cases[i].program)
            put(file, "");
    }
    rings_close(r);
    rings_close(begin());
    for (size_t i = 0; i < LEN(cases); i++) {
        CHECK_INT(is_there(path[i]), cases[i].stays);
        (void)snprintf(file, sizeof(file), "%.600s/%u-5.ring", path[i],
                cases[i].program);
        (void)unlink(file);
        (void)rmdir(path[i]);
    }
}

/* A meter in another container, whose number says nothing here, works in it. */
static void folder_held(void)
{
    struct rings *r = begin();
    char path[640];
    int dir;

    dir = ring_folder_open(rings_folder(r));
    CHECK(dir >= 0 && !ring_folder_hold(dir)); /* the meter does */
    CHECK(close(dir) == 0);
    (void)snprintf(path, sizeof(path), "%s", rings_folder(r));
    *strrchr(path, '/') = 0;
    (void)snprintf(path + strlen(path), 100, "/ortmeter-%u-%u-held",
            (unsigned)geteuid(), dead_number());
    CHECK(mkdir(path, 0700) == 0);
    dir = ring_folder_open(path);
    CHECK(ring_folder_hold(dir));
    rings_close(r);
    rings_close(begin());
    CHECK(is_there(path));
    CHECK(close(dir) == 0);
    rings_close(begin());
    CHECK(!is_there(path));
}

/* A program puts a link in place of the folder that we share: what it leads to
 * is somebody else's. */
static void folder_replaced(void)
{
    struct tree t = tree_open();
    char path[RING_FOLDER_PATH], aside[RING_FOLDER_PATH + 8], kept[128];
    struct error e = { 0 };

    CHECK_INT(ring_folder_make(path, NULL, &e), 0);
    tree_put(&t, "1-2.ring", "precious");
    tree_put(&t, "letter", "precious");
    (void)snprintf(aside, sizeof(aside), "%s-aside", path);
    CHECK(rename(path, aside) == 0 && symlink(t.root, path) == 0);
    ring_folder_remove(path, NULL, 0);
    (void)snprintf(kept, sizeof(kept), "%s", tree_path(&t, "letter"));
    CHECK(access(kept, F_OK) == 0);
    CHECK(access(tree_path(&t, "1-2.ring"), F_OK) == 0);
    CHECK(unlink(path) == 0);
    ring_folder_remove(aside, NULL, 0);
    CHECK(access(aside, F_OK) != 0);
    tree_close(&t);
}

/* The same while we read: neither what looks like a bad ring there is taken
 * away, nor something of ours laid there. */
static void folder_replaced_meanwhile(void)
{
    struct tree t = tree_open();
    struct rings *r = begin();
    struct file f = make(r, own_pid(), 7);
    struct folder left = { 0 };
    char path[RING_FOLDER_PATH], aside[RING_FOLDER_PATH + 8];

    push(&f, 1, 3);
    look(r);
    (void)snprintf(path, sizeof(path), "%s", rings_folder(r));
    (void)snprintf(aside, sizeof(aside), "%s-aside", path);
    tree_put(&t, "1-2.ring", "precious");
    CHECK(rename(path, aside) == 0 && symlink(t.root, path) == 0);
    push(&f, 4, 5);
    look(r);
    CHECK_INT(told[0].records, 5);
    rings_close(r);
    CHECK_INT(folder_read(&left, "%s", t.root), 0);
    CHECK(left.count == 1 && strcmp(left.name[0], "1-2.ring") == 0);
    folder_release(&left);
    CHECK(unlink(path) == 0);
    ring_folder_remove(aside, NULL, 0);
    CHECK(!is_there(aside));
    forget(&f);
    tree_close(&t);
}

static pid_t paused(void)
{
    pid_t pid = fork();

    if (pid == 0)
        for (;;)
            (void)pause();
    return pid;
}

/* Stopped at its first instruction: the loader has mapped nothing yet.  0:
 * nobody may be traced here. */
static pid_t stopped_in_exec(void)
{
    int status;
    pid_t pid = fork();

    if (pid == 0) {
        if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0)
            (void)execl("/bin/true", "true", (char *)NULL);
        _exit(1);
    }
    CHECK(waitpid(pid, &status, 0) == pid);
    return WIFSTOPPED(status) ? pid : 0;
}

static void end(pid_t pid)
{
    CHECK(kill(pid, SIGKILL) == 0 && waitpid(pid, NULL, 0) == pid);
}

/* Who has just started is waited for, so that nobody is called a stranger who
 * was about to come. */
static void arrives(void)
{
    struct rings *r = begin();
    pid_t silent = paused(), loading = stopped_in_exec(), other = paused();
    struct file f = make(r, (uint32_t)silent, mono_ns());

    look(r);
    CHECK_INT(rings_arriving(r), 1);
    push(&f, 1, 1);
    look(r);
    CHECK_INT(rings_arriving(r), 0); /* it has come */
    rings_expect(r, (uint32_t)other, "/bin/true", mono_ns());
    CHECK_INT(rings_arriving(r), 0); /* it has libraries, and no hook */
    if (loading) {
        rings_expect(r, (uint32_t)loading, "/bin/true", mono_ns());
        CHECK_INT(rings_arriving(r), 1);
        end(loading);
        CHECK_INT(rings_arriving(r), 0);
    }
    rings_expect(r, (uint32_t)own_pid(), "/bin/true", 1); /* long ago */
    CHECK_INT(rings_arriving(r), 0);
    end(other);
    end(silent);
    rings_close(r);
    forget(&f);
}

int main(void)
{
    arrives();
    folder_replaced();
    folder_replaced_meanwhile();
    dies();
    holes_and_losses();
    cuts_its_file();
    lives();
    elsewhere();
    strange_numbers();
    families();
    writers();
    outlives_its_maker();
    foreign_files();
    foreign_folders();
    stale_folders();
    folder_held();
    return test_result();
}
