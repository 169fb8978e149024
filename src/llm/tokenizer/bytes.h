/* bytes.h -- GPT-2's alphabet: a printable character for each byte, so that a
 * vocabulary can hold any bytes as text. */
#pragma once

#include "base/buf.h"

#include <stdbool.h>

/* Adds the character of each byte. */
void bytes_to_characters(struct buf *out, struct str bytes);

/* The character of one byte. */
uint32_t byte_character(unsigned char byte);

/* The byte of a character; -1: it stands for none. */
int byte_of_character(uint32_t c);
