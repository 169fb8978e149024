#include "sample/device/device_subject.h"

#include "base/str.h"

#include <stdio.h>
#include <string.h>

uint32_t device_subject_add(struct subjects *s, const char *kind,
        const char *source, const char *detail)
{
    return device_subject_add_in(s, 0, kind, source, detail);
}

uint32_t device_subject_add_in(struct subjects *s, uint32_t package,
        const char *kind, const char *source, const char *detail)
{
    char name[16];
    unsigned before = 0;

    for (size_t i = 0; i < subjects_count(s); i++) {
        const struct subject *x = subjects_get(s, (uint32_t)i);

        before +=
                x->kind == SUBJECT_DEVICE && str_starts(str_of(x->name), kind);
    }
    (void)snprintf(name, sizeof(name), "%s%u", kind, before);
    return subjects_add(s, &(struct subject){ .kind = SUBJECT_DEVICE,
                                   .parent = package,
                                   .number = before,
                                   .name = name,
                                   .detail = detail,
                                   .source = source });
}

uint32_t device_subject_by_pci(const struct subjects *s, const char *pci)
{
    for (size_t i = 0; pci[0] && i < subjects_count(s); i++) {
        const struct subject *x = subjects_get(s, (uint32_t)i);

        if (x->kind == SUBJECT_DEVICE && x->detail && strstr(x->detail, pci))
            return (uint32_t)i;
    }
    return 0;
}

uint32_t device_subject_package(const struct subjects *s)
{
    for (size_t i = 0; i < subjects_count(s); i++) {
        const struct subject *x = subjects_get(s, (uint32_t)i);

        if (x->kind == SUBJECT_ZONE && strcmp(x->name, "package-0") == 0)
            return (uint32_t)i;
    }
    return 0;
}
