#include "etw/live/source.h"

#include "base/alloc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

struct etw_source {
    HANDLE file, section;
    uint64_t bytes;
    DWORD granularity;
    const unsigned char *memory; /* NULL: it is a file */
};

static int code_of(DWORD error)
{
    switch (error) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND: return -ENOENT;
    case ERROR_ACCESS_DENIED: return -EACCES;
    default: return -EIO;
    }
}

/* Others may go on writing, and delete it. */
static HANDLE open_file(const char *path)
{
    wchar_t wide[MAX_PATH * 4];

    if (!MultiByteToWideChar(CP_UTF8, 0, path, -1, wide,
                (int)(sizeof(wide) / sizeof(wide[0]))))
        return INVALID_HANDLE_VALUE;
    return CreateFileW(wide, GENERIC_READ,
            FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
            OPEN_EXISTING, 0, NULL);
}

static int start(struct etw_source *s, const char *path)
{
    LARGE_INTEGER size;
    SYSTEM_INFO system;

    s->file = open_file(path);
    if (s->file == INVALID_HANDLE_VALUE)
        return code_of(GetLastError());
    if (GetFileType(s->file) != FILE_TYPE_DISK)
        return -EINVAL;
    if (!GetFileSizeEx(s->file, &size))
        return -EIO;
    if (!size.QuadPart)
        return -ENODATA;
    s->bytes = (uint64_t)size.QuadPart;
    s->section = CreateFileMappingW(s->file, NULL, PAGE_READONLY, 0, 0, NULL);
    GetSystemInfo(&system);
    s->granularity = system.dwAllocationGranularity;
    return s->section ? 0 : code_of(GetLastError());
}

static const char *reason(int rc)
{
    switch (rc) {
    case -ENODATA: return "it is empty";
    case -EINVAL: return "it is not an ordinary file";
    default: return strerror(-rc);
    }
}

int etw_source_open(struct etw_source **out, const char *path, struct error *e)
{
    struct etw_source *s = alloc_zero(1, sizeof(*s));
    int rc = start(s, path);

    if (rc) {
        etw_source_close(s);
        return fail(e, rc, "cannot read %.160s: %s", path, reason(rc));
    }
    *out = s;
    return 0;
}

struct etw_source *etw_source_of(const unsigned char *bytes, size_t len)
{
    struct etw_source *s = alloc_zero(1, sizeof(*s));

    s->file = INVALID_HANDLE_VALUE;
    s->memory = bytes;
    s->bytes = len;
    return s;
}

uint64_t etw_source_bytes(const struct etw_source *s)
{
    return s->bytes;
}

size_t etw_source_read(struct etw_source *s, uint64_t at, unsigned char *to,
        size_t len)
{
    DWORD got = 0;
    OVERLAPPED where = { .Offset = (DWORD)at, .OffsetHigh = (DWORD)(at >> 32) };

    if (at >= s->bytes)
        return 0;
    if (len > s->bytes - at)
        len = (size_t)(s->bytes - at);
    if (s->memory) {
        memcpy(to, s->memory + at, len);
        return len;
    }
    return ReadFile(s->file, to, (DWORD)len, &got, &where) ? got : 0;
}

int etw_view_map(struct etw_view *v, struct etw_source *s, uint64_t at,
        size_t len)
{
    if (s->memory) {
        *v = (struct etw_view){ .p = s->memory + at };
        return 0;
    }

    size_t before = (size_t)(at % s->granularity);
    uint64_t from = at - before;
    void *base = MapViewOfFile(s->section, FILE_MAP_READ, (DWORD)(from >> 32),
            (DWORD)from, before + len);

    if (!base)
        return code_of(GetLastError());
    *v = (struct etw_view){ .p = (unsigned char *)base + before,
        .base = base,
        .mapped = before + len };
    return 0;
}

/* While a section is open, nobody can make the file shorter. */
bool etw_view_unmap(struct etw_view *v)
{
    if (v->base)
        (void)UnmapViewOfFile(v->base);
    *v = (struct etw_view){ 0 };
    return true;
}

void etw_source_close(struct etw_source *s)
{
    if (!s)
        return;
    if (s->section)
        (void)CloseHandle(s->section);
    if (s->file && s->file != INVALID_HANDLE_VALUE)
        (void)CloseHandle(s->file);
    free(s);
}
