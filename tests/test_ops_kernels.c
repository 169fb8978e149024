/* Inferences whose kernels are timed, and nothing else. */
#include "fake_kernels.h"
#include "fake_ops.h"

#include <pthread.h>

/* The operator's kernels; filled in by start(). */
static struct fake_kernel first, second, inner, helper;

static const struct fake_node plain[] = {
    { .name = "a", .op_type = "Conv", .kernel = &first },
    { .name = "b", .op_type = "Relu", .kernel = &second }, { .name = NULL }
};

static const struct ort_api *api;
static struct ort_session *session;

static void start(const char *asked, const struct fake_node *nodes)
{
    uintptr_t *words = fake_kernels_words();
    struct candidate c = fake_kernels_library();

    api = fake_start(asked, 30);
    CHECK(kernels_install(&c));
    fake_library(api)->times_kernels = true;
    first = (struct fake_kernel){ words + T_CHILD + TABLE_HEAD, 300, NULL, 0 };
    second = (struct fake_kernel){ words + T_SECOND + TABLE_HEAD, 40, NULL, 0 };
    inner = helper = first;
    inner.took_ns = 5;
    helper.took_ns = 7;
    fake.nodes = nodes;
    session = fake_load(api, fake_env(), NULL);
    (void)fake_count(RECORD_NONE);
}

/* With inputs whose shapes are known: none. */
static bool run(void)
{
    const struct ort_value *in = NULL;
    struct ort_status *status =
            ORT(api, Run)(session, NULL, NULL, &in, 0, NULL, 0, NULL);

    if (status)
        ORT(api, ReleaseStatus)(status);
    return !status;
}

/* What a run was: described, timed or left alone. */
static char kind_of_run(void)
{
    struct record r;
    bool profiled = false;
    int before = fake.profiled_runs;

    CHECK(run());
    profiled = fake.profiled_runs > before;
    CHECK(fake_record_of(RECORD_RUN, &r));
    CHECK_INT(profiled,
            (r.flags & (FLAG_SAMPLED | FLAG_TIMED)) == FLAG_SAMPLED);
    return r.flags & FLAG_TIMED ? 'T' : r.flags & FLAG_SAMPLED ? 'D' : '-';
}

static void check_kinds(const char *expected)
{
    char got[64] = "";

    for (size_t i = 0; expected[i]; i++)
        got[i] = kind_of_run();
    CHECK(strcmp(got, expected) == 0);
    if (strcmp(got, expected) != 0)
        (void)fprintf(stderr, "%s, not %s\n", got, expected);
}

/* --- tests ---------------------------------------------------------------- */

/* Entered through the tables, which are read-only again; a thread that nobody
 * looks at does not notice. */
static void installed(void)
{
    start("1", plain);

    uintptr_t *words = (uintptr_t *)((uintptr_t)first.table & ~(uintptr_t)4095);
    const uintptr_t ours = words[T_CHILD + TABLE_HEAD + KERNEL_COMPUTE];

    CHECK(ours != (uintptr_t)fake_compute);
    CHECK_INT(words[T_SECOND + TABLE_HEAD + KERNEL_COMPUTE], ours);
    CHECK_INT(words[T_LATER + TABLE_HEAD + KERNEL_COMPUTE],
            (uintptr_t)fake_compute);
    CHECK_INT(words[T_CHILD + TABLE_HEAD], (uintptr_t)fake_compute);
    fake_kernel_run(&first);
    CHECK_INT(first.ran, 1);
    CHECK_INT(fake_count(RECORD_OPERATOR_RUN), 0);

    int status = 0;
    pid_t pid = fork();

    if (pid == 0) {
        *(volatile uintptr_t *)words = 1;
        _exit(0);
    }
    CHECK(waitpid(pid, &status, 0) == pid);
    CHECK(status != 0);
}

/* The first, the fifth, and one in sixteen are described; the others timed. */
static void mostly_timed(void)
{
    start("1", plain);
    check_kinds("DTTTDTTTTTTTTTTTDTTTTTTTTTTTTTTTDT");
    CHECK_INT(fake.run_options, 1); /* what is ours waits to be used again */
}

static void one_in_some(void)
{
    start("3", plain);
    check_kinds("D--T--T--T--D--T--");
}

/* Both tell the same operators; what is timed has its own time, and ONNX
 * Runtime's is not known. */
static void same_operators(void)
{
    struct record d[2], t[2], r;

    start("1", plain);
    CHECK(run() && run());
    for (int i = 0; i < 2; i++)
        CHECK(fake_record_of(RECORD_OPERATOR_RUN, &d[i]));
    CHECK(fake_record_of(RECORD_SAMPLE, &r));
    for (int i = 0; i < 2; i++)
        CHECK(fake_record(&t[i]) && t[i].kind == RECORD_OPERATOR_RUN);
    CHECK(fake_record(&r) && r.kind == RECORD_RUN);
    CHECK_INT(r.flags & (FLAG_SAMPLED | FLAG_TIMED), FLAG_SAMPLED | FLAG_TIMED);
    CHECK(t[0].operator_run.start >= r.run.start);
    CHECK(fake_record(&r) && r.kind == RECORD_SAMPLE);
    for (int i = 0; i < 2; i++) {
        CHECK_INT(d[i].flags, FLAG_KERNEL);
        CHECK_INT(t[i].flags, FLAG_TIMED);
        CHECK_INT(t[i].operator_run.id, d[i].operator_run.id);
        CHECK_INT(t[i].operator_run.kernel, i ? 40 : 300);
        CHECK_INT(d[i].operator_run.kernel, i ? 40 : 300);
        CHECK_INT(t[i].operator_run.sample, r.sample.id);
        CHECK_INT(t[i].operator_run.thread, r.sample.thread);
    }
}

static const struct fake_node branch[] = {
    { .name = "x", .op_type = "Add", .kernel = &inner }, { .name = NULL }
};

static void run_branch(const struct fake_kernel *k)
{
    (void)k;
    fake_run_inner(branch);
}

/* Kernels in a kernel are told before it, a level deeper. */
static void nested(void)
{
    struct record r;

    start("1", plain);
    first.during = run_branch;
    CHECK_INT(kind_of_run(), 'D');
    (void)fake_count(RECORD_NONE);
    CHECK(run());
    CHECK(fake_record(&r) && r.operator_run.kernel == 5);
    CHECK_INT(r.operator_run.level, 2);
    CHECK(fake_record(&r) && r.operator_run.kernel == 305);
    CHECK_INT(r.operator_run.level, 1);
    CHECK(fake_record(&r) && r.operator_run.kernel == 40);
    CHECK_INT(r.operator_run.level, 1);
}

static void call_helper(const struct fake_kernel *k)
{
    (void)k;
    fake_kernel_run(&helper);
}

/* A kernel that another one calls for its own work is no operator. */
static void helpers(void)
{
    struct record r;

    start("1", plain);
    first.during = call_helper;
    CHECK_INT(kind_of_run(), 'D');
    (void)fake_count(RECORD_NONE);
    CHECK(run());
    CHECK(fake_record(&r) && r.operator_run.kernel == 307);
    CHECK(fake_record(&r) && r.operator_run.kernel == 40);
    CHECK(fake_record(&r) && r.kind == RECORD_RUN);
    CHECK(r.flags & FLAG_TIMED);
    CHECK_INT(helper.ran, 2);
}

/* An operator that was not there before: nothing is told of that run, and the
 * next is described. */
static void strangers(void)
{
    struct record r;

    start("1", plain);
    check_kinds("DT");
    first.during = run_branch;
    (void)fake_count(RECORD_NONE);
    CHECK(run());
    CHECK(fake_record(&r) && r.kind == RECORD_RUN);
    CHECK_INT(r.flags & (FLAG_SAMPLED | FLAG_TIMED), 0);
    CHECK(!fake_record(&r));
    check_kinds("DDTT"); /* the fifth, too */
    first.during = NULL;
    check_kinds("TT"); /* fewer are no strangers */
}

/* Entered, and never left. */
static void throw_and_catch(const struct fake_kernel *k)
{
    char here;

    (void)k;
    hook_kernel_entered(&inner, (uintptr_t)&here - 1000);
}

/* A kernel that is left by an exception is not seen to end. */
static void exceptions(void)
{
    struct record r;

    start("1", plain);
    first.during = throw_and_catch; /* its helper */
    CHECK_INT(kind_of_run(), 'D');
    (void)fake_count(RECORD_NONE);
    CHECK(run());
    CHECK(fake_record(&r) && r.operator_run.kernel == 300);
    CHECK(fake_record(&r) && r.operator_run.kernel == 40);
    CHECK_INT(r.operator_run.level, 1);
    CHECK(fake_record(&r) && r.kind == RECORD_RUN && r.flags & FLAG_TIMED);
}

static void run_often(const struct fake_kernel *k)
{
    (void)k;
    for (int i = 0; i < 20000; i++)
        fake_kernel_run(&helper);
}

static void dive(const struct fake_kernel *k)
{
    static int depth;

    (void)k;
    if (depth == 40)
        return;
    depth++;
    fake_kernel_run(&helper);
    depth--;
}

/* More kernels than can be noted, or deeper: such runs are described. */
static void too_many(void)
{
    start("1", plain);
    first.during = run_often;
    check_kinds("D-D-");
    first.during = NULL;
    (void)fake_count(RECORD_NONE);
    check_kinds("DTT");
    first.during = helper.during = dive;
    check_kinds("-DDD");
    CHECK_INT(fake_count(RECORD_OPERATOR_RUN), 0);
}

static void elsewhere(struct ort_session *s, const struct ort_run_options *o)
{
    (void)s, (void)o;
    if (ops_current())
        ops_elsewhere(ops_current());
}

/* What another thread runs is not seen by this one. */
static void other_threads(void)
{
    start("1", plain);
    fake.during = elsewhere;
    check_kinds("DDDDD");
    fake.during = NULL;
    check_kinds("DT");
}

/* Inputs of which the shapes are not known may be other ones each time. */
static void unknown_inputs(void)
{
    struct record r;

    start("1", plain);
    check_kinds("DT");
    for (int i = 0; i < 4; i++) {
        CHECK(fake_run(api, session, NULL));
        CHECK(fake_record_of(RECORD_RUN, &r));
        CHECK_INT(r.flags & (FLAG_SAMPLED | FLAG_TIMED), FLAG_SAMPLED);
    }
}

/* A session at the same place, with kernels at the same places, is another. */
static void next_session(void)
{
    start("1", plain);
    check_kinds("DT");
    ORT(api, ReleaseSession)(session);
    session = fake_load(api, fake_env(), NULL);
    check_kinds("DT");
}

/* A run that fails is told as far as it came. */
static void failing(void)
{
    struct record r;

    start("1", plain);
    check_kinds("DT");
    fake.fails = "Run";
    fake.code = 1;
    CHECK(!run());
    CHECK(fake_record_of(RECORD_RUN, &r));
    CHECK_INT(r.flags & (FLAG_FAILED | FLAG_SAMPLED | FLAG_TIMED),
            FLAG_FAILED | FLAG_SAMPLED | FLAG_TIMED);
}

static void take_long(struct ort_session *s, const struct ort_run_options *o)
{
    (void)s, (void)o;
    fake_clock_ns += 100000;
}

/* As the budget allows: eight are timed after one that was described, and none
 * right after another. */
static void as_allowed(void)
{
    int described = 0, timed = 0;
    char last = '-';

    start("auto", plain);
    fake.during = take_long;
    for (int i = 0; i < 1000; i++) {
        char kind = kind_of_run();

        CHECK(kind == '-' || last == '-');
        described += kind == 'D';
        timed += kind == 'T';
        last = kind;
    }
    CHECK(described > 5);
    CHECK(timed > 4 * described && timed <= 8 * described);
}

#define THREADS 8
#define EACH    500

static void *run_some(void *unused)
{
    for (int i = 0; i < EACH; i++)
        CHECK(run());
    return unused;
}

/* Each thread's kernels are its own. */
static void side_by_side(void)
{
    pthread_t threads[THREADS];
    struct record r;
    int runs = 0, timed = 0, told = 0, samples = 0;

    start("1", plain);
    CHECK_INT(kind_of_run(), 'D');
    (void)fake_count(RECORD_NONE);
    for (int i = 0; i < THREADS; i++)
        CHECK_INT(pthread_create(&threads[i], NULL, run_some, NULL), 0);
    for (int i = 0; i < THREADS; i++)
        CHECK_INT(pthread_join(threads[i], NULL), 0);
    while (fake_record(&r)) {
        runs += r.kind == RECORD_RUN;
        timed += r.kind == RECORD_RUN && r.flags & FLAG_TIMED;
        told += r.kind == RECORD_OPERATOR_RUN;
        samples += r.kind == RECORD_SAMPLE;
    }
    CHECK_INT(runs, THREADS * EACH);
    CHECK_INT(samples, runs);
    CHECK_INT(told, 2 * runs);
    CHECK(timed > runs / 2);
    CHECK_INT(first.ran, runs + 1);
}

/* So many at the same time, and no more. */
static void at_the_same_time(void)
{
    start("1", plain);
    for (int i = 0; i < 16; i++)
        CHECK(kernel_watch(KERNEL_TIMED, 1, 1));
    CHECK(!kernel_watch(KERNEL_TIMED, 1, 1));
    CHECK(kernel_watch(KERNEL_DESCRIBED, 1, 1));
}

int main(void)
{
    apart(installed);
    apart(mostly_timed);
    apart(one_in_some);
    apart(same_operators);
    apart(nested);
    apart(helpers);
    apart(strangers);
    apart(exceptions);
    apart(too_many);
    apart(other_threads);
    apart(unknown_inputs);
    apart(next_session);
    apart(failing);
    apart(as_allowed);
    apart(side_by_side);
    apart(at_the_same_time);
    return test_result();
}
