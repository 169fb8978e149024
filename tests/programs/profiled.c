/* profiled.c -- a program that lets ONNX Runtime profile it:
 *
 *     profiled LIBRARY MODEL COUNT PREFIX [INPUT=1x3x48x192...]
 *
 * Prints whether the file that ONNX Runtime named begins with PREFIX. */
#include "ort_host.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Only this program uses it, so it is not in wire/ort_api.h. */
enum { SLOT_SESSION_END_PROFILING = 110 };
typedef struct ort_status *(*session_end_profiling)(struct ort_session *session,
        struct ort_allocator *allocator, char **out);

int main(int argc, char **argv)
{
    struct host h = { 0 };
    struct job j = { 0 };
    struct ort_allocator *allocator = NULL;
    char *file = NULL;

    if (argc < 5)
        die("use: %s LIBRARY MODEL COUNT PREFIX [INPUT=1x3x48x192...]",
                argv[0]);
    h.shapes = argv + 5;
    host_open(&h, library_base(library_open(argv[1], 0)));

    struct ort_options *options = host_options(&h, 1);
    uint64_t count = number(argv[3]);

    host_check(&h, ORT(h.api, EnableProfiling)(options, argv[4]));
    job_open(&j, &h, argv[2], options);
    ORT(h.api, ReleaseSessionOptions)(options);
    printf("profiled %" PRIu64 " %016" PRIx64 "\n", count,
            job_repeat(&j, count));
    host_check(&h, ORT(h.api, GetAllocatorWithDefaultOptions)(&allocator));
    host_check(&h,
            ((session_end_profiling)h.api->slot[SLOT_SESSION_END_PROFILING])(
                    j.session, allocator, &file));
    printf("%s\n", strncmp(file, argv[4], strlen(argv[4])) ? file : "ours");
    host_check(&h, ORT(h.api, AllocatorFree)(allocator, file));
    job_close(&j);
    host_close(&h);
    return 0;
}
