#include "cmd/doctor/diagnosis.h"

#include "test.h"

#include <stdlib.h>
#include <string.h>

static const char *const providers[] = { "CUDAExecutionProvider",
    "CPUExecutionProvider" };

static const struct runtime_info runtime = {
    .path = "/opt/ort/libonnxruntime.so.1",
    .came_from = "ORTMETER_ORT",
    .version = "1.23.2",
    .api_version = 23,
    .providers = providers,
    .provider_count = 2,
};

/* The least that a machine can tell, and two sources. */
static struct diagnosis d = {
    .host = { .kernel = "6.1.0", .cpu_cores = 1 },
    .no_runtime = { .text = "there is no ONNX Runtime" },
    .source = {
        { .name = "rapl-powercap", .gives = "energy", .state = SOURCE_DENIED,
                .why = { "for root only", "sudo chmod" } },
        { .name = "hook", .gives = "calls", .state = SOURCE_AVAILABLE,
                .detail = "/lib/libortmeter.so" },
    },
    .source_count = 2,
    .database = "/home/me/ortmeter.db",
    .database_came_from = "default",
};

static bool has(const struct buf *b, const char *text)
{
    bool found = strstr(buf_cstr(b), text) != NULL;

    if (!found)
        (void)fprintf(stderr, "no '%s' in:\n%s\n", text, buf_cstr(b));
    return found;
}

static void check_text(void)
{
    struct buf b = { 0 };

    diagnosis_text(&b, &d, false);
    CHECK(has(&b, "  CPU             1 core\n"));
    CHECK(has(&b, "Accelerators\n  none found\n"));
    CHECK(has(&b, "– none            there is no ONNX Runtime\n"));
    CHECK(has(&b, "✓ hook            calls\n"));
    CHECK(has(&b, "– rapl-powercap   for root only\n"
                  "                  → sudo chmod\n"));
    CHECK(has(&b, "✓ time            every inference"));
    CHECK(has(&b, "– energy          no sensor"));
    CHECK(has(&b, "  To get more (rapl-powercap): sudo chmod\n"));
    CHECK(has(&b, "/home/me/ortmeter.db (default)\n"));
    CHECK(has(&b, "ORTMETER_STORE"));
    CHECK(!strstr(buf_cstr(&b), "Memory")); /* absent, so not a word of it */
    CHECK(!strchr(buf_cstr(&b), '\033'));
    CHECK(strstr(buf_cstr(&b), "✓ hook") < strstr(buf_cstr(&b), "– rapl"));
    buf_clear(&b);
    d.runtime = &runtime;
    diagnosis_text(&b, &d, true);
    CHECK(has(&b, "\033[32m✓\033[0m 1.23.2          /opt/ort"));
    CHECK(has(&b, "CUDAExecutionProvider, CPUExecutionProvider\n"));
    buf_release(&b);
}

static void check_json(void)
{
    struct buf b = { 0 };

    d.runtime = NULL;
    diagnosis_json(&b, &d);
    CHECK(has(&b, "{\n  \"schema_version\": 1,\n"));
    CHECK(has(&b, "\"found\": false,\n    \"reason\": \"there is no ONNX"));
    CHECK(has(&b, "\"state\": \"denied\""));
    CHECK(has(&b, "\"ORTMETER_STORE\": \"elsewhere\""));
    buf_clear(&b);
    d.runtime = &runtime;
    diagnosis_json(&b, &d);
    CHECK(has(&b, "\"found\": true,\n    \"version\": \"1.23.2\""));
    CHECK(!strstr(buf_cstr(&b), "build_info")); /* it has none */
    CHECK(!strstr(buf_cstr(&b), "null"));
    buf_release(&b);
}

int main(void)
{
    CHECK(setenv("ORTMETER_STORE", "elsewhere", 1) == 0);
    CHECK(unsetenv("ORTMETER_DB") == 0 && unsetenv("ORTMETER_ORT") == 0);
    check_text();
    check_json();
    return test_result();
}
