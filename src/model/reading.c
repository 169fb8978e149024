#include "model/reading.h"

const char *subject_kind_name(enum subject_kind kind)
{
    static const char *const names[SUBJECT_KINDS] = {
        [SUBJECT_HOST] = "host",
        [SUBJECT_CORE] = "core",
        [SUBJECT_DEVICE] = "device",
        [SUBJECT_ZONE] = "zone",
        [SUBJECT_PROCESS] = "process",
        [SUBJECT_THREAD] = "thread",
        [SUBJECT_SESSION] = "session",
    };

    return names[kind];
}

const char *reading_method_name(enum reading_method method)
{
    static const char *const names[READING_METHODS] = {
        [READING_MEASURED] = "measured",
        [READING_APPORTIONED] = "apportioned",
        [READING_MODELLED] = "modelled",
    };

    return names[method];
}
