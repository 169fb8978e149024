/* own_argv.h -- our own command line, to start our own program again. */
#pragma once

/* A copy of `argv`, which begins with the verb, behind `self`; for
 * own_argv_free(). */
char **own_argv(const char *self, char *const *argv);
void own_argv_free(char **argv);
