#!/bin/sh
# A table of the examples that count: CPU seconds of the bare command, whether its certificate is accepted by the built-in Z3, by z3 and by
# cvc5, and CPU seconds of the wrong twin.
#
# usage: benches/counting.sh [PROGRAM] [EXAMPLE]..
set -u
program=${1:-target/release/cubicle}
[ $# -gt 0 ] && shift
cd "$(dirname "$0")/.." || exit 2
[ $# -gt 0 ] || set -- readers_count readers_priority refcount refcounts semaphore bounded_buffer barrier_count sense_barrier two_phase_count \
    directory_count sleepable_rcu majority_leader majority_terms majority_votes leader_ballots thread_pool splitter_count transfer ticket_queue ticket_lock rw_spin rw_word \
    reliable_broadcast threshold/folklore_broadcast threshold/consistent_broadcast threshold/byzantine_broadcast threshold/binary_value_broadcast threshold/bracha_agreement threshold/condition_consensus threshold/bosco \
    threshold/one_step_consensus threshold/nbac_consensus threshold/nbac_fragile
folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder"' EXIT

# Runs a command; sets `code`, and `cpu` to its CPU seconds.
timed() {
    times=$( { /usr/bin/time -f '%U %S' "$@" > "$folder/out" 2> "$folder/err"; } 2>&1; echo "$?" )
    code=$(echo "$times" | tail -n 1)
    cpu=$(tail -n 1 "$folder/err" | awk '{ printf "%.2f", $1 + $2 }')
}

# Whether a certificate is accepted.
accepted() {
    "$program" check-certificate "$@" > "$folder/out" 2>&1 && echo yes || echo "NO ($?)"
}

echo '| example | verdict | CPU | certified | z3 | cvc5 | twin | CPU |'
echo '| --- | --- | --- | --- | --- | --- | --- | --- |'
for example in "$@"; do
    model=examples/$example.cub
    timed "$program" --quiet "$model"
    case $code in 0) verdict=safe ;; *) verdict="code $code" ;; esac
    line="| $example | $verdict | $cpu"
    "$program" --quiet --force --certificate "$folder/certificate" "$model" > "$folder/out" 2>&1
    line="$line | $(accepted "$model" "$folder/certificate")"
    line="$line | $(accepted --check-with z3 "$model" "$folder/certificate")"
    line="$line | $(accepted --check-with 'cvc5 --incremental' "$model" "$folder/certificate")"
    timed "$program" --quiet "examples/${example}_wrong.cub"
    case $code in 1) verdict=unsafe ;; *) verdict="code $code" ;; esac
    echo "$line | $verdict | $cpu |"
done
