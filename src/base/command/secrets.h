/* secrets.h -- what in a command line is nobody's business.
 *
 * A guess by names and shapes, on the safe side: it may hide too much, and it
 * cannot know every secret there is. */
#pragma once

#include "base/str.h"

#include <stdbool.h>

/* Whether `value`, given for `name` ("--api-key", "PGPASSWORD", "pwd"), is to
 * be hidden. */
bool secrets_named(struct str name, struct str value);

/* Whether a name of this kind is given a secret at all, whatever it is: then
 * the argument behind it is one, too. */
bool secrets_name(struct str name);

/* Whether a word is a secret by its own shape: "ghp_...", "hf_...", a JSON web
 * token. */
bool secrets_shaped(struct str word);
