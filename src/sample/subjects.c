#include "sample/subjects.h"

#include "base/alloc.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct entry {
    struct subject subject;
    uint64_t ended_ns;
};

struct subjects {
    struct entry *entry;
    size_t count, cap;
    struct renamed { /* and the texts that it had */
        uint32_t number;
        const char *name, *detail;
    } * renamed;
    size_t renamed_count;
    struct absence_note *missing;
    size_t missing_count, missing_cap;
};

static char *copy(const char *text)
{
    return text ? alloc_text(text) : NULL;
}

struct subjects *subjects_new(const char *host_name)
{
    struct subjects *s = alloc_zero(1, sizeof(*s));

    (void)subjects_add(s,
            &(struct subject){ .kind = SUBJECT_HOST, .name = host_name });
    return s;
}

void subjects_free(struct subjects *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->count; i++) {
        free((char *)s->entry[i].subject.name);
        free((char *)s->entry[i].subject.detail);
    }
    for (size_t i = 0; i < s->renamed_count; i++) {
        free((char *)s->renamed[i].name);
        free((char *)s->renamed[i].detail);
    }
    free(s->renamed);
    for (size_t i = 0; i < s->missing_count; i++)
        free((char *)s->missing[i].reason);
    free(s->missing);
    free(s->entry);
    free(s);
}

uint32_t subjects_add(struct subjects *s, const struct subject *x)
{
    if (s->count == s->cap) {
        s->cap = s->cap ? 2 * s->cap : 16;
        s->entry = alloc_resize(s->entry, s->cap * sizeof(*s->entry));
    }

    struct entry *e = &s->entry[s->count];

    *e = (struct entry){ .subject = *x };
    e->subject.name = copy(x->name);
    e->subject.detail = copy(x->detail);
    return (uint32_t)s->count++;
}

const struct subject *subjects_get(const struct subjects *s, uint32_t number)
{
    return &s->entry[number].subject;
}

size_t subjects_count(const struct subjects *s)
{
    return s->count;
}

void subjects_rename(struct subjects *s, uint32_t number, const char *name,
        const char *detail)
{
    struct subject *x = &s->entry[number].subject;

    s->renamed = alloc_resize(s->renamed,
            (s->renamed_count + 1) * sizeof(*s->renamed));
    s->renamed[s->renamed_count++] =
            (struct renamed){ number, x->name, x->detail };
    x->name = copy(name);
    x->detail = copy(detail);
}

size_t subjects_renamed_count(const struct subjects *s)
{
    return s->renamed_count;
}

uint32_t subjects_renamed_at(const struct subjects *s, size_t i)
{
    return s->renamed[i].number;
}

void subjects_end(struct subjects *s, uint32_t number, uint64_t time_ns)
{
    s->entry[number].ended_ns = time_ns;
}

uint64_t subjects_ended_ns(const struct subjects *s, uint32_t number)
{
    return s->entry[number].ended_ns;
}

static struct absence_note *missing_of(struct subjects *s,
        enum metric_id metric, uint32_t subject)
{
    for (size_t i = 0; i < s->missing_count; i++)
        if (s->missing[i].metric == metric && s->missing[i].subject == subject)
            return &s->missing[i];
    if (s->missing_count == s->missing_cap) {
        s->missing_cap = s->missing_cap ? 2 * s->missing_cap : 16;
        s->missing =
                alloc_resize(s->missing, s->missing_cap * sizeof(*s->missing));
    }
    s->missing[s->missing_count] =
            (struct absence_note){ .metric = metric, .subject = subject };
    return &s->missing[s->missing_count++];
}

void subjects_missing(struct subjects *s, enum metric_id metric,
        uint32_t subject, const char *reason_fmt, ...)
{
    struct absence_note *m = missing_of(s, metric, subject);
    char text[256];
    va_list args;

    va_start(args, reason_fmt);
    (void)vsnprintf(text, sizeof(text), reason_fmt, args);
    va_end(args);
    free((char *)m->reason);
    m->reason = copy(text);
}

size_t subjects_missing_count(const struct subjects *s)
{
    return s->missing_count;
}

const struct absence_note *subjects_missing_at(const struct subjects *s,
        size_t i)
{
    return &s->missing[i];
}
