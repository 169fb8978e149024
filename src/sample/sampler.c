#include "sample/sampler.h"

#include "os/host.h"

const char *sampler_where(const struct sample_context *c)
{
    struct host_info here;
    const struct host_info *host = c->host;

    if (!host) {
        host_read(&here, c->root);
        host = &here;
    }
    return host->virtualisation[0] ? "; this is a virtual machine" : "";
}
