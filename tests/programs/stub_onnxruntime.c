/* stub_onnxruntime.c -- what programs are linked against where ONNX Runtime is
 * not there to link to.  It has the real library's soname and its one entry
 * point; LD_LIBRARY_PATH puts the real one in its place.
 *
 * With STUB_RECORD naming a file it is an ONNX Runtime that does nothing, and
 * notes there which slots of its table were called, a number a line. */
#include "wire/ort_api.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

const struct ort_api_base *OrtGetApiBase(void);

static int record = -1;

static void *note(int slot)
{
    char line[16];
    int len = snprintf(line, sizeof(line), "%d\n", slot);

    if (write(record, line, (size_t)len) != len)
        abort();
    return NULL; /* all is well, and nothing is made */
}

/* clang-format off */
#define TENS(X) \
    X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) \
    X(14) X(15) X(16) X(17) X(18) X(19) X(20) X(21) X(22) X(23) X(24) X(25) \
    X(26) X(27) X(28) X(29) X(30) X(31) X(32) X(33) X(34) X(35) X(36) X(37) \
    X(38) X(39) X(40) X(41) X(42)
#define ONES(tens) \
    ONE(tens, 0) ONE(tens, 1) ONE(tens, 2) ONE(tens, 3) ONE(tens, 4) \
    ONE(tens, 5) ONE(tens, 6) ONE(tens, 7) ONE(tens, 8) ONE(tens, 9)
/* clang-format on */

/* A function for each slot. */
#define ONE(tens, n)                     \
    static void *call_##tens##_##n(void) \
    {                                    \
        return note(tens * 10 + n);      \
    }
TENS(ONES)
#undef ONE

#define ONE(tens, n) (ort_function) call_##tens##_##n,
static const ort_function slots[] = { TENS(ONES) };

static const struct ort_api *get_api(uint32_t version)
{
    (void)version;
    return (const struct ort_api *)(const void *)slots;
}

static const char *get_version(void)
{
    return "1.30.0";
}

const struct ort_api_base *OrtGetApiBase(void)
{
    static const struct ort_api_base base = { get_api, get_version };
    const char *path = getenv("STUB_RECORD");

    if (path && record < 0)
        record = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    return record < 0 ? NULL : &base;
}
