/* json_run.h -- how a document that holds a whole run begins. */
#pragma once

#define JSON_RUN_FORMAT  "ortmeter-run"
#define JSON_RUN_VERSION 1
