//! Campaigns of several processes: state by state that of one, and whatever a process sends, no panic.

use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::Duration;

use proptest::prelude::{any, prop_assert, proptest};

use super::*;
use crate::Peers;
use crate::fuzz::campaign::Campaign;
use crate::limits::Limits;

/// A process whose messages go through channels.
struct Member {
    me: usize,
    to: Vec<Option<Sender<Vec<u8>>>>,
    from: Vec<Option<Receiver<Vec<u8>>>>,
    /// How messages are corrupted.
    spoils: fn(&mut Vec<u8>),
    distrusts: Sender<usize>,
}

impl Peers for Member {
    fn place(&self) -> (usize, usize) {
        (self.me, self.to.len())
    }

    fn say(&mut self, message: &[u8]) {
        let mut message = message.to_vec();
        (self.spoils)(&mut message);
        self.to.iter().flatten().for_each(|to| drop(to.send(message.clone())));
    }

    fn hear(&mut self, _: &dyn Fn() -> bool) -> Option<Vec<Option<Vec<u8>>>> {
        let word = |from: &Option<Receiver<Vec<u8>>>| match from {
            None => Some(None),
            Some(from) => from.recv().ok().map(Some),
        };
        self.from.iter().map(word).collect()
    }

    fn protocol_error(&mut self, process: usize) {
        let _ = self.distrusts.send(process);
    }
}

/// The results of these processes together, and which of them were rejected.
fn together(
    system: &System,
    procs: usize,
    of_process: &[ForwardOptions],
    spoils: fn(&mut Vec<u8>),
) -> (Vec<Exploration>, Vec<usize>) {
    let n = of_process.len();
    let (distrusts, distrusted) = mpsc::channel();
    let mut members: Vec<Member> = (0..n)
        .map(|me| {
            let (to, from) = (vec![(); n].iter().map(|()| None).collect(), (0..n).map(|_| None).collect());
            Member { me, to, from, spoils: |_| (), distrusts: distrusts.clone() }
        })
        .collect();
    members[n - 1].spoils = spoils;
    for (a, b) in (0..n).flat_map(|a| (0..n).map(move |b| (a, b))).filter(|(a, b)| a != b) {
        let (to, from) = mpsc::channel();
        (members[a].to[b], members[b].from[a]) = (Some(to), Some(from));
    }
    drop(distrusts);
    let found = thread::scope(|scope| {
        let walk = |member: Member| {
            let options = &of_process[member.me];
            let walk = move || {
                let (member, interrupt) = (Box::new(member), Interrupt::default());
                explore_together(system, procs, options, Some(member), &interrupt, &mut Silent).exploration
            };
            scope.spawn(walk)
        };
        let runs: Vec<_> = members.into_iter().map(walk).collect();
        runs.into_iter().map(|run| run.join().expect("it does not panic")).collect()
    });
    (found, distrusted.iter().collect())
}

fn example() -> System {
    cubicle_lang::load(include_str!("../../../examples/mesi.cub")).expect("it is an example").system
}

/// The exploration without the time that walks took.
fn without_time(mut exploration: Exploration) -> Exploration {
    exploration.techniques.iter_mut().for_each(|it| it.time = Duration::ZERO);
    exploration
}

#[test]
fn several_processes_find_what_one_finds() {
    for seed in 0..16 {
        let system = Shape::new(seed).system(seed % 2 == 0);
        for strategy in [Strategy::Cfl, Strategy::Random, Strategy::Dfs] {
            let options = ForwardOptions { strategy, jumpstart: seed % 3 == 0, seed, ..options() };
            let options = options.epochs(20).restart(Restart::default()).max_states(150);
            let alone = without_time(run(&system, 2, &options));
            for n in 1..=3 {
                let (found, distrusted) = together(&system, 2, &vec![options.clone(); n], |_| ());
                assert!(distrusted.is_empty(), "{seed}");
                for it in found {
                    assert_eq!(format!("{:?}", without_time(it)), format!("{alone:?}"), "{seed} {n}");
                }
            }
        }
    }
}

#[test]
fn all_stop_when_one_runs_out_of_memory() {
    let system = example();
    let options = ForwardOptions { strategy: Strategy::Cfl, ..options() };
    let small = ForwardOptions { memory: Some(1 << 14), ..options.clone() };
    let (found, distrusted) = together(&system, 3, &[options.clone(), small, options], |_| ());
    assert!(distrusted.is_empty());
    assert!(found.iter().all(|it| it.stop == Stop::Memory), "{found:?}");
    assert!(found.iter().all(|it| it.epochs == found[0].epochs), "{found:?}");
}

#[test]
fn malformed_messages_are_protocol_errors() {
    let system = example();
    let options = ForwardOptions { strategy: Strategy::Cfl, ..options() };
    let spoils: [fn(&mut Vec<u8>); 3] = [|it| it.truncate(it.len() - 1), |it| it.push(0), |it| it.fill(0xff)];
    for spoils in spoils {
        let (_, distrusted) = together(&system, 3, &vec![options.clone(); 2], spoils);
        assert_eq!(distrusted, [1]);
    }
}

#[test]
fn processes_with_other_options_reject_each_other() {
    let system = example();
    let options = ForwardOptions { strategy: Strategy::Random, ..options() };
    let (_, mut distrusted) = together(&system, 3, &[options.clone(), options.depth(1)], |_| ());
    distrusted.sort_unstable();
    assert_eq!(distrusted, [0, 1]);
}

proptest! {
    /// Any bytes are read as a walk of this campaign, or rejected.
    #[test]
    fn any_bytes_are_read_without_panic(changes in proptest::collection::vec((any::<u16>(), any::<u8>()), 0..4), cut in any::<u16>()) {
        let system = example();
        let options = ForwardOptions { strategy: Strategy::Cfl, ..options() };
        let limits = Limits::new(&options, &Interrupt::default());
        let program = Program::new(&system, 3, &options, &limits.clock).expect("it is small");
        let mut campaign = Campaign::new(Arc::new(program), &options, limits);
        campaign.seed().expect("it is small");
        let tasks = campaign.plan();
        let mut bytes = campaign.message(&campaign.walk(&tasks).expect("there is time"));
        if cut % 2 == 0 {
            bytes.truncate(usize::from(cut) % bytes.len());
        }
        for (at, byte) in changes {
            let at = usize::from(at) % bytes.len().max(1);
            bytes.splice(at..at.max(1).min(bytes.len()), [byte]);
        }
        for (outcome, _) in campaign.read(&bytes, tasks.into_iter()).unwrap_or_default() {
            prop_assert!(outcome.links.len() == outcome.states.len() && outcome.exits.len() == outcome.states.len());
        }
    }
}
