#include "collect/not_followed.h"

#include "os/process/program.h"

#include <errno.h>
#include <string.h>

#define NAMED_MAX 8
#define TOLD_MAX  256

/* Above those that samplers number. */
#define SUBJECTS_FROM 1000000000u

struct not_followed {
    struct buf names;
    struct empty_run *seen;
    const struct subscriber *to;
    size_t count;
};

static const char *why_no_ring(int why)
{
    switch (why) {
    case ENOSPC:
        return "there was no room for its records; make some in /dev/shm, or "
               "set TMPDIR to a folder that has it";
    case EDQUOT: return "its user's quota has no room for its records";
    case EFBIG: return "it may not write files that large (ulimit -f)";
    case EMFILE: return "it has as many files open as it may (ulimit -n)";
    case ENOMEM: return "it may not have more memory (ulimit -v)";
    case EACCES:
    case EPERM:
        return "it changed its user, who may not write where the meter reads; "
               "start the meter as that user, behind the change";
    case ENOENT: return "the meter's folder is out of its reach";
    default: return "it could not leave its records";
    }
}

static const char *why_not_hooked(const struct ring_unhooked *s)
{
    struct program p;
    char path[4096];

    if (s->unannounced)
        return "it was started by a system call of the program's own, past the "
               "hook, and without its variables; start the "
               "meter behind it";
    program_look(&p, s->program, path, sizeof(path));
    if (p.privileged)
        return "it is set-user-id, so the system keeps the hook out; start the "
               "meter behind it";
    if (p.kind == PROGRAM_STATIC)
        return "it is statically linked, so the hook cannot be loaded into it";
    if (p.kind == PROGRAM_FOREIGN)
        return "it is a program for another kind of machine";
    return "the hook was not loaded into it: its root, its user or its rights "
           "are others; start the meter behind the change";
}

static void tell(struct not_followed *u, const struct ring_unhooked *s,
        const char *reason)
{
    uint32_t id = SUBJECTS_FROM + (uint32_t)u->count;

    u->to->subject(u->to->context, &(struct subject_entry){ .id = id,
                                           .subject = {
                                                   .kind = SUBJECT_PROCESS,
                                                   .number = s->pid,
                                                   .name = s->program,
                                                   .detail = s->runtime,
                                                   .source = "hook",
                                           } });
    u->to->missing(u->to->context, &(struct absence_note){
                                           .metric = METRIC_inferences_total,
                                           .subject = id,
                                           .reason = reason,
                                   });
}

static void take(void *to, const struct ring_unhooked *s)
{
    struct not_followed *u = to;
    const char *reason = s->why ? why_no_ring(s->why) : why_not_hooked(s);

    *(s->why ? &u->seen->refused : &u->seen->unhooked) += 1;
    if (u->count < TOLD_MAX)
        tell(u, s, reason);
    if (u->count < NAMED_MAX)
        buf_printf(&u->names, "%s%u (%s%s%s): %s", u->count ? ". " : "", s->pid,
                s->program, s->runtime ? ", with " : "",
                s->runtime ? s->runtime : "", reason);
    u->count++;
}

void not_followed_report(struct buf *out, struct empty_run *seen,
        const struct subscriber *to, struct rings *rings)
{
    struct not_followed u = { .seen = seen, .to = to };

    rings_each_unhooked(rings, take, &u);
    if (u.count)
        buf_printf(out,
                "%zu process%s of this run could not be followed; what "
                "inferences %s ran is not known: %s%s.",
                u.count, u.count == 1 ? "" : "es", u.count == 1 ? "it" : "they",
                buf_cstr(&u.names), u.count > NAMED_MAX ? "; and others" : "");
    if (rings_unnoted(rings))
        buf_printf(out,
                "%sMore programs were started than could be noted: of %zu it "
                "is not known whether they were followed.",
                out->len ? " " : "", rings_unnoted(rings));
    buf_release(&u.names);
}
