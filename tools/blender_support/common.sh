# What tools/blenders, tools/blender and tools/package share. Sourced after tools/lib.sh.
# shellcheck shell=bash

# shellcheck disable=SC2034  # used by the scripts that source this
BLENDER_VERSIONS=(3.4 4.3 5.2)

# The Debian release that has this Blender.
declare -A BLENDER_SUITE=([3.4]=bookworm [4.3]=trixie [5.2]=sid)
BLENDERS_DIR=$CACHE_DIR/blenders
# Goes up when what is installed changes: a folder with another number is made anew.
BLENDERS_RECIPE=1

known_version() { [[ -n ${BLENDER_SUITE[$1]:-} ]] || die "there is no Blender $1 here; there are ${BLENDER_VERSIONS[*]}"; }

blender_root() { printf '%s\n' "$BLENDERS_DIR/$1"; }

# The machine's own release brings 3.4 where it is Debian 12; every other Blender lives in a folder of its own.
on_host() { [[ $1 = 3.4 && $(host_release) = "debian bookworm" ]]; }

# Whether apt's Blender on this machine is of this version; quicker than asking Blender.
host_blender_is() {
    local installed
    installed=$(dpkg-query --show --showformat '${Status} ${Version}' blender 2>/dev/null) &&
        [[ $installed = "install ok installed $1."* ]]
}

have_software_gl() { [[ -n $(compgen -G '/usr/lib/*/dri/swrast_dri.so') ]]; }

blender_ready() {
    if on_host "$1"; then
        host_blender_is "$1" && [[ -d /usr/lib/python3/dist-packages/numpy ]] && have_software_gl
    else
        [[ $(cat "$(blender_root "$1")/muslin_recipe" 2>/dev/null) = "$BLENDERS_RECIPE" ]]
    fi
}
