/* cpu_topology_linux.c -- see Documentation/admin-guide/cputopology.rst of the
 * kernel.
 *
 * The kernel lists, for each CPU, those that share its core, its package and
 * each of its caches.  The CPU that stands first in such a list stands for the
 * thing shared, so counting those counts the things: no set is needed, and ids
 * that repeat between dies do no harm. */
#include "os/cpu_topology.h"

#include "os/file.h"
#include "os/kernel_text.h"

#include <stdio.h>

#define CPUS_MAX    8192 /* the kernel's limit */
#define INDEXES_MAX 16

struct cpu_folder {
    char path[256];
    uint64_t number;
};

/* Whether this CPU is the first in the list in its file.  -ENOENT: no list. */
static int leads(const struct cpu_folder *cpu, const char *file)
{
    char buf[4096];
    int len = file_read(buf, sizeof(buf), "%s/%s", cpu->path, file);
    struct str list = { buf, len > 0 ? (size_t)len : 0 };
    uint64_t first, last;

    if (len < 0)
        return len;
    return text_cpu_range(&list, &first, &last) && first == cpu->number;
}

/* The same under its new name, since Linux 5.5, or its old one. */
static unsigned leads_either(const struct cpu_folder *cpu, const char *now,
        const char *before)
{
    int rc = leads(cpu, now);

    if (rc < 0)
        rc = leads(cpu, before);
    return rc > 0;
}

static struct host_cache *cache_of(struct host_info *host, unsigned level,
        struct str type)
{
    for (unsigned i = 0; i < host->cache_count; i++)
        if (host->cache[i].level == level && str_is(type, host->cache[i].type))
            return &host->cache[i];
    if (host->cache_count == HOST_CACHES)
        return NULL;

    struct host_cache *c = &host->cache[host->cache_count++];

    c->level = level;
    text_copy(c->type, sizeof(c->type), type);
    return c;
}

/* One of this CPU's caches; false: there is none of that index. */
static bool add_cache(struct host_info *host, const struct cpu_folder *cpu,
        int index)
{
    char type[16], size[32], shared[64];
    uint64_t level, bytes;

    if (file_u64(&level, "%s/cache/index%d/level", cpu->path, index))
        return false;

    int type_len = file_read(type, sizeof(type), "%s/cache/index%d/type",
            cpu->path, index);
    int size_len = file_read(size, sizeof(size), "%s/cache/index%d/size",
            cpu->path, index);

    (void)snprintf(shared, sizeof(shared), "cache/index%d/shared_cpu_list",
            index);
    if (type_len <= 0 || size_len <= 0 || leads(cpu, shared) <= 0)
        return true;
    if (text_size(&bytes, (struct str){ size, (size_t)size_len }))
        return true;

    struct host_cache *c = cache_of(host, (unsigned)level,
            str_trim((struct str){ type, (size_t)type_len }));

    if (c) {
        c->count++;
        c->total_bytes += bytes;
    }
    return true;
}

static void add_cpu(struct host_info *host, const struct cpu_folder *cpu)
{
    uint64_t khz = 0;
    int index = 0;

    host->cpu_threads++;
    host->cpu_cores += leads_either(cpu, "topology/core_cpus_list",
            "topology/thread_siblings_list");
    host->cpu_sockets += leads_either(cpu, "topology/package_cpus_list",
            "topology/core_siblings_list");
    (void)file_u64(&khz, "%s/cpufreq/cpuinfo_max_freq", cpu->path);
    if (khz / 1000 > host->cpu_max_mhz)
        host->cpu_max_mhz = khz / 1000;
    while (index < INDEXES_MAX && add_cache(host, cpu, index))
        index++;
}

void cpu_topology_read(struct host_info *host, const char *root)
{
    char buf[4096];
    int len = file_read(buf, sizeof(buf), "%s/sys/devices/system/cpu/online",
            root);
    struct str online = { buf, len > 0 ? (size_t)len : 0 };
    uint64_t first, last;

    unsigned told = host->cpu_threads;

    host->cpu_threads = 0;
    while (text_cpu_range(&online, &first, &last) && last < CPUS_MAX)
        for (uint64_t n = first; n <= last; n++) {
            struct cpu_folder cpu = { .number = n };

            (void)snprintf(cpu.path, sizeof(cpu.path),
                    "%s/sys/devices/system/cpu/cpu%u", root, (unsigned)n);
            add_cpu(host, &cpu);
        }
    if (!host->cpu_threads)
        host->cpu_threads = told;
}
