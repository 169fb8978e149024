/* profile_event.h -- one event of a profile, from its text.  Only for
 * profile.c, which finds where events begin and end. */
#pragma once

#include "ort/profile.h"

enum profile_spelling {
    PROFILE_SPELLING_RUNTIME, /* nothing is escaped, anything may follow */
    PROFILE_SPELLING_JSON,
};

enum profile_verdict {
    PROFILE_WHOLE,
    PROFILE_WHOLE_OTHER, /* an object, but no event that took time */
    PROFILE_NOT_WHOLE,
};

/* `text` begins with the event's '{' and may go on behind its end; `used` gets
 * how much of it the event is.  Texts of `out` point into `text` or `scratch`,
 * which has room for text.len bytes. */
enum profile_verdict profile_event_parse(struct profile_event *out,
        size_t *used, struct str text, enum profile_spelling spelling,
        char *scratch);
