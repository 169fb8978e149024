#!/bin/bash
# Parquet, CSV and JSON Lines of the same cells, read by DuckDB and hyparquet:
# none, few and many rows, row groups, texts that no dictionary holds.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

need_tool node
[ -e "$npm/@duckdb/node-bindings-linux-x64/duckdb.node" ] ||
    skip "there is no DuckDB for this machine"

made() { # rows, codec
    local format
    for format in parquet csv jsonl; do
        "$programs/made_table" "$1" "$format" "$2" "table.$format" ||
            fail "$1 rows of $format cannot be made"
    done
    node "$here/parquet.mjs" "$npm" "$PWD" "$1" 2>err ||
        fail "$1 rows, $2: $(head -n 5 err)"
}

for rows in 0 1 3 1000; do
    for codec in zstd gzip none; do
        made "$rows" "$codec"
    done
done
made 300000 zstd
rm table.csv table.jsonl # of so many, they would be gigabytes
"$programs/made_table" 5000000 parquet zstd table.parquet ||
    fail "5000000 rows cannot be made"
node "$here/parquet.mjs" "$npm" "$PWD" 5000000 2>err ||
    fail "5000000 rows: $(head -n 5 err)"
