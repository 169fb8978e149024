#include "fleet/address.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What is taken for an address can be called by its name, which leads to the
 * same place. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str text = { (const char *)data, size };
    struct address a, b;
    struct error e = { 0 };

    if (address_parse(&a, text, NULL, &e)) {
        if (!*e.text || a.name)
            abort();
        return 0;
    }
    if (strpbrk(a.database, "`'\\ ") || strpbrk(a.host, "/@ \r\n") ||
            strpbrk(a.user, "\r\n") || strpbrk(a.password, "\r\n") || !a.port)
        abort();
    if (address_parse(&b, str_of(a.name), NULL, NULL) ||
            strcmp(a.name, b.name) != 0 || strcmp(a.host, b.host) != 0 ||
            a.port != b.port)
        abort();
    address_release(&a);
    address_release(&b);
    return 0;
}
