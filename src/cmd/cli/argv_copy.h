/* argv_copy.h -- command lines for processes of our own. */
#pragma once

/* Both texts copied: `program`, then all of `argv`, then NULL.  For
 * argv_free(). */
char **argv_copy(const char *program, char *const *argv);
void argv_free(char **argv);
