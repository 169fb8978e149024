#include "cmd/doctor/diagnosis.h"

#include "cmd/cli/settings.h"
#include "os/clock.h"
#include "os/host.h"
#include "os/process/child.h"

#include <limits.h>

void diagnosis_examine(struct diagnosis *d)
{
    char hook[PATH_MAX] = "";
    uint64_t pid = own_pid();
    struct target_plan targets = { .pids = &pid, .pid_count = 1 };
    const struct batch *first = NULL;

    host_read(&d->host, "");
    (void)settings_hook_path(hook, sizeof(hook));
    if (sampling_open(&d->sampling,
                &(struct sampling_plan){ .targets = &targets },
                &d->no_sampling) == 0)
        first = sampling_read_all(d->sampling, mono_ns());
    d->source_count = source_list(d->source,
            &(struct source_context){ .root = "",
                    .hook = hook,
                    .host = &d->host },
            d->sampling, first);
}
