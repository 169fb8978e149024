/* encrypted_vfs.h -- the files below the database: SQLite's own way to read and
 * write them (a VFS), with two things added.
 *
 * With a key, every page is sealed in the database and in its log, and no other
 * file is written at all.  Without one, a log, a journal or a temporary file is
 * overwritten before it goes or is cut. */
#pragma once

#include "store/store.h"

#include <sqlite3.h>
#include <stdbool.h>

struct encrypted_vfs;

/* `key` may be NULL.  One vault is for one connection. */
struct encrypted_vfs *encrypted_vfs_new(const struct store_key *key);
/* After the connection is closed.  NULL is welcome. */
void encrypted_vfs_free(struct encrypted_vfs *v);

/* For sqlite3_open_v2(). */
const char *encrypted_vfs_name(const struct encrypted_vfs *v);

/* The file was sealed by the version before, which did not seal what the log
 * says of its pages; it is read and written as it is, until it is sealed anew:
 * with encrypted_vfs_seal_anew() every page that is written is. */
bool encrypted_vfs_is_old(const struct encrypted_vfs *v);
void encrypted_vfs_seal_anew(struct encrypted_vfs *v);

/* These may be asked of NULL, too. */
bool encrypted_vfs_has_key(const struct encrypted_vfs *v);

/* Why a page could not be read. */
enum encrypted_vfs_trouble {
    ENCRYPTED_VFS_NO_TROUBLE,
    ENCRYPTED_VFS_WRONG_KEY, /* the first page does not open */
    ENCRYPTED_VFS_DAMAGED,   /* another page does not */
    ENCRYPTED_VFS_NOT_SEALED /* the file was never sealed */
};
enum encrypted_vfs_trouble encrypted_vfs_trouble(const struct encrypted_vfs *v);
