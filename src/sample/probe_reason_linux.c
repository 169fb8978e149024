#include "sample/probe_reason.h"

#include "os/host.h"

#include <errno.h>

int probe_reason(probe_function *probe, const char *root, struct error *e)
{
    struct host_info host = { 0 };
    struct source s = { 0 };

    host_read(&host, root);
    probe(&s, &(struct source_context){ .root = root,
                      .hook = "",
                      .host = &host });
    if (s.state == SOURCE_AVAILABLE)
        return 0;
    return fail(e, s.state == SOURCE_DENIED ? -EACCES : -ENODEV, "%s%s%s",
            s.reason, s.remedy[0] ? "; " : "", s.remedy);
}
