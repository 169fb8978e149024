#include "etw/event.h"

#include "base/compiler.h"
#include "base/str.h"
#include "etw/decode.h"
#include "etw/live/self.h"

#include <stdio.h>
#include <string.h>

const struct guid etw_ort_provider = GUID(0x3a26b1ff, 0x7484, 0x7484, 0x74,
        0x84, 0x15, 0x26, 0x1f, 0x42, 0x61, 0x4d);
const struct guid etw_ort_logging = GUID(0x929dd115, 0x1ecb, 0x4cb5, 0xb0, 0x60,
        0xeb, 0xd4, 0x98, 0x3c, 0x42, 0x1d);
const struct guid etw_own_provider = GUID(0x6f72746d, 0x6574, 0x5072, 0xa2,
        0x0b, 0x74, 0x72, 0x61, 0x63, 0x65, 0x31);

static const struct {
    const char *name;
    struct guid guid;
} providers[] = {
    { "Microsoft.ML.ONNXRuntime", GUID(0x3a26b1ff, 0x7484, 0x7484, 0x74, 0x84,
                                          0x15, 0x26, 0x1f, 0x42, 0x61, 0x4d) },
    { "ONNXRuntimeTraceLoggingProvider",
            GUID(0x929dd115, 0x1ecb, 0x4cb5, 0xb0, 0x60, 0xeb, 0xd4, 0x98, 0x3c,
                    0x42, 0x1d) },
    { ETW_OWN_PROVIDER, GUID(0x6f72746d, 0x6574, 0x5072, 0xa2, 0x0b, 0x74, 0x72,
                                0x61, 0x63, 0x65, 0x31) },
    { "Microsoft.Windows.AI.MachineLearning.Dml",
            GUID(0xb731656c, 0x8c57, 0x47c0, 0xb2, 0x1e, 0x63, 0xc3, 0x41, 0x84,
                    0x1e, 0x3f) },
    { "Microsoft.Windows.AI.MachineLearning.Dml.Diagnostics",
            GUID(0x66fc1d9d, 0x8233, 0x4ee4, 0xac, 0xd0, 0x52, 0xbc, 0xb8, 0x7c,
                    0xa3, 0xd5) },
    { "Microsoft.Windows.AI.MachineLearning",
            GUID(0xbcad6aee, 0xc08d, 0x4f66, 0x82, 0x8c, 0x4c, 0x43, 0x46, 0x1a,
                    0x03, 0x3d) },
    { "Microsoft.Windows.WinML", GUID(0xd766d9ff, 0x112c, 0x4dac, 0x92, 0x47,
                                         0x24, 0x1c, 0xf9, 0x9d, 0x12, 0x3f) },
    { "Intel.ML.ONNXRuntime.OpenVINO",
            GUID(0xb5a8c2e1, 0x4d7f, 0x4a3b, 0x9c, 0x2e, 0x1f, 0x8e, 0x5a, 0x6b,
                    0x7c, 0x9d) },
    { "Microsoft-Windows-Kernel-Process",
            GUID(0x22fb2cd6, 0x0e7b, 0x422b, 0xa0, 0xc7, 0x2f, 0xad, 0x1f, 0xd0,
                    0xe7, 0x16) },
    { "Microsoft-Windows-Kernel-File",
            GUID(0xedd08927, 0x9cc4, 0x4e65, 0xb9, 0x70, 0xc2, 0x56, 0x0f, 0xb5,
                    0xc2, 0x89) },
    { "Microsoft-Windows-DotNETRuntime",
            GUID(0xe13c0d23, 0xccbc, 0x4e12, 0x93, 0x1b, 0xd9, 0xcc, 0x2e, 0xee,
                    0x27, 0xe4) },
};

const char *etw_provider_name(const unsigned char *guid)
{
    for (size_t i = 0; i < LEN(providers); i++)
        if (guid_is(guid, &providers[i].guid))
            return providers[i].name;
    return NULL;
}

bool etw_provider_find(struct guid *out, const char *text)
{
    if (guid_read(out, text))
        return true;
    for (size_t i = 0; i < LEN(providers); i++)
        if (strcmp(providers[i].name, text) == 0) {
            *out = providers[i].guid;
            return true;
        }
    return false;
}

void etw_event_provider(struct buf *out, const struct etw_record *r)
{
    char guid[GUID_TEXT_LEN + 1];
    const char *name = NULL;

    if (r->kind == ETW_KERNEL || etw_class_of(r) != ETW_CLASS_UNKNOWN)
        name = etw_class_of(r) == ETW_CLASS_IMAGE_ID ? "KernelTraceControl"
                                                     : "Windows Kernel";
    else if (r->kind == ETW_EVENT)
        name = etw_self_provider(r);
    if (!name && r->guid)
        name = etw_provider_name(r->guid);
    if (name)
        buf_text(out, name);
    else if (r->guid) {
        guid_text(guid, r->guid);
        buf_text(out, guid);
    } else
        buf_text(out, "WPP");
}

void etw_event_name(struct buf *out, const struct etw_record *r)
{
    const struct etw_layout *layout = etw_layout_of(r);
    const char *class = etw_class_name(etw_class_of(r));
    struct etw_self self;

    if (layout)
        buf_text(out, layout->name);
    else if (r->kind == ETW_KERNEL && !r->group && !r->opcode)
        buf_text(out, "EventTrace");
    else if (class)
        buf_printf(out, "%s/Opcode(%u)", class, r->opcode);
    else if (r->kind == ETW_KERNEL)
        buf_printf(out, "Group(%u)/Opcode(%u)", r->group, r->opcode);
    else if (r->kind == ETW_CLASSIC)
        buf_printf(out, "Opcode(%u)", r->opcode);
    else if (etw_self_parse(&self, r))
        buf_text(out, self.name);
    else
        buf_printf(out, "%s(%u)", r->kind == ETW_WPP ? "Message" : "Event",
                r->id);
}

/* The first record of all. */
static void header_fields(struct json *j, const struct etw_info *i)
{
    json_u64(j, "BufferSize", i->buffer_bytes);
    json_u64(j, "Version",
            (uint64_t)i->os_major | (uint64_t)i->os_minor << 8 |
                    (uint64_t)i->version_major << 16 |
                    (uint64_t)i->version_minor << 24);
    json_u64(j, "ProviderVersion", i->os_build);
    json_u64(j, "NumberOfProcessors", i->processors);
    if (i->end_time)
        etw_filetime_json(j, "EndTime", (uint64_t)i->end_time);
    json_u64(j, "TimerResolution", i->timer_resolution);
    json_u64(j, "MaxFileSize", i->max_file_mb);
    json_u64(j, "LogFileMode", i->mode);
    json_u64(j, "BuffersWritten", i->buffers_written);
    json_u64(j, "PointerSize", i->pointer_bytes);
    json_u64(j, "EventsLost", i->events_lost);
    json_u64(j, "CPUSpeed", i->cpu_mhz);
    etw_filetime_json(j, "BootTime", (uint64_t)i->boot_time);
    json_u64(j, "PerfFreq", i->frequency);
    etw_filetime_json(j, "StartTime", (uint64_t)i->start_time);
    json_u64(j, "ReservedFlags", i->clock);
    json_u64(j, "BuffersLost", i->buffers_lost);
    json_str(j, "SessionName", buf_str(&i->session));
    json_str(j, "LogFileName", buf_str(&i->file));
    json_int(j, "UtcOffsetMinutes", i->utc_bias_minutes);
}

bool etw_event_fields(struct json *j, const struct etw_record *r)
{
    struct etw_decoded decoded;
    struct etw_self self;

    if (etw_decode(&decoded, r)) {
        etw_decoded_json(j, &decoded);
        return true;
    }
    if (!etw_self_parse(&self, r))
        return false;
    (void)etw_self_json(j, &self, r);
    return true;
}

static void payload_json(struct json *j, const struct etw_record *r)
{
    struct buf text = { 0 };

    for (size_t i = 0; i < r->len; i++)
        buf_printf(&text, "%02x", r->data[i]);
    json_str(j, "data", buf_str(&text));
    buf_release(&text);
}

static void ids_json(struct json *j, const struct etw_record *r)
{
    json_u64(j, "processor", r->processor);
    if (r->pid != ETW_NO_ID)
        json_u64(j, "pid", r->pid);
    if (r->tid != ETW_NO_ID)
        json_u64(j, "tid", r->tid);
    if (r->kind == ETW_EVENT || r->kind == ETW_WPP)
        json_u64(j, "id", r->id);
    if (r->kind != ETW_WPP) {
        json_u64(j, "opcode", r->opcode);
        json_u64(j, "version", r->version);
    }
    if (r->kind == ETW_EVENT) {
        json_u64(j, "level", r->level);
        etw_hex_json(j, "keyword", r->keyword);
    }
}

void etw_event_json(struct json *j, const struct etw_record *r,
        const struct etw_info *info)
{
    struct buf provider = { 0 }, name = { 0 };
    bool header = r->kind == ETW_KERNEL && !r->group && !r->opcode;

    etw_event_provider(&provider, r);
    etw_event_name(&name, r);
    json_object(j, NULL);
    json_int(j, "time_ns", etw_trace_ns(info, r->time));
    json_str(j, "provider", buf_str(&provider));
    json_str(j, "event", buf_str(&name));
    ids_json(j, r);
    json_u64(j, "data_bytes", r->len);
    json_object(j, "fields");
    if (header)
        header_fields(j, info);

    bool known = header || etw_event_fields(j, r);

    json_end(j);
    if (!known && r->len)
        payload_json(j, r);
    json_end(j);
    buf_release(&provider);
    buf_release(&name);
}
