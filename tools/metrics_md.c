/* metrics_md.c -- prints docs/metrics.md.
 *
 *     build/metrics_md > docs/metrics.md */
#include "model/metric.h"

#include <stdio.h>

int main(void)
{
    struct buf text = { 0 };

    metric_write_markdown(&text);

    bool written = fwrite(text.p, 1, text.len, stdout) == text.len;

    buf_release(&text);
    return written && !fflush(stdout) ? 0 : 1;
}
