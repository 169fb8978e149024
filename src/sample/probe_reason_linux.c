#include "sample/probe_reason.h"

#include "os/host.h"

#include <errno.h>

int probe_reason(probe_function *probe, const struct sample_context *c,
        struct error *e)
{
    const struct host_info *host = c->host;
    struct host_info read_here;
    struct source s = { 0 };

    if (!host) {
        host_read(&read_here, c->root);
        host = &read_here;
    }
    probe(&s, &(struct source_context){ .root = c->root,
                      .hook = "",
                      .host = host });
    if (s.state == SOURCE_AVAILABLE)
        return 0;
    return fail(e, s.state == SOURCE_DENIED ? -EACCES : -ENODEV, "%s%s%s",
            s.reason, s.remedy[0] ? "; " : "", s.remedy);
}
