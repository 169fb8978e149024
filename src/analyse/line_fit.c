#include "analyse/line_fit.h"

#include "analyse/verdict/interval.h"

#include <math.h>

#define LEAST  3
#define BEYOND 0.025 /* each end of an interval */

bool line_fit(struct line_fit *out, const struct line_point *points,
        size_t count)
{
    double w = 0, wx = 0, wy = 0, wxx = 0, wxy = 0;
    double squares = 0;
    bool differ = false;

    for (size_t i = 0; i < count; i++) {
        double x = points[i].size, y = points[i].cost;
        double weight = 1 / (y * y);

        w += weight;
        wx += weight * x;
        wy += weight * y;
        wxx += weight * x * x;
        wxy += weight * x * y;
        differ |= x < points[0].size || x > points[0].size;
    }
    if (!differ || count < LEAST)
        return false;
    out->each = (w * wxy - wx * wy) / (w * wxx - wx * wx);
    out->fixed = (wy - out->each * wx) / w;
    for (size_t i = 0; i < count; i++) {
        double fitted = out->fixed + out->each * points[i].size;
        double off = fitted / points[i].cost - 1;

        squares += off * off;
    }
    out->error = sqrt(squares / (double)count);

    double freedom = (double)count - 2;
    double reach = interval_student_limit(BEYOND, freedom) *
                   sqrt(squares / freedom / (w * wxx - wx * wx));

    out->fixed_low = out->fixed - reach * sqrt(wxx);
    out->fixed_high = out->fixed + reach * sqrt(wxx);
    out->each_low = out->each - reach * sqrt(w);
    out->each_high = out->each + reach * sqrt(w);
    return true;
}
