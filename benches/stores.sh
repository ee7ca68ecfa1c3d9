#!/bin/sh
# Memory and CPU time of each way to keep states. Prints a table of Markdown: medians of RUNS runs (5).
#
#   benches/stores.sh [PROGRAM]        what is measured: German's protocol with 5 to 9 processes
#   MODELS='examples/mesi.cub:8 x.cub:3' RUNS=3 STORES='table compact' benches/stores.sh
#
# What the program takes without any state (the solver's library, mostly) is measured first, and taken off what a store takes.
set -eu
cd "$(dirname "$0")/.."
program=${1:-target/release/cubicle}
german=examples/german.cub
models=${MODELS:-"$german:5 $german:6 $german:7 $german:8 $german:9"}

# Peak KiB, user seconds and states of one run.
run() {
    /usr/bin/time -f '%M %U' -o "$times" "$program" --only-forward --all-errors "$@" >"$out" 2>/dev/null || true
    states=$(sed -n 's/^Explored .*: \(all \)\{0,1\}\([0-9]*\) .*/\2/p' "$out" | head -n 1)
    echo "$(tail -n 1 "$times") ${states:-0}"
}

times=$(mktemp) out=$(mktemp) all=$(mktemp)
trap 'rm -f "$times" "$out" "$all"' EXIT
base=$(run --procs 1 $german | cut -d ' ' -f 1)
echo "| model | processes | store | orbits | peak MiB | bytes an orbit | user CPU |"
echo "| --- | --- | --- | --- | --- | --- | --- |"
for entry in $models; do
    model=${entry%:*} procs=${entry##*:}
    for store in ${STORES:-table compact}; do
        : >"$all"
        for _ in $(seq "${RUNS:-5}"); do
            run --procs "$procs" --store "$store" ${FLAGS:-} "$model" >>"$all"
        done
        sort -n -k 2 "$all" | sed -n "$(((${RUNS:-5} + 1) / 2))p" | awk -v base="$base" -v m="$(basename "$model" .cub)" \
            -v k="$procs" -v s="$store" '{
                printf "| %s | %s | %s | %d | %.0f | %.1f | %.2f s |\n", m, k, s, $3, $1 / 1024, ($1 - base) * 1024 / $3, $2 }'
    done
done
