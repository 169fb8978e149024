/* exec_linux.c -- into the programs that this one becomes, or starts.
 *
 * A program hands its environment on as it likes: without ours, the hook would
 * be gone.  So every way to exec a program passes by here, and where the
 * environment lacks one of our two variables, LD_PRELOAD and ORTMETER_DIR, the
 * new program gets a copy that has them, and is otherwise as it was.  Where the
 * hook cannot be reached any more, after chroot() or when the collector has
 * cleared its folder away, it is taken out again: the loader would complain.
 *
 * This runs between fork() or vfork() and exec: in the memory of the parent, on
 * the caller's stack, without a lock and without the C library's state. */
#include "hook/hook.h"
#include "hook/ring_file.h"
#include "hook/text.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

/* What is larger passes by as it is: the stack is not ours. */
#define VARIABLES_MAX 8192
#define PRELOAD_MAX   8192
#define WORDS_MAX     8192
#define COMMAND_MAX   65536

static const char preload_name[] = "LD_PRELOAD=";
static const char folder_name[] = "ORTMETER_DIR=";

/* --- the environment ------------------------------------------------------ */

static char *put(char *to, const char *text)
{
    while (*text)
        *to++ = *text++;
    return to;
}

static bool is_separator(char c)
{
    return c == ':' || c == ' ';
}

/* Where our library stands in the list; NULL: it does not. */
static const char *find_in_list(const char *list, const char *library)
{
    size_t len = text_len(library);

    for (const char *at = list; *at;) {
        if (text_begins(at, library) && (!at[len] || is_separator(at[len])))
            return at;
        while (*at && !is_separator(*at))
            at++;
        while (is_separator(*at))
            at++;
    }
    return NULL;
}

/* What an environment has of ours. */
struct surroundings {
    size_t count;        /* of variables */
    size_t preload, dir; /* where they are; `count`: nowhere */
    const char *list;    /* what is preloaded; "" */
    const char *ours;    /* our library in it, or NULL */
    bool dir_is_right;
    bool another;   /* meter has set it up for a program of its own */
    bool reachable; /* our library is there to be loaded */
    char library[RING_FILE_PATH];
    char dir_text[RING_FILE_PATH];
};

/* Does the list hold the library of the folder that the variable names? */
static bool is_set_up(const char *list, const char *variable)
{
    const char *folder = variable + sizeof(folder_name) - 1;
    char library[RING_FILE_PATH];

    if (text_len(folder) + sizeof(CHANNEL_HOOK) + 1 > sizeof(library))
        return false;
    *put(put(put(library, folder), "/"), CHANNEL_HOOK) = 0;
    return find_in_list(list, library) != NULL;
}

static void look(struct surroundings *s, char *const *env)
{
    const char *folder = channel_folder();

    *put(put(put(s->library, folder), "/"), CHANNEL_HOOK) = 0;
    *put(put(s->dir_text, folder_name), folder) = 0;
    s->list = "";
    s->preload = s->dir = SIZE_MAX;
    for (s->count = 0; env && env[s->count]; s->count++) {
        if (text_begins(env[s->count], preload_name) &&
                s->preload == SIZE_MAX) {
            s->preload = s->count;
            s->list = env[s->count] + sizeof(preload_name) - 1;
        } else if (text_begins(env[s->count], folder_name) &&
                   s->dir == SIZE_MAX) {
            s->dir = s->count;
            s->dir_is_right = text_is(env[s->count], s->dir_text);
        }
    }
    s->ours = find_in_list(s->list, s->library);
    s->another = s->dir != SIZE_MAX && !s->dir_is_right &&
                 is_set_up(s->list, env[s->dir]);
    s->reachable = syscall(SYS_faccessat, AT_FDCWD, s->library, R_OK) == 0;
}

static bool is_right(const struct surroundings *s)
{
    if (s->another)
        return true;
    if (s->reachable)
        return s->ours && s->dir_is_right;
    return !s->ours;
}

/* Ours in front of theirs; or theirs without ours, which may be nothing. */
static void write_preload(char *to, const struct surroundings *s)
{
    to = put(to, preload_name);
    if (s->reachable) {
        to = put(to, s->library);
        if (*s->list)
            to = put(put(to, ":"), s->list);
    } else {
        const char *behind = s->ours + text_len(s->library);

        for (const char *at = s->list; at < s->ours; at++)
            *to++ = *at;
        to = put(to, *behind ? behind + 1 : behind);
    }
    *to = 0;
}

/* `list` has room for two more, `preload` for what is preloaded and ours. */
static void amend(char **list, char *preload, char *const *env,
        const struct surroundings *s)
{
    size_t n = 0;
    bool wanted;

    write_preload(preload, s);
    wanted = preload[sizeof(preload_name) - 1] != 0;
    for (size_t i = 0; i < s->count; i++) {
        if (i == s->preload && (s->reachable || s->ours)) {
            if (wanted)
                list[n++] = preload;
        } else if (i != s->dir || !s->reachable) {
            list[n++] = env[i];
        } else {
            list[n++] = (char *)s->dir_text;
        }
    }
    if (s->reachable && s->preload == SIZE_MAX)
        list[n++] = preload;
    if (s->reachable && s->dir == SIZE_MAX)
        list[n++] = (char *)s->dir_text;
    list[n] = NULL;
}

static bool fits(const struct surroundings *s)
{
    return s->count < VARIABLES_MAX && text_len(s->list) < PRELOAD_MAX;
}

/* Gives `out` the environment to use instead of `env`, on the caller's stack.
 */
#define AMENDED(out, env)                                                     \
    struct surroundings s_ = { 0 };                                           \
    char *const *out = (env);                                                 \
                                                                              \
    if (channel_folder()) {                                                   \
        look(&s_, out);                                                       \
        if (!is_right(&s_) && fits(&s_)) {                                    \
            char **list_ = __builtin_alloca((s_.count + 3) * sizeof(char *)); \
            char *preload_ = __builtin_alloca(                                \
                    text_len(s_.list) + text_len(s_.library) + 32);           \
                                                                              \
            amend(list_, preload_, out, &s_);                                 \
            out = list_;                                                      \
        }                                                                     \
    }

/* --- what it is without us ------------------------------------------------ */

typedef int exec_function(const char *, char *const *, char *const *);
typedef int system_function(const char *);
typedef FILE *popen_function(const char *, const char *);
typedef int spawn_function(pid_t *, const char *,
        const posix_spawn_file_actions_t *, const posix_spawnattr_t *,
        char *const *, char *const *);

static exec_function *real_execve, *real_execvpe;
static spawn_function *real_spawn, *real_spawnp;
static system_function *real_system;
static popen_function *real_popen;

void exec_init(void)
{
    real_execve = (exec_function *)hook_next_definition("execve");
    real_execvpe = (exec_function *)hook_next_definition("execvpe");
    real_spawn = (spawn_function *)hook_next_definition("posix_spawn");
    real_spawnp = (spawn_function *)hook_next_definition("posix_spawnp");
    real_system = (system_function *)hook_next_definition("system");
    real_popen = (popen_function *)hook_next_definition("popen");
}

static uint32_t pid_now(void)
{
    return (uint32_t)syscall(SYS_getpid); /* also between vfork() and exec */
}

/* Notes what this process becomes: the collector expects to hear from it. */
static void note(const char *program, bool failed)
{
    int saved = errno;

    if (channel_folder() && program)
        channel_exec(program, pid_now(), mono_ns(), failed);
    errno = saved;
}

static int become(exec_function **real, const char *program, char *const *argv,
        char *const *env)
{
    AMENDED(now, env)

    if (!*real)
        exec_init(); /* somebody's constructor was before ours */
    if (!*real) {
        errno = ENOSYS;
        return -1;
    }
    note(program, false);

    int rc = (*real)(program, argv, now);

    note(program, true);
    return rc;
}

/* --- as the program sees it ----------------------------------------------- */

long exec_path(const char *path, char *const *argv, char *const *env)
{
    return become(&real_execve, path, argv, env);
}

EXPORT int execve(const char *path, char *const argv[], char *const envp[])
{
    return become(&real_execve, path, argv, envp);
}

EXPORT int execv(const char *path, char *const argv[])
{
    return become(&real_execve, path, argv, environ);
}

EXPORT int execvp(const char *file, char *const argv[])
{
    return become(&real_execvpe, file, argv, environ);
}

EXPORT int execvpe(const char *file, char *const argv[], char *const envp[])
{
    return become(&real_execvpe, file, argv, envp);
}

long exec_at(int fd, const char *path, char *const *argv, char *const *env,
        int flags)
{
    const char *program = path && *path ? path : "a file that is open";

    AMENDED(now, env)

    hook_find_real();
    if (!hook_real_syscall) {
        errno = ENOSYS;
        return -1;
    }
    note(program, false);

    long rc = hook_real_syscall(SYS_execveat, fd, path, argv, now, flags);

    note(program, true);
    return rc;
}

EXPORT int execveat(int fd, const char *path, char *const argv[],
        char *const envp[], int flags)
{
    return (int)exec_at(fd, path, argv, envp, flags);
}

/* The C library's own way where the kernel has none is by /proc. */
EXPORT int fexecve(int fd, char *const argv[], char *const envp[])
{
    char path[32] = "/proc/self/fd/";
    char *to = path + sizeof("/proc/self/fd/") - 1, digits[12];
    size_t count = 0;
    int n = fd;
    int rc = execveat(fd, "", argv, envp, AT_EMPTY_PATH);

    if (rc == 0 || errno != ENOSYS || fd < 0)
        return rc;
    do
        digits[count++] = (char)('0' + n % 10);
    while (n /= 10);
    while (count)
        *to++ = digits[--count];
    *to = 0;
    return execve(path, argv, envp);
}

/* The words of the list behind `first`, on the caller's stack. */
#define WORDS(out, first, list)                        \
    char **out;                                        \
    va_list list, again_;                              \
    size_t n_ = 1;                                     \
                                                       \
    va_start(list, first);                             \
    va_copy(again_, list);                             \
    while (va_arg(again_, char *))                     \
        n_++;                                          \
    va_end(again_);                                    \
    if (n_ > WORDS_MAX) {                              \
        va_end(list);                                  \
        errno = E2BIG;                                 \
        return -1;                                     \
    }                                                  \
    out = __builtin_alloca((n_ + 1) * sizeof(char *)); \
    out[0] = (char *)(first);                          \
    for (size_t i_ = 1; i_ <= n_; i_++)                \
        out[i_] = va_arg(list, char *);

EXPORT int execl(const char *path, const char *arg, ...)
{
    WORDS(words, arg, list)
    va_end(list);
    return execv(path, words);
}

EXPORT int execlp(const char *file, const char *arg, ...)
{
    WORDS(words, arg, list)
    va_end(list);
    return execvp(file, words);
}

EXPORT int execle(const char *path, const char *arg, ...)
{
    WORDS(words, arg, list)

    char *const *env = va_arg(list, char *const *);

    va_end(list);
    return execve(path, words, env);
}

static int start(spawn_function **real, pid_t *pid, const char *program,
        const posix_spawn_file_actions_t *actions,
        const posix_spawnattr_t *attributes, char *const *argv,
        char *const *env)
{
    uint64_t time_ns = mono_ns();
    pid_t child = 0;

    AMENDED(now, env)

    if (!*real)
        exec_init();
    if (!*real)
        return ENOSYS;

    int rc = (*real)(&child, program, actions, attributes, argv, now);

    if (rc == 0 && pid)
        *pid = child;
    if (rc == 0 && channel_folder())
        channel_exec(program, (uint32_t)child, time_ns, false);
    return rc;
}

EXPORT int posix_spawn(pid_t *pid, const char *path,
        const posix_spawn_file_actions_t *file_actions,
        const posix_spawnattr_t *attrp, char *const argv[], char *const envp[])
{
    return start(&real_spawn, pid, path, file_actions, attrp, argv, envp);
}

EXPORT int posix_spawnp(pid_t *pid, const char *file,
        const posix_spawn_file_actions_t *file_actions,
        const posix_spawnattr_t *attrp, char *const argv[], char *const envp[])
{
    return start(&real_spawnp, pid, file, file_actions, attrp, argv, envp);
}

/* --- by way of a shell ---------------------------------------------------- */

/* These start a shell with `environ`, past all of the above.  Where that lacks
 * ours, and after clearenv() it lacks everything, the shell's first command is
 * to add it for whom it starts. */
static const char export_list[] = "export LD_PRELOAD=\"";
static const char export_rest[] = "${LD_PRELOAD:+:$LD_PRELOAD}\" ";
static const char export_more[] = "\"; ";

/* Means nothing but itself between quotes of a shell. */
static bool is_plain(const char *text)
{
    for (; *text; text++)
        if (*text == '"' || *text == '$' || *text == '`' || *text == '\\')
            return false;
    return true;
}

static bool needs_export(struct surroundings *s, const char *command)
{
    if (!command || !channel_folder())
        return false;
    look(s, environ);
    return s->reachable && !is_right(s) && is_plain(s->library) &&
           text_len(command) < COMMAND_MAX;
}

static void write_command(char *to, const char *command,
        const struct surroundings *s)
{
    const char *folder = s->dir_text + sizeof(folder_name) - 1;

    to = put(put(put(to, export_list), s->library), export_rest);
    to = put(put(put(put(to, folder_name), "\""), folder), export_more);
    *put(to, command) = 0;
}

/* Gives `out` the command to use instead, on the caller's stack. */
#define COMMAND(out, command)                                                 \
    struct surroundings s_ = { 0 };                                           \
    const char *out = (command);                                              \
                                                                              \
    if (needs_export(&s_, out)) {                                             \
        char *longer_ = __builtin_alloca(text_len(out) + sizeof(s_.library) + \
                                         sizeof(s_.dir_text) + 128);          \
                                                                              \
        write_command(longer_, out, &s_);                                     \
        out = longer_;                                                        \
    }

EXPORT int system(const char *command)
{
    COMMAND(now, command)

    if (!real_system)
        exec_init();
    if (!real_system) {
        errno = ENOSYS;
        return -1;
    }
    return real_system(now);
}

EXPORT FILE *popen(const char *command, const char *modes)
{
    COMMAND(now, command)

    if (!real_popen)
        exec_init();
    if (!real_popen) {
        errno = ENOSYS;
        return NULL;
    }
    return real_popen(now, modes);
}
