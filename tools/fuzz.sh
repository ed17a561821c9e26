#!/bin/sh
# tools/fuzz.sh BUILD SECONDS: runs every fuzzer of BUILD for SECONDS, then merges what reached new code into the committed
# corpus. Stops at the first finding, whose input libFuzzer names.
set -eu
build=$1 seconds=$2
for corpus in fuzz/corpus/*; do
  name=$(basename "$corpus")
  found=$build/fuzz/found/$name
  mkdir -p "$found"
  set --
  [ ! -f "fuzz/$name.dict" ] || set -- -dict="fuzz/$name.dict"
  echo "== $name, $seconds s"
  "$build/fuzz/${name}_fuzz" -max_total_time="$seconds" -timeout=60 -rss_limit_mb=2048 -jobs=2 -workers=2 \
    -artifact_prefix="$build/fuzz/$name-" "$@" "$found" "$corpus" >"$build/fuzz/$name.log" 2>&1 || { cat fuzz-*.log; rm -f fuzz-*.log; exit 1; }
  rm -f fuzz-*.log
  "$build/fuzz/${name}_fuzz" -set_cover_merge=1 -use_counters=0 "$corpus" "$found" 2>&1 | tail -n 1
done
