#!/bin/bash
# Programs that start others, in each way that there is and with an environment
# of their own: all inferences are counted, or who ran them is named.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

linked=("$programs/linked" "$models/mlp.onnx" 37)

for way in execve execle execvpe fexecve execveat execv execvp execl execlp \
    syscall syscall_at posix_spawn posix_spawnp vfork failing system popen; do
    compare "$programs/ways" "$way" "${linked[@]}"
    [ "$rc" -eq 0 ] || fail "$way: exit code $rc"
    counted 37
    holds '.not_followed == null'
done

# From shells, by other programs, and through scripts.
compare env -i "LD_LIBRARY_PATH=$LD_LIBRARY_PATH" "${linked[@]}"
counted 37
printf '#!/bin/sh\nexec env -i "LD_LIBRARY_PATH=%s" %s %s 37\n' \
    "$LD_LIBRARY_PATH" "${linked[@]:0:2}" >script
chmod +x script
compare ./script
counted 37
# shellcheck disable=SC2016 # the inner shell's
compare sh -c 'unset LD_PRELOAD ORTMETER_DIR; "$@"; "$@"' - "${linked[@]}"
counted 74

# What a program sees of us in its environment: two variables, and its own
# LD_PRELOAD behind ours.
plain "$(command -v env)"
meter "$(command -v env)"
cut -d = -f 1 plain.out | sort >without
cut -d = -f 1 out | sort >with
diff without with >extra || true
[ "$(grep -c '^>' extra)" -eq 2 ] || fail "not two variables more: $(cat extra)"
grep -q '> LD_PRELOAD' extra || fail "other variables: $(cat extra)"
grep -q '> ORTMETER_DIR' extra || fail "other variables: $(cat extra)"
meter env -i LD_PRELOAD=libm.so.6:libz.so.1 env
grep -q '^LD_PRELOAD=[^:]*ortmeter[^:]*:libm.so.6:libz.so.1$' out ||
    fail "its own LD_PRELOAD became $(cat out)"
[ "$(wc -l <out)" -eq 2 ] || fail "more than ours was added: $(cat out)"

# Node with an environment of its own, Python in several ways.
cat >spawn.cjs <<'EOF'
const { spawnSync } = require("node:child_process");
const [program, ...words] = process.argv.slice(2);
const env = { LD_LIBRARY_PATH: process.env.LD_LIBRARY_PATH };
for (const stdio of ["inherit", "ignore"])
    if (spawnSync(program, words, { env, stdio }).status !== 0) process.exit(1);
EOF
compare node spawn.cjs "${linked[@]}"
counted 74

cat >spawn.py <<'EOF'
import os, subprocess, sys
argv = sys.argv[1:]
env = {"LD_LIBRARY_PATH": os.environ["LD_LIBRARY_PATH"]}
subprocess.run(argv, env=env, check=True)
subprocess.run(argv, env=env, check=True, close_fds=False)
subprocess.run(argv, env=env, check=True, start_new_session=True)
pid = os.posix_spawn(argv[0], argv, env)
assert os.waitpid(pid, 0)[1] == 0
pid = os.fork()
if pid == 0:
    os.execve(argv[0], argv, env)
assert os.waitpid(pid, 0)[1] == 0
EOF
if command -v python3 >/dev/null; then
    compare python3 spawn.py "${linked[@]}"
    counted 185
fi

# --- who cannot be followed is named -----------------------------------------

named() { # words of its program, words of the reason
    holds '.not_followed | length == 1'
    holds ".not_followed[0].program | contains(\"$1\")"
    holds ".not_followed[0].reason | contains(\"$2\")"
    holds '.not_followed[0].pid > 0'
    holds ".run.note | contains(\"$1\")"
}

if gcc -static -o fixed "$SRC/tests/programs/hello.c" 2>/dev/null; then
    meter sh -c './fixed; exit 0'
    named fixed static
fi

# Past the C library, by an instruction of its own: found while it runs.
# shellcheck disable=SC2016 # the inner shell's
meter sh -c '"$@" & children=/proc/$!/task/$!/children
    until grep -qs libonnxruntime "/proc/$(tr -d " " <$children)/maps"; do :; done
    tr -d " " <$children >pid' - "$programs/ways" instruction \
    "$programs/loader" load "$ort" "$models/mlp.onnx" 1000000000
kill "$(cat pid)"
named loader 'system call'
holds '.not_followed[0].onnx_runtime | contains("libonnxruntime")'

[ "$(id -u)" -eq 0 ] || skip "only root can change its user and its root"

# Another user, who may not write where we read; the preload itself works.
if command -v setpriv >/dev/null; then
    meter setpriv --reuid 65534 --regid 65534 --clear-groups /bin/true
    [ "$rc" -eq 0 ] || fail "another user: exit code $rc"
    [ ! -s err ] || fail "the other user's program said: $(cat err)"
    named true user
fi

# Whose file gives other rights: the system keeps the hook out.  What it starts
# in turn gets no word of us.
gcc -o other_rights "$SRC/tests/programs/hello.c" 2>/dev/null ||
    cp "$(command -v true)" other_rights
chown 65534 other_rights
chmod u+s other_rights
compare ./other_rights
named other_rights set-user-id
compare sh -c './other_rights; exit 0'
named other_rights set-user-id

# One that starts others, as sudo does: their ONNX Runtime is seen, though not
# their inferences.
cp "$(command -v timeout)" other_timeout
chown 65534 other_timeout
chmod u+s other_timeout
# shellcheck disable=SC2016 # the inner shell's
meter sh -c '"$@" & echo $! >pid
    children=/proc/$!/task/$!/children
    until grep -qs libonnxruntime "/proc/$(tr -d " " <$children)/maps"; do :; done' \
    - ./other_timeout 60 "$programs/loader" load "$ort" "$models/mlp.onnx" \
    1000000000
kill "$(cat pid)"
named other_timeout set-user-id
holds '.not_followed[0].onnx_runtime | contains("libonnxruntime")'

# sudo takes LD_PRELOAD away; who is root already, is followed all the same.
if command -v sudo >/dev/null; then
    compare sudo -n env "LD_LIBRARY_PATH=$LD_LIBRARY_PATH" "${linked[@]}"
    [ "$rc" -ne 0 ] || counted 37
fi

# Another root, where the hook is not: the loader does not complain.
mkdir -p root/bin root/lib64 root/lib/x86_64-linux-gnu
cp /bin/true root/bin/
cp /lib64/ld-linux-x86-64.so.2 root/lib64/
cp /lib/x86_64-linux-gnu/libc.so.6 root/lib/x86_64-linux-gnu/
plain chroot root /bin/true
meter chroot root /bin/true
[ "$rc" -eq "$plain_rc" ] || fail "under another root: $rc"
cmp plain.err err || fail "the loader says: $(cat err)"
[ "$rc" -ne 0 ] || named true root
