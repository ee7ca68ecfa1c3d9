#!/bin/bash
# Proofs by two builds in turn: the least user CPU time of three runs each, and their ratio; a row for each kind of model.
#
# benches/proofs.sh OLD NEW [MODEL ..]
#
# Ends with an error when the builds give different verdicts.
set -eu
old=$1 new=$2
shift 2
examples=$(cd "$(dirname "$0")/../examples" && pwd)
# Tickets, queues of tickets, counters, ballots, majorities, elections (an exact search in several turns), caches with data, locks and nodes of one sort, caches on a bus.
[ $# -gt 0 ] || set -- "$examples"/{bakery,ticket_lock,ticket_queue,bounded_buffer,leader_ballots,majority_terms,raft_election,german_data}.cub "$examples"/../benches/models/{lock_matrix,bus_cache}.cub
TIMEFORMAT=%U

# Sets `seconds` and `verdict` to those of one run.
prove() {
    verdict=0
    seconds=$({ time "$1" --quiet --jobs 1 "$2" >/dev/null 2>&1; } 2>&1) || verdict=$?
}

printf 'model\told s\tnew s\told/new\n'
for model in "$@"; do
    least_old=inf least_new=inf
    for _ in 1 2 3; do
        prove "$old" "$model"
        least_old=$(awk -v a="$least_old" -v b="$seconds" 'BEGIN { print (a == "inf" || b < a ? b : a) }') known=$verdict
        prove "$new" "$model"
        least_new=$(awk -v a="$least_new" -v b="$seconds" 'BEGIN { print (a == "inf" || b < a ? b : a) }')
        [ "$known" = "$verdict" ] || { echo "$model: exit code $known before, $verdict now" >&2; exit 1; }
    done
    awk -v model="$(basename "$model" .cub)" -v a="$least_old" -v b="$least_new" \
        'BEGIN { printf "%s\t%s\t%s\t%.2f\n", model, a, b, (b > 0 ? a / b : 0) }'
done
