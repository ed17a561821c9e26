#!/bin/sh
# tools/install_packages.sh LIST...: installs the Debian packages of the lists that are missing, through apt, as root or
# through sudo. Asks nothing. Says in one sentence what is in the way (no root, no network, no disk) and how to go on.
#
# An entry is a package, or command=package: then the package is only wanted where the command is not there yet.
set -u

build="g++ cmake ninja=ninja-build make python3 nlohmann-json3-dev libfmt-dev libspdlog-dev libtomlplusplus-dev
  libzstd-dev libre2-dev"
demo="vim"
test="ccache clang++-19=clang-19 libclang-rt-19-dev doctest-dev clang-format-19=clang-format-19 vim less htop tmux git vttest
  node=nodejs npm=npm tini procps"
bench="tmux screen dtach node=nodejs npm=npm"
fmt="clang-format-19=clang-format-19"

disk_mb_needed=1500

say() { printf '%s\n' "$*"; }
stop() { say "hold: $*" >&2; exit 1; }

has_package() {
  case "$(dpkg-query -W -f '${Status}' "$1" 2>/dev/null)" in *" installed") return 0 ;; *) return 1 ;; esac
}

missing=""
for list in "$@"; do
  case "$list" in
    build) entries=$build ;; demo) entries=$demo ;; test) entries=$test ;; bench) entries=$bench ;; fmt) entries=$fmt ;;
    *) stop "no such list: $list (there are build, demo, test, bench, fmt)" ;;
  esac
  for entry in $entries; do
    package=${entry#*=}
    if [ "$package" != "$entry" ] && command -v "${entry%%=*}" >/dev/null 2>&1; then continue; fi
    case " $missing " in *" $package "*) continue ;; esac
    has_package "$package" || missing="$missing $package"
  done
done
[ -n "$missing" ] || exit 0

command -v apt-get >/dev/null 2>&1 ||
  stop "these packages are missing and this system has no apt-get; install what they hold with your own package manager:$missing"

if [ "$(id -u)" = 0 ]; then
  as_root=""
  say "Installing as root:$missing"
elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
  as_root="sudo -n"
  say "Installing through sudo:$missing"
else
  stop "packages are missing, and installing them needs root, or a sudo that asks for no password.
Run this, then make again:
  sudo apt-get install --no-install-recommends$missing"
fi

free_mb=$(df -Pm /var/cache/apt /usr 2>/dev/null | awk 'NR > 1 { print $4 }' | sort -n | head -n 1)
if [ -n "$free_mb" ] && [ "$free_mb" -lt "$disk_mb_needed" ]; then
  stop "the disk of /usr has $free_mb MB left; the packages may need $disk_mb_needed MB. Make room and run this again"
fi

log=$(mktemp) || stop "no temporary file can be made: is the disk of ${TMPDIR:-/tmp} full?"
trap 'rm -f "$log"' EXIT
export DEBIAN_FRONTEND=noninteractive
install() {
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
    -o DPkg::Lock::Timeout=300 $missing >"$log" 2>&1 </dev/null
}
# Lists that are there may be old: a package they name may be gone from the mirror, so a failure is tried again with new ones.
install && exit 0
if ! $as_root apt-get update -o DPkg::Lock::Timeout=300 -o APT::Update::Error-Mode=any >"$log" 2>&1 </dev/null; then
  tail -n 5 "$log" >&2
  stop "the package lists cannot be fetched: is there a network? Missing:$missing"
fi
install && exit 0
tail -n 15 "$log" >&2
if grep -q 'Unable to locate package\|has no installation candidate' "$log"; then
  stop "a package is not to be had from this system's package sources (Debian 12 has all of them). Missing:$missing"
fi
if grep -q 'No space left\|not enough space\|enough free space' "$log"; then
  stop "the disk is full. Make room and run this again. Missing:$missing"
fi
if grep -q 'Could not resolve\|Could not connect\|Failed to fetch\|Unable to fetch' "$log"; then
  stop "the packages cannot be fetched: is there a network? Missing:$missing"
fi
stop "apt-get could not install (its last lines are above). Missing:$missing"
