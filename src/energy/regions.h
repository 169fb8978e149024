/* regions.h -- the table that carbon.h looks into, as data. */
#pragma once

#include <stddef.h>

struct region {
    const char *code;     /* ISO 3166, two letters; "": an area of several */
    const char *code_3;   /* three letters */
    const char *name;     /* in English */
    double grams_per_kwh; /* of CO2 and what warms like it */
    int year;
};

extern const struct region region_table[];
extern const size_t region_count;

/* Who made the figures, and under which licence: to be shown with them. */
#define REGION_SOURCE  "Ember yearly electricity data, through CO2.js"
#define REGION_LICENCE "CC BY-SA 4.0"
