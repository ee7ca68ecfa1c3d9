//! Models that once had a wrong answer, or none: the command, its exit code, and what it prints. The models are in `tests/found4`.

use crate::harness::{run, run_stdin};

/// The command, with `@` for the folder of models, its exit code, and a part of its output.
type Row = (&'static str, i32, &'static str);

fn answers(rows: &[Row]) {
    for (command, code, part) in rows {
        let found = run(&command.replace('@', "tests/found4/"));
        let all = format!("{}{}", found.stdout, found.stderr);
        assert_eq!(found.code, Some(*code), "{command}: {all}");
        assert!(all.contains(part), "{command}: {all}");
        assert!(!all.contains("internal error"), "{command}: {all}");
    }
}

/// A count whose formula compares the counted process with a parameter of a step.
#[test]
fn counts_that_compare_with_parameters() {
    answers(&[
        ("@A3_equal.cub", 1, "t(#1)"),
        ("--engine classic @A3_equal.cub", 1, "t(#1)"),
        ("@A1_min.cub", 1, "t1(#1)"),
        ("--engine classic @A1_min.cub", 1, "t1(#1)"),
        ("--engine classic --solver z3 @A1_min.cub", 1, "t1(#1)"),
        ("--certify @A3_certify_refuses.cub", 0, "SAFE"),
    ]);
}

/// No process has more than the sum, where no process has less than zero.
#[test]
fn sums_of_numbers_that_are_never_negative() {
    answers(&[("@shares.cub", 0, "SAFE")]);
}

/// Nothing is known of a sum of numbers that may be negative, but that it is what its processes add up to: none, or those that a guard leaves.
#[test]
fn sums_of_numbers_that_may_be_negative() {
    answers(&[
        ("--certify @tally.cub", 0, "SAFE"),
        ("@tally_closed_early.cub", 1, "UNSAFE"),
        ("--certify @debts.cub", 0, "SAFE"),
        ("@debts_forgotten.cub", 1, "UNSAFE"),
        ("@debts_counted_early.cub", 1, "UNSAFE"),
    ]);
}

/// Initially nothing is counted beside a process that the cube names, where init says so of each two.
#[test]
fn counts_in_the_beginning() {
    answers(&[("--certify @marks_counted.cub", 0, "SAFE"), ("@marks_from_the_beginning.cub", 1, "UNSAFE")]);
}

/// A pointer that holds a process is not `nil`, also where a count asks that.
#[test]
fn counts_of_pointers() {
    answers(&[
        ("--certify @waiting_for.cub", 0, "SAFE"),
        ("@waiting_for_the_last.cub", 1, "UNSAFE"),
        ("--certify @waiting_counted.cub", 0, "SAFE"),
        ("@waiting_counted_twice.cub", 1, "UNSAFE"),
        ("--certify @waiting_for_count.cub", 0, "SAFE"),
    ]);
}

/// What a process holds while its pointer is nil, and what adds up to a constant with that.
#[test]
fn sums_that_depend_on_pointers() {
    answers(&[("--certify @escrow.cub", 0, "SAFE"), ("@escrow_without_fee.cub", 1, "UNSAFE")]);
}

/// A comparison of the numbers of a process and of the one that it points to.
#[test]
fn numbers_of_what_is_pointed_to() {
    answers(&[
        ("--certify @receipts.cub", 0, "SAFE"),
        ("--certify @lease_with_drift.cub", 0, "SAFE"),
        ("@lease_without_drift.cub", 1, "UNSAFE"),
    ]);
}

/// Acknowledgements on their way, by what several arrays say together, where it depends on a global that they are none.
#[test]
fn acknowledgements_of_copies() {
    answers(&[
        ("--certify @upgrade.cub", 0, "SAFE"),
        ("@upgrade_that_lost.cub", 1, "UNSAFE"),
        ("--certify @directory_acks.cub", 0, "SAFE"),
        ("@directory_without_owner.cub", 1, "UNSAFE"),
    ]);
}

/// A guard about a count of copies says something of all other processes, as `forall_other` does.
#[test]
fn counts_of_copies_say_what_others_hold() {
    answers(&[("--certify @dragon_counted.cub", 0, "SAFE"), ("@dragon_without_write_back.cub", 1, "UNSAFE")]);
}

/// An equation that depends on whether a class of processes is empty.
#[test]
fn shared_ownership_with_weak_pointers() {
    answers(&[("--certify @weak_pointers.cub", 0, "SAFE"), ("@weak_pointers_unasked.cub", 1, "UNSAFE")]);
}

/// A cube that says something of all other processes is applied to processes that are counted and have no name.
#[test]
fn others_of_processes_without_a_name() {
    answers(&[("--engine classic --certify @ready_twice.cub", 0, "SAFE"), ("@ready_again.cub", 1, "UNSAFE")]);
}

/// A chain of pointers is as long as it wants: what excludes a part of it depends on cells that the chain does not mention.
#[test]
fn chains_of_pointers_are_split() {
    answers(&[
        ("--certify @marking.cub", 0, "SAFE"),
        ("@marking_white.cub", 1, "UNSAFE"),
        ("--certify @readers_of_a_list.cub", 0, "SAFE"),
        ("@readers_of_a_freed_list.cub", 1, "UNSAFE"),
        ("@stack.cub", 0, "SAFE"),
        ("@stack_of_used_nodes.cub", 1, "UNSAFE"),
    ]);
}

/// Pointers to processes of two sorts may be `nil`.
#[test]
fn nil_of_two_sorts() {
    answers(&[("--certify @visibility.cub", 0, "SAFE"), ("@visibility_without_receipts.cub", 1, "UNSAFE")]);
}

/// A bound on a number or count that holds because it holds together with a number that is moved to it.
#[test]
fn bounds_of_what_is_moved() {
    answers(&[
        ("--certify @boarding.cub", 0, "SAFE"),
        ("@boarding_early.cub", 1, "UNSAFE"),
        ("--certify @credits_lost.cub", 0, "SAFE"),
        ("@credits_restored.cub", 1, "UNSAFE"),
        ("--certify @quota.cub", 0, "SAFE"),
        ("@quota_committed_later.cub", 1, "UNSAFE"),
    ]);
}

/// A number is bounded by the processes that a bad state excludes.
#[test]
fn sleepers_that_are_woken() {
    answers(&[("--certify @woken.cub", 0, "SAFE"), ("@woken_late.cub", 1, "UNSAFE")]);
}

/// Counts of several sorts, which depend on two arrays.
#[test]
fn counts_by_two_arrays() {
    answers(&[
        ("--certify @scoreboard.cub", 0, "SAFE"),
        ("@scoreboard_replayed.cub", 1, "UNSAFE"),
        ("--certify @open_files.cub", 0, "SAFE"),
        ("@open_files_taken.cub", 1, "UNSAFE"),
        ("--certify @quotas_of_tenants.cub", 0, "SAFE"),
    ]);
}

/// What a number of each process equals while a pointer holds it.
#[test]
fn sums_of_which_a_pointer_says_one_summand() {
    answers(&[("--certify @auction.cub", 0, "SAFE"), ("@auction_refunded_twice.cub", 1, "UNSAFE")]);
}

/// What numbers add up to over the processes in a location.
#[test]
fn sums_over_processes_in_a_location() {
    answers(&[
        ("--certify @pool.cub", 0, "SAFE"),
        ("@pool_too_small.cub", 1, "UNSAFE"),
        ("--certify @snapshot.cub", 0, "SAFE"),
        ("@snapshot_without_late.cub", 1, "UNSAFE"),
        ("--certify @register.cub", 0, "SAFE"),
        ("@register_of_few.cub", 1, "UNSAFE"),
        ("--certify @stored_by_majority.cub", 0, "SAFE"),
        ("--certify @never_waiting.cub", 0, "SAFE"),
        ("--certify @elected.cub", 0, "SAFE"),
        ("--certify @elected_by_grants.cub", 0, "SAFE"),
        ("@elected_by_voters_of_several.cub", 1, "UNSAFE"),
    ]);
}

/// Where what each process says of itself does not add up, there is a run.
#[test]
fn sums_of_what_each_process_holds() {
    answers(&[("--certify tests/traps/L72.cub", 0, "SAFE"), ("@money_lost.cub", 1, "UNSAFE")]);
}

/// Equations of numbers of each process of a sort, and one that is about two numbers. Without approximation, the last search ends where a test takes
/// too many clauses: its cubes have many readers that are alike.
#[test]
fn counts_of_users_and_of_readers() {
    answers(&[
        ("--certify @last_user_closes.cub", 0, "SAFE"),
        ("--certify --engine classic @last_user_closes.cub", 0, "SAFE"),
        ("--certify @readers_in_phases.cub", 0, "SAFE"),
        ("--engine classic @readers_in_phases.cub", 3, "too many processes"),
    ]);
}

/// Cells of witnesses hold processes of their sort.
#[test]
fn witnesses_of_a_sort() {
    answers(&[
        ("@min1_witness_of_wrong_sort.cub", 0, "SAFE"),
        ("--certify @min1_witness_of_wrong_sort.cub", 0, "SAFE"),
        ("--only-forward --procs group=1,node=0 @min1_witness_of_wrong_sort.cub", 0, ""),
        ("--only-forward --procs group=2,node=1 @min1_witness_of_wrong_sort.cub", 0, "Nothing wrong"),
    ]);
}

/// `A[G]` has no value where `G` holds a process of another sort.
#[test]
fn pointers_to_processes_of_another_sort() {
    answers(&[
        ("@F3.cub", 0, "SAFE"),
        ("--only-forward --procs 2 @F3.cub", 0, "Nothing wrong"),
        ("--only-forward --procs node=1,item=0 @F3c.cub", 0, "Nothing wrong"),
        ("--only-forward --procs node=1,item=0 @F3b.cub", 1, "served: VIOLATED"),
        ("--only-forward --procs node=1,item=0 @F3e.cub", 1, "served: VIOLATED"),
        ("validate @F5.cub @F5.log", 1, "not explained"),
        ("validate @F5b.cub @F5b.log", 1, "not explained"),
    ]);
}

/// Parameters of another sort are no reason to refuse a model.
#[test]
fn quantifiers_and_restarts_beside_other_sorts() {
    answers(&[
        ("@F1.cub", 0, "SAFE"),
        ("--only-forward --procs node=1,lock=1 --crash restart @F2.cub", 0, "Nothing wrong"),
        ("refines @F9.cub @F9.cub --map @F9.map", 0, "refines"),
    ]);
}

/// An `invariant` that mentions an assigned cell is a claim, also where its formula does not depend on the cell.
#[test]
fn a_lemma_whose_cells_are_simplified_away() {
    answers(&[("@C1.cub", 1, "INVARIANT REFUTED"), ("--certify @C1.cub", 1, "INVARIANT REFUTED")]);
}

/// The explanation of an initial bad state, of which something holds for some, or not for all, processes.
#[test]
fn initial_bad_states_with_quantifiers() {
    answers(&[("@A2_crash.cub", 1, "UNSAFE"), ("@A2_crash_sorts.cub", 1, "UNSAFE")]);
}

/// What one division of the processes among sorts shows is not said of all instances with as many processes.
#[test]
fn divisions_of_processes_among_sorts() {
    let (locks, only) = ("tests/traps/L70.cub", "tests/traps/L71.cub");
    for (options, model, code, part) in [
        (
            "--engine classic --nodes 1 --procs node=2,lock=1",
            locks,
            3,
            "all states with 3 processes (node=2,lock=1) were seen",
        ),
        ("brab 1 --nodes 1", locks, 3, "all states with 2 processes (node=1,lock=1) were seen: none is bad"),
        (
            "--only-forward --procs node=2,lock=1",
            locks,
            0,
            "Nothing wrong found with 3 processes (node=2,lock=1) in all 3 orbits",
        ),
        ("--only-forward --procs node=2,lock=1 --ltl F{false}", locks, 1, "VIOLATED"),
        (
            "--only-forward --procs node=2,lock=1 --ltl G{true}",
            locks,
            0,
            "ltl: holds with 3 processes (node=2,lock=1)\n",
        ),
        ("--vacuity error --procs node=2,lock=1", only, 0, "SAFE"),
        (
            "--deadlock --procs node=1,lock=2",
            only,
            0,
            "No deadlock found with 3 processes (node=1,lock=2) in all",
        ),
    ] {
        let found = run(&format!("{options} {model}"));
        let all = format!("{}{}", found.stdout, found.stderr);
        assert_eq!(found.code, Some(code), "{options}: {all}");
        assert!(all.contains(part), "{options}: {all}");
    }
    // The one node takes a lock where there are two of them.
    let text = std::fs::read_to_string(only).expect("a model");
    let runs = format!("{text}possible rests (n : node) {{ Busy[n] = False }}\n");
    let found = run_stdin("--procs node=2,lock=1 -", runs.as_bytes());
    let last = "UNKNOWN: rests is verified for 3 processes (node=2,lock=1) only: ";
    assert!(found.stdout.lines().last().is_some_and(|it| it.starts_with(last)), "{found:?}");
    let wrong = format!("{text}invariant (l : lock) {{ Taken[l] = True }}\n");
    for division in ["", "--procs node=2,lock=1", "--procs node=3", "--procs 3"] {
        let found = run_stdin(&format!("--trust-invariants {division} -"), wrong.as_bytes());
        assert_eq!(found.code, Some(2), "{division}: {found:?}");
        assert!(found.stdout.contains("ASSUMPTION REFUTED"), "{division}: {found:?}");
    }
}
