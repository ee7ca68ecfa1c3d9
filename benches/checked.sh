#!/bin/bash
# What checking a proof costs: CPU seconds (user and system) of the search alone and with its check, for each model that is SAFE.
#
# benches/checked.sh CUBICLE [MODEL|FOLDER ..]
#
# Prints each model with both times and their ratio, 0.01 s added to each, * where the second is above twice the first and 0.05 s more; then the
# geometric mean and the worst. LIMIT (20s) bounds each run, RUNS (1) says how often each is measured (the least counts). ALONE (--unchecked) and
# WITH (nothing) are the options of the two runs.
set -eu
cubicle=$1
shift
[ $# -gt 0 ] || set -- "$(cd "$(dirname "$0")/../examples" && pwd)"
limit=${LIMIT:-20s} runs=${RUNS:-1} alone=${ALONE---unchecked} with=${WITH-}

# CPU seconds of a proof; `-` where there is none.
seconds() {
    local least=- run times
    for ((run = 0; run < runs; run++)); do
        # shellcheck disable=SC2086
        times=$({ TIMEFORMAT='%U %S'; time "$cubicle" --quiet --jobs 1 --time-limit "$limit" $1 "$2" >/dev/null 2>&1 || echo -; } 2>&1)
        case "$times" in *-*) echo -; return ;; esac
        least=$(echo "$times $least" | awk '{ now = $1 + $2; print $3 == "-" || now < $3 ? now : $3 }')
    done
    echo "$least"
}

find "$@" -name '*.cub' | sort | while read -r model; do
    before=$(seconds "$alone" "$model")
    [ "$before" = - ] || echo "$model $before $(seconds "$with" "$model")"
done | awk '
    $3 == "-" { print "unchecked", $0; open++; next }
    {
        ratio = ($3 + 0.01) / ($2 + 0.01); above = $3 > 2 * $2 + 0.05
        printf "%6.2f %8.3f %8.3f %s%s\n", ratio, $2, $3, above ? "* " : "", $1
        models++; log_sum += log(ratio); many += above
        if (ratio > worst) { worst = ratio; which = $1 }
    }
    END { printf "%d models: geometric mean %.3f, worst %.2f (%s), %d above 2 x + 0.05 s, %d whose check did not end\n", models, exp(log_sum / models), worst, which, many, open }'
