#!/bin/bash
# Over 100,000 calls memory and reference counts stay as they are.
. "$(dirname "$0")/lib.sh"
. "$here/python_lib.sh"

use_python 3.11
meter_options+=(--quiet --ops off)
meter "$python" "$programs_py/steady.py" "$model" 100000
[ "$rc" -eq 0 ] || fail "exit code $rc"
[ ! -s out ] || fail "$(cat out)"
# All are there: 200 and 5882 rounds of 17, and some asynchronous ones.
is .latency.count $(((200 + 5882) * 17 + 2 + 58))
is .latency.failed $((200 + 5882))
is .lost_events 0
