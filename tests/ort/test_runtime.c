/* test_runtime.c -- argv[1] is the library made of fake_runtime.c. */
#include "ort/runtime.h"

#include "base/compiler.h"
#include "ort/find.h"
#include "tree.h"

#include <errno.h>

static void check_fake(const char *fake, const char *came_from)
{
    struct runtime *r = NULL;
    struct error e = { 0 };

    CHECK_INT(runtime_open(&r, came_from ? NULL : fake, &e), 0);
    if (!r) {
        (void)fprintf(stderr, "%s\n", e.text);
        return;
    }

    const struct runtime_info *info = runtime_info(r);

    CHECK(strcmp(info->path, fake) == 0);
    CHECK(strcmp(info->version, "1.23.2") == 0);
    CHECK(strcmp(info->came_from, came_from ? came_from : "--ort") == 0);
    CHECK_INT(info->api_version, 23);
    CHECK_INT(info->provider_count, 2);
    CHECK(strcmp(info->providers[1], "ToyExecutionProvider") == 0);
    CHECK(strcmp(info->build_info, "a fake, built by hand") == 0);
    CHECK(ORT(runtime_api(r), GetBuildInfoString)() == info->build_info);

    const char *telemetry = getenv("ORT_DISABLE_TELEMETRY");

    CHECK(telemetry && strcmp(telemetry, "1") == 0);
    runtime_close(r);
}

/* An old one has neither the providers nor the build info to ask for. */
static void check_old(const char *fake)
{
    struct runtime *r = NULL;

    CHECK(setenv("FAKE_RUNTIME_VERSION", "1.3.1", 1) == 0);
    CHECK_INT(runtime_open(&r, fake, NULL), 0);
    if (r) {
        CHECK_INT(runtime_info(r)->api_version, 3);
        CHECK_INT(runtime_info(r)->provider_count, 0);
        CHECK(runtime_info(r)->build_info == NULL);
    }
    runtime_close(r);
    CHECK(unsetenv("FAKE_RUNTIME_VERSION") == 0);
}

static void check_refused(const char *path, int rc, const char *because)
{
    struct runtime *r = NULL;
    struct error e = { 0 };

    CHECK_INT(runtime_open(&r, path, &e), rc);
    CHECK(!r && strstr(e.text, because));
    if (!strstr(e.text, because))
        (void)fprintf(stderr, "%s\n", e.text);
}

static void check_strange(const char *fake)
{
    static const struct {
        const char *version;
        const char *because;
    } cases[] = {
        { "none", "is a library, but not ONNX Runtime" },
        { "2.0.0", "has version '2.0.0'" },
        { "1.", "has version '1.'" },
        { "1.x.0", "has version '1.x.0'" },
        { "1.999.0", "gives no API of version 999" },
        { "1.99999999999999999999.0", "has version '1.9999" },
    };

    for (size_t i = 0; i < LEN(cases); i++) {
        CHECK(setenv("FAKE_RUNTIME_VERSION", cases[i].version, 1) == 0);
        check_refused(fake, -EINVAL, cases[i].because);
    }
    CHECK(unsetenv("FAKE_RUNTIME_VERSION") == 0);
}

#define BIN "onnxruntime-node/bin/"

static void check_places(void)
{
    struct runtime_place p[8];
    struct tree t = tree_open();

    CHECK_INT(runtime_places(p, LEN(p), t.root), 2); /* only the loader's */
    CHECK(strcmp(p[0].path, "libonnxruntime.so.1") == 0);

    tree_put(&t, "npm/" BIN "napi-v3/linux/x64/libonnxruntime.so.1.10.0", "");
    tree_put(&t, "npm/" BIN "napi-v3/linux/arm64/libonnxruntime.so.1.10.0", "");
    tree_put(&t, "npm/" BIN "napi-v10/linux/x64/libonnxruntime.so.1", "");
    tree_put(&t, "npm/" BIN "napi-v10/linux/arm64/libonnxruntime.so.1", "");
    tree_put(&t, "npm/" BIN "other/linux/x64/libonnxruntime.so.1", "");
    tree_put(&t, "npm/node_modules/" BIN "napi-v6/linux/x64/libonnxruntime.so",
            "");
    tree_put(&t,
            "npm/node_modules/" BIN "napi-v6/linux/arm64/libonnxruntime.so",
            "");
    tree_put(&t, "npm/node_modules/" BIN "napi-v6/linux/x64/libother.so", "");
    tree_put(&t, "npm/node_modules/" BIN "napi-v6/linux/arm64/libother.so", "");
    CHECK_INT(runtime_places(p, LEN(p), t.root), 5);
    CHECK(strstr(p[2].path, "/npm/node_modules/" BIN "napi-v6/linux/"));
    CHECK(strstr(p[3].path, "/npm/" BIN "napi-v10/linux/"));
    CHECK(strstr(p[4].path, "/libonnxruntime.so.1.10.0"));
    CHECK_INT(runtime_places(p, 1, t.root), 1);
    tree_close(&t);
}

static void check_files(void)
{
    struct tree t = tree_open();

    tree_put(&t, "text.so", "this is no library\n");
    check_refused(tree_path(&t, "text.so"), -ENOENT, "cannot load");
    check_refused(tree_path(&t, "missing.so"), -ENOENT, "No such file");
    check_refused("libm.so.6", -EINVAL, "is a library, but not ONNX Runtime");
    tree_close(&t);
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 1;
    CHECK(unsetenv("ORTMETER_ORT") == 0);
    check_fake(argv[1], NULL);
    CHECK(setenv("ORTMETER_ORT", argv[1], 1) == 0);
    check_fake(argv[1], "ORTMETER_ORT");
    check_old(argv[1]);
    check_strange(argv[1]);
    check_files();
    check_places();
    return test_result();
}
