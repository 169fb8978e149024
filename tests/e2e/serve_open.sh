#!/bin/bash
# serve_open.sh -- serve --open: without a display only the address is told; with
# one the browser gets a page that leads there, which nobody else can read, and
# the token is in no list of processes.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
need_tool curl

export ORTMETER_DB=$TMPDIR/t.db XDG_STATE_HOME=$TMPDIR/state
mkdir bin
cat >bin/xdg-open <<END
#!/bin/sh
echo "\$#" "\$@" >"$TMPDIR/opening"
stat -c %a "\$1" >"$TMPDIR/mode"
cp "\$1" "$TMPDIR/page.html"
mv "$TMPDIR/opening" "$TMPDIR/opened"
END
chmod +x bin/xdg-open
export PATH=$TMPDIR/bin:$PATH
unset WAYLAND_DISPLAY DISPLAY

"$ortmeter" serve --open 2>serve.err &
server=$!
await is_serving serve.err
kill "$server"
wait "$server" || fail "the server did not end well: $(cat serve.err)"
[ ! -e opened ] || fail "opened without a display: $(cat opened)"

rm serve.err
DISPLAY=:99 "$ortmeter" serve --open 2>serve.err &
server=$!
await is_serving serve.err
await test -e opened
read -r count page <opened
[ "$count" = 1 ] || fail "called with: $(cat opened)"
[ "$(cat mode)" = 600 ] || fail "$page has mode $(cat mode)"
grep -qF "url=$base/#token=$owner\"" page.html || fail "$(cat page.html)"
! grep -qF "$owner" opened || fail "the token is an argument"
kill "$server"
wait "$server" || fail "the server did not end well: $(cat serve.err)"
