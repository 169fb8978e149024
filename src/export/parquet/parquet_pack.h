/* parquet_pack.h -- compresses pages, one after another with the same means. */
#pragma once

#include "base/buf.h"
#include "export/format.h"

struct parquet_pack;

struct parquet_pack *parquet_pack_new(enum export_codec codec);
void parquet_pack_free(struct parquet_pack *p); /* NULL is welcome */

/* What Parquet calls the codec. */
int parquet_pack_number(const struct parquet_pack *p);

/* The bytes, packed; they live until the next call, or as long as `page`. */
struct str parquet_pack_page(struct parquet_pack *p, struct str page);
