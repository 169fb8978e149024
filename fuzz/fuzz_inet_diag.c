/* fuzz_inet_diag.c -- datagrams of netlink, which always come to an end. */
#include "sample/process/inet_diag_linux.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str rest = { (const char *)data, size };
    size_t before = rest.len + 1;

    while (rest.len < before && inet_diag_next(&rest).kind != INET_ANSWER_NONE)
        before = rest.len + 1;
    return 0;
}
