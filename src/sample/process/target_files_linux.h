/* target_files_linux.h -- the files of one process in /proc; for targets only.
 */
#pragma once

#include "sample/process/targets.h"

enum { TARGET_STAT_CAP = 1024 };

/* Opens the files of process x->pid below the folder `proc_fd`, and reads the
 * first line into `text`, which `st` points into.  `here`: the pid is good for
 * system calls.  -ESRCH, -EMFILE, -EACCES, -EINVAL.  target_close() in any
 * case. */
int target_open(struct target *x, int proc_fd, bool here,
        char text[TARGET_STAT_CAP], struct proc_stat *st);
void target_close(struct target *x);

int target_read_stat(int fd, char text[TARGET_STAT_CAP], struct proc_stat *out);

/* How a zombie ended, as wait(2) has it; -1: we are not told. */
int target_wait_status(const struct target *x, const struct proc_stat *st);

/* The same of one that somebody waited for.  -ENOTSUP: only Linux 6.15 and
 * later tell. */
int target_exit_status(int *out, const struct target *x);

/* Its command line, in one line with secrets masked. */
void target_command(struct buf *out, const struct target *x);
