#include "analyse/verdict/same_program.h"

#include "base/compiler.h"
#include "test.h"

#define HOST "{\"hostname\":\"a\",\"kernel\":\"6\"}"

static const struct {
    const char *a, *b;
    bool same;
} cases[] = {
    { "node app.js", "node app.js", true },
    { "node app.js", "node app.js --fast", false },
    { "node app.js --tag x", "node app.js --tag y", false }, /* its own */
    { "ortmeter bench m.onnx --tag old", "ortmeter bench m.onnx", true },
    { "/usr/bin/ortmeter bench m.onnx --db 'a b.db' --tag x --tag y",
            "/usr/bin/ortmeter bench --quiet m.onnx", true },
    { "ortmeter bench m.onnx --tag old", "ortmeter bench n.onnx --tag old",
            false },
    { "ortmeter bench m.onnx --batch 1", "ortmeter bench m.onnx --batch 2",
            false },
    { "ortmeter bench m.onnx --tag", "ortmeter bench m.onnx", true },
    { "", "", true },
    { NULL, "node", false },
};

int main(void)
{
    for (size_t i = 0; i < LEN(cases); i++) {
        struct run a = { .command = cases[i].a, .host = HOST };
        struct run b = { .command = cases[i].b, .host = HOST };

        CHECK(same_program(&a, &b) == cases[i].same);
        b.host = "{\"hostname\":\"b\",\"kernel\":\"6\"}";
        CHECK(!same_program(&a, &b));
    }
    return test_result();
}
