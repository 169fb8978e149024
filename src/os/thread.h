/* thread.h -- a thread of ours that no signal goes to. */
#pragma once

struct thread;

/* -EAGAIN: there can be no more. */
int thread_start(struct thread **out, void (*run)(void *context),
        void *context);

/* Waits for its end.  NULL is welcome. */
void thread_join(struct thread *t);
