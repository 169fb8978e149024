/* certificate.h -- the server's certificate: one of our own making, and whether
 * one that others made can be used. */
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

#define CERTIFICATE_PRINT_LEN 96

/* Makes a key and a certificate that it signs itself, for these names and
 * addresses, valid for a year, in two files for us alone; or leaves those that
 * are there, if they still hold for a month. */
int certificate_make(const char *cert, const char *key,
        const char *const *names, size_t count, struct error *e);

/* Whether both can be read and belong together: with a pair that does not, no
 * handshake succeeds any more. */
bool certificate_fits(const char *cert, const char *key);

/* "AB:CD:...", of the certificate in the file; "": it cannot be read. */
void certificate_fingerprint(char out[CERTIFICATE_PRINT_LEN], const char *cert);
