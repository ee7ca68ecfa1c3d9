#!/bin/bash
# Theorems for Coq: for each model that is SAFE the bytes of its theorem and the user CPU time of coqc on it, or why there is none.
#
# benches/theorems.sh CUBICLE [MODEL ..]
#
# Without models, those of `examples`, `examples/threshold` and `examples/refines`. Needs coqc. Ends with an error when Coq refuses a theorem.
set -u
cubicle=$1
shift
here=$(cd "$(dirname "$0")" && pwd)
[ $# -gt 0 ] || set -- "$here"/../examples/*.cub "$here"/../examples/{threshold,refines}/*.cub
TIMEFORMAT=%U
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
accepted=0 refused=0

for model; do
    rm -rf "$work/certificate"
    "$cubicle" -q --time-limit 120s --coq --certificate "$work/certificate" "$model" >"$work/verdict" 2>"$work/errors"
    theorem=$work/certificate/coq/Theorem.v
    if [ ! -e "$theorem" ]; then
        if why=$(grep -m 1 -h C0801 "$work/errors"); then
            echo "${model##*/}: ${why#*for Coq: }"
        elif grep -q "time limit" "$work/verdict" "$work/errors"; then
            echo "${model##*/}: no theorem within 120 s"
        fi
        continue
    fi
    # What is the same for all is compiled once.
    if [ ! -e "$work/once/Notation.vo" ]; then
        sh "$work/certificate/check.sh" >"$work/said" 2>&1
        cp -r "$work/certificate/coq" "$work/once"
    fi
    cp "$theorem" "$work/once/Theorem.v"
    seconds=$({ time coqc -q -Q "$work/once" Cubicle "$work/once/Theorem.v" >"$work/said" 2>"$work/errors"; } 2>&1)
    if grep -q "Closed under the global context" "$work/said"; then
        accepted=$((accepted + 1))
        echo "${model##*/}: $(stat -c %s "$theorem") bytes, $seconds s"
    else
        refused=$((refused + 1))
        echo "${model##*/}: REFUSED: $(tail -1 "$work/errors")"
    fi
done
echo "$accepted accepted, $refused refused"
[ "$refused" = 0 ]
