/* crowd.h -- the programs that bench/sampling.c looks at: quiet until told
 * otherwise, each with four threads, 64 MiB and a TCP connection. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { CROWD = 20 };

extern uint64_t crowd_pids[CROWD];

void crowd_start(void);
void crowd_stop(void);

/* The first `count` of them each do a little, once, and then wait again: they
 * write some bytes, which takes them some CPU time. */
void crowd_stir(size_t count);

/* All of them do so every 5 ms from now on; or no longer. */
void crowd_work(void);
void crowd_rest(void);
