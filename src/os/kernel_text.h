/* kernel_text.h -- text in which the kernel and the distribution describe the
 * machine, taken apart.
 *
 * Pure functions on borrowed text: what they return points into it.  What is
 * not there is empty. */
#pragma once

#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

/* Copies it, trimmed, up to its first zero byte, and cut where it does not
 * fit. */
void text_copy(char *out, size_t cap, struct str s);

/* The value of the first line `key : value`, as in /proc/cpuinfo. */
struct str text_field(struct str text, const char *key);

/* A number of bytes with its unit: "24682416 kB", "32K", "8M", "64".  -EINVAL,
 * -ERANGE; then `out` is untouched. */
int text_size(uint64_t *out, struct str s);

/* Takes the next range off a list of CPUs such as "0-3,8,10-11".  False: no
 * more, or the rest is not such a list. */
bool text_cpu_range(struct str *rest, uint64_t *first, uint64_t *last);

/* The value of `KEY="value"` in os-release(5), its quotes and backslashes
 * resolved. */
void text_os_release(char *out, size_t cap, struct str text, const char *key);

/* /proc/cpuinfo, of any architecture: see the kernel's arch/?/kernel. */
struct cpuinfo {
    struct str model;  /* "AMD EPYC 7763 64-Core Processor" */
    struct str vendor; /* "AuthenticAMD"; on Arm "0x41" */
    struct str part;   /* Arm: "0xd0c"; elsewhere empty */
    unsigned threads;
    bool hypervisor; /* a virtual machine that says so */
};

struct cpuinfo text_cpuinfo(struct str text);

/* The driver's version in /proc/driver/nvidia/version. */
struct str text_nvidia_version(struct str text);

/* The names of a PCI vendor and its device in pci.ids, the list of pciutils;
 * both ids are four hexadecimal digits. */
struct pci_names {
    struct str vendor;
    struct str device;
};

struct pci_names text_pci_names(struct str ids, struct str vendor,
        struct str device);
