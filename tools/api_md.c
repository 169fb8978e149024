/* api_md.c -- prints docs/api.md; the test 'openapi' compares them. */
#include "serve/api_text.h"

#include <stdio.h>

int main(void)
{
    struct buf text = { 0 };

    api_text(&text);

    size_t written = fwrite(buf_cstr(&text), 1, text.len, stdout);
    int rc = written == text.len && fflush(stdout) == 0 ? 0 : 1;

    buf_release(&text);
    return rc;
}
