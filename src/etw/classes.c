/* classes.c -- the kernel's groups, and the GUIDs by which the same events go
 * in classic records and live sessions. */
#include "base/compiler.h"
#include "etw/decode.h"

static const struct {
    uint16_t class;
    const char *name;
    struct guid guid;
} classes[] = {
    { ETW_CLASS_EVENT_TRACE, "EventTrace",
            GUID(0x68fdd900, 0x4a3e, 0x11d1, 0x84, 0xf4, 0x00, 0x00, 0xf8, 0x04,
                    0x64, 0xe3) },
    { ETW_CLASS_DISK_IO, "DiskIO",
            GUID(0x3d6fa8d4, 0xfe05, 0x11d0, 0x9d, 0xda, 0x00, 0xc0, 0x4f, 0xd7,
                    0xba, 0x7c) },
    { ETW_CLASS_MEMORY, "Memory",
            GUID(0x3d6fa8d3, 0xfe05, 0x11d0, 0x9d, 0xda, 0x00, 0xc0, 0x4f, 0xd7,
                    0xba, 0x7c) },
    { ETW_CLASS_PROCESS, "Process",
            GUID(0x3d6fa8d0, 0xfe05, 0x11d0, 0x9d, 0xda, 0x00, 0xc0, 0x4f, 0xd7,
                    0xba, 0x7c) },
    { ETW_CLASS_FILE_IO, "FileIO",
            GUID(0x90cbdc39, 0x4a3e, 0x11d1, 0x84, 0xf4, 0x00, 0x00, 0xf8, 0x04,
                    0x64, 0xe3) },
    { ETW_CLASS_THREAD, "Thread",
            GUID(0x3d6fa8d1, 0xfe05, 0x11d0, 0x9d, 0xda, 0x00, 0xc0, 0x4f, 0xd7,
                    0xba, 0x7c) },
    { ETW_CLASS_TCP_IP, "TcpIp",
            GUID(0x9a280ac0, 0xc8e0, 0x11d1, 0x84, 0xe2, 0x00, 0xc0, 0x4f, 0xb9,
                    0x98, 0xa2) },
    { ETW_CLASS_UDP_IP, "UdpIp",
            GUID(0xbf3a50c5, 0xa9c9, 0x4988, 0xa0, 0x05, 0x2d, 0xf0, 0xb7, 0xc8,
                    0x0f, 0x80) },
    { ETW_CLASS_REGISTRY, "Registry",
            GUID(0xae53722e, 0xc863, 0x11d2, 0x86, 0x59, 0x00, 0xc0, 0x4f, 0xa3,
                    0x21, 0xa1) },
    { ETW_CLASS_SYSTEM_CONFIG, "SystemConfig",
            GUID(0x01853a65, 0x418f, 0x4f36, 0xae, 0xfc, 0xdc, 0x0f, 0x1d, 0x2f,
                    0xd2, 0x35) },
    { ETW_CLASS_PERF_INFO, "PerfInfo",
            GUID(0xce1dbfb4, 0x137e, 0x4da6, 0x87, 0xb0, 0x3f, 0x59, 0xaa, 0x10,
                    0x2c, 0xbc) },
    { ETW_CLASS_IMAGE, "Image",
            GUID(0x2cb15d1d, 0x5fc1, 0x11d2, 0xab, 0xe1, 0x00, 0xa0, 0xc9, 0x11,
                    0xf5, 0x18) },
    { ETW_CLASS_STACK_WALK, "StackWalk",
            GUID(0xdef2fe46, 0x7bd6, 0x4b80, 0xbd, 0x94, 0xf5, 0x7f, 0xe2, 0x0d,
                    0x0c, 0xe3) },
    { ETW_CLASS_SYS_CONFIG, "SysConfig",
            GUID(0x9b79ee91, 0xb5fd, 0x41c0, 0xa2, 0x43, 0x42, 0x48, 0xe2, 0x66,
                    0xe9, 0xd0) },
    { ETW_CLASS_IMAGE_ID, "ImageID",
            GUID(0xb3e675d7, 0x2554, 0x4f18, 0x83, 0x0b, 0x27, 0x62, 0x73, 0x25,
                    0x60, 0xde) },
};

enum etw_class etw_class_of(const struct etw_record *r)
{
    if (r->kind == ETW_KERNEL)
        return (enum etw_class)r->group;
    if (r->kind == ETW_CLASSIC)
        for (size_t i = 0; i < LEN(classes); i++)
            if (guid_is(r->guid, &classes[i].guid))
                return (enum etw_class)classes[i].class;
    return ETW_CLASS_UNKNOWN;
}

const struct guid *etw_class_guid(enum etw_class class)
{
    for (size_t i = 0; i < LEN(classes); i++)
        if (classes[i].class == class)
            return &classes[i].guid;
    return NULL;
}

const char *etw_class_name(enum etw_class class)
{
    for (size_t i = 0; i < LEN(classes); i++)
        if (classes[i].class == class)
            return classes[i].name;
    return NULL;
}
