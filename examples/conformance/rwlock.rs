//! A readers-writers spin lock in one word, used by a few threads, each of which logs what it does: the protocol of
//! `examples/rw_spin.cub`.
//!
//! `rustc -O rwlock.rs && ./rwlock > rwlock.log`. With `--bug`, a writer looks at the word and sets it in two steps; with `--bug
//! --force`, two writers look before one of them sets it, and both are inside before one of them leaves.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering::SeqCst};
use std::thread;
use std::time::{Duration, Instant};

/// The lowest bit is for the writer; each reader adds two.
static WORD: AtomicI64 = AtomicI64::new(0);

/// Counts what happens: the times of the log.
static TIME: AtomicU64 = AtomicU64::new(0);

/// Writers that have seen 0, and those that have set the word.
static LOOKED: AtomicI64 = AtomicI64::new(0);
static ENTERED: AtomicI64 = AtomicI64::new(0);

const READER: i64 = 2;
const WRITER: i64 = 1;
const THREADS: u64 = 3;
const ROUNDS: u64 = 8;

/// A thread gives up after this many attempts: a lock with a bug may never be free again.
const ATTEMPTS: u32 = 2_000;

#[derive(Clone, Copy)]
struct Options {
    bug: bool,
    force: bool,
}

/// What a thread logs.
struct Log {
    thread: u64,
    text: String,
}

impl Log {
    /// Does something to the word that returns its old value, and logs it when it is `said` to be an event.
    fn event(&mut self, act: impl FnOnce() -> Option<i64>, said: impl FnOnce(i64) -> &'static str) -> Option<i64> {
        let invoke = TIME.fetch_add(1, SeqCst);
        let old = act()?;
        let returns = TIME.fetch_add(1, SeqCst);
        let (thread, event) = (self.thread, said(old));
        let _ = writeln!(
            self.text,
            "{{\"thread\": \"t{thread}\", \"event\": \"{event}\", \"word\": {old}, \"invoke\": {invoke}, \"return\": {returns}}}"
        );
        Some(old)
    }

    /// Whether the lock was taken and given back.
    fn read(&mut self) -> bool {
        for _ in 0..ATTEMPTS {
            let is_free = |old: i64| old & WRITER == 0;
            let name = |old| if is_free(old) { "reader in" } else { "reader waits" };
            let old = self.event(|| Some(WORD.fetch_add(READER, SeqCst)), name);
            let entered = old.is_some_and(is_free);
            thread::yield_now();
            let leave = if entered { "reader out" } else { "reader backs off" };
            self.event(|| Some(WORD.fetch_sub(READER, SeqCst)), |_| leave);
            if entered {
                return true;
            }
            thread::yield_now();
        }
        false
    }

    fn write(&mut self, options: Options) -> bool {
        for _ in 0..ATTEMPTS {
            let take = || if options.bug { set_in_two_steps(options.force) } else { test_and_set() };
            if self.event(take, |_| "writer in").is_some() {
                meet(&ENTERED, options.force && options.bug);
                thread::yield_now();
                self.event(|| Some(WORD.fetch_sub(WRITER, SeqCst)), |_| "writer out");
                return true;
            }
            thread::yield_now();
        }
        false
    }
}

fn test_and_set() -> Option<i64> {
    WORD.compare_exchange(0, WRITER, SeqCst, SeqCst).ok()
}

/// The planted bug: another thread may come in between.
fn set_in_two_steps(force: bool) -> Option<i64> {
    let old = WORD.load(SeqCst);
    if old != 0 {
        return None;
    }
    meet(&LOOKED, force);
    thread::yield_now();
    WORD.store(WRITER, SeqCst);
    Some(old)
}

/// With `--force`, waits until two threads have come here.
fn meet(count: &AtomicI64, force: bool) {
    count.fetch_add(1, SeqCst);
    let began = Instant::now();
    while force && count.load(SeqCst) < 2 && began.elapsed() < Duration::from_secs(5) {
        thread::yield_now();
    }
}

fn main() {
    let has = |word: &str| std::env::args().any(|it| it == word);
    let options = Options { bug: has("--bug"), force: has("--force") };
    let work = move |thread: u64| {
        let mut log = Log { thread, text: String::new() };
        for round in 0..ROUNDS {
            // The first two threads begin as writers, so that two can meet.
            let writes = if round == 0 { thread <= 2 } else { (thread * 7 + round * 5) % 3 == 0 };
            if !(if writes { log.write(options) } else { log.read() }) {
                break;
            }
        }
        log.text
    };
    let threads: Vec<_> = (1..=THREADS).map(|number| thread::spawn(move || work(number))).collect();
    for thread in threads {
        print!("{}", thread.join().expect("a thread ends"));
    }
}
