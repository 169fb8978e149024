/* Inferences whose kernels are timed, and nothing else. */
#include "kernel_runs.h"

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

/* More kernels than can be noted, or deeper: after one that was tried, all runs
 * of the session are described. */
static void too_many(void)
{
    start("1", plain);
    first.during = run_often;
    check_kinds("D-DDDDDDDD");
    first.during = NULL;
    check_kinds("DDD");

    session = fake_load(api, fake_env(), NULL);
    (void)fake_count(RECORD_NONE);
    check_kinds("DT");
    first.during = helper.during = dive;
    check_kinds("-DDDDD");
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
    return test_result();
}
