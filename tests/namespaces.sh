#!/usr/bin/env bash
# Three hosts in network namespaces: `cubicle cluster` finds there what one process finds, and each fault ends all
# processes within ten seconds. Prints tables; without root it is skipped (exit code 77).
#
#     tests/namespaces.sh [PROGRAM]
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
program=$(realpath "${1:-${CARGO_TARGET_DIR:-target}/release/cubicle}")
if [ "$(id -u)" != 0 ] || ! command -v ip > /dev/null; then
    echo "skipped: needs root, and the program ip"
    exit 77
fi
[ -x "$program" ] || { echo "there is no program $program: cargo build --release"; exit 2; }

tag=cub$$
work=$(mktemp -d)
hub=$tag-hub
host() { echo "$tag-$1"; }
clean() {
    jobs -p | xargs -r kill -9 2> /dev/null
    for name in "$(host 0)" "$(host 1)" "$(host 2)" "$hub"; do
        ip netns pids "$name" 2> /dev/null | xargs -r kill -9 2> /dev/null
        ip netns del "$name" 2> /dev/null
    done
    rm -rf "$work"
}
trap clean EXIT
ip netns add "$hub" || { echo "skipped: needs the right to make network namespaces"; exit 77; }
ip -n "$hub" link add br0 type bridge
ip -n "$hub" link set br0 up
for i in 0 1 2; do
    ip netns add "$(host $i)"
    ip -n "$hub" link add "to$i" type veth peer name eth0 netns "$(host $i)"
    ip -n "$hub" link set "to$i" master br0 up
    ip -n "$(host $i)" addr add "10.77.0.$((i + 1))/24" dev eth0
    ip -n "$(host $i)" link set eth0 up
    ip -n "$(host $i)" link set lo up
done
printf '10.77.0.1\n10.77.0.2\n10.77.0.3\n' > "$work/hosts"
head -c 32 /dev/urandom | od -An -tx1 | tr -d ' \n' > "$work/secret"
echo "another secret of more than 16 bytes" > "$work/other"

# on I WORDS..: runs the program on host I; its output, errors and exit code go to files.
on() {
    local i=$1
    shift
    (
        ip netns exec "$(host "$i")" "$program" "$@" > "$work/out$i" 2> "$work/err$i" &
        echo $! > "$work/pid$i"
        wait $!
        echo $? > "$work/code$i"
    ) 2> /dev/null &
}
# start I OWN.. -- OPTIONS: starts process I.
start() {
    local i=$1
    shift
    on "$i" cluster --hosts "$work/hosts" --process "$i" "$@"
}
begin() {
    rm -f "$work"/{out,err,code,pid}*
}
# all WORDS..: starts the three of them with the same words, the secret first.
all() {
    begin
    for i in 0 1 2; do start $i --secret "$work/secret" "$@"; done
}
# ended SECONDS I..: waits until these have ended; how long that took, or "never".
ended() {
    local limit=$1 began=$EPOCHREALTIME i
    shift
    while :; do
        local left=0
        for i in "$@"; do [ -s "$work/code$i" ] || left=1; done
        local spent=$(( (${EPOCHREALTIME/./} - ${began/./}) / 100000 ))
        [ $left = 0 ] && { echo "$((spent / 10)).$((spent % 10))"; return; }
        [ $spent -gt $((limit * 10)) ] && { echo never; return; }
        sleep 0.05
    done
}
failures=0

echo "| exploration | one process | three hosts, 2 workers each | same |"
echo "| --- | --- | --- | --- |"
while read -r line; do
    plain=$("$program" --only-forward --quiet --allow C0916 $line 2> "$work/plain-err"; echo "exit code $?")
    all --workers 2 -- --quiet --allow C0916 $line
    took=$(ended 120 0 1 2)
    found=$(cat "$work/out0"; echo "exit code $(cat "$work/code0")")
    same=yes
    if [ "$plain" != "$found" ] || [ "$took" = never ] || [ "$(cat "$work/code1" "$work/code2" | tr '\n' ' ')" != "0 0 " ]; then
        same="**no**"
        failures=$((failures + 1))
    fi
    one_line() { echo "$1" | grep -v '^$' | tail -2 | paste -sd ';' | cut -c1-90; }
    echo "| \`$line\` | $(one_line "$plain") | $(one_line "$found") | $same |"
done << 'MODELS'
--procs 6 examples/german.cub
--procs 4 --forward-nosym examples/german.cub
--procs 3 --max-forward 200000 examples/german_data.cub
--procs 5 --deadlock examples/dekker.cub
--procs 3 --forward-depth 30 examples/bakery.cub
--procs 5 examples/szymanski.cub
--procs 6 --crash stop:1 examples/mutex.cub
--procs 4 --forward-depth 25 examples/ricart_agrawala.cub
--procs 5 --forward cfl --max-forward 100000 examples/german.cub
--procs 3 --forward random --epochs 200 examples/mesi_wrong.cub
MODELS
plain=$("$program" mutate --quiet examples/mesi.cub 2> /dev/null)
all --workers 2 -- mutate --quiet examples/mesi.cub
ended 120 0 1 2 > /dev/null
same=yes
[ "$plain" = "$(cat "$work/out0")" ] || { same="**no**"; failures=$((failures + 1)); }
echo "| \`mutate examples/mesi.cub\` | $plain | $(cat "$work/out0") | $same |"

echo
echo "| fault | ended after | exit codes | what process 0 says (or, when it is lost, process 1) |"
echo "| --- | --- | --- | --- |"
long="--procs 9 --quiet --allow C0916 examples/german.cub"
# row NAME EXPECTED SECONDS I..: a line of the table about these processes, all of which must end with this code.
row() {
    local name=$1 expected=$2 took=$3 codes="" i
    shift 3
    local says
    says=$(cat "$work/out$1" "$work/err$1" | grep -v '^$' | tail -1)
    for i in "$@"; do codes="$codes $(cat "$work/code$i" 2> /dev/null || echo none)"; done
    for i in "$@"; do [ "$(cat "$work/code$i" 2> /dev/null)" = "$expected" ] || took="**$took**"; done
    case $took in never | \**) failures=$((failures + 1)) ;; esac
    echo "| $name | $took s |$codes | $says |"
}
running() { sleep 2.5; }
all -- $long; running; kill -9 "$(cat "$work/pid2")"; row "process 2 is killed" 4 "$(ended 10 0 1)" 0 1
all -- $long; running; kill -9 "$(cat "$work/pid0")"; row "process 0 is killed" 4 "$(ended 10 1 2)" 1 2
all -- $long; running; kill -STOP "$(cat "$work/pid1")"; row "process 1 is stopped for ever" 4 "$(ended 10 0 2)" 0 2
kill -9 "$(cat "$work/pid1")"
all -- $long; running; ip -n "$hub" link set to2 down
row "the link of host 2 is cut" 4 "$(ended 10 0 1 2)" 0 1 2
grep -q "process 2 " "$work/err0" "$work/out0" || { echo "**another process is named**"; failures=$((failures + 1)); }
ip -n "$hub" link set to2 up
for kind in "walks --procs 9 --forward cfl --quiet --allow C0916 examples/german.cub" "mutants mutate --quiet --anyway --procs 6 --max-states 4000000 examples/ricart_agrawala.cub"; do
    words=${kind#* }
    all -- $words; running; kill -9 "$(cat "$work/pid2")"; row "process 2 is killed, with ${kind%% *}" 4 "$(ended 10 0 1)" 0 1
    all -- $words; running; ip -n "$hub" link set to2 down
    row "the link of host 2 is cut, with ${kind%% *}" 4 "$(ended 10 0 1 2)" 0 1 2
    ip -n "$hub" link set to2 up
done
short="--procs 7 --quiet --allow C0916 examples/german.cub"
for away in 3 3.5 4.5 5.2 6; do
    all -- $short; sleep 1; ip -n "$hub" link set to2 down; sleep $away; ip -n "$hub" link set to2 up
    row "the link of host 2 is away for $away s" 0 "$(ended 120 0 1 2)" 0 1 2
done
all -- $short; sleep 1; kill -STOP "$(cat "$work/pid1")"; sleep 4; kill -CONT "$(cat "$work/pid1")"
row "process 1 is stopped for 4 s" 0 "$(ended 120 0 1 2)" 0 1 2

kept="--checkpoint $work/kept --checkpoint-every 0s --procs 6 --quiet --allow C0916 examples/german.cub"
plain=$("$program" --only-forward --procs 6 --quiet --allow C0916 examples/german.cub)
# lost NAME COMMAND I J: process 0 of a run with a checkpoint is lost, or another one; these are left. Then all go on.
lost() {
    rm -rf "$work/kept"
    all -- $kept
    until [ -e "$work/kept/process-2/states-20-0" ]; do sleep 0.01; done
    eval "$2"
    row "$1, with a checkpoint" 4 "$(ended 10 $3 $4)" $3 $4
    ip -n "$hub" link set to2 up
    ended 10 0 1 2 > /dev/null
    begin
    for i in 1 2; do start $i --secret "$work/secret" -- $kept; done
    on 0 resume "$work/kept"
    row "...and all go on" 0 "$(ended 120 0 1 2)" 0 1 2
    [ "$plain" = "$(cat "$work/out0")" ] || { echo "**what it found is not the same**"; failures=$((failures + 1)); }
}
lost "process 2 is killed" 'kill -9 "$(cat "$work/pid2")"' 0 1
lost "process 0 is killed" 'kill -9 "$(cat "$work/pid0")"' 1 2
lost "the link of host 2 is cut" 'ip -n "$hub" link set to2 down' 0 1

begin
start 0 --secret "$work/secret" -- $short
start 1 --secret "$work/secret" -- $short
start 2 --secret "$work/other" -- $short
row "process 2 has another secret" 4 "$(ended 10 2)" 2
start 2 --secret "$work/secret" -- $short
row "...and then the right one" 0 "$(ended 120 0 1 2)" 0 1 2
begin
start 0 --secret "$work/secret" -- $short
start 1 --secret "$work/secret" -- $short
start 2 --secret "$work/secret" -- --procs 7 --quiet examples/mesi.cub
row "process 2 has another model" 4 "$(ended 10 0 1 2)" 0 1 2
begin
start 0 -- $short
row "there is no secret" 2 "$(ended 10 0)" 0
begin
start 0 --secret "$work/secret" --wait 2s -- $short
row "the others do not come within --wait 2s" 4 "$(ended 10 0)" 0
begin
start 0 --secret "$work/secret" -- $short
sleep 1
start 1 --secret "$work/secret" -- $short
ip netns exec "$(host 1)" bash -c 'exec 3<> /dev/tcp/10.77.0.1/7420; sleep 30' &
silent=$!
ip netns exec "$(host 1)" bash -c 'head -c 1G /dev/urandom > /dev/tcp/10.77.0.1/7420' 2> /dev/null &
sleep 2
peak=$(awk '/VmHWM/ { print int($2 / 1024) " MiB" }' "/proc/$(ip netns pids "$(host 0)" | head -1)/status")
start 2 --secret "$work/secret" -- $short
row "a connection that never speaks, and 1 GiB of random bytes (peak before the run $peak)" 0 "$(ended 120 0 1 2)" 0 1 2
kill $silent 2> /dev/null
begin
start 0 --secret "$work/secret" -- $short
sleep 1
cp "$work/code0" "$work/first" 2> /dev/null
ip netns exec "$(host 0)" "$program" cluster --hosts "$work/hosts" --process 0 --secret "$work/secret" -- $short \
    > "$work/out1" 2> "$work/err1"
echo $? > "$work/code1"
row "a second process 0 on the same port" 4 "$(ended 10 1)" 1
[ $failures = 0 ] || { echo "$failures rows are not as they should be"; exit 1; }
