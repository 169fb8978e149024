#include "model/host.h"

static void text_if(struct json *j, const char *key, const char *text)
{
    if (text[0])
        json_str(j, key, str_of(text)); /* may hold any bytes */
}

static void number_if(struct json *j, const char *key, uint64_t number)
{
    if (number)
        json_u64(j, key, number);
}

const char *host_accelerator_kind(const struct host_accelerator *a)
{
    static const char *const names[] = {
        [HOST_GPU] = "gpu",
        [HOST_NPU] = "npu",
        [HOST_OTHER] = "other",
    };

    return names[a->kind];
}

static void caches(struct json *j, const struct host_info *host)
{
    json_array(j, "caches");
    for (unsigned i = 0; i < host->cache_count; i++) {
        const struct host_cache *c = &host->cache[i];

        json_object(j, NULL);
        json_u64(j, "level", c->level);
        text_if(j, "type", c->type);
        json_u64(j, "count", c->count);
        json_u64(j, "total_bytes", c->total_bytes);
        json_end(j);
    }
    json_end(j);
}

static void cpu(struct json *j, const struct host_info *host)
{
    json_object(j, "cpu");
    text_if(j, "model", host->cpu_model);
    text_if(j, "vendor", host->cpu_vendor);
    number_if(j, "sockets", host->cpu_sockets);
    number_if(j, "cores", host->cpu_cores);
    number_if(j, "threads", host->cpu_threads);
    number_if(j, "max_mhz", host->cpu_max_mhz);
    if (host->cache_count)
        caches(j, host);
    json_end(j);
}

static void memory(struct json *j, const struct host_info *host)
{
    json_object(j, "memory");
    number_if(j, "total_bytes", host->memory_total_bytes);
    if (host->memory_available_known)
        json_u64(j, "available_bytes", host->memory_available_bytes);
    json_end(j);
}

static void accelerator(struct json *j, const struct host_accelerator *a)
{
    json_object(j, NULL);
    json_text(j, "kind", host_accelerator_kind(a));
    text_if(j, "vendor", a->vendor);
    text_if(j, "name", a->name);
    text_if(j, "pci_id", a->pci_id);
    text_if(j, "driver", a->driver);
    text_if(j, "driver_version", a->driver_version);
    text_if(j, "path", a->path);
    text_if(j, "node", a->node);
    json_end(j);
}

void host_json(struct json *j, const char *key, const struct host_info *host)
{
    json_object(j, key);
    text_if(j, "hostname", host->hostname);
    text_if(j, "vendor", host->vendor);
    text_if(j, "product", host->product);
    text_if(j, "os_name", host->os_name);
    text_if(j, "os_version", host->os_version);
    text_if(j, "kernel", host->kernel);
    text_if(j, "architecture", host->architecture);
    text_if(j, "virtualisation", host->virtualisation);
    cpu(j, host);
    memory(j, host);
    json_array(j, "accelerators");
    for (unsigned i = 0; i < host->accelerator_count; i++)
        accelerator(j, &host->accelerator[i]);
    json_end(j);
    json_end(j);
}
