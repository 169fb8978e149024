/* vault.h -- the files below the database: SQLite's own way to read and write
 * them (a VFS), with two things added.
 *
 * With a key, every page is sealed in the database and in its log, and no other
 * file is written at all.  Without one, a log, a journal or a temporary file is
 * overwritten before it goes or is cut. */
#pragma once

#include "store/store.h"

#include <sqlite3.h>
#include <stdbool.h>

struct vault;

/* `key` may be NULL.  One vault is for one connection. */
struct vault *vault_new(const struct store_key *key);
/* After the connection is closed.  NULL is welcome. */
void vault_free(struct vault *v);

/* For sqlite3_open_v2(). */
const char *vault_name(const struct vault *v);

/* The file was sealed by the version before, which did not seal what the log
 * says of its pages; it is read and written as it is, until it is sealed anew:
 * with vault_seal_anew() every page that is written is. */
bool vault_is_old(const struct vault *v);
void vault_seal_anew(struct vault *v);

/* These may be asked of NULL, too. */
bool vault_has_key(const struct vault *v);

/* Why a page could not be read. */
enum vault_trouble {
    VAULT_NO_TROUBLE,
    VAULT_WRONG_KEY, /* the first page does not open */
    VAULT_DAMAGED,   /* another page does not */
    VAULT_NOT_SEALED /* the file was never sealed */
};
enum vault_trouble vault_trouble(const struct vault *v);
