/* jinja.h -- fills in a chat template: the part of Jinja that these templates
 * use, with the settings of transformers (a block's newline goes, and so do the
 * blanks before it).
 *
 * Pure but for the date, which the caller gives.  Steps, memory and output are
 * bounded, so that a hostile template ends. */
#pragma once

#include "base/buf.h"
#include "base/error.h"

/* `context` is a JSON object: messages, bos_token, add_generation_prompt, ...;
 * `date` is what strftime_now() gives, whatever format it is asked for.
 * -EPROTO: the template refused by raise_exception(), in its own words.
 * -EINVAL: it is damaged, or does what cannot be done; -ENOTSUP: it uses what
 * is not known; -E2BIG: it does not end.  Then `out` is untouched. */
int jinja_render(struct buf *out, struct str template, struct str context,
        const char *date, struct error *e);
