#!/usr/bin/env python3
"""unicode_table.py -- prints src/llm/unicode/unicode_table.c: the class of every code
point, as node's tables have it, a range an entry; and what came after Unicode 8
and 9, as Perl's tables have it."""
import subprocess

CLASSES = (
    "Lu Ll Lt Lm Lo Mn Mc Me Nd Nl No Pc Pd Ps Pe Pi Pf Po "
    "Sm Sc Sk So Zs Zl Zp Cc Cf Cs Co Cn"
).split()


# Prints the version, then a code point and its class wherever that changes.
RANGES = r"""
const classes = %s.map((name) => new RegExp(`^\\p{${name}}$`, "u"));
let last = -1;
console.log(process.versions.unicode);
for (let point = 0; point <= 0x10ffff; point++) {
    const text = String.fromCodePoint(point);
    const kind = last >= 0 && classes[last].test(text) ? last
        : classes.findIndex((c) => c.test(text));
    if (kind !== last)
        console.log(point * 256 + kind);
    last = kind;
}
""" % CLASSES


def lines_of(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout.decode().split()


# Prints the code points that pass a test, a line each.
LATE = r"""
for my $point (0 .. 0xd7ff, 0xe000 .. 0x10ffff) {
    my $c = chr($point);
    print "$point\n" if %s;
}
"""
LATE_CLASS = r"$c =~ /[\p{Mn}\p{P}\p{Cf}]/ && $c !~ /\p{Present_In: 8.0}/"
LATE_FORM = (
    r"$c !~ /\p{Present_In: 9.0}/ &&"
    r"($c !~ /\p{CCC=0}/ || $c !~ /\p{Decomposition_Type=None}/)"
)
# Of Unicode 15, which utf8proc knows and Perl does not.
FORM_15 = [0xECE, *range(0x10EFD, 0x10F00), 0x11F41, 0x11F42]
FORM_15 += [*range(0x1E030, 0x1E06E), 0x1E08F, *range(0x1E4EC, 0x1E4F0)]


def late_ranges(test, more):
    points = lines_of("perl", "-e", LATE % test)
    points = sorted(set(more).union(int(point) for point in points))
    for i, point in enumerate(points):
        if i == 0 or points[i - 1] != point - 1:
            first = point
        if i + 1 == len(points) or points[i + 1] != point + 1:
            yield "{ 0x%x, 0x%x }," % (first, point)


def print_list(entries):
    line = "   "
    for entry in entries:
        if len(line) + 1 + len(entry) > 80:
            print(line)
            line = "   "
        line += " " + entry
    print(line)
    print("};")


version, *entries = lines_of("node", "-e", RANGES)
print("/* Made by tools/unicode_table.py from the tables of Unicode %s.  An entry" % version)
print(" * is where a range begins, and in its lowest byte the class. */")
print('#include "llm/unicode/unicode.h"\n')
print("/* clang-format off */")
print("const uint32_t unicode_ranges[] = {")
print_list("0x%x," % int(entry) for entry in entries)
print("\nconst uint32_t unicode_late_class[][2] = {")
print_list(late_ranges(LATE_CLASS, []))
print("\nconst uint32_t unicode_late_form[][2] = {")
print_list(late_ranges(LATE_FORM, FORM_15))
print("/* clang-format on */\n")
print("const size_t unicode_range_count =")
print("        sizeof(unicode_ranges) / sizeof(unicode_ranges[0]);")
for name in "class", "form":
    print("const size_t unicode_late_%s_count =" % name)
    print("        sizeof(unicode_late_%s) / sizeof(unicode_late_%s[0]);" % (name, name))
