#include "sample/device/drm_fdinfo.h"

#include "driven.h"

#include <errno.h>

static struct drm_fdinfo f;

static int parse(const char *text)
{
    return drm_fdinfo_parse(&f, str_of(text));
}

static const struct drm_engine *engine(const char *name)
{
    static const struct drm_engine none;

    for (size_t i = 0; i < f.engine_count; i++)
        if (strcmp(f.engine[i].name, name) == 0)
            return &f.engine[i];
    CHECK(name == NULL);
    return &none;
}

static void amdgpu(void)
{
    CHECK_INT(parse("pos:\t0\nflags:\t02100002\nmnt_id:\t26\nino:\t1093\n"
                    "drm-driver:\tamdgpu\ndrm-client-id:\t71\n"
                    "drm-pdev:\t0000:03:00.0\npasid:\t32788\n"
                    "drm-total-vram:\t2048 KiB\ndrm-resident-vram:\t1 MiB\n"
                    "drm-memory-vram:\t77 KiB\ndrm-total-gtt:\t4 KiB\n"
                    "drm-shared-vram:\t9 MiB\namd-evicted-vram:\t0 KiB\n"
                    "drm-engine-gfx:\t123456789012 ns\n"
                    "drm-engine-compute:\t5 ns\n"),
            0);
    CHECK_TEXT(f.driver, "amdgpu");
    CHECK_TEXT(f.pci, "0000:03:00.0");
    CHECK(f.has_client);
    CHECK_INT(f.client, 71);
    CHECK_INT(f.engine_count, 2);
    CHECK(engine("gfx")->has_ns);
    CHECK_INT(engine("gfx")->ns, 123456789012);
    CHECK_INT(engine("gfx")->capacity, 1);
    CHECK_INT(f.device_bytes, 1 << 20); /* resident, of three names */
    CHECK_INT(f.system_bytes, 4 << 10); /* no better one */
}

static void xe(void)
{
    CHECK_INT(parse("drm-driver:\txe\ndrm-client-id:\t3\n"
                    "drm-pdev:\t0000:00:02.0\ndrm-cycles-rcs:\t10\n"
                    "drm-total-cycles-rcs:\t1000\ndrm-cycles-vcs:\t7\n"
                    "drm-total-cycles-vcs:\t1000\n"
                    "drm-engine-capacity-vcs:\t2\n"
                    "drm-resident-system:\t3 MiB\ndrm-resident-gtt:\t1\n"),
            0);
    CHECK(engine("rcs")->has_cycles && engine("rcs")->has_total);
    CHECK(!engine("rcs")->has_ns);
    CHECK_INT(engine("rcs")->cycles, 10);
    CHECK_INT(engine("rcs")->total, 1000);
    CHECK_INT(engine("vcs")->capacity, 2);
    CHECK(!f.has_device_bytes && f.has_system_bytes);
    CHECK_INT(f.system_bytes, (3 << 20) + 1);
}

/* NPUs: memory only, or with busy time from AMD's own driver. */
static void npus(void)
{
    CHECK_INT(parse("drm-driver:\tintel_vpu\ndrm-resident-memory:\t8192\n"), 0);
    CHECK_INT(f.system_bytes, 8192);
    CHECK_INT(f.engine_count, 0);
    CHECK(!f.has_client);
    CHECK_INT(parse("drm-driver:\tamdxdna_accel_driver\n"
                    "drm-engine-npu:\t44 ns\ndrm-total-memory:\t6 KiB\n"),
            0);
    CHECK_INT(engine("npu")->ns, 44);
    CHECK_INT(f.system_bytes, 6144);
}

static void odd(void)
{
    CHECK_INT(parse(""), -EINVAL);
    CHECK_INT(parse("pos:\t0\nflags:\t02\n"), -EINVAL);
    CHECK_INT(parse("drm-driver:\tx\ndrm-engine-:\t5 ns\ndrm-engine-a:\tx ns\n"
                    "drm-engine-capacity-b:\t0\n"
                    "drm-resident-vram:\t99999999999999999999 MiB\n"
                    "drm-resident-gtt:\t18446744073709551615 KiB\n"
                    "no colon\n:\n"),
            0);
    CHECK_INT(f.engine_count, 1);
    CHECK_INT(engine("b")->capacity, 1);
    CHECK(!f.has_device_bytes && !f.has_system_bytes);

    /* More engines and regions than there is room for. */
    struct buf b = { 0 };

    buf_text(&b, "drm-driver:\tx\n");
    for (int i = 0; i < 40; i++)
        buf_printf(&b, "drm-engine-e%d:\t%d ns\ndrm-total-r%d:\t1\n", i, i, i);
    CHECK_INT(drm_fdinfo_parse(&f, buf_str(&b)), 0);
    CHECK_INT(f.engine_count, DRM_ENGINES);
    buf_release(&b);
}

int main(void)
{
    amdgpu();
    xe();
    npus();
    odd();
    return test_result();
}
