# Helpers shared by the scripts in tools/. Sourced, never run; the caller has set `set -euo pipefail`.
# shellcheck shell=bash

REPO_ROOT=$(CDPATH='' cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# The third-party sources live outside the checkout, so that every clone and every build folder shares them.
# CMakeLists.txt works out the same default; MUSLIN_CACHE moves both.
CACHE_DIR=${MUSLIN_CACHE:-${XDG_CACHE_HOME:-${HOME:-/nonexistent}/.cache}/muslin}
BUILD_DIR=${MUSLIN_BUILD:-$REPO_ROOT/build}

say() { printf '%s\n' "$*"; }

die() {
    printf '%s: %s\n' "$(basename "$0")" "$*" >&2
    exit 1
}

has_command() { command -v "$1" >/dev/null 2>&1; }

# shellcheck disable=SC2034  # used by the scripts that source this
UNAVAILABLE=77 # the exit status that ctest reports as skipped

host_release() { (. /etc/os-release 2>/dev/null && printf '%s %s\n' "${ID:-unknown}" "${VERSION_CODENAME:-unknown}"); }

# Python takes an empty item of the PYTHONPATH for the current folder, and a relative one lies in it: beside a downloaded
# mesh that would execute whatever numpy.py came with it. Only absolute items stay, for all that the scripts start.
keep_absolute_python_path() {
    local item kept='' items
    [[ -n ${PYTHONPATH:-} ]] || return 0
    IFS=: read -ra items <<<"$PYTHONPATH"
    for item in "${items[@]}"; do
        [[ $item != /* ]] || kept+=${kept:+:}$item
    done
    export PYTHONPATH=$kept
}
keep_absolute_python_path

# python_with MODULE...: prints the first Python that has all the modules. The python3 in front of the PATH is often
# a version manager's, without the packages that the system's own has, so both are asked.
python_with() {
    local candidate
    for candidate in ${MUSLIN_PYTHON:+"$MUSLIN_PYTHON"} /usr/bin/python3 python3; do
        if has_command "$candidate" &&
            "$candidate" -B "$REPO_ROOT/tools/python_support/has_modules.py" "$@" >/dev/null 2>&1; then
            command -v "$candidate"
            return 0
        fi
    done
    return 1
}

# set_python: `python` becomes one with NumPy.
set_python() { python=$(python_with numpy) || die "no Python with NumPy found; run tools/setup"; }

# exec_module MODULE ARGUMENT...: this shell becomes the Python that runs a module of Muslin or of tools; signals reach it.
# The way to run a module: `python -m` would look into the current folder first.
exec_module() {
    local python
    set_python
    export PYTHONPATH=$REPO_ROOT/plugin/python:$REPO_ROOT:$REPO_ROOT/tools${PYTHONPATH:+:$PYTHONPATH}
    exec "$python" "$REPO_ROOT/tools/python_support/run_module.py" "$@"
}

# configure [FOLDER [CMAKE OPTION...]]: FOLDER defaults to BUILD_DIR. Silent unless it fails: a reader of a test
# log wants the tests, not the compiler checks.
configure() {
    local folder=${1:-$BUILD_DIR} python log
    shift || true
    set_python
    mkdir -p "$folder"
    log=$folder/configure.log
    cmake -S "$REPO_ROOT" -B "$folder" -DMUSLIN_DEPS_DIR="$CACHE_DIR" -DMUSLIN_PYTHON="$python" "$@" \
        >"$log" 2>&1 || { cat "$log" >&2; die "configure failed in $folder"; }
}

# compile [FOLDER [TARGET]]: the same, for the build itself.
compile() {
    local folder=${1:-$BUILD_DIR} target=${2:+--target=$2} log
    log=$folder/build.log
    # shellcheck disable=SC2086  # no target, no word
    cmake --build "$folder" --parallel "$(nproc)" $target >"$log" 2>&1 ||
        { tail -n 60 "$log" >&2; die "build failed; the whole log is $log"; }
}

# ensure_built: what a demo, a bench or the command line calls first. Quick when all is up to date.
ensure_built() {
    "$REPO_ROOT/tools/setup"
    configure "$BUILD_DIR"
    compile "$BUILD_DIR"
}
