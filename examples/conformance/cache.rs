//! A cache with a directory: a home thread that says which client may hold a copy, and a few clients, connected by channels. Each
//! thread logs what it does: the protocol of `examples/german.cub`.
//!
//! `rustc -O cache.rs && ./cache > cache.log`. With `--bug`, home takes a copy back and grants the next one without waiting for
//! the acknowledgement; with `--bug --force`, the client answers only after that.

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::SeqCst};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

const CLIENTS: usize = 3;
const ROUNDS: usize = 6;
const PAUSE: Duration = Duration::from_micros(200);

/// How long a client waits for home to make its mistake.
const PATIENCE: Duration = Duration::from_millis(500);

#[derive(Clone, Copy, PartialEq)]
enum Copy {
    None,
    Shared,
    Owned,
}

#[derive(Clone, Copy, PartialEq)]
enum Order {
    Grant(Copy),
    Invalidate,
}

/// What all threads know.
struct World {
    /// Counts what happens: the times of the log.
    time: AtomicU64,
    /// Clients that want nothing more.
    done: AtomicUsize,
    /// Grants so far.
    granted: AtomicUsize,
    /// A client has a copy of its own.
    owned: AtomicBool,
    bug: bool,
    force: bool,
}

/// What a thread logs.
struct Log {
    world: Arc<World>,
    node: String,
    text: String,
}

impl Log {
    fn now(&self) -> u64 {
        self.world.time.fetch_add(1, SeqCst)
    }

    /// An event that happened since `invoke`.
    fn event(&mut self, invoke: u64, event: &str, client: usize, copy: Option<Copy>) {
        let (node, returns) = (&self.node, self.now());
        let copy = match copy {
            None => "",
            Some(Copy::None) => ", \"copy\": \"none\"",
            Some(Copy::Shared) => ", \"copy\": \"shared\"",
            Some(Copy::Owned) => ", \"copy\": \"owned\"",
        };
        let _ = writeln!(
            self.text,
            "{{\"node\": \"{node}\", \"event\": \"{event}\", \"client\": \"c{client}\"{copy}, \"invoke\": {invoke}, \"return\": {returns}}}"
        );
    }
}

struct Client {
    number: usize,
    copy: Copy,
    orders: Receiver<Order>,
    requests: Sender<(usize, Copy)>,
    acks: Sender<usize>,
    log: Log,
}

impl Client {
    fn work(mut self) -> String {
        for round in 0..ROUNDS {
            let want = if self.log.world.force {
                // First a client with a copy of its own, then one that wants to share it.
                while self.number != 0 && round == 0 && !self.log.world.owned.load(SeqCst) {
                    thread::sleep(PAUSE);
                }
                if self.number == 0 && round == 0 { Copy::Owned } else { Copy::Shared }
            } else if (self.number * 5 + round * 3) % 4 < 2 {
                Copy::Owned
            } else {
                Copy::Shared
            };
            if self.copy == Copy::Owned || self.copy == want {
                self.obey(PAUSE);
                continue;
            }
            let invoke = self.log.now();
            self.requests.send((self.number, want)).expect("home listens");
            let event = if want == Copy::Owned { "ask exclusive" } else { "ask shared" };
            self.log.event(invoke, event, self.number, None);
            while self.copy != want {
                self.obey(PAUSE);
            }
        }
        self.log.world.done.fetch_add(1, SeqCst);
        while self.log.world.done.load(SeqCst) < CLIENTS {
            self.obey(PAUSE);
        }
        self.log.text
    }

    /// Follows an order, when one comes in time.
    fn obey(&mut self, time: Duration) {
        let invoke = self.log.now();
        let Ok(order) = self.orders.recv_timeout(time) else { return };
        match order {
            Order::Grant(copy) => {
                self.copy = copy;
                self.log.world.owned.fetch_or(copy == Copy::Owned, SeqCst);
                let event = if copy == Copy::Owned { "get exclusive" } else { "get shared" };
                self.log.event(invoke, event, self.number, Some(copy));
            }
            Order::Invalidate => {
                let (before, began) = (self.log.world.granted.load(SeqCst), Instant::now());
                let waits = self.log.world.force && self.log.world.bug;
                while waits && self.log.world.granted.load(SeqCst) == before && began.elapsed() < PATIENCE {
                    thread::yield_now();
                }
                self.copy = Copy::None;
                // With the bug, home may have ended without it.
                let _ = self.acks.send(self.number);
                self.log.event(invoke, "acknowledge", self.number, Some(Copy::None));
            }
        }
    }
}

struct Home {
    orders: Vec<SyncSender<Order>>,
    requests: Receiver<(usize, Copy)>,
    acks: Receiver<usize>,
    sharers: [bool; CLIENTS],
    exclusive: bool,
    log: Log,
}

impl Home {
    fn work(mut self) -> String {
        while self.log.world.done.load(SeqCst) < CLIENTS {
            let invoke = self.log.now();
            let (client, want) = match self.requests.recv_timeout(PAUSE) {
                Ok(request) => request,
                Err(RecvTimeoutError::Timeout) => continue,
                Err(RecvTimeoutError::Disconnected) => break,
            };
            self.log.event(invoke, "serve", client, None);
            if want == Copy::Owned || self.exclusive {
                for other in 0..CLIENTS {
                    if self.sharers[other] {
                        self.order(other, Order::Invalidate, "invalidate");
                    }
                }
                // The planted bug: a client that gives its own copy up will do so soon.
                let waits = !(self.log.world.bug && want == Copy::Shared);
                while self.sharers.contains(&true) && self.receive_ack(waits) {}
            }
            let event = if want == Copy::Owned { "grant exclusive" } else { "grant shared" };
            self.sharers[client] = true;
            self.exclusive = want == Copy::Owned;
            self.order(client, Order::Grant(want), event);
            self.log.world.granted.fetch_add(1, SeqCst);
        }
        self.log.text
    }

    /// Sends an order, as soon as the client has taken the last one.
    fn order(&mut self, client: usize, order: Order, event: &str) {
        let invoke = self.log.now();
        // A client that is done has gone.
        if self.orders[client].send(order).is_ok() {
            self.log.event(invoke, event, client, None);
        }
    }

    /// Whether an acknowledgement came.
    fn receive_ack(&mut self, waits: bool) -> bool {
        let invoke = self.log.now();
        let ack = if waits { self.acks.recv().ok() } else { self.acks.try_recv().ok() };
        if let Some(client) = ack {
            self.sharers[client] = false;
            self.exclusive = false;
            self.log.event(invoke, "receive ack", client, None);
        }
        ack.is_some()
    }
}

fn main() {
    let has = |word: &str| std::env::args().any(|it| it == word);
    let world = Arc::new(World {
        time: AtomicU64::new(0),
        done: AtomicUsize::new(0),
        granted: AtomicUsize::new(0),
        owned: AtomicBool::new(false),
        bug: has("--bug"),
        force: has("--force"),
    });
    let log = |node: String| Log { world: Arc::clone(&world), node, text: String::new() };
    let (to_home, requests) = channel();
    let (acknowledge, acks) = channel();
    let mut orders = Vec::new();
    let mut threads = Vec::new();
    for number in 0..CLIENTS {
        // One order at a time: home waits until the client has taken it.
        let (order, taken) = sync_channel(1);
        orders.push(order);
        let client = Client {
            number,
            copy: Copy::None,
            orders: taken,
            requests: to_home.clone(),
            acks: acknowledge.clone(),
            log: log(format!("c{number}")),
        };
        threads.push(thread::spawn(move || client.work()));
    }
    drop((to_home, acknowledge));
    let home = Home { orders, requests, acks, sharers: [false; CLIENTS], exclusive: false, log: log("home".to_owned()) };
    threads.push(thread::spawn(move || home.work()));
    for thread in threads {
        print!("{}", thread.join().expect("a thread ends"));
    }
}
