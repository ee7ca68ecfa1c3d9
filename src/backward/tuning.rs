//! The constants of the backward search: what each trades off, and how it was chosen.
//!
//! None decides about soundness: past each limit a test is left to Z3, or a node stays as it is. Where no model is
//! named, a constant was set by estimate and no measurement has contradicted it since.

/// Rows of one Fourier-Motzkin elimination; more go to Z3. Elimination squares the rows at worst, and what has
/// grown so far is rarely settled by the next variable; Z3 takes milliseconds. By estimate.
pub const MAX_ROWS: usize = 400;

/// Disequalities that are split before arithmetic; more go to Z3. Each doubles the eliminations: 256 at worst. By
/// estimate.
pub const MAX_DISEQUALITIES: usize = 8;

/// Values tried, in all, for cells that relational literals link before satisfiability is left to Z3: about as
/// much work as one of its calls, by estimate.
pub const MAX_SPLITS: usize = 2_000;

/// Choices among init's disjuncts tried before a safety test is left to Z3. A choice is cheaper than a
/// split; by estimate.
pub const MAX_BRANCHES: usize = 5_000;

/// Decisions of the union test before it is left to Z3: few lose tests that it would decide in some milliseconds,
/// many lose time where Z3 would learn from conflicts. Clauses are made as they are needed, so that most tests end
/// after a few.
pub const MAX_DECISIONS: usize = 20_000;

/// Satisfiability tests of chosen relational literals in a union test before it is left to Z3, which
/// learns from a conflict what this search does not.
pub const MAX_THEORY_TESTS: usize = 60;

/// Cubes that one thread searches before another could help: handing over a range costs some microseconds,
/// searching this many a multiple of that.
pub const CUBES_PER_RANGE: usize = 512;

/// Pre-images are taken on several threads for cubes with this many processes beside the rigid ones: below, all
/// transitions together take no longer than handing them over.
pub const PROCS_FOR_THREADS: u8 = 3;

/// Instances of transitions that take about as long as a small node: the unit of
/// [`max_effort`](cubicle_run::BackwardOptions::max_effort). By
/// measurement of the default strategy's rounds, as the next two.
pub const INSTANCES_PER_EFFORT: u64 = 200;

/// Rows of linear constraints that the theory of counts goes through in about the time of a small node.
pub const ROWS_PER_EFFORT: u64 = 1_000;

/// Work of Z3, in its own unit, that takes about as long as a small node.
pub const WORK_PER_EFFORT: u64 = 500;

/// Questions to the oracle that take about as long as a small node.
pub const QUESTIONS_PER_EFFORT: u64 = 25;

/// States among which a candidate is searched for before it is taken: each costs a plan, and where some hundred do not lead there, more mostly do not.
pub const SOUGHT_STATES: u64 = 600;

/// How many such states there may be for each unit of a search's effort: four take a tenth to a third of its time.
pub const SOUGHT_PER_EFFORT: u64 = 4;

/// States found by walks, on which an oracle grows, that take about as long as a small node: by measurement of
/// Chandra and Toueg's consensus with four processes.
pub const STATES_PER_EFFORT: u64 = 50;

/// States that an oracle may always grow by, however little was spent: they take almost no time.
pub const LEAST_GROWTH: u64 = 20_000;

/// Clauses of union tests that take about as long as a small node.
pub const CLAUSES_PER_EFFORT: u64 = 100;

/// A test whose clauses cost more than N times the remaining effort ends the search before the test is done. Processes that
/// are alike can be matched in exponentially many ways: a test of 22 such processes takes gigabytes.
pub const DEAREST_TEST: u64 = 4;

/// Comparisons of relational literals in union tests that take about as long as a small node. With numbers, a test of seven
/// processes makes many thousand clauses and compares each again and again.
pub const COMPARISONS_PER_EFFORT: u64 = 20_000;

/// Clauses of a test, however much effort is left. A clause takes some kilobytes once it is a question to Z3: a cube of eleven processes of
/// which most are alike has millions.
pub const MOST_CLAUSES: usize = 500_000;

/// To look at a renaming of a visited cube in a union test takes about as long as N of these comparisons. By estimate.
pub const COMPARISONS_PER_RENAMING: u64 = 8;

/// Renamings of a test that cost nothing beside it, so that most tests cost what they did without this limit. By estimate.
pub const FREE_RENAMINGS: u64 = 4_096;

/// Nodes of all runs at which the oracle is asked to explore a larger instance, or effort, where candidates are reachable although it knows all
/// states of its instances. Most searches close before the
/// first by themselves; the steps keep the cost of larger instances in proportion to the search. Chosen on the dispatch
/// models of the CFL paper, which BRAB with two processes did not decide within a minute, and now does within seconds.
pub const WIDEN_AT: [usize; 3] = [500, 2000, 8000];

/// It is asked only when less than one node in this many was replaced by a candidate that still stands: candidates
/// then do not help, and seeing more states cannot refute what is not there.
pub const FEW_CANDIDATES: usize = 100;

/// Candidates get at most this many processes by exploring larger instances: there are many more with four. Chosen
/// with [`WIDEN_AT`]: what matters in those models begins with three processes.
pub const WIDER_CANDIDATES: usize = 3;

/// Restarts between two requests for more forward states: fewer explore what the run behind a refuted candidate
/// shows already, more go on refuting candidates one by one.
/// By estimate.
pub const RESTARTS_PER_GROWTH: usize = 4;

/// Candidates of one size that are compared by the work that they leave. Each comparison costs the pre-images of a
/// candidate, while the first survivor alone often led into thousands of exact nodes.
pub const MAX_RIVALS: usize = 16;

/// The weight of a pre-image that no candidate replaces, against one that a candidate replaces: it goes on as a node
/// with all its literals, and others follow from it.
pub const EXACT_PREIMAGE: usize = 8;

/// Literals of a node that are combined into candidates; one with more is left as it is. There are ten
/// thousand sets of up to three of 40 literals.
pub const MAX_LITERALS: usize = 40;

/// Larger instances than a path names are tried up to this many more processes: a universal guard may need one
/// more to be false, while each costs a whole unrolling.
pub const MORE_PROCESSES: usize = 1;

/// Where a path to a bad state cannot be executed with its own arguments, at most this many others are tried in a model of several sorts, all steps together.
pub const WAYS_OF_SORTS: usize = 60;
/// The same for other models: with transitions of seven parameters, a formula about ten processes has a million parts for each step.
pub const WAYS_TO_BAD: usize = 1 << 16;

/// Work of Z3 after which no larger instance is tried: each takes several times as long as the one before. Some tenths of a second.
pub const REPLAY_WORK: u64 = 1_000_000;

/// Literals over enum cells that a guess about numbers may have beside its comparison: bounds on a number mostly
/// depend on where one or two processes are. One more may say in which mode the system is.
pub const LEMMA_CONTEXTS: usize = 2;

/// Numbers of the model that each numeric cell is compared with in guesses; by estimate, as the next three.
pub const LEMMA_CONSTANTS: usize = 4;

/// Guesses about numbers that are examined: ticket locks need some hundred, Lamport's bakery a thousand.
pub const LEMMA_QUESTIONS: usize = 4_000;

/// Plain tests whether a pre-image is covered that take about as long as a small node; by estimate.
pub const TESTS_PER_EFFORT: u64 = 8;

/// Tests whether a cube is blocked in a frame that take about as long as a small node: most are settled by the first lemma
/// that was learned for a cube like it. By measurement of Flash.
pub const FRAME_TESTS_PER_EFFORT: u64 = 64;

/// Effort of a search after which lemmas about numbers are searched for: a search that closes at once needs none. With half of it, Ricart and
/// Agrawala's algorithm over numbers takes three times as long; ticket locks, which need lemmas, lose nothing.
pub const LEMMAS_AT: u64 = 200;

/// When their effort was not enough, the search for lemmas resumes after N times the effort of the backward search.
pub const LEMMAS_AGAIN: u64 = 3;

/// The search for lemmas may take N times the effort of the backward search.
pub const LEMMA_EFFORT: u64 = 10;

/// Possibilities for one process that the theory of counts tries for a cube; with more it says nothing. Most cubes have fewer
/// than ten. By estimate.
pub const MAX_SIGNATURES: usize = 1_000;

/// Counts and universal guards that the theory of counts looks at together: a bit of a signature for each.
pub const MAX_COUNTED: usize = 40;

/// Nodes with more processes than this count for more, by the third power of the processes beyond: to match such cubes takes ever
/// longer, and a search whose cubes keep growing decides nothing. By measurement of a ticket lock, whose exact search adds a process every other
/// step.
pub const WIDE_PROCS: u8 = 10;

/// How much longer than the processes of a candidate a chain of pointers is where the candidate that it comes from is given up, by estimate.
pub const DIVERGING_CHAIN: usize = 3;

/// Effort of a turn of a search with approximations from which it splits nodes in models with arrays of pointers: most are decided with less, in fewer nodes.
pub const SPLITS_FROM: u64 = 2700;

/// How much larger candidates may be in a system with several sorts: their cells are about processes of different sorts, so that it takes more
/// of them to say the same. By measurement of consensus protocols.
pub const MORE_FOR_SORTS: usize = 1;

/// A cube that names more processes of one sort than this beside the rigid ones says nothing of all others: each name stays as long as it does, so that the cubes
/// of a search could grow without end. By estimate.
pub const MOST_NAMED_BESIDE_OTHERS: usize = 5;

/// Bad states about numbers are split by the processes that as many globals hold: there are up to four cases of each. By estimate.
pub const MOST_POINTERS_OF_NUMBERS: usize = 2;

/// What all other processes do before a step is left out where it has more cases than this. By estimate.
pub const MOST_CASES_OF_OTHERS: usize = 32;

/// A search whose candidates have fewer than three processes builds its first network after N times the effort of others: they seldom close one.
pub const NETWORK_LATER: u64 = 9;

/// Another network is built after N times the effort, and with N times the effort that one took that did not close.
pub const NETWORK_AGAIN: u64 = 3;

/// A network may take N times the effort of the search.
pub const NETWORK_EFFORT: u64 = 8;

/// A search with less effort spends a smaller multiple on a network, in proportion: those that close early take less than the search before them. By
/// measurement of a queue lock (39), a lock with nodes (224) and a directory (17 752 after 2 700).
pub const NETWORK_WHOLE_AT: u64 = 2_700;

/// A search with more effort spends no more than that on a network, but for N times its own effort. By measurement of 850 models: the networks that close
/// do so with less.
pub const NETWORK_EFFORT_LATER: u64 = 2;

/// A network is given up where roots rest on more cubes. Most that close stay below 400, whatever they try, and that of a directory for MESI takes 567; the
/// others grow, and each of their tests costs more than the one before.
pub const NETWORK_CUBES: usize = 800;

/// Processes of the candidates of a network beside the rigid ones: what three processes do together is mostly enough, and there are many more
/// candidates with four.
pub const NETWORK_PROCS: usize = 3;

/// Their literals: two pointers to the same process, each with a flag that says it is meant, are four.
pub const NETWORK_LITERALS: usize = 4;

/// How many processes and literals more candidates may have where smaller ones cannot support the bad states, which mostly turns out at once: in a queue
/// lock, a cell that is not marked is not that of a predecessor's predecessor.
pub const NETWORK_MORE: usize = 1;

/// A pre-image is held as it is where it has at most this many literals, and no more processes than candidates: with more, networks follow
/// chains of pointers for long that no cube closes. By measurement of a directory with forwarded requests.
pub const NETWORK_EXACT: usize = 6;

/// Nodes of a search that may be paused: it begins again when it has more, since paused searches keep their memory while others need it. By
/// estimate: a node of a protocol takes half a kilobyte, and few proofs have as many.
pub const MOST_PAUSED_NODES: usize = 200_000;
