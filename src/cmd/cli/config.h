/* config.h -- settings from files: an option that was not given on the command
 * line, and that no variable of the environment gives, may stand in
 *
 *     ortmeter.toml                    in the working folder or above it, or
 *     ~/.config/ortmeter/ortmeter.toml (or below XDG_CONFIG_HOME),
 *
 * the former before the latter.  Under `[run]` stand options of that verb, by
 * their long names; before the first table those of all verbs that have them.
 *
 * A project's file comes with other people's code, so it may set only what does
 * no harm: config_is_harmless().  One that belongs to somebody else than the
 * user and root, or that others may write to, is passed over. */
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct config;

struct config_entry {
    const char *verb; /* "" for all */
    const char *key;
    const char *value;
    const char *file;
    uint64_t line;
    bool project; /* it stands in a project's file */
};

/* Reads both files, as far as they are there.  The error names the file and the
 * line. */
int config_read(struct config **out, struct error *e);
void config_free(struct config *c);

/* In the order in which they count: a later one replaces an earlier one. */
size_t config_count(const struct config *c);
const struct config_entry *config_at(const struct config *c, size_t i);

/* Which file was passed over, and why: a sentence each.  NULL: no more. */
const char *config_skipped(const struct config *c, size_t i);

/* The option may stand in a project's file: it names no library, database,
 * socket, address or file. */
bool config_is_harmless(const char *key);
