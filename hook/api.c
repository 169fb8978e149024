/* api.c -- ortmeter.h, as records. */
#include "hook/hook.h"
#include "ortmeter.h"

_Static_assert((int)ORTMETER_POST == (int)PHASE_POST, "the same phases");

struct ortmeter_section ortmeter_section_begin(enum ortmeter_phase phase,
        const char *name)
{
    return (struct ortmeter_section){
        .start = channel_wanted() ? channel_now() : 0,
        .name = name,
        .phase = (unsigned)phase < PHASES ? (int)phase : PHASE_OTHER,
    };
}

void ortmeter_section_end(struct ortmeter_section *section)
{
    if (!section || !section->start)
        return;

    struct record r = {
        .kind = RECORD_SECTION,
        .place = record_place((enum phase)section->phase, 0),
        .section = { .start = section->start, .end = channel_now() },
    };

    r.section.name = channel_text(section->name);
    r.section.thread = channel_thread();
    section->start = 0;
    channel_send(&r);
}

static void send_batch(uint16_t flags, uint32_t size, uint32_t padding,
        uint32_t queue_depth)
{
    if (channel_wanted())
        channel_send(&(struct record){
                .kind = RECORD_BATCH,
                .flags = flags,
                .batch = { .thread = channel_thread(),
                        .size = size,
                        .padding = padding,
                        .queue_depth = queue_depth },
        });
}

void ortmeter_batch(uint32_t size, uint32_t padding, uint32_t queue_depth)
{
    send_batch(0, size, padding, queue_depth);
}

void ortmeter_batch_lasting(uint32_t size, uint32_t padding,
        uint32_t queue_depth)
{
    send_batch(BATCH_LASTS, size, padding, queue_depth);
}

void ortmeter_token_chosen(uint32_t index, int64_t id, const char *text,
        uint64_t duration_ns, double probability)
{
    if (channel_wanted())
        channel_send(&(struct record){
                .kind = RECORD_TOKEN,
                .token = { .time = channel_now(),
                        .text = channel_text(text),
                        .id = id,
                        .index = index,
                        .thread = channel_thread(),
                        .duration_ns = duration_ns,
                        .probability = probability },
        });
}

void ortmeter_token(uint32_t index, int64_t id, const char *text)
{
    ortmeter_token_chosen(index, id, text, 0, 0);
}

void ortmeter_look_again(int on)
{
    if (channel_wanted())
        channel_look_again(on != 0);
}

static void send_name(enum record_kind kind, const char *text)
{
    if (channel_wanted())
        channel_send(&(struct record){
                .kind = (uint8_t)kind,
                .mark = { .time = channel_now(),
                        .text = channel_text(text),
                        .thread = channel_thread() },
        });
}

void ortmeter_mark(const char *text)
{
    send_name(RECORD_MARK, text);
}

void ortmeter_thread_name(const char *name)
{
    send_name(RECORD_THREAD, name);
}

int ortmeter_listening(void)
{
    return channel_wanted();
}

const char *ortmeter_version(void)
{
    return ORTMETER_VERSION;
}
