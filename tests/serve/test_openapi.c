/* test_openapi.c -- the table as OpenAPI: sound, whole, and docs/api.md says
 * the same. */
#include "serve/openapi.h"

#include "base/json_read.h"
#include "serve/api_text.h"
#include "serve/route.h"
#include "serve/schema.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

static void test_schema(void)
{
    struct buf out = { 0 };
    struct json j = json_line_into(&out);

    CHECK(schema_json(&j, NULL, "{id:i,name?:s,at:[[n]],of:'a|b',x:Run}"));
    CHECK(str_is(buf_str(&out),
            "{\"type\":\"object\",\"properties\":{\"id\":{\"type\":\"integer\"}"
            ",\"name\":{\"type\":\"string\"},\"at\":{\"type\":\"array\","
            "\"items\":{\"type\":\"array\",\"items\":{\"type\":\"number\"}}},"
            "\"of\":{\"type\":\"string\",\"enum\":[\"a\",\"b\"]},"
            "\"x\":{\"$ref\":\"#/components/schemas/Run\"}},"
            "\"required\":[\"id\",\"at\",\"of\",\"x\"]}"));
    buf_release(&out);
}

/* Every name that a schema uses is in the table. */
static void test_names(const char *document)
{
    static const char ref[] = "#/components/schemas/";

    for (const char *at = document; (at = strstr(at, ref)); at++) {
        const char *name = at + sizeof(ref) - 1;
        size_t len = strcspn(name, "\"");
        bool found = false;

        for (const struct schema *s = schemas; s->name; s++)
            found |= str_is((struct str){ name, len }, s->name);
        CHECK(found);
    }
}

static void test_document(void)
{
    char file[1 << 17];
    struct buf text = { 0 };
    FILE *f = fopen(SOURCE_ROOT "/docs/api.md", "r");

    CHECK(f != NULL);
    if (!f)
        return;

    size_t len = fread(file, 1, sizeof(file), f);

    (void)fclose(f);
    api_text(&text);
    /* If it differs: build/api_md >docs/api.md */
    CHECK(str_eq(buf_str(&text), (struct str){ file, len }));
    buf_release(&text);
}

int main(void)
{
    struct buf out = { 0 };

    test_schema();
    CHECK(openapi_json(&out));
    CHECK(json_is_sound(buf_str(&out)));
    test_names(buf_cstr(&out));
    for (const struct route *r = routes; r->path; r++)
        CHECK(strstr(buf_cstr(&out), r->path) != NULL);
    buf_release(&out);
    test_document();
    return test_result();
}
