/* unhooked.h -- the programs that a hooked process became or started, and from
 * which nothing is heard: the hook could not come along.
 *
 * A hooked process says what it becomes (RECORD_EXEC), and a hooked program
 * makes a ring as soon as it starts; so who was announced and made none is a
 * stranger.  Who became one by a system call of its own, past the C library, is
 * announced by nobody: it is looked for while it runs. */
#pragma once

#include "collect/rings.h"

struct unhooked;

struct unhooked *unhooked_new(void);
void unhooked_free(struct unhooked *s);

/* A process said that it becomes another program, or could not. */
void unhooked_expect(struct unhooked *s, const struct record *exec);

/* A ring came of a process that began then. */
void unhooked_arrived(struct unhooked *s, uint32_t pid, uint64_t start_ns);

/* Looks which ONNX Runtime they have, or what they started, while it is there
 * to be looked at. */
void unhooked_look(struct unhooked *s);

/* Looks among a hooked process and those below it for such as have an ONNX
 * Runtime and not the hook. */
void unhooked_search(struct unhooked *s, uint32_t pid);

/* How many of them are still starting, so that their rings may come: each is
 * there, and has our hook mapped, or its loader is at work.  For some seconds
 * after its exec; then it is taken for stuck. */
size_t unhooked_arriving(const struct unhooked *s, uint64_t now_ns);

void unhooked_each(const struct unhooked *s,
        void (*each)(void *context, const struct ring_unhooked *s),
        void *context);
