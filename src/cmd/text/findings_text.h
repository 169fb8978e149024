/* findings_text.h -- findings for people. */
#pragma once

#include "analyse/finding/findings.h"
#include "cmd/text/page.h"

/* Only what is worth a look, a line each: for a report's beginning. */
void findings_text_short(const struct page *p, const struct findings *f);

/* All of them, with evidence and what to do. */
void findings_text(const struct page *p, const struct findings *f);
