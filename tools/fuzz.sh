#!/bin/sh
# tools/fuzz.sh BUILD SECONDS [NAME...]: runs every fuzzer of BUILD, or those named, for SECONDS, then merges what reached new
# code into the committed corpus. Stops at the first finding, whose input libFuzzer names. Options: fuzz/CMakeLists.txt.
set -eu
build=$1 seconds=$2
shift 2
[ $# -gt 0 ] || set -- fuzz/corpus/*
for corpus in "$@"; do
  name=$(basename "$corpus")
  corpus=fuzz/corpus/$name
  found=$build/fuzz/found/$name
  mkdir -p "$found"
  echo "== $name, $seconds s"
  "$build/fuzz/${name}_fuzz" -max_total_time="$seconds" $(cat "$build/fuzz/$name.options") -jobs=2 -workers=2 \
    "$found" "$corpus" >"$build/fuzz/$name.log" 2>&1 || { cat fuzz-*.log; rm -f fuzz-*.log; exit 1; }
  rm -f fuzz-*.log
  "$build/fuzz/${name}_fuzz" -set_cover_merge=1 -use_counters=0 "$corpus" "$found" 2>&1 | tail -n 1
done
