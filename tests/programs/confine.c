/* confine.c -- starts a program with a right taken away:
 *
 *     confine seccomp PROGRAM ARG...  death for memfd_create, socket, ptrace
 *     confine mdwe PROGRAM ARG...     no memory that was written is executed
 *     confine BYTES PROGRAM ARG...    memory of that size is not made writable
 *
 * See seccomp(2) and PR_SET_MDWE in prctl(2).  Exits with 77 where the kernel
 * knows no such restriction. */
#include "ort_host.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef PR_SET_MDWE /* Linux 6.3 */
#define PR_SET_MDWE              65
#define PR_MDWE_REFUSE_EXEC_GAIN 1
#endif

static const unsigned forbidden[] = { SYS_memfd_create, SYS_socket, SYS_ptrace,
    SYS_perf_event_open };

enum { FORBIDDEN = sizeof(forbidden) / sizeof(forbidden[0]) };

static void filter(struct sock_filter *code, size_t len)
{
    struct sock_fprog program = { .len = (unsigned short)len, .filter = code };

    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
            prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        exit(77);
}

/* Load the call's number; jump to the last line for each forbidden one. */
static void confine_calls(void)
{
    struct sock_filter code[FORBIDDEN + 3];

    code[0] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
            offsetof(struct seccomp_data, nr));
    for (unsigned i = 0; i < FORBIDDEN; i++)
        code[1 + i] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
                forbidden[i], (uint8_t)(FORBIDDEN - i), 0);
    code[FORBIDDEN + 1] =
            (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    code[FORBIDDEN + 2] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K,
            SECCOMP_RET_KILL_PROCESS);
    filter(code, FORBIDDEN + 3);
}

#define LOAD(what) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, what)
/* Or else go on behind so many lines. */
#define EQUALS(value, or_else) \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, or_else)

/* mprotect(any, bytes, PROT_READ | PROT_WRITE); the size's lower half tells
 * enough. */
static void confine_pages(uint64_t bytes)
{
    struct sock_filter code[] = {
        LOAD(offsetof(struct seccomp_data, nr)),
        EQUALS(SYS_mprotect, 5),
        LOAD(offsetof(struct seccomp_data, args[1])),
        EQUALS((uint32_t)bytes, 3),
        LOAD(offsetof(struct seccomp_data, args[2])),
        EQUALS(PROT_READ | PROT_WRITE, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };

    filter(code, sizeof(code) / sizeof(code[0]));
}

static void confine_memory(void)
{
    if (prctl(PR_SET_MDWE, PR_MDWE_REFUSE_EXEC_GAIN, 0, 0, 0) != 0)
        exit(77);
}

int main(int argc, char **argv)
{
    if (argc < 3)
        die("use: %s seccomp|mdwe|BYTES PROGRAM ARG...", argv[0]);
    if (!strcmp(argv[1], "seccomp"))
        confine_calls();
    else if (!strcmp(argv[1], "mdwe"))
        confine_memory();
    else
        confine_pages(number(argv[1]));
    (void)execvp(argv[2], argv + 2);
    die("cannot start %s: %s", argv[2], strerror(errno));
}
