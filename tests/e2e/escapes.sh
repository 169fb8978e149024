#!/bin/bash
# Text of others does not get to the terminal as anything but text, and where a
# file is written, nobody's link is followed.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

"$ortmeter" run --quiet --db t.db -- true
python3 - <<'END'
import sqlite3
db = sqlite3.connect("t.db")
bad = "\x1b]0;owned\x07\x1b[2J\u009b31m\x7f"
db.execute("UPDATE profiling_runs SET note = ?, command = ?, tags = ?",
           (bad + "note", bad + "command", bad + "tag"))
db.execute("INSERT INTO processes (run, id, pid, start_ns, program)"
           " VALUES (1, 1, 5, 0, ?)", (bad,))
db.execute("INSERT INTO libraries (run, id, process, path, version, slots)"
           " VALUES (1, 1, 1, ?, ?, 0)", (bad + "path", bad + "version"))
db.execute("INSERT INTO sessions (run, id, process, library, model, error,"
           " start_ns) VALUES (1, 1, 1, 1, ?, ?, 0)", (bad, bad))
db.commit()
END
plain() { # nothing but text, lines and our own colours
    ! grep -qP '\x1b(?!\[[0-9]{0,3}m)|\x07|\x7f|\xc2[\x80-\x9f]' "$1" ||
        fail "control characters in $1: $(od -c "$1" | head -40)"
}
for verb in 'report last' 'list' 'energy last' 'compare last last' doctor; do
    # shellcheck disable=SC2086
    "$ortmeter" $verb --db t.db >out 2>err || true
    plain out
    plain err
done
"$ortmeter" report $'no\033[2Jsuch' --db t.db >out 2>err || true
plain err

# A link that waits where an export is made.
echo victim >victim
ln -s victim run.json.part
"$ortmeter" export -f json --db t.db -o run.json --quiet last
grep -qx victim victim || fail "an export wrote through a link"
if [ ! -s run.json ] || [ -L run.json ]; then
    fail "the export is not there"
fi
