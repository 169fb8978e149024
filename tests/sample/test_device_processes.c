/* What each process uses of GPUs and NPUs, in a made-up /proc. */
#include "sample/device/device_samplers.h"

#include "driven.h"
#include "tree.h"

#include <errno.h>

#define SECOND 1000000000ull
#define USE    METRIC_process_device_utilization_ratio
#define MEMORY METRIC_process_device_memory_bytes

static void put_process(const struct tree *t, unsigned pid, const char *name)
{
    char path[64], text[256];

    (void)snprintf(path, sizeof(path), "proc/%u/stat", pid);
    (void)snprintf(text, sizeof(text),
            "%u (%s) S 1 41 41 0 -1 4194560 1 0 0 0 5 3 0 0 20 0 1 0 100 1000 "
            "10 18446744073709551615 0 0 0 0 0 0 0 0 0 0 0 0 17 0 0 0 0 0 0 0 "
            "0 0 0 0 0 0 0\n",
            pid, name);
    tree_put(t, path, text);
    (void)snprintf(path, sizeof(path), "proc/%u/statm", pid);
    tree_put(t, path, "1 1 1 1 0 1 0\n");
}

static void put_client(const struct tree *t, unsigned pid, unsigned fd,
        const char *device, const char *text)
{
    char path[64];

    (void)snprintf(path, sizeof(path), "proc/%u/fdinfo/%u", pid, fd);
    tree_put(t, path, text);
    (void)snprintf(path, sizeof(path), "proc/%u/fd/%u", pid, fd);
    (void)remove(tree_path(t, path));
    tree_link(t, path, device);
}

#define AMD(id, gfx, compute)                                                \
    "drm-driver:\tamdgpu\ndrm-client-id:\t" id "\ndrm-pdev:\t0000:03:00.0\n" \
    "drm-resident-vram:\t100 MiB\ndrm-resident-gtt:\t7 MiB\n"                \
    "drm-engine-gfx:\t" gfx " ns\ndrm-engine-compute:\t" compute " ns\n"
#define XE(cycles, total)                                           \
    "drm-driver:\txe\ndrm-client-id:\t9\ndrm-pdev:\t0000:00:02.0\n" \
    "drm-cycles-ccs:\t" cycles "\ndrm-total-cycles-ccs:\t" total    \
    "\ndrm-engine-capacity-ccs:\t2\ndrm-resident-system:\t1 MiB\n"

static void uses(void)
{
    struct tree t = tree_open();
    uint64_t pids[] = { 41, 42, 43 };

    tree_put(&t, "proc/stat", "cpu 0 0 0 0\nbtime 1700000000\n");
    tree_put(&t, "sys/class/drm/renderD128/dev", "226:128\n");
    put_process(&t, 41, "a) b (c");
    put_process(&t, 42, "xe");
    put_process(&t, 43, "rocm");
    put_client(&t, 41, 3, "/dev/dri/renderD128", AMD("5", "1000", "0"));
    put_client(&t, 41, 4, "/dev/dri/renderD128", AMD("5", "1000", "0"));
    put_client(&t, 41, 5, "/dev/dri/card0", AMD("6", "0", "0"));
    put_client(&t, 41, 6, "/tmp/renderD128.log.d/x", "drm-driver:\tnone\n");
    put_client(&t, 42, 3, "/dev/dri/renderD129", XE("100", "1000"));
    tree_put(&t, "proc/43/fdinfo/0", "pos:\t0\n");
    tree_put(&t, "sys/class/kfd/kfd/proc/43/vram_51234", "4096\n");
    tree_put(&t, "sys/class/kfd/kfd/proc/43/vram_51235", "8192\n");

    struct driven *s = driven_open_on(&sampler_drm, t.root, pids, 3);

    CHECK_INT(s->rc, 0);
    driven_read(s, SECOND);
    /* Two clients, one of them by two files. */
    CHECK_REAL(driven_value(s, MEMORY, "a) b (c"), 200.0 * (1 << 20));
    CHECK_REAL(driven_value(s, MEMORY, "xe"), 1 << 20);
    CHECK_REAL(driven_value(s, MEMORY, "rocm"), 12288);
    CHECK_ABSENT(driven_value(s, USE, "a) b (c")); /* a baseline */

    /* 300 ms and 100 ms of gfx, 500 ms of compute, in 1 s. */
    put_client(&t, 41, 3, "/dev/dri/renderD128",
            AMD("5", "300001000", "500000000"));
    put_client(&t, 41, 4, "/dev/dri/renderD128",
            AMD("5", "300001000", "500000000"));
    put_client(&t, 41, 5, "/dev/dri/card0", AMD("6", "100000000", "0"));
    put_client(&t, 42, 3, "/dev/dri/renderD129", XE("600", "2000"));
    driven_read(s, 2 * SECOND);
    CHECK_REAL(driven_value(s, USE, "a) b (c"), 0.5);
    CHECK_REAL(driven_value(s, USE, "xe"), 0.25); /* of two engines */
    CHECK_ABSENT(driven_value(s, USE, "rocm"));

    /* A step back is no use, and what follows is counted from the top. */
    put_client(&t, 41, 3, "/dev/dri/renderD128",
            AMD("5", "300001000", "400000000"));
    put_client(&t, 41, 4, "/dev/dri/renderD128",
            AMD("5", "300001000", "400000000"));
    driven_read(s, 3 * SECOND);
    CHECK_REAL(driven_value(s, USE, "a) b (c"), 0);
    put_client(&t, 41, 3, "/dev/dri/renderD128",
            AMD("5", "300001000", "700000000"));
    put_client(&t, 41, 4, "/dev/dri/renderD128",
            AMD("5", "300001000", "700000000"));
    driven_read(s, 4 * SECOND);
    CHECK_REAL(driven_value(s, USE, "a) b (c"), 0.1); /* 0.2 s in 2 s */
    driven_close(s);
    tree_close(&t);
}

static void refusals(void)
{
    struct tree t = tree_open();
    struct driven *s = driven_open(&sampler_drm, t.root);

    CHECK_INT(s->rc, -ENODEV);
    CHECK(strstr(s->error.text, "no GPU or NPU"));
    driven_close(s);

    tree_put(&t, "sys/class/accel/accel0/dev", "261:0\n");
    s = driven_open(&sampler_drm, t.root);
    CHECK_INT(s->rc, -ENODEV);
    CHECK_TEXT(s->error.text, "no process is looked at");
    driven_close(s);
    tree_close(&t);
}

int main(void)
{
    uses();
    refusals();
    return test_result();
}
