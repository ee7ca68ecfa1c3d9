#!/bin/bash
# Explorations by two builds in turn: the least user CPU time of three runs each, and their ratio; a row for each kind of model.
#
# benches/explorations.sh OLD NEW [MODEL:PROCESSES:STATES ..]
#
# Ends with an error when the builds store different numbers of states.
set -eu
old=$1 new=$2
shift 2
here=$(cd "$(dirname "$0")" && pwd)
[ $# -gt 0 ] || set -- \
    "$here/../examples/german.cub:7:1000000" "$here/../examples/szymanski.cub:9:1000000" \
    "$here/models/lock_service.cub:7:100000" "$here/models/timestamps.cub:7:100000" \
    "$here/models/directory_pointers.cub:5:100000" "$here/models/shards.cub:3:100000"
TIMEFORMAT=%U
document=$(mktemp)
trap 'rm -f "$document"' EXIT

# Sets `seconds` and `states` to those of one run.
explore() {
    seconds=$({ time "$1" -q --only-forward --procs "$3" --max-forward "$4" --format json "$2" \
        >"$document" 2>/dev/null || true; } 2>&1)
    states=$(grep -o '"states": *[0-9]*' "$document" | head -1 | grep -o '[0-9]*$')
}

printf 'model\tprocesses\tstates\told s\tnew s\told/new\n'
for row in "$@"; do
    IFS=: read -r model procs most <<<"$row"
    least_old=inf least_new=inf
    for _ in 1 2 3; do
        explore "$old" "$model" "$procs" "$most"
        least_old=$(awk -v a="$least_old" -v b="$seconds" 'BEGIN { print (a == "inf" || b < a ? b : a) }') known=$states
        explore "$new" "$model" "$procs" "$most"
        least_new=$(awk -v a="$least_new" -v b="$seconds" 'BEGIN { print (a == "inf" || b < a ? b : a) }')
        [ "$known" = "$states" ] || { echo "$model: $known states before, $states now" >&2; exit 1; }
    done
    awk -v model="$(basename "$model" .cub)" -v procs="$procs" -v states="$states" -v a="$least_old" -v b="$least_new" \
        'BEGIN { printf "%s\t%s\t%s\t%s\t%s\t%.2f\n", model, procs, states, a, b, (b > 0 ? a / b : 0) }'
done
