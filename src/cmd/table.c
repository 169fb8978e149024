/* table.c -- all commands. */
#include "cmd/cmd.h"

#include <stddef.h>

const struct cmd *const cmd_table[] = {
    &cmd_run,
    &cmd_collect,
    &cmd_bench,
    &cmd_generate,
    &cmd_watch,
    &cmd_top,
    &cmd_serve,
    &cmd_demo,
    &cmd_token,
    &cmd_report,
    &cmd_advise,
    &cmd_list,
    &cmd_compare,
    &cmd_check,
    &cmd_baseline,
    &cmd_tag,
    &cmd_delete,
    &cmd_prune,
    &cmd_vacuum,
    &cmd_import,
    &cmd_export,
    &cmd_ship,
    &cmd_etw,
    &cmd_inspect,
    &cmd_energy,
    &cmd_calibrate,
    &cmd_doctor,
    &cmd_completion,
    NULL,
};
