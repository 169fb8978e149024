#include "os/process/program.h"

#include "base/compiler.h"
#include "tree.h"

#include <elf.h>
#include <sys/wait.h>

#if defined(__x86_64__)
#define MACHINE EM_X86_64
#elif defined(__aarch64__)
#define MACHINE EM_AARCH64
#endif

/* --- files, made by hand -------------------------------------------------- */

struct image {
    Elf64_Ehdr head;
    Elf64_Phdr part[3];
};

enum { INTERP, LOAD, DYNAMIC };

static struct image image(void)
{
    return (struct image){
        .head = {
            .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB },
            .e_type = ET_DYN,
            .e_machine = MACHINE,
            .e_phoff = offsetof(struct image, part),
            .e_phnum = 3,
            .e_phentsize = sizeof(Elf64_Phdr),
        },
        .part = {
            [INTERP] = { .p_type = PT_INTERP },
            [LOAD] = { .p_type = PT_LOAD },
            [DYNAMIC] = { .p_type = PT_DYNAMIC },
        },
    };
}

/* Parses a copy that is no longer than it is, so that a step beyond is seen. */
static struct program parse(const void *bytes, size_t len)
{
    char *copy = malloc(len ? len : 1);
    struct program p;

    memset(&p, 0x55, sizeof(p)); /* all of it is set */
    memcpy(copy, bytes, len);
    program_parse(&p, (struct str){ copy, len });
    free(copy);
    return p;
}

static struct program parse_image(const struct image *m)
{
    return parse(m, sizeof(*m));
}

static void kinds(void)
{
    struct image m = image();
    struct program p = parse_image(&m);

    CHECK_INT(p.kind, PROGRAM_DYNAMIC);
    CHECK(!p.privileged && !*p.interpreter);

    m.part[INTERP].p_type = PT_NULL; /* static-pie has a dynamic section */
    CHECK_INT(parse_image(&m).kind, PROGRAM_STATIC);
    m.part[DYNAMIC].p_type = PT_NULL;
    CHECK_INT(parse_image(&m).kind, PROGRAM_STATIC);
    m.head.e_phnum = 0;
    CHECK_INT(parse_image(&m).kind, PROGRAM_STATIC);

    m = image();
    m.head.e_ident[EI_CLASS] = ELFCLASS32;
    CHECK_INT(parse_image(&m).kind, PROGRAM_FOREIGN);
    m = image();
    m.head.e_machine = EM_RISCV;
    CHECK_INT(parse_image(&m).kind, PROGRAM_FOREIGN);
    m = image();
    m.head.e_ident[EI_MAG3] = 'f';
    CHECK_INT(parse_image(&m).kind, PROGRAM_UNKNOWN);
}

/* Cut short anywhere, it is unknown; never another thing. */
static void truncated(void)
{
    struct image m = image();

    for (size_t len = 0; len <= sizeof(m); len++)
        CHECK_INT(parse(&m, len).kind,
                len < sizeof(m) ? PROGRAM_UNKNOWN : PROGRAM_DYNAMIC);
}

/* Headers that lie beyond the file, or would go round the end of the world. */
static void huge(void)
{
    static const uint64_t places[] = { sizeof(struct image) - 1,
        sizeof(struct image), UINT32_MAX, UINT64_C(1) << 63, UINT64_MAX - 100,
        UINT64_MAX };
    struct image m = image();

    for (size_t i = 0; i < LEN(places); i++) {
        m.head.e_phoff = places[i];
        CHECK_INT(parse_image(&m).kind, PROGRAM_UNKNOWN);
    }
    m = image();
    m.head.e_phnum = UINT16_MAX;
    CHECK_INT(parse_image(&m).kind, PROGRAM_UNKNOWN);
}

static void scripts(void)
{
    static char long_line[400] = "#!/";
    static const struct {
        const char *text, *interpreter;
    } cases[] = {
        { "#!/bin/sh\n", "/bin/sh" },
        { "#!/bin/sh", "/bin/sh" },
        { "#!/usr/bin/env python3\nimport x\n", "/usr/bin/env" },
        { "#! \t/bin/bash -e\n", "/bin/bash" },
        { "#!/bin/sh\r\n", "/bin/sh" },
        { "#!\n/bin/sh\n", NULL },
        { "#!   ", NULL },
        { "#!", NULL },
        { "#", NULL },
        { "", NULL },
        { "echo hello\n", NULL },
        { "\x7f"
          "EL",
                NULL },
        { long_line, NULL },
    };

    memset(long_line + 3, 'x', sizeof(long_line) - 4);
    CHECK_INT(parse("#!/bin/\0sh\n", 11).kind, PROGRAM_UNKNOWN);
    for (size_t i = 0; i < LEN(cases); i++) {
        struct program p = parse(cases[i].text, strlen(cases[i].text));

        CHECK_INT(p.kind,
                cases[i].interpreter ? PROGRAM_SCRIPT : PROGRAM_UNKNOWN);
        CHECK(strcmp(p.interpreter,
                      cases[i].interpreter ? cases[i].interpreter : "") == 0);
    }
}

/* --- files that are found ------------------------------------------------- */

static struct program look(const char *name, const char *found)
{
    struct program p;
    char path[512] = "untouched";

    program_look(&p, name, path, sizeof(path));
    CHECK(strcmp(path, found) == 0);
    if (strcmp(path, found) != 0)
        (void)fprintf(stderr, "%s: %s, not %s\n", name, path, found);
    return p;
}

static void put_program(const struct tree *t, const char *name,
        const char *text, mode_t mode)
{
    tree_put(t, name, text);
    CHECK(chmod(tree_path(t, name), mode) == 0);
}

static void put_image(const struct tree *t, const char *name,
        const struct image *m)
{
    FILE *f = fopen(tree_path(t, name), "w");

    CHECK(f && fwrite(m, sizeof(*m), 1, f) == 1 && fclose(f) == 0);
    CHECK(chmod(tree_path(t, name), 0755) == 0);
}

static void in_path(const struct tree *t)
{
    char folders[320], in_b[128], in_c[128];

    (void)snprintf(folders, sizeof(folders), "%s/none:%s/a:%s/b::%s/c", t->root,
            t->root, t->root, t->root);
    (void)snprintf(in_b, sizeof(in_b), "%s/b/tool", t->root);
    (void)snprintf(in_c, sizeof(in_c), "%s/c/other", t->root);
    put_program(t, "a/tool", "#!/bin/sh\n", 0644); /* may not be executed */
    tree_put(t, "a/other/x", "");                  /* a folder */
    put_program(t, "b/tool", "#!/bin/sh\n", 0755);
    put_program(t, "c/tool", "#!/bin/sh\n", 0755);
    put_program(t, "c/other", "#!/bin/sh\n", 0755);
    put_program(t, "here/mine", "#!/bin/sh\n", 0755);
    CHECK(setenv("PATH", folders, 1) == 0);
    CHECK(chdir(tree_path(t, "here")) == 0);

    CHECK_INT(look("tool", in_b).kind, PROGRAM_DYNAMIC);
    CHECK_INT(look("other", in_c).kind, PROGRAM_DYNAMIC);
    CHECK_INT(look("mine", "./mine").kind, PROGRAM_DYNAMIC);
    CHECK_INT(look("nothing", "").kind, PROGRAM_UNKNOWN);
    CHECK_INT(look("./mine", "./mine").kind, PROGRAM_DYNAMIC);
    CHECK_INT(look("./tool", "").kind, PROGRAM_UNKNOWN);
    CHECK_INT(look("", "").kind, PROGRAM_UNKNOWN);
    CHECK(unsetenv("PATH") == 0);
    CHECK_INT(look("sh", "/bin/sh").kind, PROGRAM_DYNAMIC);

    struct program p;
    char small[8] = "x";

    program_look(&p, "/a/path/without/end", small, sizeof(small));
    CHECK(!*small && p.kind == PROGRAM_UNKNOWN);
}

static void what_they_are(const struct tree *t)
{
    struct image m = image();
    char script[160];

    m.part[INTERP].p_type = PT_NULL;
    put_image(t, "mine", &m);

    struct program p = look(tree_path(t, "mine"), tree_path(t, "mine"));

    CHECK_INT(p.kind, PROGRAM_STATIC);

    /* A script is what its interpreter is. */
    (void)snprintf(script, sizeof(script), "#!%s/mine -x\n", t->root);
    put_program(t, "script", script, 0755);
    p = look(tree_path(t, "script"), tree_path(t, "script"));
    CHECK_INT(p.kind, PROGRAM_STATIC);
    put_program(t, "broken", "#!/no/such/thing\n", 0755);
    CHECK_INT(look(tree_path(t, "broken"), tree_path(t, "broken")).kind,
            PROGRAM_UNKNOWN);
    put_program(t, "empty", "", 0755);
    CHECK_INT(look(tree_path(t, "empty"), tree_path(t, "empty")).kind,
            PROGRAM_UNKNOWN);
}

/* For root the loader takes preloads all the same, so as somebody else. */
static void privileged(const struct tree *t)
{
    struct image m = image();

    put_image(t, "setuid", &m);
    CHECK(chmod(tree_path(t, "setuid"), 04755) == 0);
    CHECK(chmod(t->root, 0755) == 0);

    pid_t pid = fork();

    if (pid == 0) {
        if (geteuid() == 0 && setuid(65534))
            _exit(2);
        _exit(look(tree_path(t, "setuid"), tree_path(t, "setuid")).privileged);
    }

    int status = 0;

    CHECK(waitpid(pid, &status, 0) == pid);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 1);
    if (geteuid() == 0)
        CHECK(!look(tree_path(t, "setuid"), tree_path(t, "setuid")).privileged);
}

int main(void)
{
    struct tree t = tree_open();

    kinds();
    truncated();
    huge();
    scripts();
    in_path(&t);
    what_they_are(&t);
    privileged(&t);
    CHECK(chdir("/") == 0);
    tree_close(&t);
    return test_result();
}
