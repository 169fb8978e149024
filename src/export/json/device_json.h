/* device_json.h -- "device" of a session: what it computed on. */
#pragma once

#include "analyse/operators/session_device.h"
#include "base/json.h"

/* Nothing for the CPU. */
void device_json(struct json *j, const struct session_device *d);
