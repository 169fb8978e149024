/* ran.h -- for tests: what a samples_sink is told, as lines of text. */
#pragma once

#include "base/buf.h"
#include "collect/samples.h"
#include "test.h"

#include <string.h>

static struct buf ran;

static const char *or_dash(const char *text)
{
    return text ? text : "-";
}

static void on_found(void *context, const struct operator* o)
{
    CHECK(context == &ran);
    buf_printf(&ran, "found %u of %u: %s %s %s %s %s", o->id, o->session,
            or_dash(o->name), or_dash(o->op_type), or_dash(o->provider),
            or_dash(o->inputs), or_dash(o->outputs));
    if (o->node_index != UINT32_MAX)
        buf_printf(&ran, " at %u", o->node_index);
    if (o->sizes_known)
        buf_printf(&ran, " sizes %u %u %u", (unsigned)o->activation_bytes,
                (unsigned)o->parameter_bytes, (unsigned)o->output_bytes);
    buf_char(&ran, '\n');
}

/* inference/thread: operator, depth, when and how long, and what was seen of
 * the kernel: ! where that is believed. */
static void on_ran(void *context, const struct operator_run *r)
{
    CHECK(context == &ran);
    buf_printf(&ran, "%" PRIu64 "/%u: %u depth %u %" PRIu64 "+%" PRIu64,
            r->inference, r->thread, r->operator_id, r->depth, r->start_ns,
            r->raw_ns);
    if (r->raw_unknown)
        buf_text(&ran, " alone");
    if (r->kernel_ns)
        buf_printf(&ran, " %" PRIu64 "%s", r->kernel_ns,
                r->kernel_known ? "!" : "?");
    buf_char(&ran, '\n');
    CHECK(!r->kernel_known || r->kernel_ns);
    CHECK(!r->in_cycles);
}

static const struct samples_sink ran_sink = { &ran, on_found, on_ran };

/* What was told since the last time. */
static void check_ran(int line, const char *want)
{
    if (strcmp(buf_cstr(&ran), want) != 0) {
        test_failures++;
        (void)fprintf(stderr, "line %d: told\n%snot\n%s", line, buf_cstr(&ran),
                want);
    }
    buf_clear(&ran);
}
#define RAN(want) check_ran(__LINE__, want)
