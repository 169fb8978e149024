#include "store/crypt/encrypted_vfs.h"

#include "base/alloc.h"
#include "store/crypt/page_crypto.h"
#include "store/crypt/wipe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The log: a head, and frames of a small head and a page. */
#define LOG_HEAD   32
#define FRAME_HEAD 24
#define FRAME      (FRAME_HEAD + PAGE_CRYPTO_PAGE)

struct encrypted_vfs {
    sqlite3_vfs vfs; /* first: SQLite hands us this */
    sqlite3_vfs *real;
    struct page_crypto *seal; /* NULL: no key */
    bool old;                 /* sealed by the version before */
    bool anew;                /* and no more, as far as we write */
    enum encrypted_vfs_trouble trouble;
    char name[40];
};

enum file_kind { FILE_DATABASE, FILE_LOG, FILE_PASSING, FILE_OTHER };

struct vfs_file {
    sqlite3_file file; /* first, too */
    struct encrypted_vfs *vault;
    sqlite3_file *real;
    enum file_kind kind;
    uint8_t page[PAGE_CRYPTO_PAGE];
    uint8_t head[PAGE_CRYPTO_HEAD]; /* of the frame that was begun last, */
    sqlite3_int64 head_of;          /* whose page lies here */
};

static struct vfs_file *of(sqlite3_file *f)
{
    return (struct vfs_file *)f;
}

static bool sealed(const struct vfs_file *f)
{
    return f->vault->seal && (f->kind == FILE_DATABASE || f->kind == FILE_LOG);
}

/* --- the salt ------------------------------------------------------------- */

/* Reads it from the file, if there is one. */
static int find_salt(struct vfs_file *f)
{
    struct page_crypto *seal = f->vault->seal;
    uint8_t salt[PAGE_CRYPTO_SALT];
    sqlite3_int64 size = 0;
    int rc;

    if (page_crypto_has_salt(seal) || f->kind != FILE_DATABASE)
        return SQLITE_OK;
    rc = f->real->pMethods->xFileSize(f->real, &size);
    if (rc || size < PAGE_CRYPTO_PAGE)
        return rc;
    rc = f->real->pMethods->xRead(f->real, salt, PAGE_CRYPTO_SALT, 0);
    if (rc)
        return rc;
    if (memcmp(salt, "SQLite format 3", PAGE_CRYPTO_SALT) == 0) {
        f->vault->trouble = ENCRYPTED_VFS_NOT_SEALED;
        return SQLITE_NOTADB;
    }
    return page_crypto_set_salt(seal, salt) ? SQLITE_OK : SQLITE_NOMEM;
}

/* --- pages ---------------------------------------------------------------- */

/* The page that a byte of the file belongs to; -1: to none. */
static sqlite3_int64 page_of(const struct vfs_file *f, sqlite3_int64 at)
{
    if (f->kind == FILE_DATABASE)
        return at - at % PAGE_CRYPTO_PAGE;
    if (at < LOG_HEAD || (at - LOG_HEAD) % FRAME < FRAME_HEAD)
        return -1;
    return at - (at - LOG_HEAD) % FRAME + FRAME_HEAD;
}

/* With what SQLite says of a page of the log, right before it. */
static int find_place(struct page_crypto_place *out, struct vfs_file *f,
        sqlite3_int64 page)
{
    *out = (struct page_crypto_place){
        .file = f->kind == FILE_DATABASE ? 'd' : 'w',
        .bytes = (uint64_t)page,
    };
    if (f->kind == FILE_DATABASE)
        return SQLITE_OK;
    if (f->head_of == page) {
        memcpy(out->head, f->head, PAGE_CRYPTO_HEAD);
        return SQLITE_OK;
    }
    return f->real->pMethods->xRead(f->real, out->head, PAGE_CRYPTO_HEAD,
            page - FRAME_HEAD);
}

/* From f->page into `to`. */
static bool open_sealed(struct vfs_file *f, struct page_crypto_place at,
        uint8_t *to)
{
    struct encrypted_vfs *v = f->vault;

    if (!page_crypto_has_salt(v->seal))
        return false;
    at.before = false;
    if (page_crypto_open(v->seal, at, f->page, to))
        return true;
    at.before = true;
    if (!v->old && (f->kind != FILE_DATABASE || at.bytes))
        return false;
    if (!page_crypto_open(v->seal, at, f->page, to))
        return false;
    v->old = true; /* the first page says so of all */
    return true;
}

/* A whole page, opened, into f->page. */
static int open_page(struct vfs_file *f, sqlite3_int64 page)
{
    struct encrypted_vfs *v = f->vault;
    uint8_t plain[PAGE_CRYPTO_PAGE];
    struct page_crypto_place at;
    int rc = f->real->pMethods->xRead(f->real, f->page, PAGE_CRYPTO_PAGE, page);

    f->head_of = -1; /* others write, too */
    if (!rc)
        rc = find_place(&at, f, page);
    if (rc)
        return rc;
    if (open_sealed(f, at, plain)) {
        memcpy(f->page, plain, PAGE_CRYPTO_PAGE);
        return SQLITE_OK;
    }
    v->trouble = f->kind == FILE_DATABASE && page == 0 ? ENCRYPTED_VFS_WRONG_KEY
                                                       : ENCRYPTED_VFS_DAMAGED;
    return page ? SQLITE_CORRUPT : SQLITE_NOTADB;
}

/* SQLite reads whole frames only to find out which of them are whole: those
 * that are not are torn, and told by a checksum that nothing has. */
static bool may_be_torn(const struct vfs_file *f, sqlite3_int64 at, int amount)
{
    return f->kind == FILE_LOG && amount == FRAME && page_of(f, at) < 0;
}

static int read_sealed(struct vfs_file *f, uint8_t *to, int amount,
        sqlite3_int64 at)
{
    bool torn_too = may_be_torn(f, at, amount);
    int rc = find_salt(f);

    while (!rc && amount > 0) {
        sqlite3_int64 page = page_of(f, at);
        int skip = page < 0 ? 0 : (int)(at - page);
        int here = page >= 0 ? PAGE_CRYPTO_PAGE - skip
                   : at < LOG_HEAD
                           ? (int)(LOG_HEAD - at)
                           : (int)(FRAME_HEAD - (at - LOG_HEAD) % FRAME);

        here = here < amount ? here : amount;
        if (page < 0) {
            rc = f->real->pMethods->xRead(f->real, to, here, at);
        } else {
            rc = open_page(f, page);
            if (rc == SQLITE_CORRUPT && torn_too) {
                memset(f->page, 0xff, PAGE_CRYPTO_PAGE);
                f->vault->trouble = ENCRYPTED_VFS_NO_TROUBLE;
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

static int vfs_read(sqlite3_file *file, void *to, int amount, sqlite3_int64 at)
{
    struct vfs_file *f = of(file);

    return sealed(f) ? read_sealed(f, to, amount, at)
                     : f->real->pMethods->xRead(f->real, to, amount, at);
}

/* The head of the log, or of a frame: remembered for the page behind it. */
static int write_head(struct vfs_file *f, const void *from, int amount,
        sqlite3_int64 at)
{
    if (amount > LOG_HEAD)
        return SQLITE_IOERR_WRITE;
    f->head_of = -1;
    if (at >= LOG_HEAD && amount == FRAME_HEAD) {
        memcpy(f->head, from, PAGE_CRYPTO_HEAD);
        f->head_of = at + FRAME_HEAD;
    }
    return f->real->pMethods->xWrite(f->real, from, amount, at);
}

/* SQLite writes whole pages, and the heads of the log. */
static int write_sealed(struct vfs_file *f, const void *from, int amount,
        sqlite3_int64 at)
{
    struct page_crypto *seal = f->vault->seal;
    sqlite3_int64 page = page_of(f, at);
    struct page_crypto_place place;
    int rc = find_salt(f);

    if (rc)
        return rc;
    if (page < 0)
        return write_head(f, from, amount, at);
    if (page != at || amount != PAGE_CRYPTO_PAGE)
        return SQLITE_IOERR_WRITE;
    if (!page_crypto_has_salt(seal) && !page_crypto_make_salt(seal))
        return SQLITE_NOMEM;
    rc = find_place(&place, f, page);
    if (rc)
        return rc;
    place.before = f->vault->old && !f->vault->anew;
    if (!page_crypto_close(seal, place, from, f->page))
        return SQLITE_IOERR_WRITE;
    return f->real->pMethods->xWrite(f->real, f->page, amount, at);
}

static int vfs_write(sqlite3_file *file, const void *from, int amount,
        sqlite3_int64 at)
{
    struct vfs_file *f = of(file);

    return sealed(f) ? write_sealed(f, from, amount, at)
                     : f->real->pMethods->xWrite(f->real, from, amount, at);
}

/* --- what goes ------------------------------------------------------------ */

static int vfs_truncate(sqlite3_file *file, sqlite3_int64 size)
{
    struct vfs_file *f = of(file);

    if (f->kind == FILE_LOG && !f->vault->seal)
        wipe_file(f->real, size);
    return f->real->pMethods->xTruncate(f->real, size);
}

static int vfs_close(sqlite3_file *file)
{
    struct vfs_file *f = of(file);

    if (f->kind == FILE_PASSING)
        wipe_file(f->real, 0);
    return f->real->pMethods->xClose(f->real);
}

static int vfs_delete(sqlite3_vfs *vfs, const char *name, int sync)
{
    struct encrypted_vfs *v = (struct encrypted_vfs *)vfs;

    if (!v->seal)
        wipe_path(name);
    return v->real->xDelete(v->real, name, sync);
}

/* --- the rest is SQLite's ------------------------------------------------- */

#define REAL(f) of(f)->real->pMethods

static int vfs_sync(sqlite3_file *f, int flags)
{
    return REAL(f)->xSync(of(f)->real, flags);
}

static int vfs_size(sqlite3_file *f, sqlite3_int64 *size)
{
    return REAL(f)->xFileSize(of(f)->real, size);
}

static int vfs_lock(sqlite3_file *f, int lock)
{
    return REAL(f)->xLock(of(f)->real, lock);
}

static int vfs_unlock(sqlite3_file *f, int lock)
{
    return REAL(f)->xUnlock(of(f)->real, lock);
}

static int vfs_reserved(sqlite3_file *f, int *out)
{
    return REAL(f)->xCheckReservedLock(of(f)->real, out);
}

static int vfs_control(sqlite3_file *f, int op, void *arg)
{
    return REAL(f)->xFileControl(of(f)->real, op, arg);
}

static int vfs_sector(sqlite3_file *f)
{
    return REAL(f)->xSectorSize(of(f)->real);
}

static int vfs_device(sqlite3_file *f)
{
    return REAL(f)->xDeviceCharacteristics(of(f)->real);
}

static int vfs_shm_map(sqlite3_file *f, int page, int size, int extend,
        void volatile **out)
{
    return REAL(f)->xShmMap(of(f)->real, page, size, extend, out);
}

static int vfs_shm_lock(sqlite3_file *f, int offset, int n, int flags)
{
    return REAL(f)->xShmLock(of(f)->real, offset, n, flags);
}

static void vfs_shm_barrier(sqlite3_file *f)
{
    REAL(f)->xShmBarrier(of(f)->real);
}

static int vfs_shm_unmap(sqlite3_file *f, int delete_flag)
{
    return REAL(f)->xShmUnmap(of(f)->real, delete_flag);
}

/* Version 2: without memory maps, which would pass us by. */
static const sqlite3_io_methods methods = { 2, vfs_close, vfs_read, vfs_write,
    vfs_truncate, vfs_sync, vfs_size, vfs_lock, vfs_unlock, vfs_reserved,
    vfs_control, vfs_sector, vfs_device, vfs_shm_map, vfs_shm_lock,
    vfs_shm_barrier, vfs_shm_unmap, NULL, NULL };

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
static bool may_open(const struct encrypted_vfs *v, const char *name, int flags)
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

static int vfs_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file,
        int flags, int *out_flags)
{
    struct encrypted_vfs *v = (struct encrypted_vfs *)vfs;
    struct vfs_file *f = of(file);

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

static int vfs_access(sqlite3_vfs *vfs, const char *name, int flags, int *out)
{
    sqlite3_vfs *real = ((struct encrypted_vfs *)vfs)->real;

    return real->xAccess(real, name, flags, out);
}

static int vfs_path(sqlite3_vfs *vfs, const char *name, int len, char *out)
{
    sqlite3_vfs *real = ((struct encrypted_vfs *)vfs)->real;

    return real->xFullPathname(real, name, len, out);
}

static int vfs_random(sqlite3_vfs *vfs, int len, char *out)
{
    sqlite3_vfs *real = ((struct encrypted_vfs *)vfs)->real;

    return real->xRandomness(real, len, out);
}

static int vfs_sleep(sqlite3_vfs *vfs, int us)
{
    sqlite3_vfs *real = ((struct encrypted_vfs *)vfs)->real;

    return real->xSleep(real, us);
}

static int vfs_time(sqlite3_vfs *vfs, double *out)
{
    sqlite3_vfs *real = ((struct encrypted_vfs *)vfs)->real;

    return real->xCurrentTime(real, out);
}

static int vfs_last_error(sqlite3_vfs *vfs, int len, char *out)
{
    sqlite3_vfs *real = ((struct encrypted_vfs *)vfs)->real;

    return real->xGetLastError(real, len, out);
}

struct encrypted_vfs *encrypted_vfs_new(const struct store_key *key)
{
    struct encrypted_vfs *v = alloc_zero(1, sizeof(*v));

    v->real = sqlite3_vfs_find(NULL);
    v->seal = key ? page_crypto_new(key) : NULL;
    (void)snprintf(v->name, sizeof(v->name), "ortmeter-%p", (void *)v);
    v->vfs = (sqlite3_vfs){
        .iVersion = 1,
        .szOsFile = (int)sizeof(struct vfs_file) + v->real->szOsFile,
        .mxPathname = v->real->mxPathname,
        .zName = v->name,
        .xOpen = vfs_open,
        .xDelete = vfs_delete,
        .xAccess = vfs_access,
        .xFullPathname = vfs_path,
        .xRandomness = vfs_random,
        .xSleep = vfs_sleep,
        .xCurrentTime = vfs_time,
        .xGetLastError = vfs_last_error,
    };
    (void)sqlite3_vfs_register(&v->vfs, 0);
    return v;
}

void encrypted_vfs_free(struct encrypted_vfs *v)
{
    if (!v)
        return;
    (void)sqlite3_vfs_unregister(&v->vfs);
    page_crypto_free(v->seal);
    free(v);
}

bool encrypted_vfs_is_old(const struct encrypted_vfs *v)
{
    return v->old && !v->anew;
}

void encrypted_vfs_seal_anew(struct encrypted_vfs *v)
{
    v->anew = true;
}

const char *encrypted_vfs_name(const struct encrypted_vfs *v)
{
    return v->name;
}

bool encrypted_vfs_has_key(const struct encrypted_vfs *v)
{
    return v && v->seal;
}

enum encrypted_vfs_trouble encrypted_vfs_trouble(const struct encrypted_vfs *v)
{
    return v ? v->trouble : ENCRYPTED_VFS_NO_TROUBLE;
}
