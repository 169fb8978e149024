/* xml_text.h -- texts in XML and HTML. */
#pragma once

#include "base/buf.h"

/* Adds the text so that it is nothing but text, between tags and in quotes
 * alike.  What is no UTF-8, or may not stand in XML at all, is replaced. */
void xml_text(struct buf *out, const char *text);
