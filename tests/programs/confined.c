/* confined.c -- a master that loads a model and forks workers, which then allow
 * themselves next to nothing: another system call is their death.
 *
 *     confined MODEL WORKERS COUNT
 *
 * Each worker runs the model so often.  0: all of them lived. */
#include "ort_host.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int confine(void)
{
#define ALLOW(name)                                        \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 1), \
            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        ALLOW(exit_group),
        ALLOW(exit),
        ALLOW(futex),
        ALLOW(clock_gettime),
        ALLOW(sched_yield),
        ALLOW(mmap), /* what ONNX Runtime itself needs */
        ALLOW(munmap),
        ALLOW(madvise),
        ALLOW(mprotect),
        ALLOW(brk),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
    };
    struct sock_fprog program = { sizeof(code) / sizeof(code[0]), code };

    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

const struct ort_api_base *OrtGetApiBase(void);

int main(int argc, char **argv)
{
    struct host h = { 0 };
    struct job j = { 0 };
    int bad = 0;

    if (argc != 4)
        return 2;

    long workers = strtol(argv[2], NULL, 10);
    uint64_t count = strtoull(argv[3], NULL, 10);

    host_open(&h, OrtGetApiBase());
    job_open_alone(&j, &h, argv[1]);
    (void)job_repeat(&j, 1);
    for (long i = 0; i < workers; i++) {
        pid_t pid = fork();

        if (pid == 0) {
            if (confine())
                _exit(77);
            (void)job_repeat(&j, count);
            _exit(0);
        }
    }
    for (long i = 0; i < workers; i++) {
        int status = 0;

        (void)wait(&status);
        if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
            return 77;
        bad += status != 0;
    }
    if (bad)
        (void)fprintf(stderr, "%d workers died\n", bad);
    return bad != 0;
}
