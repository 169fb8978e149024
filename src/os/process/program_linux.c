#include "os/process/program.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#if defined(__x86_64__)
#define MACHINE EM_X86_64
#elif defined(__aarch64__)
#define MACHINE EM_AARCH64
#endif

/* --- reading the bytes ---------------------------------------------------- */

/* A copy of what lies at `at`; false: the file ends before. */
static bool peek(struct str file, uint64_t at, void *to, size_t len)
{
    if (at > file.len || len > file.len - at)
        return false;
    memcpy(to, file.p + at, len);
    return true;
}

static void parse_elf(struct program *out, struct str file)
{
    Elf64_Ehdr head;
    bool has_loader = false;

    if (!peek(file, 0, &head, sizeof(head)))
        return;
    if (head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_machine != MACHINE) {
        out->kind = PROGRAM_FOREIGN;
        return;
    }
    for (unsigned i = 0; i < head.e_phnum; i++) {
        Elf64_Phdr p;

        if (head.e_phoff > file.len ||
                !peek(file, head.e_phoff + i * sizeof(p), &p, sizeof(p)))
            return;
        has_loader |= p.p_type == PT_INTERP;
    }
    out->kind = has_loader ? PROGRAM_DYNAMIC : PROGRAM_STATIC;
}

static void parse_script(struct program *out, struct str file)
{
    struct str line = { file.p + 2, file.len - 2 };
    const char *end = memchr(line.p, '\n', line.len);

    if (end)
        line.len = (size_t)(end - line.p);

    struct str word = str_word(&line);

    if (!word.len || word.len >= sizeof(out->interpreter) ||
            memchr(word.p, 0, word.len))
        return;
    out->kind = PROGRAM_SCRIPT;
    memcpy(out->interpreter, word.p, word.len);
}

void program_parse(struct program *out, struct str file)
{
    *out = (struct program){ 0 };
    if (file.len > 4 && memcmp(file.p, ELFMAG, SELFMAG) == 0)
        parse_elf(out, file);
    else if (file.len > 2 && memcmp(file.p, "#!", 2) == 0)
        parse_script(out, file);
}

/* --- finding the file ----------------------------------------------------- */

static bool is_program(const char *path)
{
    struct stat s;

    return stat(path, &s) == 0 && S_ISREG(s.st_mode) && access(path, X_OK) == 0;
}

/* As execvp() searches. */
static bool find(const char *name, char *path, size_t cap)
{
    const char *dirs = getenv("PATH");

    if (strchr(name, '/'))
        return (size_t)snprintf(path, cap, "%s", name) < cap &&
               is_program(path);
    for (dirs = dirs ? dirs : "/bin:/usr/bin"; dirs;) {
        const char *end = strchrnul(dirs, ':');
        int len = (int)(end - dirs);
        int n = snprintf(path, cap, "%.*s/%s", len ? len : 1, len ? dirs : ".",
                name);

        if (n > 0 && (size_t)n < cap && is_program(path))
            return true;
        dirs = *end ? end + 1 : NULL;
    }
    return false;
}

/* Where it makes a process somebody else, or gives it more than it has, the
 * loader takes nothing from its environment. */
static bool gives_rights(int fd, const struct stat *s)
{
    return ((s->st_mode & S_ISUID) && s->st_uid != getuid()) ||
           ((s->st_mode & S_ISGID) && (s->st_mode & S_IXGRP) &&
                   s->st_gid != getgid()) ||
           (getuid() && fgetxattr(fd, "security.capability", NULL, 0) > 0);
}

static void parse_path(struct program *out, const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat s;

    *out = (struct program){ 0 };
    if (fd < 0)
        return;
    if (fstat(fd, &s) == 0 && s.st_size > 0) {
        size_t len = (size_t)s.st_size;
        void *bytes = mmap(NULL, len, PROT_READ, MAP_PRIVATE, fd, 0);

        if (bytes != MAP_FAILED) {
            program_parse(out, (struct str){ bytes, len });
            (void)munmap(bytes, len);
        }
        out->privileged = gives_rights(fd, &s);
    }
    (void)close(fd);
}

void program_look(struct program *out, const char *name, char *path, size_t cap)
{
    *out = (struct program){ 0 };
    if (!find(name, path, cap)) {
        *path = 0;
        return;
    }
    parse_path(out, path);
    if (out->kind == PROGRAM_SCRIPT) {
        char interpreter[sizeof(out->interpreter)];

        memcpy(interpreter, out->interpreter, sizeof(interpreter));
        parse_path(out, interpreter);
    }
}
