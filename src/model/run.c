#include "model/run.h"

const char *run_status_name(enum run_status status)
{
    switch (status) {
    case RUN_RUNNING: return "running";
    case RUN_COMPLETE: return "complete";
    case RUN_INTERRUPTED: return "interrupted";
    case RUN_FAILED: return "failed";
    case RUN_KILLED: return "killed";
    }
    return "unknown";
}
