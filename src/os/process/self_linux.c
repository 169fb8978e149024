/* self_linux.c -- see proc(5): /proc/self/exe, clear_refs, status. */
#include "os/process/self.h"

#include "base/str.h"
#include "os/file.h"
#include "os/kernel_text.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

int self_path(char *out, size_t cap)
{
    ssize_t len = readlink("/proc/self/exe", out, cap);

    if (len < 0)
        return -errno;
    if ((size_t)len >= cap)
        return -ENAMETOOLONG;
    out[len] = 0;
    return 0;
}

int self_peak_reset(void)
{
    static const char the_peak[] = "5";
    int fd = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);

    if (fd < 0)
        return -ENOTSUP;

    ssize_t n = write(fd, the_peak, strlen(the_peak));

    (void)close(fd);
    return n == (ssize_t)strlen(the_peak) ? 0 : -ENOTSUP;
}

void self_trim(void)
{
#ifdef __GLIBC__
    (void)malloc_trim(0);
#endif
}

int self_peak_bytes(uint64_t *out)
{
    char text[8192];
    int len = file_read(text, sizeof(text), "/proc/self/status");

    if (len < 0)
        return len;
    return text_size(out,
            text_field((struct str){ text, (size_t)len }, "VmHWM"));
}

void self_raise_file_limit(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &limit);
    }
}

bool self_is_root(void)
{
    return geteuid() == 0;
}

int self_random(void *out, size_t len)
{
    ssize_t n = getrandom(out, len, 0);

    return n < 0 ? -errno : (size_t)n == len ? 0 : -EIO;
}

bool self_private_files(bool ours_alone)
{
    static mode_t usual = 022;
    static bool private_now;
    bool before = private_now;

    if (ours_alone && !before)
        usual = umask(077);
    else if (!ours_alone && before)
        (void)umask(usual);
    private_now = ours_alone;
    return before;
}

int self_copy_stdin(void)
{
    return dup(STDIN_FILENO);
}

int self_copy_stdout(void)
{
    return dup(STDOUT_FILENO);
}

bool self_is_terminal(FILE *stream)
{
    return isatty(fileno(stream)) == 1;
}
