# A small Debian in a folder of its own, for programs that this machine's release does not have: what tools/blenders and
# tools/windows share. Sourced after tools/lib.sh. The caller sets `subject`, what is being prepared, for messages.
# shellcheck shell=bash

TRIES=3
APT_OPTIONS=(-o DPkg::Lock::Timeout=300 -o Acquire::Retries="$TRIES" -o Acquire::http::Timeout=30
    -o Dpkg::Options::=--force-unsafe-io)
subject='' log='' work_dir=''

unavailable() {
    say "$subject is not available: $1"
    exit "$UNAVAILABLE"
}

# The part of a log that says why, in one line.
reason() { grep -E '^(E|W|Err|I):? ' "$log" | grep -vE '^(I|W): ' | tail -n 1 | cut -c 1-160 || true; }

# try_often COMMAND...: a download may fail once; the last attempt decides.
try_often() {
    local try
    for ((try = 1; try <= TRIES; try++)); do
        "$@" >>"$log" 2>&1 && return 0
        sleep $((try * 3))
    done
    return 1
}

# ---- what the machine must bring --------------------------------------------------------------------------------

require_debian() {
    [[ $(host_release) = debian\ * ]] && has_command apt-get || unavailable "this is not Debian"
}

# require_root SCRIPT ARGUMENT...: runs the script, of this checkout, again as the administrator where that takes no
# password.
require_root() {
    [[ $EUID -ne 0 ]] || return 0
    has_command sudo && sudo -n true 2>/dev/null ||
        unavailable "only an administrator can prepare it; run: sudo MUSLIN_CACHE=$CACHE_DIR $*"
    exec sudo -n env MUSLIN_CACHE="$CACHE_DIR" "$REPO_ROOT/$1" "${@:2}"
}

# install_on_host PACKAGE...
install_on_host() {
    try_often env DEBIAN_FRONTEND=noninteractive apt-get "${APT_OPTIONS[@]}" update ||
        unavailable "apt-get update failed: $(reason)"
    try_often env DEBIAN_FRONTEND=noninteractive apt-get "${APT_OPTIONS[@]}" install --yes --no-install-recommends "$@" ||
        unavailable "could not install $*: $(reason)"
}

# Where the machine gets its own release from, without the security and update suites.
mirror() {
    local release
    read -r _ release < <(host_release)
    # shellcheck disable=SC2016  # apt fills these in
    apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(CREATED_BY)' 2>/dev/null |
        awk -v release="$release" '($2 == release || $2 ~ /^(old)*stable$/) && $1 ~ /^https?:/ && $3 == "Packages" { print $1; exit }'
}

# debootstrap does not read apt's configuration.
use_apt_proxy() {
    local proxy=
    eval "$(apt-config shell proxy Acquire::http::Proxy)"
    [[ -z $proxy ]] || export http_proxy=$proxy
}

# require_mirror URL SUITE
require_mirror() {
    [[ -n $1 ]] || unavailable "apt on this machine names no mirror of its own release"
    try_often timeout 60 /usr/lib/apt/apt-helper -o Acquire::http::Timeout=10 -o Acquire::Retries=1 \
        download-file "${1%/}/dists/$2/InRelease" "$work_dir/InRelease" ||
        unavailable "no network, or apt's mirror does not carry $2"
}

# ---- the installation -------------------------------------------------------------------------------------------

write_configuration() {
    local root=$1 url=$2 suite=$3
    say "deb $url $suite main" >"$root/etc/apt/sources.list"
    cat >"$root/etc/apt/apt.conf.d/80muslin" <<CONF
Acquire::Check-Valid-Until "false";
Acquire::Languages "none";
APT::Install-Recommends "false";
${http_proxy:+Acquire::http::Proxy \"$http_proxy\";}
CONF
    # Manuals and translations are half of what the packages bring.
    cat >"$root/etc/dpkg/dpkg.cfg.d/muslin" <<CONF
path-exclude=/usr/share/doc/*
path-include=/usr/share/doc/*/copyright
path-exclude=/usr/share/man/*
path-exclude=/usr/share/locale/*
CONF
    ln -sf /proc/self/mounts "$root/etc/mtab" # Blender lists the file systems
    printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d" # no package starts a service
    chmod +x "$root/usr/sbin/policy-rc.d"
}

# in_root ROOT COMMAND...
in_root() {
    local root=$1
    shift
    chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
        DEBIAN_FRONTEND=noninteractive ${http_proxy:+http_proxy="$http_proxy"} "$@"
}

# bootstrap ROOT URL SUITE ARCHITECTURE
bootstrap() {
    rm -rf "$1"
    timeout 1800 debootstrap --arch="$4" --variant=minbase --include=ca-certificates \
        --keyring=/usr/share/keyrings/debian-archive-keyring.gpg "$3" "$1" "$2"
}

# make_debian ROOT SUITE ARCHITECTURE PACKAGE...
make_debian() {
    local root=$1 suite=$2 architecture=$3 url
    shift 3
    url=$(mirror)
    use_apt_proxy
    require_mirror "$url" "$suite"
    try_often bootstrap "$root" "$url" "$suite" "$architecture" || unavailable "debootstrap failed: $(reason)"
    write_configuration "$root" "$url" "$suite"
    try_often in_root "$root" apt-get "${APT_OPTIONS[@]}" update || unavailable "apt-get update failed: $(reason)"
    try_often in_root "$root" apt-get "${APT_OPTIONS[@]}" install --yes "$@" ||
        unavailable "could not install $*: $(reason)"
    in_root "$root" apt-get clean
    rm -rf "$root"/var/lib/apt/lists/*
}

# ---- in a cache folder ------------------------------------------------------------------------------------------

# lock FOLDER NAME: two runs at once: the second waits here, and then finds the work done.
lock() {
    mkdir -p "$1" 2>/dev/null && [[ -w $1 ]] || unavailable "cannot write to the cache folder $1"
    exec 9>"$1/.lock.$2"
    flock 9
}

# begin_work FOLDER NAME: the lock, a log and, until this shell ends, a work folder.
begin_work() {
    lock "$1" "$2"
    log=$1/$2.log
    : >"$log"
    work_dir=$1/.work.$2 # one left by a run that was killed is ours: we hold the lock
    rm -rf --one-file-system "$work_dir"
    mkdir -p "$work_dir"
    trap remove_work_dir EXIT
    trap 'exit 130' INT TERM
}

remove_work_dir() { rm -rf --one-file-system "${work_dir:?}"; }
