#!/usr/bin/env bash
# Reads one large Kineto file with stepsim and with other common tools, one after another, and prints MB/s and peak
# memory of each.
# usage: bench/peers.sh [FOLDER]   makes the file in FOLDER and keeps it (default: a temporary folder)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

bench=build/release/bin/ingest_bench
[[ -x $bench ]] || { echo "peers.sh: $bench is not there; run ./dev bench first" >&2; exit 1; }

if [[ $# -gt 0 ]]; then
  folder=$1
  mkdir -p "$folder"
else
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
fi
export STEPSIM_BENCH_DIR=$folder

"$bench" --benchmark_filter='BM_Ingest' --benchmark_repetitions=5 --benchmark_report_aggregates_only=true \
  --benchmark_min_time=0.1 2>/dev/null

file=$folder/kineto.json
megabytes=$(($(stat -c %s "$file") / 1000000))

# measure NAME COMMAND...: prints the best of three runs by user and system time.
measure() {
  local name=$1
  shift
  python3 - "$name" "$megabytes" "$@" <<'PYTHON'
import os, subprocess, sys
name, megabytes, command = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
best = None
for _ in range(3):
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"{name} failed")
    seconds = usage.ru_utime + usage.ru_stime
    best = min(best or seconds, seconds)
    memory = usage.ru_maxrss / 1e3
print(f"{name:24} {megabytes / best:7.0f} MB/s  {memory:7.0f} MB")
PYTHON
}

measure "python3 json" python3 -c 'import json, sys; print(len(json.load(open(sys.argv[1]))["traceEvents"]))' "$file"
if command -v jq >/dev/null; then measure "jq" jq '.traceEvents | length' "$file"; fi
if command -v node >/dev/null; then
  measure "node JSON.parse" node -e 'console.log(JSON.parse(require("fs").readFileSync(process.argv[1], "utf8")).traceEvents.length)' "$file"
fi
