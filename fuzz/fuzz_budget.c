/* Files of budgets: whatever stands in them, a limit is more than nothing. */
#include "analyse/verdict/budget.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct budgets b;
    struct error e = { 0 };

    if (budgets_read(&b, (struct str){ (const char *)data, size }, "file",
                &e)) {
        if (!e.text[0])
            abort();
        return 0;
    }
    for (size_t i = 0; i < b.count; i++)
        if (!(b.items[i].limit > 0))
            abort();
    budgets_release(&b);
    return 0;
}
