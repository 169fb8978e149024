/* Numbers stay right, texts are kept, and a reason replaces an earlier one. */
#include "sample/subjects.h"

#include "base/str.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

static void numbers(void)
{
    struct subjects *s = subjects_new("box");
    char name[16];

    for (unsigned i = 1; i <= 101; i++) {
        (void)snprintf(name, sizeof(name), "p%u", i);
        CHECK_INT(subjects_add(s, &(struct subject){ .kind = SUBJECT_PROCESS,
                                          .number = 1000 + i,
                                          .name = name }),
                i);
    }
    CHECK_INT(subjects_count(s), 102);
    CHECK(strcmp(subjects_get(s, 0)->name, "box") == 0);
    CHECK(strcmp(subjects_get(s, 7)->name, "p7") == 0);
    CHECK_INT(subjects_get(s, 101)->number, 1101);
    CHECK(!subjects_get(s, 7)->detail);
    subjects_end(s, 7, 99);
    CHECK_INT(subjects_ended_ns(s, 7), 99);
    CHECK_INT(subjects_ended_ns(s, 8), 0);
    subjects_free(s);
}

static void names(void)
{
    struct subjects *s = subjects_new("box");
    uint32_t number =
            subjects_add(s, &(struct subject){ .kind = SUBJECT_PROCESS,
                                    .number = 7,
                                    .name = "sh",
                                    .detail = "sh -c x" });
    const char *before = subjects_get(s, number)->name;

    CHECK_INT(subjects_renamed_count(s), 0);
    subjects_rename(s, number, "x", NULL);
    CHECK(strcmp(subjects_get(s, number)->name, "x") == 0);
    CHECK(!subjects_get(s, number)->detail);
    CHECK_INT(subjects_get(s, number)->number, 7);
    CHECK(strcmp(before, "sh") == 0);
    CHECK_INT(subjects_renamed_count(s), 1);
    CHECK_INT(subjects_renamed_at(s, 0), number);
    subjects_free(s);
}

static void reasons(void)
{
    struct subjects *s = subjects_new("box");

    subjects_missing(s, METRIC_tokens_total, 0, "no %s", "driver");
    subjects_missing(s, METRIC_tokens_total, 1, "asleep");
    subjects_missing(s, METRIC_tokens_total, 0, "gone");
    CHECK_INT(subjects_missing_count(s), 2);
    CHECK(strcmp(subjects_missing_at(s, 0)->reason, "gone") == 0);
    CHECK_INT(subjects_missing_at(s, 1)->subject, 1);
    subjects_free(s);
}

int main(void)
{
    numbers();
    names();
    reasons();
    return test_result();
}
