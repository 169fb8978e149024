/* bench_worker.h -- the half of `ortmeter bench` that runs the model, as a
 * program under the meter. */
#pragma once

#include "cmd/bench/bench_settings.h"

/* Writes what it finds out to the file descriptor `settings->worker`, frame by
 * frame (bench_report.h), and prints nothing but the progress bar.  Asked to
 * end by a signal, it tells what it has so far.  Returns what to exit with;
 * EXIT_USAGE, with a sentence: the file descriptor is none. */
int bench_worker(const struct bench_settings *settings, struct error *e);
