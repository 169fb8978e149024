/* layouts.c -- the payloads of the kernel's events: facts read from real traces
 * and from Microsoft's published classes (MSNT_SystemTrace). */
#include "etw/decode.h"

/* clang-format off */
#define ALL(name, type)              { name, ETW_##type, 0, 0, 0 }
#define SINCE(name, type, from)      { name, ETW_##type, from, 0, 0 }
#define UNTIL(name, type, to)        { name, ETW_##type, 0, to, 0 }
#define ONLY(name, type, from, to)   { name, ETW_##type, from, to, 0 }
#define SOME(name, type, count)      { name, ETW_##type, 0, 0, count }
#define END                          { NULL, 0, 0, 0, 0 }

static const struct etw_field none[] = { END };

static const struct etw_field group_masks[] = {
    ALL("GroupMask1", U32), ALL("GroupMask2", U32), ALL("GroupMask3", U32),
    ALL("GroupMask4", U32), ALL("GroupMask5", U32), ALL("GroupMask6", U32),
    ALL("GroupMask7", U32), ALL("GroupMask8", U32),
    ALL("KernelEventVersion", U32), END };

static const struct etw_field process[] = {
    ONLY("PageDirectoryBase", POINTER, 1, 1),
    SINCE("UniqueProcessKey", POINTER, 2),
    ALL("ProcessID", U32), ALL("ParentID", U32), ALL("SessionID", I32),
    ALL("ExitStatus", I32), SINCE("PageDirectoryBase", POINTER, 3),
    SINCE("Flags", U32, 4), ALL("UserSID", SID), ALL("ImageFileName", ANSI),
    SINCE("CommandLine", TEXT16, 2), SINCE("PackageFullName", TEXT16, 4),
    SINCE("ApplicationID", TEXT16, 4), SINCE("ExitTime", FILETIME, 5), END };

static const struct etw_field process_terminate[] = {
    ALL("ProcessID", U32), END };

static const struct etw_field process_counters[] = {
    ALL("ProcessID", U32), ALL("MemoryCount", U32), ALL("HandleCount", U32),
    SOME("", PAD, 4), ALL("PeakVirtualSize", SIZE),
    ALL("PeakWorkingSetSize", SIZE), ALL("PeakPagefileUsage", SIZE),
    ALL("QuotaPeakPagedPoolUsage", SIZE),
    ALL("QuotaPeakNonPagedPoolUsage", SIZE), ALL("VirtualSize", SIZE),
    ALL("WorkingSetSize", SIZE), ALL("PagefileUsage", SIZE),
    ALL("QuotaPagedPoolUsage", SIZE), ALL("QuotaNonPagedPoolUsage", SIZE),
    ALL("PrivatePageCount", SIZE), END };

static const struct etw_field image[] = {
    ALL("ImageBase", POINTER), ALL("ImageSize", SIZE),
    SINCE("ProcessID", U32, 1), SINCE("ImageChecksum", U32, 2),
    SINCE("TimeDateStamp", I32, 2),
    { "", ETW_PAD, 2, 2, 4 }, SINCE("SignatureLevel", U8, 3),
    SINCE("SignatureType", U8, 3), { "", ETW_PAD, 3, 0, 2 },
    SINCE("DefaultBase", POINTER, 2), { "", ETW_PAD, 2, 0, 16 },
    ALL("FileName", TEXT16), END };

static const struct etw_field image_base[] = { ALL("ImageBase", POINTER), END };

static const struct etw_field thread[] = {
    ALL("ProcessID", U32), ALL("ThreadID", U32), SINCE("StackBase", POINTER, 1),
    SINCE("StackLimit", POINTER, 1), SINCE("UserStackBase", POINTER, 1),
    SINCE("UserStackLimit", POINTER, 1), SINCE("StartAddr", POINTER, 1),
    SINCE("Win32StartAddr", POINTER, 1), ONLY("WaitMode", I8, 1, 1),
    SINCE("TebBase", POINTER, 2), SINCE("SubProcessTag", U32, 2),
    SINCE("BasePriority", U8, 3), SINCE("PagePriority", U8, 3),
    SINCE("IoPriority", U8, 3), SINCE("ThreadFlags", U8, 3),
    SINCE("ThreadName", TEXT16, 3), END };

static const struct etw_field context_switch[] = {
    ALL("NewThreadID", U32), ALL("OldThreadID", U32),
    ALL("NewThreadPriority", I8), ALL("OldThreadPriority", I8),
    ALL("PreviousCState", U8), SOME("", PAD, 1), ALL("OldThreadWaitReason", U8),
    UNTIL("OldThreadWaitMode", U8, 3), SINCE("ThreadFlags", U8, 4),
    ALL("OldThreadState", U8), ALL("OldThreadWaitIdealProcessor", U8),
    ALL("NewThreadWaitTime", U32), SOME("", PAD, 4), END };

static const struct etw_field ready_thread[] = {
    ALL("AwakenedThreadID", U32), ALL("AdjustReason", U8),
    ALL("AdjustIncrement", I8), ALL("Flags", U8), END };

static const struct etw_field thread_priority[] = {
    ALL("ThreadID", U32), ALL("OldPriority", U8), ALL("NewPriority", U8), END };

static const struct etw_field thread_name[] = {
    ALL("ProcessID", U32), ALL("ThreadID", U32), ALL("ThreadName", TEXT16),
    END };

static const struct etw_field sample[] = {
    ALL("InstructionPointer", POINTER), ALL("ThreadID", U32), ALL("Count", U16),
    ALL("Flags", U8), ALL("Rank", U8), END };

static const struct etw_field counter_sample[] = {
    ALL("InstructionPointer", POINTER), ALL("ThreadID", U32),
    ALL("ProfileSource", U16), END };

static const struct etw_field counter_config[] = {
    ALL("CounterCount", U32), ALL("CounterName", TEXT16), END };

static const struct etw_field interrupt[] = {
    ALL("InitialTime", U64), ALL("Routine", POINTER), END };

static const struct etw_field system_call[] = {
    ALL("SysCallAddress", POINTER), END };
static const struct etw_field system_call_end[] = {
    ALL("SysCallNtStatus", U32), END };

static const struct etw_field sample_interval[] = {
    ALL("SampleSource", U32), ALL("NewInterval", U32), ALL("OldInterval", U32),
    ALL("SourceName", TEXT16), END };

static const struct etw_field stack[] = {
    ALL("EventTimeStamp", U64), ALL("ProcessID", U32), ALL("ThreadID", U32),
    ALL("Stack", ADDRESSES), END };
static const struct etw_field stack_key[] = {
    ALL("EventTimeStamp", U64), ALL("ProcessID", U32), ALL("ThreadID", U32),
    ALL("StackKey", POINTER), END };
static const struct etw_field stack_of_key[] = {
    ALL("StackKey", POINTER), ALL("Stack", ADDRESSES), END };

static const struct etw_field disk_io[] = {
    ALL("DiskNumber", U32), ALL("IrpFlags", HEX32), ALL("TransferSize", U32),
    SOME("", PAD, 4), ALL("ByteOffset", U64), ALL("FileKey", POINTER),
    ALL("Irp", POINTER), ALL("HighResResponseTime", U64),
    SINCE("IssuingThreadID", U32, 3), END };
static const struct etw_field disk_init[] = {
    ALL("Irp", POINTER), SINCE("IssuingThreadID", U32, 3), END };
static const struct etw_field disk_flush[] = {
    ALL("DiskNumber", U32), ALL("IrpFlags", HEX32),
    ALL("HighResResponseTime", U64), ALL("Irp", POINTER),
    SINCE("IssuingThreadID", U32, 3), END };

static const struct etw_field file_name[] = {
    ALL("FileKey", POINTER), ALL("FileName", TEXT16), END };
static const struct etw_field file_create[] = {
    ALL("IrpPtr", POINTER), UNTIL("ThreadID", SIZE, 2),
    ALL("FileObject", POINTER), SINCE("ThreadID", U32, 3),
    ALL("CreateOptions", HEX32), ALL("FileAttributes", HEX32),
    ALL("ShareAccess", HEX32), ALL("FileName", TEXT16), END };
static const struct etw_field file_simple[] = {
    ALL("IrpPtr", POINTER), UNTIL("ThreadID", SIZE, 2),
    ALL("FileObject", POINTER), ALL("FileKey", POINTER),
    SINCE("ThreadID", U32, 3), END };
static const struct etw_field file_transfer[] = {
    ALL("Offset", U64), ALL("IrpPtr", POINTER), UNTIL("ThreadID", SIZE, 2),
    ALL("FileObject", POINTER), ALL("FileKey", POINTER),
    SINCE("ThreadID", U32, 3), ALL("IoSize", U32), ALL("IoFlags", HEX32), END };
static const struct etw_field file_info[] = {
    ALL("IrpPtr", POINTER), UNTIL("ThreadID", SIZE, 2),
    ALL("FileObject", POINTER), ALL("FileKey", POINTER),
    ALL("ExtraInfo", POINTER), SINCE("ThreadID", U32, 3),
    ALL("InfoClass", U32), END };
static const struct etw_field file_directory[] = {
    ALL("IrpPtr", POINTER), UNTIL("ThreadID", SIZE, 2),
    ALL("FileObject", POINTER), ALL("FileKey", POINTER),
    SINCE("ThreadID", U32, 3), ALL("Length", U32), ALL("InfoClass", U32),
    ALL("FileIndex", U32), ALL("FileName", TEXT16), END };
static const struct etw_field file_end[] = {
    ALL("IrpPtr", POINTER), ALL("ExtraInfo", POINTER), ALL("NtStatus", HEX32),
    END };

static const struct etw_field hard_fault[] = {
    ALL("InitialTime", U64), ALL("ReadOffset", U64),
    ALL("VirtualAddress", POINTER), ALL("FileKey", POINTER),
    ALL("ThreadID", U32), ALL("ByteCount", U32), END };
static const struct etw_field soft_fault[] = {
    ALL("VirtualAddress", POINTER), ALL("ProgramCounter", POINTER), END };
static const struct etw_field virtual_alloc[] = {
    ALL("BaseAddr", POINTER), ALL("Length", SIZE), ALL("ProcessID", U32),
    ALL("Flags", HEX32), END };

#define ENDS(ip) ALL("daddr", ip), ALL("saddr", ip), ALL("dport", PORT), \
    ALL("sport", PORT)
#define NET(name, ip) \
    static const struct etw_field name##_send[] = { \
        ALL("PID", U32), ALL("size", U32), ENDS(ip), ALL("startime", U32), \
        ALL("endtime", U32), ALL("seqnum", U32), ALL("connid", POINTER), END }; \
    static const struct etw_field name##_data[] = { \
        ALL("PID", U32), ALL("size", U32), ENDS(ip), ALL("seqnum", U32), \
        ALL("connid", POINTER), END }; \
    static const struct etw_field name##_connect[] = { \
        ALL("PID", U32), ALL("size", U32), ENDS(ip), ALL("mss", U16), \
        ALL("sackopt", U16), ALL("tsopt", U16), ALL("wsopt", U16), \
        ALL("rcvwin", U32), ALL("rcvwinscale", U16), ALL("sndwinscale", U16), \
        ALL("seqnum", U32), ALL("connid", POINTER), END }
NET(tcp4, IPV4);
NET(tcp6, IPV6);
static const struct etw_field net_fail[] = {
    ALL("Proto", U16), ALL("FailureCode", U16), END };

static const struct etw_field config_cpu[] = {
    ALL("MHz", U32), ALL("NumberOfProcessors", U32), ALL("MemSize", U32),
    ALL("PageSize", U32), ALL("AllocationGranularity", U32),
    SOME("ComputerName", TEXT16_FIX, 256), SOME("DomainName", TEXT16_FIX, 134),
    ALL("HyperThreadingFlag", POINTER), END };
static const struct etw_field config_disk[] = {
    ALL("DiskNumber", U32), ALL("BytesPerSector", U32),
    ALL("SectorsPerTrack", U32), ALL("TracksPerCylinder", U32),
    ALL("Cylinders", U64), ALL("SCSIPort", U32), ALL("SCSIPath", U32),
    ALL("SCSITarget", U32), ALL("SCSILun", U32),
    SOME("Manufacturer", TEXT16_FIX, 256), ALL("PartitionCount", U32),
    ALL("WriteCacheEnabled", U8), SOME("", PAD, 1),
    SOME("BootDriveLetter", TEXT16_FIX, 3), SOME("Spare", TEXT16_FIX, 2), END };
static const struct etw_field config_volume[] = {
    ALL("StartOffset", U64), ALL("PartitionSize", U64), ALL("DiskNumber", U32),
    ALL("Size", U32), ALL("DriveType", U32),
    SOME("DriveLetterString", TEXT16_FIX, 4), SOME("", PAD, 4),
    ALL("PartitionNumber", U32), ALL("SectorsPerCluster", U32),
    ALL("BytesPerSector", U32), SOME("", PAD, 4),
    ALL("NumberOfFreeClusters", U64), ALL("TotalNumberOfClusters", U64),
    SOME("FileSystem", TEXT16_FIX, 16), ALL("VolumeExt", U32), END };
static const struct etw_field config_nic[] = {
    ALL("PhysicalAddr", U64), ALL("PhysicalAddrLen", U32),
    ALL("Ipv4Index", U32), ALL("Ipv6Index", U32), ALL("NICDescription", TEXT16),
    ALL("IpAddresses", TEXT16), ALL("DnsServerAddresses", TEXT16), END };
static const struct etw_field config_service[] = {
    ALL("ProcessID", U32), ALL("ServiceState", U32), ALL("SubProcessTag", U32),
    ALL("ServiceName", TEXT16), ALL("DisplayName", TEXT16),
    ALL("ProcessName", TEXT16), END };
static const struct etw_field config_power[] = {
    ALL("S1", U8), ALL("S2", U8), ALL("S3", U8), ALL("S4", U8), ALL("S5", U8),
    END };
static const struct etw_field config_network[] = {
    ALL("TcbTablePartitions", U32), ALL("MaxHashTableSize", I32),
    ALL("MaxUserPort", U32), ALL("TcpTimedWaitDelay", U32), END };
static const struct etw_field config_pnp[] = {
    ALL("ClassGuid", GUID), ALL("UpperFiltersCount", U32),
    ALL("LowerFiltersCount", U32), ALL("DeviceID", TEXT16),
    ALL("DeviceDescription", TEXT16), ALL("FriendlyName", TEXT16),
    ALL("PdoName", TEXT16), ALL("ServiceName", TEXT16), END };
static const struct etw_field config_ide[] = {
    ALL("TargetID", U32), ALL("DeviceType", U32), ALL("DeviceTimingMode", U32),
    ALL("LocationInformationLen", U32), ALL("LocationInformation", TEXT16),
    END };
static const struct etw_field config_platform[] = {
    ALL("SystemManufacturer", TEXT16), ALL("SystemProductName", TEXT16),
    ALL("BiosDate", TEXT16), ALL("BiosVersion", TEXT16), END };

static const struct etw_field build_info[] = {
    ALL("InstallDate", FILETIME), ALL("BuildLab", TEXT16),
    ALL("ProductName", TEXT16), END };
static const struct etw_field system_paths[] = {
    ALL("SystemDirectory", TEXT16), ALL("SystemWindowsDirectory", TEXT16),
    END };
static const struct etw_field unknown_volume[] = { ALL("Value", TEXT16), END };
static const struct etw_field volume_mapping[] = {
    ALL("NtPath", TEXT16), ALL("DosPath", TEXT16), END };

static const struct etw_field image_id[] = {
    ALL("ImageBase", POINTER), ALL("ImageSize", SIZE), ALL("ProcessID", U32),
    ALL("TimeDateStamp", I32), ALL("OriginalFileName", TEXT16), END };
static const struct etw_field image_none[] = {
    ALL("ImageBase", POINTER), ALL("ProcessID", U32), END };
static const struct etw_field image_symbols[] = {
    ALL("ImageBase", POINTER), ALL("ProcessID", U32), ALL("GuidSig", GUID),
    ALL("Age", U32), ALL("PDBFileName", ANSI), END };
static const struct etw_field image_version[] = {
    ALL("ImageSize", U32), ALL("TimeDateStamp", I32),
    ALL("OrigFileName", TEXT16), ALL("FileDescription", TEXT16),
    ALL("FileVersion", TEXT16), ALL("BinFileVersion", TEXT16),
    ALL("VerLanguage", TEXT16), ALL("ProductName", TEXT16),
    ALL("CompanyName", TEXT16), ALL("ProductVersion", TEXT16),
    ALL("FileId", TEXT16), ALL("ProgramId", TEXT16), END };

#define E(class, opcode, name, fields) \
    { ETW_CLASS_##class, opcode, 0, 0, name, fields }

const struct etw_layout etw_layouts[] = {
    E(EVENT_TRACE, 5, "EventTrace/Extension", group_masks),
    E(EVENT_TRACE, 8, "EventTrace/RundownComplete", none),
    E(EVENT_TRACE, 32, "EventTrace/EndExtension", group_masks),
    E(EVENT_TRACE, 80, "EventTrace/PartitionInfo", none),
    E(DISK_IO, 10, "DiskIO/Read", disk_io),
    E(DISK_IO, 11, "DiskIO/Write", disk_io),
    E(DISK_IO, 12, "DiskIO/ReadInit", disk_init),
    E(DISK_IO, 13, "DiskIO/WriteInit", disk_init),
    E(DISK_IO, 14, "DiskIO/FlushBuffers", disk_flush),
    E(DISK_IO, 15, "DiskIO/FlushInit", disk_init),
    E(MEMORY, 10, "Memory/TransitionFault", soft_fault),
    E(MEMORY, 11, "Memory/DemandZeroFault", soft_fault),
    E(MEMORY, 12, "Memory/CopyOnWrite", soft_fault),
    E(MEMORY, 13, "Memory/GuardPageFault", soft_fault),
    E(MEMORY, 14, "Memory/HardPageFault", soft_fault),
    E(MEMORY, 15, "Memory/AccessViolation", soft_fault),
    E(MEMORY, 32, "Memory/HardFault", hard_fault),
    E(MEMORY, 98, "Memory/VirtualAlloc", virtual_alloc),
    E(MEMORY, 99, "Memory/VirtualFree", virtual_alloc),
    E(PROCESS, 1, "Process/Start", process),
    E(PROCESS, 2, "Process/Stop", process),
    E(PROCESS, 3, "Process/DCStart", process),
    E(PROCESS, 4, "Process/DCStop", process),
    E(PROCESS, 10, "Image/Load", image),
    E(PROCESS, 11, "Process/Terminate", process_terminate),
    E(PROCESS, 32, "Process/PerfCtr", process_counters),
    E(PROCESS, 33, "Process/PerfCtrRundown", process_counters),
    E(PROCESS, 39, "Process/Defunct", process),
    E(FILE_IO, 0, "FileIO/Name", file_name),
    E(FILE_IO, 32, "FileIO/FileCreate", file_name),
    E(FILE_IO, 35, "FileIO/FileDelete", file_name),
    E(FILE_IO, 36, "FileIO/FileRundown", file_name),
    E(FILE_IO, 64, "FileIO/Create", file_create),
    E(FILE_IO, 65, "FileIO/Cleanup", file_simple),
    E(FILE_IO, 66, "FileIO/Close", file_simple),
    E(FILE_IO, 67, "FileIO/Read", file_transfer),
    E(FILE_IO, 68, "FileIO/Write", file_transfer),
    E(FILE_IO, 69, "FileIO/SetInfo", file_info),
    E(FILE_IO, 70, "FileIO/Delete", file_info),
    E(FILE_IO, 71, "FileIO/Rename", file_info),
    E(FILE_IO, 72, "FileIO/DirEnum", file_directory),
    E(FILE_IO, 73, "FileIO/Flush", file_simple),
    E(FILE_IO, 74, "FileIO/QueryInfo", file_info),
    E(FILE_IO, 75, "FileIO/FSControl", file_info),
    E(FILE_IO, 76, "FileIO/OperationEnd", file_end),
    E(FILE_IO, 77, "FileIO/DirNotify", file_directory),
    E(THREAD, 1, "Thread/Start", thread),
    E(THREAD, 2, "Thread/Stop", thread),
    E(THREAD, 3, "Thread/DCStart", thread),
    E(THREAD, 4, "Thread/DCStop", thread),
    E(THREAD, 36, "Thread/CSwitch", context_switch),
    E(THREAD, 48, "Thread/SetPriority", thread_priority),
    E(THREAD, 50, "Dispatcher/ReadyThread", ready_thread),
    E(THREAD, 72, "Thread/SetName", thread_name),
    E(TCP_IP, 10, "TcpIp/Send", tcp4_send),
    E(TCP_IP, 11, "TcpIp/Recv", tcp4_data),
    E(TCP_IP, 12, "TcpIp/Connect", tcp4_connect),
    E(TCP_IP, 13, "TcpIp/Disconnect", tcp4_data),
    E(TCP_IP, 14, "TcpIp/Retransmit", tcp4_data),
    E(TCP_IP, 15, "TcpIp/Accept", tcp4_connect),
    E(TCP_IP, 16, "TcpIp/Reconnect", tcp4_data),
    E(TCP_IP, 17, "TcpIp/Fail", net_fail),
    E(TCP_IP, 18, "TcpIp/TCPCopy", tcp4_data),
    E(TCP_IP, 26, "TcpIp/SendIPV6", tcp6_send),
    E(TCP_IP, 27, "TcpIp/RecvIPV6", tcp6_data),
    E(TCP_IP, 28, "TcpIp/ConnectIPV6", tcp6_connect),
    E(TCP_IP, 29, "TcpIp/DisconnectIPV6", tcp6_data),
    E(TCP_IP, 30, "TcpIp/RetransmitIPV6", tcp6_data),
    E(TCP_IP, 31, "TcpIp/AcceptIPV6", tcp6_connect),
    E(TCP_IP, 32, "TcpIp/ReconnectIPV6", tcp6_data),
    E(TCP_IP, 34, "TcpIp/TCPCopyIPV6", tcp6_data),
    E(UDP_IP, 10, "UdpIp/Send", tcp4_data),
    E(UDP_IP, 11, "UdpIp/Recv", tcp4_data),
    E(UDP_IP, 17, "UdpIp/Fail", net_fail),
    E(UDP_IP, 26, "UdpIp/SendIPV6", tcp6_data),
    E(UDP_IP, 27, "UdpIp/RecvIPV6", tcp6_data),
    E(SYSTEM_CONFIG, 10, "SystemConfig/CPU", config_cpu),
    E(SYSTEM_CONFIG, 11, "SystemConfig/PhyDisk", config_disk),
    E(SYSTEM_CONFIG, 12, "SystemConfig/LogDisk", config_volume),
    E(SYSTEM_CONFIG, 13, "SystemConfig/NIC", config_nic),
    E(SYSTEM_CONFIG, 15, "SystemConfig/Services", config_service),
    E(SYSTEM_CONFIG, 16, "SystemConfig/Power", config_power),
    E(SYSTEM_CONFIG, 17, "SystemConfig/Network", config_network),
    E(SYSTEM_CONFIG, 22, "SystemConfig/PnP", config_pnp),
    E(SYSTEM_CONFIG, 23, "SystemConfig/IDEChannel", config_ide),
    E(SYSTEM_CONFIG, 25, "SystemConfig/Platform", config_platform),
    E(PERF_INFO, 46, "PerfInfo/Sample", sample),
    E(PERF_INFO, 47, "PerfInfo/PMCSample", counter_sample),
    E(PERF_INFO, 48, "PerfInfo/PMCConfig", counter_config),
    E(PERF_INFO, 51, "PerfInfo/SysClEnter", system_call),
    E(PERF_INFO, 52, "PerfInfo/SysClExit", system_call_end),
    E(PERF_INFO, 66, "PerfInfo/ThreadedDPC", interrupt),
    E(PERF_INFO, 67, "PerfInfo/ISR", interrupt),
    E(PERF_INFO, 68, "PerfInfo/DPC", interrupt),
    E(PERF_INFO, 69, "PerfInfo/TimerDPC", interrupt),
    E(PERF_INFO, 73, "PerfInfo/CollectionStart", sample_interval),
    E(PERF_INFO, 74, "PerfInfo/CollectionEnd", sample_interval),
    E(IMAGE, 2, "Image/Unload", image),
    E(IMAGE, 3, "Image/DCStart", image),
    E(IMAGE, 4, "Image/DCStop", image),
    E(IMAGE, 10, "Image/Load", image),
    E(IMAGE, 33, "Image/KernelBase", image_base),
    E(STACK_WALK, 32, "StackWalk/Stack", stack),
    E(STACK_WALK, 34, "StackWalk/KeyCreate", stack_of_key),
    E(STACK_WALK, 35, "StackWalk/KeyDelete", stack_of_key),
    E(STACK_WALK, 36, "StackWalk/KeyRundown", stack_of_key),
    E(STACK_WALK, 37, "StackWalk/KeyKernel", stack_key),
    E(STACK_WALK, 38, "StackWalk/KeyUser", stack_key),
    E(SYS_CONFIG, 32, "SysConfig/BuildInfo", build_info),
    E(SYS_CONFIG, 33, "SysConfig/SystemPaths", system_paths),
    E(SYS_CONFIG, 34, "SysConfig/UnknownVolume", unknown_volume),
    E(SYS_CONFIG, 35, "SysConfig/VolumeMapping", volume_mapping),
    E(IMAGE_ID, 0, "ImageID", image_id),
    E(IMAGE_ID, 32, "ImageID/None", image_none),
    E(IMAGE_ID, 36, "ImageID/DbgID_RSDS", image_symbols),
    E(IMAGE_ID, 37, "ImageID/DbgID_ILRSDS", image_symbols),
    E(IMAGE_ID, 64, "ImageID/FileVersion", image_version),
    { 0 },
};
/* clang-format on */
