/* fuzz_cpuinfo.c -- every parser of text that describes a machine. */
#include "os/kernel_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str text = { (const char *)data, size };
    struct str list = text;
    uint64_t first, last;
    char out[16];

    (void)text_cpuinfo(text);
    (void)text_nvidia_version(text);
    (void)text_pci_names(text, str_of("10de"), str_of("2684"));
    (void)text_size(&first, text_field(text, "MemTotal"));
    text_os_release(out, sizeof(out), text, "NAME");
    text_copy(out, sizeof(out), text);
    while (text_cpu_range(&list, &first, &last))
        continue;
    return 0;
}
