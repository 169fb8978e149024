/* ways.c -- a program that starts another, in each of the ways that there are.
 *
 *     ways WAY PROGRAM [arguments]
 *
 * The other gets an environment of its own, with LD_LIBRARY_PATH in it and
 * nothing else.  Returns what it returned; "daemon" returns at once.  "system"
 * and "popen" have a shell start it, after clearenv(). */
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static char *fresh[3];

/* Past the C library: nobody can follow that. */
static void by_instruction(char **argv)
{
#ifdef __x86_64__
    long rc = SYS_execve;

    __asm__ volatile("syscall"
                     : "+a"(rc)
                     : "D"(argv[0]), "S"(argv), "d"(fresh)
                     : "rcx", "r11", "memory");
#else
    (void)argv;
#endif
}

static void become(const char *way, char **argv)
{
    if (strcmp(way, "execve") == 0)
        (void)execve(argv[0], argv, fresh);
    else if (strcmp(way, "execle") == 0)
        (void)execle(argv[0], argv[0], argv[1], argv[2], (char *)NULL, fresh);
    else if (strcmp(way, "execvpe") == 0)
        (void)execvpe(argv[0], argv, fresh);
    else if (strcmp(way, "fexecve") == 0)
        (void)fexecve(open(argv[0], O_RDONLY | O_CLOEXEC), argv, fresh);
    else if (strcmp(way, "execveat") == 0)
        (void)execveat(AT_FDCWD, argv[0], argv, fresh, 0);
    else if (strcmp(way, "syscall") == 0)
        (void)syscall(SYS_execve, argv[0], argv, fresh);
    else if (strcmp(way, "syscall_at") == 0)
        (void)syscall(SYS_execveat, AT_FDCWD, argv[0], argv, fresh, 0);
    else if (strcmp(way, "instruction") == 0)
        by_instruction(argv);
    environ = fresh;
    if (strcmp(way, "execv") == 0)
        (void)execv(argv[0], argv);
    else if (strcmp(way, "execvp") == 0)
        (void)execvp(argv[0], argv);
    else if (strcmp(way, "execl") == 0)
        (void)execl(argv[0], argv[0], argv[1], argv[2], (char *)NULL);
    else if (strcmp(way, "execlp") == 0)
        (void)execlp(argv[0], argv[0], argv[1], argv[2], (char *)NULL);
    _exit(125);
}

static pid_t start(const char *way, char **argv)
{
    pid_t pid = -1;

    if (strcmp(way, "posix_spawn") == 0) {
        (void)posix_spawn(&pid, argv[0], NULL, NULL, argv, fresh);
    } else if (strcmp(way, "posix_spawnp") == 0) {
        (void)posix_spawnp(&pid, argv[0], NULL, NULL, argv, fresh);
    } else if (strcmp(way, "vfork") == 0) {
        pid = vfork();
        if (pid == 0) {
            (void)execve(argv[0], argv, fresh);
            _exit(125);
        }
    } else if (strcmp(way, "daemon") == 0) {
        pid = fork();
        if (pid == 0) {
            (void)setsid();
            if (fork())
                _exit(0);
            (void)execve(argv[0], argv, fresh);
            _exit(125);
        }
    } else if (strcmp(way, "failing") == 0) {
        pid = fork();
        if (pid == 0) { /* the first of its attempts are in vain */
            (void)execve("/no/such/program", argv, fresh);
            (void)execle("/etc/passwd", "x", (char *)NULL, fresh);
            (void)execve(argv[0], argv, fresh);
            _exit(125);
        }
    } else {
        pid = fork();
        if (pid == 0)
            become(way, argv);
    }
    return pid;
}

/* The words need no quotes. */
static int by_shell(const char *way, char **argv)
{
    char command[8192] = "";
    size_t len = 0;
    FILE *f;

    for (size_t i = 0; argv[i] && len < sizeof(command); i++)
        len += (size_t)snprintf(command + len, sizeof(command) - len, " %s",
                argv[i]);
    (void)clearenv();
    (void)putenv(fresh[0]);
    (void)putenv(fresh[1]);
    if (strcmp(way, "system") == 0)
        return system(command);
    (void)fflush(stdout);
    f = popen(command, "r");
    for (int c; f && (c = getc(f)) != EOF;)
        (void)putchar(c);
    return f ? pclose(f) : -1;
}

int main(int argc, char **argv)
{
    static char path[4096];
    const char *libraries = getenv("LD_LIBRARY_PATH");
    int status = 0;

    if (argc < 3)
        return 2;
    (void)snprintf(path, sizeof(path), "LD_LIBRARY_PATH=%s",
            libraries ? libraries : "");
    fresh[0] = path;
    fresh[1] = (char *)"ORT_DISABLE_TELEMETRY=1";
    if (strcmp(argv[1], "system") == 0 || strcmp(argv[1], "popen") == 0) {
        status = by_shell(argv[1], argv + 2);
        return WIFEXITED(status) ? WEXITSTATUS(status) : 123;
    }

    pid_t pid = start(argv[1], argv + 2);

    if (pid < 0 || waitpid(pid, &status, 0) != pid)
        return 124;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 123;
}
