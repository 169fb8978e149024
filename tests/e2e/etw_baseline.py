"""etw_baseline.py DUMP BASELINE -- compares what `ortmeter etw dump` printed of a
trace with what Microsoft's TraceEvent printed of it.

Every COUNT line of a kind that we decode must agree, and every EVENT line must
have a record of ours with the same time, processor, size and fields.  Texts are
compared as far as the baseline prints them: it cuts them.  What TraceEvent
computes from other events is computed here from ours, or is in DERIVED with the
reason why it cannot be.
"""
import collections
import ipaddress
import json
import re
import sys

DERIVED = {
    "ProcessorNumber": "the processor, which is compared anyway",
    "BuildTime": "TimeDateStamp in another form",
    "Priority": "part of the flags",
    "ExecutingDPC": "part of the flags",
    "ExecutingISR": "part of the flags",
    "ParentThreadID": "of the header, and -1 where TraceEvent hides it",
    "ParentProcessID": "of the header, and -1 where TraceEvent hides it",
    "ElapsedTimeMSec": "checked by elapsed()",
    "DiskServiceTimeMSec": "its own model of the disk",
    "context": "TraceEvent reads an older layout: two fields as one",
    "dsize": "TraceEvent reads an older layout",
    "IrpFlags": "names in place of the number",
    "StartBuffers": "always 1",
    "ProcessName": "of the process, not of the record",
    "InstallDate": "TraceEvent reads it as seconds",
}
# TraceEvent reads the upper half of the size here.
WRONG = {("ImageID", "ProcessID")}
KINDS = ("Windows Kernel/", "KernelTraceControl/ImageID", "MSNT_SystemTrace/",
         "solar_system/")


def name_of(text):
    return re.sub(r"^(Windows Kernel|KernelTraceControl|MSNT_SystemTrace|"
                  r"solar_system)/", "", text)


def lines(path):
    with open(path, encoding="utf-8-sig", errors="replace") as file:
        yield from (line.rstrip("\r\n") for line in file)


def read_ours(path):
    with open(path, encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def is_idle(event):
    fields = event["fields"]
    return (event["event"] == "PerfInfo/Sample" and fields["ThreadID"] == 0
            and not fields["Flags"] & 3)


def same_time(theirs, ours):
    """20/07/29 00:07:10.69... and 2020-07-29T00:07:10.690000000Z; the
    hundredths of a SYSTEMTIME are not what its bytes say."""
    mine = ours[2:4] + "/" + ours[5:7] + "/" + ours[8:10] + " " + ours[11:19]
    return theirs.startswith(mine)


def plain(text):
    """A number that TraceEvent wrote with commas."""
    text = text.replace(",", "")
    try:
        return int(text, 0)
    except ValueError:
        return None


def equal(key, theirs, ours):
    cut = theirs.endswith("...")
    head = theirs[:-3] if cut else theirs
    if isinstance(ours, bool):
        return theirs == str(ours)
    if isinstance(ours, int) and cut:
        signed = ours - 2 ** 64 if ours >> 63 else ours
        return f"{signed:,}".startswith(head)
    if isinstance(ours, int):
        number = plain(theirs)
        # What .NET keeps in a signed number.
        return number is not None and (number - ours) % 2 ** 32 == 0
    if re.match(r"\d\d/\d\d/\d\d \d\d:", theirs):
        return same_time(theirs, ours)
    if key in ("daddr", "saddr"):
        return str(ipaddress.ip_address(ours)).startswith(head) or \
            ours.startswith(head)
    if ours.startswith("0x"):
        return plain(theirs) == int(ours, 16)
    return ours.startswith(head) if cut else ours == head


def flags_agree(theirs, event):
    flags = event["fields"]["Flags"]
    return (int(theirs["Priority"]) == flags >> 3
            and (theirs["ExecutingDPC"] == "True") == bool(flags & 1)
            and (theirs["ExecutingISR"] == "True") == bool(flags & 2))


def elapsed(theirs, event, frequency):
    fields = event["fields"]
    if "HighResResponseTime" in fields:
        ms = fields["HighResResponseTime"] * 1e3 / frequency
    elif "InitialTime" in fields:
        return True
    else:
        return False
    return abs(float(theirs.replace(",", "")) - ms) < 0.0011


def in_dos_words(names, volumes):
    return names | {dos + name[len(nt):] for name in names
                    for nt, dos in volumes.items()
                    if name.lower().startswith(nt.lower())} | {
        "C:" + name for name in names if name.startswith("\\Windows\\")}


def file_name(theirs, event, names, volumes):
    """DiskIO and hard faults name the file by its key, images by a path of the
    kernel's."""
    fields = event["fields"]
    known = names.get(fields.get("FileKey"), set())
    if "FileName" in fields:
        known = {fields["FileName"]}
    known = in_dos_words(known, volumes)
    if not known:
        return theirs == ""
    head = theirs[:-3] if theirs.endswith("...") else theirs
    return any(name.startswith(head) for name in known)


def agrees(theirs, event, names, volumes, frequency, unknown):
    fields = event["fields"]
    for key, value in theirs.items():
        if (event["event"], key) in WRONG:
            continue
        if key == "FileName":
            if not file_name(value, event, names, volumes):
                return False
        elif key in fields and key not in DERIVED:
            if key == "Flags" and not value.isdigit():
                continue  # names in place of the number
            if not equal(key, value, fields[key]):
                return False
        elif key == "ElapsedTimeMSec":
            if not elapsed(value, event, frequency):
                return False
        elif key == "Priority" and event["event"] == "PerfInfo/Sample":
            if not flags_agree(theirs, event):
                return False
        elif key not in DERIVED and value:  # an empty text may be absent
            unknown[event["event"], key] += 1
    return True


def parse(line):
    match = re.match(r"EVENT ([\d,.]+): (.*?) PID=(-?\d+); TID=(-?\d+); "
                     r"PName=(.*?); ProceNum=(\d+); DataLen=([\d,]+); (.*)",
                     line + " ")
    when, name, _, _, _, processor, length, rest = match.groups()
    fields = dict(re.findall(r"([A-Za-z0-9_]+)=(.*?); (?=[A-Za-z0-9_]+=|\s*$)",
                             rest + " "))
    return (float(when.replace(",", "")), name, int(processor),
            int(length.replace(",", "")), fields)


def main(dump, baseline):
    ours = collections.defaultdict(list)
    counts = collections.Counter()
    names = collections.defaultdict(set)
    volumes = {}
    frequency = 10000000
    for event in read_ours(dump):
        if is_idle(event):
            continue
        counts[event["event"]] += 1
        fields = event["fields"]
        key = (event["event"], event["processor"], event["data_bytes"])
        ours[key].append(event)
        if event["event"] == "EventTrace":
            frequency = fields["PerfFreq"]
        if event["event"] == "SysConfig/VolumeMapping":
            volumes[fields["NtPath"]] = fields["DosPath"]
        if event["event"].startswith("FileIO/File"):
            names[fields["FileKey"]].add(fields["FileName"])
    bad = compared = counted = 0
    unknown = collections.Counter()
    for line in lines(baseline):
        if line.startswith("COUNT "):
            name, count = line[6:].rsplit(":", 1)
            if not name.startswith(KINDS):
                continue
            counted += 1
            if counts[name_of(name)] != int(count):
                print(f"{name}: {counts[name_of(name)]}, not {count}")
                bad += 1
        elif line.startswith("EVENT "):
            when, name, processor, length, fields = parse(line)
            if not name.startswith(KINDS):
                continue
            compared += 1
            candidates = [event for event in
                          ours[name_of(name), processor, length]
                          if abs(event["time_ns"] / 1e6 - when) < 0.0011]
            if not any(agrees(fields, event, names, volumes, frequency,
                              unknown)
                       for event in candidates):
                print(f"no record is like this: {line}")
                for event in candidates[:2]:
                    print(f"  {event}")
                bad += 1
    for (event, key), count in sorted(unknown.items()):
        print(f"{event}: the baseline has {key}, we do not ({count})")
        bad += 1
    print(f"{counted} counts and {compared} events compared, {bad} differ")
    return 1 if bad or not compared else 0


sys.exit(main(*sys.argv[1:]))
