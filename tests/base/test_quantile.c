#include "base/quantile.h"

#include "base/compiler.h"
#include "base/hist.h"
#include "test.h"

/* Of 1, 2, ..., count. */
static const struct {
    size_t count;
    double q, want;
} cases[] = {
    { 1, 0, 1 },
    { 1, 0.5, 1 },
    { 1, 0.999, 1 },
    { 2, 0.5, 1.5 }, /* the mean of the two in the middle */
    { 3, 0.5, 2 },
    { 4, 0.5, 2.5 },
    { 4, 0.25, 1 },
    { 4, 0.26, 2 },
    { 100, 0.07, 7 }, /* though 0.07 * 100 is more than 7 */
    { 100, 0.9, 90 },
    { 100, 0.99, 99 },
    { 100, 0.999, 100 },
    { 100, 1, 100 },
    { 60, 0.95, 57 },
};

/* Values, numbers and histograms say the same. */
int main(void)
{
    for (size_t n = 0; n < LEN(cases); n++) {
        uint64_t whole[100];
        double real[100];
        struct hist h = { 0 };
        size_t count = cases[n].count;

        for (size_t i = 0; i < count; i++) {
            whole[i] = i + 1;
            real[i] = (double)(i + 1);
            hist_add(&h, i + 1);
        }
        CHECK(quantile_u64(whole, count, cases[n].q) == cases[n].want);
        CHECK(quantile_real(real, count, cases[n].q) == cases[n].want);
        CHECK((cases[n].q == 0.5 ? hist_median(&h)
                                 : (double)hist_quantile(&h, cases[n].q)) ==
                cases[n].want);
    }
    return test_result();
}
