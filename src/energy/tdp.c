#include "energy/tdp.h"

#include "base/compiler.h"

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

struct known {
    const char *model;
    double watts;
};

/* clang-format off */
/* CodeCarbon, Boavizta, or both. */
static const struct known models[] = {
    { "E3-1240 v2", 69 },
    { "E5-2620 v3", 85 },
    { "E5-2680 v4", 120 },
    { "E5-2690 v4", 135 },
    { "E5-2699 v4", 145 },
    { "Gold 6130", 125 },
    { "Gold 6148", 150 },
    { "Gold 6248", 150 },
    { "Gold 6252", 150 },
    { "Platinum 8168", 205 },
    { "Platinum 8259CL", 210 },
    { "Platinum 8280", 205 },
    { "Silver 4210", 85 },
    { "Silver 4314", 135 },
    { "Gold 6330", 205 },
    { "Gold 6338", 205 },
    { "Platinum 8358", 250 },
    { "Platinum 8375C", 300 },
    { "Platinum 8380", 270 },
    { "Silver 4410Y", 150 },
    { "Gold 6430", 270 },
    { "Platinum 8470", 350 },
    { "Platinum 8480+", 350 },
    { "Platinum 8488C", 385 },
    { "Platinum 8490H", 350 },
    { "Platinum 8592+", 350 },
    { "6787P", 350 },
    { "6960P", 500 },
    { "6980P", 500 },
    { "E-2388G", 95 },
    { "W-2295", 165 },
    { "w9-3495X", 350 },
    { "EPYC 7351", 170 },
    { "EPYC 7401P", 170 },
    { "EPYC 7551", 180 },
    { "EPYC 7302", 155 },
    { "EPYC 7402", 180 },
    { "EPYC 7502", 180 },
    { "EPYC 7542", 225 },
    { "EPYC 7702", 200 },
    { "EPYC 7742", 225 },
    { "EPYC 7R32", 280 },
    { "EPYC 7313", 155 },
    { "EPYC 7443", 200 },
    { "EPYC 7543", 225 },
    { "EPYC 7713", 225 },
    { "EPYC 7763", 280 },
    { "EPYC 7R13", 225 },
    { "EPYC 8024P", 90 },
    { "EPYC 9124", 200 },
    { "EPYC 9254", 200 },
    { "EPYC 9354", 280 },
    { "EPYC 9374F", 320 },
    { "EPYC 9454", 290 },
    { "EPYC 9554", 360 },
    { "EPYC 9654", 360 },
    { "EPYC 9684X", 400 },
    { "EPYC 9754", 360 },
    { "EPYC 9255", 200 },
    { "EPYC 9555", 360 },
    { "EPYC 9755", 500 },
    { "EPYC 9965", 500 },
    { "Altra Q64-30", 180 },
    { "Altra Max M128-30", 250 },
    { "i5-8400", 65 },
    { "i7-8700K", 95 },
    { "i9-9900K", 95 },
    { "i5-10400", 65 },
    { "i9-10900K", 125 },
    { "i7-11700K", 125 },
    { "i5-12400", 65 },
    { "i7-12700K", 125 },
    { "i9-12900K", 125 },
    { "i5-13600K", 125 },
    { "i7-13700K", 125 },
    { "i9-13900K", 125 },
    { "Ryzen 5 3600", 65 },
    { "Ryzen 7 3700X", 65 },
    { "Ryzen 9 3900X", 105 },
    { "Ryzen 5 5600X", 65 },
    { "Ryzen 7 5800X", 105 },
    { "Ryzen 9 5950X", 105 },
    { "Ryzen 5 7600X", 105 },
    { "Ryzen 7 7800X3D", 120 },
    { "Ryzen 9 7950X", 170 },
    { "Ryzen 7 8700G", 65 },
    { "Ryzen 7 9700X", 65 },
    { "Ryzen 9 9950X", 170 },
    { "Threadripper 1950X", 180 },
    { "Threadripper 3970X", 280 },
    { "Threadripper PRO 5995WX", 280 },
    { "Threadripper PRO 7995WX", 350 },
    { "N100", 6 },
    { "J4125", 10 },
    { "i7-8550U", 15 },
    { "i7-10750H", 45 },
    { "i5-1135G7", 28 },
    { "i7-1165G7", 28 },
    { "i7-11800H", 45 },
    { "i7-12700H", 45 },
    { "i5-1240P", 28 },
    { "i7-1260P", 28 },
    { "i7-1355U", 15 },
    { "i9-13900H", 45 },
    { "Ultra 7 155H", 28 },
    { "Ryzen 7 4800H", 45 },
    { "Ryzen 7 5800H", 45 },
    { "Ryzen 7 5825U", 15 },
    { "Ryzen 7 6800H", 45 },
    { "Ryzen 7 6800U", 15 },
    { "Ryzen 7 7840U", 28 },
    { "Ryzen 7 7840HS", 54 },
    { "Ryzen 7 8840U", 28 },
    { "AI 9 HX 370", 28 },
    { "AI Max 385", 55 },
    { "AI Max 390", 55 },
};

/* In neither collection: from general knowledge, and not checked. */
static const struct known unchecked[] = {
    { "i9-14900K", 125 },
    { "Ultra 7 265K", 125 },
    { "Ultra 9 285K", 125 },
    { "Ultra 5 125H", 28 },
    { "Ultra 7 165U", 15 },
    { "Ultra 7 258V", 17 },
    { "Ultra 9 288V", 30 },
};

/* Our own guesses by family, for models that are not above; the first that fits
 * counts. */
static const struct known families[] = {
    { "Platinum", 300 }, { "Gold", 175 }, { "Silver", 105 }, { "Xeon", 135 },
    { "EPYC 9", 320 }, { "EPYC", 200 }, { "Threadripper", 280 },
    { "Ryzen 9", 125 }, { "i9-", 125 }, { "Ryzen AI", 28 },
    { "Ryzen", 65 }, { "Ultra", 28 }, { "i7-", 65 }, { "i5-", 65 },
    { "i3-", 65 }, { "N1", 6 }, { "N2", 6 }, { "Celeron", 15 },
};
/* clang-format on */

#define UNKNOWN_WATTS 85 /* as CodeCarbon has it */

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '+';
}

/* Where `part` lies in `name`, not within another word; `open_end` lets a word
 * go on behind it. */
static bool has(const char *name, const char *part, bool open_end)
{
    size_t len = strlen(part);

    for (const char *at = strcasestr(name, part); at;
            at = strcasestr(at + 1, part)) {
        bool begins = at == name || !is_word(at[-1]);

        if (begins && (open_end || !is_word(at[len])))
            return true;
    }
    return false;
}

/* The longest that is in the name, or NULL. */
static const struct known *find(const struct known *table, size_t count,
        const char *cpu_model)
{
    const struct known *best = NULL;

    for (size_t i = 0; i < count; i++)
        if (has(cpu_model, table[i].model, false) &&
                (!best || strlen(table[i].model) > strlen(best->model)))
            best = &table[i];
    return best;
}

struct tdp tdp_of(const char *cpu_model)
{
    const struct known *collected = find(models, LEN(models), cpu_model);
    const struct known *other = find(unchecked, LEN(unchecked), cpu_model);

    if (collected)
        return (struct tdp){ collected->watts, collected->model,
            .source = TDP_COLLECTED };
    if (other)
        return (struct tdp){ other->watts, other->model,
            .source = TDP_UNCHECKED };
    for (size_t i = 0; i < LEN(families); i++)
        if (has(cpu_model, families[i].model, true))
            return (struct tdp){ families[i].watts, families[i].model,
                .source = TDP_GUESSED };
    return (struct tdp){ UNKNOWN_WATTS, "", .source = TDP_GUESSED };
}
