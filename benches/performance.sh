#!/bin/bash
# Writes docs/performance.md: Cubicle beside the original Cubicle, rumur and SPIN, on the same models, in turn.
#
#   benches/performance.sh PROGRAM FIGURES MODELS [ORIGINAL]
#
# PROGRAM    the program that is measured, a release build
# FIGURES    a table with tabs: model, verdict, K of `brab K`, CPU seconds of the original program (`-`: undecided)
# MODELS     the folder of the models that the table names
# ORIGINAL   a binary of the original program: runs beside ours, in place of the figures
#
# Needs rumur, spin and gcc. LIMIT: seconds of CPU for one run (120). PART=proofs or PART=instances writes that table only, to
# standard output.
set -eu
cd "$(dirname "$0")/.."
program=$1 figures=$2 models=$3 original=${4:-} limit=${LIMIT:-120}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Runs a command: sets `cpu` and `wall` (seconds), `peak` (MiB) and `code`; its output is in $work/out.
run() {
    code=0
    (ulimit -t "$limit" && /usr/bin/time -q -f '%U %S %e %M' -o "$work/time" "$@" >"$work/out" 2>"$work/err") || code=$?
    read -r cpu wall peak < <(tail -n 1 "$work/time" | awk '{ printf "%.2f %.2f %.0f\n", $1 + $2, $3, $4 / 1024 }')
}

# The least CPU time of three runs, or of one that takes ten seconds; sets `best` and `code`.
best_of_three() {
    best=
    for _ in 1 2 3; do
        run "$@"
        best=$(awk -v a="${best:-$cpu}" -v b="$cpu" 'BEGIN { print (b < a ? b : a) }')
        awk -v a="$cpu" 'BEGIN { exit a < 10 }' || continue
        break
    done
}

# How an exit code of cubicle reads.
verdict() {
    case $1 in 0) echo safe ;; 1) echo unsafe ;; *) echo open ;; esac
}

proofs() {
    echo "| model | verdict | original, \`-brab K\` | \`brab K\` | \`cubicle FILE\` |"
    echo "| --- | --- | --- | --- | --- |"
    : >"$work/ratios"
    while IFS=$'\t' read -r model expected k known _; do
        case $model,$expected in model,*|*,reject) continue ;; esac
        [ "$k" != - ] || continue
        if [ -n "$original" ]; then
            best_of_three "$original" -brab "$k" "$models/$model" && known=$best
        fi
        best_of_three "$program" --quiet brab "$k" "$models/$model"
        ours=$best ours_says=$(verdict "$code")
        best_of_three "$program" --quiet "$models/$model"
        bare=$best bare_says=$(verdict "$code")
        [ "$known" = - ] || echo "$known $ours $bare" >>"$work/ratios"
        # Small rows are in the means only.
        awk -v a="$known" -v b="$ours" -v c="$bare" 'BEGIN { exit !(a == "-" || a >= 1 || b >= 1 || c >= 1) }' || continue
        [ "$ours_says" != open ] || ours=open
        [ "$bare_says" != open ] || bare=open
        echo "| ${model%.cub} | $(verdict_of "$ours_says" "$bare_says") | ${known/#-/open} | $ours | $bare |"
    done <"$figures"
    awk '{ n++; a += $1; b += $2; c += $3; x += log(($2 + 0.01) / ($1 + 0.01)); y += log(($3 + 0.01) / ($1 + 0.01)) }
         END { printf "\n%d models that the original decides: %.0f s there, %.0f s with `brab K`, %.0f s with `cubicle FILE`; geometric means of the ratios (0.01 s added to each time) %.2f and %.2f.\n",
                      n, a, b, c, exp(x / n), exp(y / n) }' "$work/ratios"
}

# The verdict of two runs, of which one may be open.
verdict_of() {
    if [ "$1" = open ]; then echo "$2"; else echo "$1"; fi
}

# A row: tool, states, CPU, wall, memory.
row() {
    local said="$2 | $cpu | $wall | $peak"
    [ "$code" = 0 ] || said="not within $limit s and 16 GiB | | | $peak"
    echo "| $1 | $said |"
}

instances() {
    echo "| model, K | states | CPU, s | wall, s | MiB |"
    echo "| --- | --- | --- | --- | --- |"
    for entry in german:4 german:5 german:6 german_data:3 szymanski:6 mesi:10 illinois:10 two_phase_commit:9; do
        model=${entry%:*} k=${entry#*:} file=examples/${entry%:*}.cub
        run "$program" --only-forward --keep-dead --procs "$k" "$file"
        row "$model, $k: cubicle" "$(states 's/^Explored .*: \(all \)\{0,1\}\([0-9]*\) .*/\2/p')"
        run "$program" --only-forward --keep-dead --procs "$k" --store compact "$file"
        row "cubicle, \`--store compact\`" "$(states 's/^Explored .*: \(all \)\{0,1\}\([0-9]*\) .*/\2/p')"
        if "$program" export "$file" --to murphi --procs "$k" -o "$work/m.m" 2>"$work/err"; then
            rumur --deadlock-detection off --symmetry-reduction heuristic --threads 1 -o "$work/m.c" "$work/m.m"
            gcc -O3 -march=native -mcx16 -w -o "$work/m" "$work/m.c" -lpthread -latomic
            run "$work/m"
            row "rumur" "$(states 's/.*[^0-9]\([0-9][0-9]*\) states.*/\1/p')"
        else
            echo "| rumur | cannot be written | | | |"
        fi
        if "$program" export "$file" --to promela --procs "$k" -o "$work/m.pml" 2>"$work/err"; then
            (cd "$work" && spin -o2 -a m.pml >/dev/null && gcc -O3 -w -DSAFETY -DNOFAIR -DMEMLIM=16384 -DCOLLAPSE -o pan pan.c)
            run "$work/pan" -m10000000 -w24
            row "SPIN" "$(states 's/^ *\([0-9.e+]*\) states, stored.*/\1/p')"
        else
            echo "| SPIN | cannot be written | | | |"
        fi
    done
}

# The number of states that a run printed.
states() {
    sed -n "$1" "$work/out" | tail -n 1
}

case ${PART:-} in
    proofs) proofs && exit ;;
    instances) instances && exit ;;
esac
processor=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
{
    cat <<PAGE
# Performance, side by side

Cubicle beside the original program, and, for instances with K processes, beside rumur and SPIN, each with the settings that suit the models best.
\`benches/performance.sh\` wrote this page on $(date +%Y-%m-%d): $("$program" --version | head -n 1), $processor, $(nproc) cores; $(rumur --version), $(spin -V), $(gcc --version | head -n 1).
Runs take turns on that machine. A figure is one run on a machine that may have other work: compare those of one row.

## Any number of processes

Seconds of CPU, the least of three runs. ${original:+The original ran beside ours.}${original:-Those of the original are from a table that was measured on another day.} Models that all take less than a second are in the means only;
"open": no answer within $limit s.

PAGE
    proofs
    cat <<'PAGE'

`cubicle FILE` decides by a schedule of searches, without a bound that the user has to find.

## Instances

All reachable states. Cubicle and rumur store one of those states that are the same up to renaming of processes; the model that is written for Murphi declares
`scalarset`s where processes are symmetric. SPIN stores each (`-DSAFETY -DCOLLAPSE`). Compile times are not counted.

PAGE
    instances
    cat <<'PAGE'

To repeat it: `benches/performance.sh target/release/cubicle FIGURES MODELS`, with a table of models with tabs between name, verdict, K and seconds of the original
(`-` where it does not end), and the folder of these models.
PAGE
} >docs/performance.md
