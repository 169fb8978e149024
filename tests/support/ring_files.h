/* ring_files.h -- rings as hooked programs leave them in the collector's
 * folder: a test that includes it is these programs. */
#pragma once

#include "collect/rings.h"
#include "os/process/child.h"
#include "test.h"
#include "wire/record.h"
#include "wire/ring.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define RECORDS 64 /* in a ring */

struct file {
    struct channel_header *header;
    struct ring ring;
};

static inline const char *in_folder(const struct rings *r, const char *name)
{
    static char path[1024];

    (void)snprintf(path, sizeof(path), "%s/%s", rings_folder(r), name);
    return path;
}

/* A ring as the hook makes it; `start_ns` is the age of the process. */
static inline struct file make(const struct rings *r, uint32_t pid,
        uint64_t start_ns)
{
    size_t len = CHANNEL_RING_AT + ring_bytes(sizeof(struct record), RECORDS);
    char name[64];
    struct file f;

    (void)snprintf(name, sizeof(name), "%u-%llu.ring", pid,
            (unsigned long long)start_ns);

    int fd = open(in_folder(r, name), O_RDWR | O_CREAT | O_EXCL, 0600);

    CHECK(fd >= 0 && ftruncate(fd, (off_t)len) == 0);
    f.header = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    (void)close(fd);
    if (f.header == MAP_FAILED)
        abort();
    f.header->version = CHANNEL_VERSION;
    f.header->pid = pid;
    f.header->start_ns = start_ns;
    f.header->pid_namespace = own_pid_namespace();
    f.header->magic = CHANNEL_MAGIC;
    f.ring = ring_create((char *)f.header + CHANNEL_RING_AT,
            sizeof(struct record), RECORDS);
    return f;
}

static inline void forget(struct file *f)
{
    (void)munmap(f->header,
            CHANNEL_RING_AT + ring_bytes(sizeof(struct record), RECORDS));
}

/* Records number `first` to `last`. */
static inline void push(const struct file *f, uint64_t first, uint64_t last)
{
    for (uint64_t i = first; i <= last; i++)
        (void)ring_push(&f->ring,
                &(struct record){ .kind = RECORD_TEXT, .text = { .hash = i } });
}
