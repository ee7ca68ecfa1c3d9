#!/bin/bash
# Whether two builds give the same answers: the verdict of each model, and the states of an instance of it.
#
# benches/same.sh OLD NEW [MODEL|FOLDER ..]
#
# Prints each model with a difference, then sums. Ends with an error when one build says SAFE and the other UNSAFE, or when the numbers of states of
# explorations differ that neither time nor memory cut. A verdict that one build alone finds within LIMIT (10s) is listed, and is not an error. PROCESSES: 3.
set -eu
old=$1 new=$2
shift 2
[ $# -gt 0 ] || set -- "$(cd "$(dirname "$0")/../examples" && pwd)"
limit=${LIMIT:-10s} processes=${PROCESSES:-3}
document=$(mktemp)
trap 'rm -f "$document"' EXIT

# The verdict: its exit code.
verdict() {
    local code=0
    "$1" --quiet --jobs 1 --time-limit "$limit" "$2" >/dev/null 2>&1 || code=$?
    echo "$code"
}

# Verdict and states of an exploration; `-` where time, memory or a state with too many successors cut it.
explored() {
    local code=0
    "$1" -q --only-forward --procs "$processes" --max-forward 100000 --time-limit "$limit" --format json "$2" >"$document" 2>/dev/null || code=$?
    grep -Eq '"stop": *"(time|memory|wide)"' "$document" && { echo -; return; }
    echo "$code $(grep -o '"states": *[0-9]*' "$document" | head -1 | grep -o '[0-9]*$')"
}

models=0 decided=0 counted=0 alone=0 wrong=0
while read -r model; do
    models=$((models + 1))
    before=$(verdict "$old" "$model") after=$(verdict "$new" "$model")
    case "$before$after" in
    00 | 11) decided=$((decided + 1)) ;;
    01 | 10) echo "$model: exit code $before before, $after now" && wrong=$((wrong + 1)) ;;
    0* | *0 | 1* | *1) echo "$model: exit code $before before, $after now" && alone=$((alone + 1)) ;;
    esac
    before=$(explored "$old" "$model") after=$(explored "$new" "$model")
    # Cut, or refused by one build.
    case "$before,$after" in *-* | 2* | *,2*) continue ;; esac
    counted=$((counted + 1))
    [ "$before" = "$after" ] || { echo "$model: $before states before, $after now"; wrong=$((wrong + 1)); }
done < <(find "$@" -name '*.cub' | sort)
echo "$models models: $decided with the same verdict, $alone where only one build has one, $counted explorations, $wrong contradictions"
[ "$wrong" = 0 ]
