/* tdp.h -- what processors are made to draw, as data.
 *
 * The figures are "thermal design power" or "processor base power" in watts as
 * their makers publish them.  Nearly all were collected by the CodeCarbon and
 * Boavizta projects (read in August 2026), which agree on them wherever both
 * have one; seven newer ones are in neither, and nobody checked them.  TDP is
 * no maximum: processors draw more for a while, and less most of the time. */
#pragma once

enum tdp_source {
    TDP_COLLECTED, /* CodeCarbon or Boavizta has the model */
    TDP_UNCHECKED, /* general knowledge of the model */
    TDP_GUESSED,   /* by the family only, or not even that */
};

struct tdp {
    double watts;
    const char *model; /* the part of the name that was known */
    enum tdp_source source;
};

/* By a processor's name as it tells it: "Intel(R) Xeon(R) Gold 6148 CPU @
 * 2.40GHz".  Where the model is not known, the family's usual figure, and 85 W
 * where that is not known either. */
struct tdp tdp_of(const char *cpu_model);
