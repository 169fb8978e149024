#include "store/vault.h"

#include "base/alloc.h"
#include "store/seal.h"
#include "store/wipe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The log: a head, and frames of a small head and a page. */
#define LOG_HEAD   32
#define FRAME_HEAD 24
#define FRAME      (FRAME_HEAD + SEAL_PAGE)

struct vault {
    sqlite3_vfs vfs; /* first: SQLite hands us this */
    sqlite3_vfs *real;
    struct seal *seal; /* NULL: no key */
    bool old;          /* sealed by the version before */
    bool anew;         /* and no more, as far as we write */
    enum vault_trouble trouble;
    char name[40];
};

enum file_kind { FILE_DATABASE, FILE_LOG, FILE_PASSING, FILE_OTHER };

struct vault_file {
    sqlite3_file file; /* first, too */
    struct vault *vault;
    sqlite3_file *real;
    enum file_kind kind;
    uint8_t page[SEAL_PAGE];
    uint8_t head[SEAL_HEAD]; /* of the frame that was begun last, */
    sqlite3_int64 head_of;   /* whose page lies here */
};

static struct vault_file *of(sqlite3_file *f)
{
    return (struct vault_file *)f;
}

static bool sealed(const struct vault_file *f)
{
    return f->vault->seal && (f->kind == FILE_DATABASE || f->kind == FILE_LOG);
}

/* --- the salt ------------------------------------------------------------- */

/* Reads it from the file, if there is one. */
static int find_salt(struct vault_file *f)
{
    struct seal *seal = f->vault->seal;
    uint8_t salt[SEAL_SALT];
    sqlite3_int64 size = 0;
    int rc;

    if (seal_has_salt(seal) || f->kind != FILE_DATABASE)
        return SQLITE_OK;
    rc = f->real->pMethods->xFileSize(f->real, &size);
    if (rc || size < SEAL_PAGE)
        return rc;
    rc = f->real->pMethods->xRead(f->real, salt, SEAL_SALT, 0);
    if (rc)
        return rc;
    if (memcmp(salt, "SQLite format 3", SEAL_SALT) == 0) {
        f->vault->trouble = VAULT_NOT_SEALED;
        return SQLITE_NOTADB;
    }
    return seal_set_salt(seal, salt) ? SQLITE_OK : SQLITE_NOMEM;
}

/* --- pages ---------------------------------------------------------------- */

/* The page that a byte of the file belongs to; -1: to none. */
static sqlite3_int64 page_of(const struct vault_file *f, sqlite3_int64 at)
{
    if (f->kind == FILE_DATABASE)
        return at - at % SEAL_PAGE;
    if (at < LOG_HEAD || (at - LOG_HEAD) % FRAME < FRAME_HEAD)
        return -1;
    return at - (at - LOG_HEAD) % FRAME + FRAME_HEAD;
}

/* With what SQLite says of a page of the log, right before it. */
static int find_place(struct seal_place *out, struct vault_file *f,
        sqlite3_int64 page)
{
    *out = (struct seal_place){
        .file = f->kind == FILE_DATABASE ? 'd' : 'w',
        .bytes = (uint64_t)page,
    };
    if (f->kind == FILE_DATABASE)
        return SQLITE_OK;
    if (f->head_of == page) {
        memcpy(out->head, f->head, SEAL_HEAD);
        return SQLITE_OK;
    }
    return f->real->pMethods->xRead(f->real, out->head, SEAL_HEAD,
            page - FRAME_HEAD);
}

/* From f->page into `to`. */
static bool open_sealed(struct vault_file *f, struct seal_place at, uint8_t *to)
{
    struct vault *v = f->vault;

    if (!seal_has_salt(v->seal))
        return false;
    at.before = false;
    if (seal_open(v->seal, at, f->page, to))
        return true;
    at.before = true;
    if (!v->old && (f->kind != FILE_DATABASE || at.bytes))
        return false;
    if (!seal_open(v->seal, at, f->page, to))
        return false;
    v->old = true; /* the first page says so of all */
    return true;
}

/* A whole page, opened, into f->page. */
static int open_page(struct vault_file *f, sqlite3_int64 page)
{
    struct vault *v = f->vault;
    uint8_t plain[SEAL_PAGE];
    struct seal_place at;
    int rc = f->real->pMethods->xRead(f->real, f->page, SEAL_PAGE, page);

    f->head_of = -1; /* others write, too */
    if (!rc)
        rc = find_place(&at, f, page);
    if (rc)
        return rc;
    if (open_sealed(f, at, plain)) {
        memcpy(f->page, plain, SEAL_PAGE);
        return SQLITE_OK;
    }
    v->trouble = f->kind == FILE_DATABASE && page == 0 ? VAULT_WRONG_KEY
                                                       : VAULT_DAMAGED;
    return page ? SQLITE_CORRUPT : SQLITE_NOTADB;
}

/* SQLite reads whole frames only to find out which of them are whole: those
 * that are not are torn, and told by a checksum that nothing has. */
static bool may_be_torn(const struct vault_file *f, sqlite3_int64 at,
        int amount)
{
    return f->kind == FILE_LOG && amount == FRAME && page_of(f, at) < 0;
}

static int read_sealed(struct vault_file *f, uint8_t *to, int amount,
        sqlite3_int64 at)
{
    bool torn_too = may_be_torn(f, at, amount);
    int rc = find_salt(f);

    while (!rc && amount > 0) {
        sqlite3_int64 page = page_of(f, at);
        int skip = page < 0 ? 0 : (int)(at - page);
        int here = page >= 0 ? SEAL_PAGE - skip
                   : at < LOG_HEAD
                           ? (int)(LOG_HEAD - at)
                           : (int)(FRAME_HEAD - (at - LOG_HEAD) % FRAME);

        here = here < amount ? here : amount;
        if (page < 0) {
            rc = f->real->pMethods->xRead(f->real, to, here, at);
        } else {
            rc = open_page(f, page);
            if (rc == SQLITE_CORRUPT && torn_too) {
                memset(f->page, 0xff, SEAL_PAGE);
                f->vault->trouble = VAULT_NO_TROUBLE;
                rc = SQLITE_OK;
            }
            if (!rc)
                memcpy(to, f->page + skip, (size_t)here);
        }
        if (rc)
            memset(to, 0, (size_t)amount);
        to += here;
        at += here;
        amount -= here;
    }
    return rc;
}

static int vault_read(sqlite3_file *file, void *to, int amount,
        sqlite3_int64 at)
{
    struct vault_file *f = of(file);

    return sealed(f) ? read_sealed(f, to, amount, at)
                     : f->real->pMethods->xRead(f->real, to, amount, at);
}

/* The head of the log, or of a frame: remembered for the page behind it. */
static int write_head(struct vault_file *f, const void *from, int amount,
        sqlite3_int64 at)
{
    if (amount > LOG_HEAD)
        return SQLITE_IOERR_WRITE;
    f->head_of = -1;
    if (at >= LOG_HEAD && amount == FRAME_HEAD) {
        memcpy(f->head, from, SEAL_HEAD);
        f->head_of = at + FRAME_HEAD;
    }
    return f->real->pMethods->xWrite(f->real, from, amount, at);
}

/* SQLite writes whole pages, and the heads of the log. */
static int write_sealed(struct vault_file *f, const void *from, int amount,
        sqlite3_int64 at)
{
    struct seal *seal = f->vault->seal;
    sqlite3_int64 page = page_of(f, at);
    struct seal_place place;
    int rc = find_salt(f);

    if (rc)
        return rc;
    if (page < 0)
        return write_head(f, from, amount, at);
    if (page != at || amount != SEAL_PAGE)
        return SQLITE_IOERR_WRITE;
    if (!seal_has_salt(seal) && !seal_make_salt(seal))
        return SQLITE_NOMEM;
    rc = find_place(&place, f, page);
    if (rc)
        return rc;
    place.before = f->vault->old && !f->vault->anew;
    if (!seal_close(seal, place, from, f->page))
        return SQLITE_IOERR_WRITE;
    return f->real->pMethods->xWrite(f->real, f->page, amount, at);
}

static int vault_write(sqlite3_file *file, const void *from, int amount,
        sqlite3_int64 at)
{
    struct vault_file *f = of(file);

    return sealed(f) ? write_sealed(f, from, amount, at)
                     : f->real->pMethods->xWrite(f->real, from, amount, at);
}

/* --- what goes ------------------------------------------------------------ */

static int vault_truncate(sqlite3_file *file, sqlite3_int64 size)
{
    struct vault_file *f = of(file);

    if (f->kind == FILE_LOG && !f->vault->seal)
        wipe_file(f->real, size);
    return f->real->pMethods->xTruncate(f->real, size);
}

static int vault_close(sqlite3_file *file)
{
    struct vault_file *f = of(file);

    if (f->kind == FILE_PASSING)
        wipe_file(f->real, 0);
    return f->real->pMethods->xClose(f->real);
}

static int vault_delete(sqlite3_vfs *vfs, const char *name, int sync)
{
    struct vault *v = (struct vault *)vfs;

    if (!v->seal)
        wipe_path(name);
    return v->real->xDelete(v->real, name, sync);
}

/* --- the rest is SQLite's ------------------------------------------------- */

#define REAL(f) of(f)->real->pMethods

static int vault_sync(sqlite3_file *f, int flags)
{
    return REAL(f)->xSync(of(f)->real, flags);
}

static int vault_size(sqlite3_file *f, sqlite3_int64 *size)
{
    return REAL(f)->xFileSize(of(f)->real, size);
}

static int vault_lock(sqlite3_file *f, int lock)
{
    return REAL(f)->xLock(of(f)->real, lock);
}

static int vault_unlock(sqlite3_file *f, int lock)
{
    return REAL(f)->xUnlock(of(f)->real, lock);
}

static int vault_reserved(sqlite3_file *f, int *out)
{
    return REAL(f)->xCheckReservedLock(of(f)->real, out);
}

static int vault_control(sqlite3_file *f, int op, void *arg)
{
    return REAL(f)->xFileControl(of(f)->real, op, arg);
}

static int vault_sector(sqlite3_file *f)
{
    return REAL(f)->xSectorSize(of(f)->real);
}

static int vault_device(sqlite3_file *f)
{
    return REAL(f)->xDeviceCharacteristics(of(f)->real);
}

static int vault_shm_map(sqlite3_file *f, int page, int size, int extend,
        void volatile **out)
{
    return REAL(f)->xShmMap(of(f)->real, page, size, extend, out);
}

static int vault_shm_lock(sqlite3_file *f, int offset, int n, int flags)
{
    return REAL(f)->xShmLock(of(f)->real, offset, n, flags);
}

static void vault_shm_barrier(sqlite3_file *f)
{
    REAL(f)->xShmBarrier(of(f)->real);
}

static int vault_shm_unmap(sqlite3_file *f, int delete_flag)
{
    return REAL(f)->xShmUnmap(of(f)->real, delete_flag);
}

/* Version 2: without memory maps, which would pass us by. */
static const sqlite3_io_methods methods = { 2, vault_close, vault_read,
    vault_write, vault_truncate, vault_sync, vault_size, vault_lock,
    vault_unlock, vault_reserved, vault_control, vault_sector, vault_device,
    vault_shm_map, vault_shm_lock, vault_shm_barrier, vault_shm_unmap, NULL,
    NULL };

static enum file_kind kind_of(int flags)
{
    if (flags & SQLITE_OPEN_MAIN_DB)
        return FILE_DATABASE;
    if (flags & SQLITE_OPEN_WAL)
        return FILE_LOG;
    return flags & SQLITE_OPEN_DELETEONCLOSE ? FILE_PASSING : FILE_OTHER;
}

/* A new file becomes one with a log by one change of its first page, which
 * has a journal: of nothing, since nothing was there.  Of all other files but
 * the two, the pages would be in the open. */
static bool may_open(const struct vault *v, const char *name, int flags)
{
    enum file_kind kind = kind_of(flags);
    sqlite3_int64 size = 1;

    if (!v->seal || kind == FILE_DATABASE || kind == FILE_LOG)
        return true;
    if (!(flags & SQLITE_OPEN_MAIN_JOURNAL))
        return false;

    sqlite3_file *database = of(sqlite3_database_file_object(name))->real;

    return database->pMethods->xFileSize(database, &size) == SQLITE_OK &&
           size == 0;
}

static int vault_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file,
        int flags, int *out_flags)
{
    struct vault *v = (struct vault *)vfs;
    struct vault_file *f = of(file);

    file->pMethods = NULL;
    if (!may_open(v, name, flags))
        return SQLITE_CANTOPEN;
    f->vault = v;
    f->kind = kind_of(flags);
    f->head_of = -1;
    f->real = (sqlite3_file *)(f + 1);

    int rc = v->real->xOpen(v->real, name, f->real, flags, out_flags);

    if (f->real->pMethods)
        file->pMethods = &methods;
    return rc;
}

static int vault_access(sqlite3_vfs *vfs, const char *name, int flags, int *out)
{
    sqlite3_vfs *real = ((struct vault *)vfs)->real;

    return real->xAccess(real, name, flags, out);
}

static int vault_path(sqlite3_vfs *vfs, const char *name, int len, char *out)
{
    sqlite3_vfs *real = ((struct vault *)vfs)->real;

    return real->xFullPathname(real, name, len, out);
}

static int vault_random(sqlite3_vfs *vfs, int len, char *out)
{
    sqlite3_vfs *real = ((struct vault *)vfs)->real;

    return real->xRandomness(real, len, out);
}

static int vault_sleep(sqlite3_vfs *vfs, int us)
{
    sqlite3_vfs *real = ((struct vault *)vfs)->real;

    return real->xSleep(real, us);
}

static int vault_time(sqlite3_vfs *vfs, double *out)
{
    sqlite3_vfs *real = ((struct vault *)vfs)->real;

    return real->xCurrentTime(real, out);
}

static int vault_last_error(sqlite3_vfs *vfs, int len, char *out)
{
    sqlite3_vfs *real = ((struct vault *)vfs)->real;

    return real->xGetLastError(real, len, out);
}

struct vault *vault_new(const struct store_key *key)
{
    struct vault *v = alloc_zero(1, sizeof(*v));

    v->real = sqlite3_vfs_find(NULL);
    v->seal = key ? seal_new(key) : NULL;
    (void)snprintf(v->name, sizeof(v->name), "ortmeter-%p", (void *)v);
    v->vfs = (sqlite3_vfs){
        .iVersion = 1,
        .szOsFile = (int)sizeof(struct vault_file) + v->real->szOsFile,
        .mxPathname = v->real->mxPathname,
        .zName = v->name,
        .xOpen = vault_open,
        .xDelete = vault_delete,
        .xAccess = vault_access,
        .xFullPathname = vault_path,
        .xRandomness = vault_random,
        .xSleep = vault_sleep,
        .xCurrentTime = vault_time,
        .xGetLastError = vault_last_error,
    };
    (void)sqlite3_vfs_register(&v->vfs, 0);
    return v;
}

void vault_free(struct vault *v)
{
    if (!v)
        return;
    (void)sqlite3_vfs_unregister(&v->vfs);
    seal_free(v->seal);
    free(v);
}

bool vault_is_old(const struct vault *v)
{
    return v->old && !v->anew;
}

void vault_seal_anew(struct vault *v)
{
    v->anew = true;
}

const char *vault_name(const struct vault *v)
{
    return v->name;
}

bool vault_has_key(const struct vault *v)
{
    return v && v->seal;
}

enum vault_trouble vault_trouble(const struct vault *v)
{
    return v ? v->trouble : VAULT_NO_TROUBLE;
}
