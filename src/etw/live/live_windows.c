/* live_windows.c -- Windows' event tracing itself.
 *
 * Kernel events go to a session of our own (a system logger, from Windows 8
 * on), so whoever uses the NT Kernel Logger is left alone. */
#include "etw/live/live.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include <evntcons.h>
#include <evntrace.h>

#define NAME_MAX_LEN       256
#define SYSTEM_LOGGER_MODE 0x02000000
#define SESSIONS_MAX       64
#define SAMPLING_INFO      5 /* TraceSampledProfileIntervalInfo */
#define STACK_INFO         3 /* TraceStackTracingInfo */
#define LOG_USERS_RID      559

typedef ULONG WINAPI trace_set_information(TRACEHANDLE session, int class,
        void *info, ULONG len);

/* Room for the names behind the properties. */
struct properties {
    EVENT_TRACE_PROPERTIES p;
    wchar_t names[2 * NAME_MAX_LEN];
};

struct consumer {
    TRACEHANDLE handle;
    etw_taker *take;
    void *to;
};

static void wide(wchar_t out[NAME_MAX_LEN], const char *name)
{
    if (!MultiByteToWideChar(CP_UTF8, 0, name, -1, out, NAME_MAX_LEN))
        out[0] = 0;
}

static void prepare(struct properties *x)
{
    memset(x, 0, sizeof(*x));
    x->p.Wnode.BufferSize = sizeof(*x);
    x->p.Wnode.Flags = WNODE_FLAG_TRACED_GUID;
    x->p.Wnode.ClientContext = ETW_QPC;
    x->p.LoggerNameOffset = offsetof(struct properties, names);
}

static trace_set_information *find_set_information(void)
{
    HMODULE library = GetModuleHandleW(L"advapi32.dll");

    /* Windows 7 has none, and under Wine it fails. */
    return library ? (trace_set_information *)(void (*)(void))GetProcAddress(
                             library, "TraceSetInformation")
                   : NULL;
}

/* --- who we are ------------------------------------------------------------
 */

/* Under Wine sessions are started, and nothing ever comes. */
static bool available(void *context)
{
    HMODULE ntdll = GetModuleHandleW(L"ntdll.dll");

    (void)context;
    return ntdll && !GetProcAddress(ntdll, "wine_get_version");
}

static bool is_member(DWORD rid)
{
    SID_IDENTIFIER_AUTHORITY authority = SECURITY_NT_AUTHORITY;
    PSID sid = NULL;
    BOOL member = FALSE;

    if (!AllocateAndInitializeSid(&authority, 2, SECURITY_BUILTIN_DOMAIN_RID,
                rid, 0, 0, 0, 0, 0, 0, &sid))
        return false;
    if (!CheckTokenMembership(NULL, sid, &member))
        member = FALSE;
    FreeSid(sid);
    return member;
}

static bool may(void *context)
{
    (void)context;
    return is_member(DOMAIN_ALIAS_RID_ADMINS) || is_member(LOG_USERS_RID);
}

static uint32_t own_pid(void *context)
{
    (void)context;
    return GetCurrentProcessId();
}

static bool alive(void *context, uint32_t pid)
{
    HANDLE process = OpenProcess(SYNCHRONIZE, FALSE, pid);
    bool running;

    (void)context;
    if (!process) /* it is there, and somebody else's */
        return GetLastError() == ERROR_ACCESS_DENIED;
    running = WaitForSingleObject(process, 0) == WAIT_TIMEOUT;
    CloseHandle(process);
    return running;
}

/* --- sessions --------------------------------------------------------------
 */

static void each_session(void *context,
        void (*each)(void *to, const char *name), void *to)
{
    struct properties *all = alloc_zero(SESSIONS_MAX, sizeof(*all));
    EVENT_TRACE_PROPERTIES *list[SESSIONS_MAX];
    ULONG count = 0;

    (void)context;
    for (int i = 0; i < SESSIONS_MAX; i++) {
        prepare(&all[i]);
        all[i].p.LogFileNameOffset = offsetof(struct properties, names) +
                                     NAME_MAX_LEN * sizeof(wchar_t);
        list[i] = &all[i].p;
    }
    if (QueryAllTracesW(list, SESSIONS_MAX, &count))
        count = 0;
    for (ULONG i = 0; i < count; i++) {
        char name[3 * NAME_MAX_LEN];

        if (WideCharToMultiByte(CP_UTF8, 0, all[i].names, -1, name,
                    sizeof(name), NULL, NULL))
            each(to, name);
    }
    free(all);
}

/* Stacks of samples and context switches. */
static void walk_stacks(uint64_t session)
{
    static const GUID perf_info = { 0xce1dbfb4, 0x137e, 0x4da6,
        { 0x87, 0xb0, 0x3f, 0x59, 0xaa, 0x10, 0x2c, 0xbc } };
    static const GUID thread = { 0x3d6fa8d1, 0xfe05, 0x11d0,
        { 0x9d, 0xda, 0x00, 0xc0, 0x4f, 0xd7, 0xba, 0x7c } };
    struct {
        GUID class;
        UCHAR type;
        UCHAR reserved[7];
    } events[] = { { perf_info, 46, { 0 } }, { thread, 36, { 0 } } };
    trace_set_information *set = find_set_information();

    if (set)
        (void)set(session, STACK_INFO, events, sizeof(events));
}

static uint32_t start(void *context, const struct etw_live_settings *s,
        const char *name, uint64_t *session)
{
    struct properties x;
    wchar_t wide_name[NAME_MAX_LEN];
    TRACEHANDLE handle = 0;

    (void)context;
    prepare(&x);
    x.p.BufferSize = s->buffer_size_kb;
    x.p.MinimumBuffers = s->min_buffers;
    x.p.MaximumBuffers = s->max_buffers;
    x.p.FlushTimer = s->flush_timer_s;
    x.p.EnableFlags = s->kernel_flags;
    x.p.LogFileMode = EVENT_TRACE_REAL_TIME_MODE | SYSTEM_LOGGER_MODE;
    wide(wide_name, name);

    ULONG code = StartTraceW(&handle, wide_name, &x.p);

    *session = handle;
    if (!code && s->stack_walk)
        walk_stacks(handle);
    return code;
}

static uint32_t sampling(void *context, uint32_t interval_100ns)
{
    struct {
        ULONG source, interval;
    } info = { 0, interval_100ns };
    trace_set_information *set = find_set_information();

    (void)context;
    return set ? set(0, SAMPLING_INFO, &info, sizeof(info))
               : ERROR_CALL_NOT_IMPLEMENTED;
}

static uint32_t enable(void *context, uint64_t session, const struct guid *g,
        uint8_t level, uint64_t keywords)
{
    GUID provider;

    (void)context;
    memcpy(&provider, g->bytes, sizeof(provider));
    return EnableTraceEx2(session, &provider,
            EVENT_CONTROL_CODE_ENABLE_PROVIDER, level, keywords, 0, 0, NULL);
}

static uint32_t stop(void *context, const char *name,
        struct etw_live_loss *loss)
{
    struct properties x;
    wchar_t wide_name[NAME_MAX_LEN];

    (void)context;
    prepare(&x);
    wide(wide_name, name);

    ULONG code = ControlTraceW(0, wide_name, &x.p, EVENT_TRACE_CONTROL_STOP);

    *loss = (struct etw_live_loss){ x.p.EventsLost, x.p.LogBuffersLost,
        x.p.RealTimeBuffersLost };
    return code;
}

/* --- records ---------------------------------------------------------------
 */

/* The consumer's form of a record is the file's, taken apart. */
static void WINAPI on_event(EVENT_RECORD *e)
{
    const struct consumer *c = e->UserContext;
    const EVENT_HEADER *h = &e->EventHeader;
    bool classic = h->Flags & EVENT_HEADER_FLAG_CLASSIC_HEADER;
    unsigned char items[4096];
    size_t used = 0;

    /* Only what describes the event and its provider is kept. */
    for (USHORT i = 0; i < e->ExtendedDataCount; i++) {
        const EVENT_HEADER_EXTENDED_DATA_ITEM *x = &e->ExtendedData[i];
        size_t whole = (8 + (size_t)x->DataSize + 7) & ~(size_t)7;

        if ((x->ExtType != ETW_EXT_SCHEMA && x->ExtType != ETW_EXT_TRAITS) ||
                used + whole > sizeof(items))
            continue;

        USHORT head[4] = { (USHORT)whole, x->ExtType, 0, x->DataSize };

        memset(items + used, 0, whole);
        memcpy(items + used, head, sizeof(head));
        memcpy(items + used + 8, (const void *)(uintptr_t)x->DataPtr,
                x->DataSize);
        used += whole;
    }

    struct etw_record r = {
        .kind = classic ? ETW_CLASSIC : ETW_EVENT,
        .header = classic ? ETW_FULL64 : ETW_EVENT64,
        .opcode = h->EventDescriptor.Opcode,
        .level = h->EventDescriptor.Level,
        .channel = h->EventDescriptor.Channel,
        .pointer_bytes = h->Flags & EVENT_HEADER_FLAG_32_BIT_HEADER ? 4 : 8,
        .version = h->EventDescriptor.Version,
        .id = h->EventDescriptor.Id,
        .task = h->EventDescriptor.Task,
        .processor = e->BufferContext.ProcessorNumber,
        .pid = h->ProcessId,
        .tid = h->ThreadId,
        .time = h->TimeStamp.QuadPart,
        .keyword = h->EventDescriptor.Keyword,
        .guid = (const unsigned char *)&h->ProviderId,
        .activity = (const unsigned char *)&h->ActivityId,
        .extended = items,
        .extended_len = used,
        .data = e->UserData,
        .len = e->UserDataLength,
    };

    c->take(c->to, &r);
}

static void take_info(struct etw_info *info, const TRACE_LOGFILE_HEADER *h)
{
    LARGE_INTEGER now;

    info->processors = h->NumberOfProcessors;
    info->cpu_mhz = h->CpuSpeedInMHz;
    info->pointer_bytes = h->PointerSize;
    info->timer_resolution = h->TimerResolution;
    info->frequency = (uint64_t)h->PerfFreq.QuadPart;
    info->clock = ETW_QPC;
    info->start_time = h->StartTime.QuadPart;
    QueryPerformanceCounter(&now);
    info->first_time = now.QuadPart;
    if (!info->frequency) {
        QueryPerformanceFrequency(&now);
        info->frequency = (uint64_t)now.QuadPart;
    }
}

static uint32_t open(void *context, const char *name, struct etw_info *info,
        etw_taker *take, void *to, uint64_t *consumer)
{
    wchar_t wide_name[NAME_MAX_LEN];
    struct consumer *c = alloc_zero(1, sizeof(*c));
    EVENT_TRACE_LOGFILEW x = { 0 };

    (void)context;
    wide(wide_name, name);
    *c = (struct consumer){ .take = take, .to = to };
    x.LoggerName = wide_name;
    x.ProcessTraceMode = PROCESS_TRACE_MODE_REAL_TIME |
                         PROCESS_TRACE_MODE_EVENT_RECORD |
                         PROCESS_TRACE_MODE_RAW_TIMESTAMP;
    x.EventRecordCallback = on_event;
    x.Context = c;
    c->handle = OpenTraceW(&x);
    if (c->handle == INVALID_PROCESSTRACE_HANDLE) {
        free(c);
        return GetLastError();
    }
    take_info(info, &x.LogfileHeader);
    *consumer = (uint64_t)(uintptr_t)c;
    return 0;
}

static uint32_t process(void *context, uint64_t consumer)
{
    struct consumer *c = (struct consumer *)(uintptr_t)consumer;

    (void)context;
    return ProcessTrace(&c->handle, 1, NULL, NULL);
}

/* What process() still uses is not freed: one small block a session. */
static uint32_t close(void *context, uint64_t consumer)
{
    const struct consumer *c = (struct consumer *)(uintptr_t)consumer;

    (void)context;
    return CloseTrace(c->handle);
}

const struct etw_live_api *etw_live_system(void)
{
    static const struct etw_live_api api = {
        .available = available,
        .may = may,
        .own_pid = own_pid,
        .alive = alive,
        .each_session = each_session,
        .start = start,
        .sampling = sampling,
        .enable = enable,
        .open = open,
        .process = process,
        .close = close,
        .stop = stop,
    };

    return &api;
}
