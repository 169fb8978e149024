#include "export/json/device_json.h"

void device_json(struct json *j, const struct session_device *d)
{
    if (d->kind == DEVICE_MATCH_CPU)
        return;
    json_object(j, "device");
    json_text(j, "match", device_match_kind_name(d->kind));
    json_array(j, "devices");
    for (size_t i = 0; i < d->count; i++) {
        json_object(j, NULL);
        json_text(j, "name", d->devices[i].name);
        if (d->devices[i].detail)
            json_text(j, "detail", d->devices[i].detail);
        json_end(j);
    }
    json_end(j);
    if (d->reason)
        json_text(j, "reason", d->reason);
    json_end(j);
}
