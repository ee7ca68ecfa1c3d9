//! Models shared by the tests, small enough to see the right result.

/// Safe for any number of processes.
pub const SAFE: &str = "
type location = Idle | Critical
var Lock : bool
array At[proc] : location
init (p) { Lock = False && At[p] = Idle }
unsafe (p q) { At[p] = Critical && At[q] = Critical }
transition enter (p) requires { At[p] = Idle && Lock = False } { At[p] := Critical; Lock := True; }
transition leave (p) requires { At[p] = Critical } { At[p] := Idle; Lock := False; }
";

/// Two processes can be in their critical section after three steps: the third one's guard is too weak.
pub const UNSAFE: &str = "
type location = Idle | Critical
var Lock : bool
array At[proc] : location
init (p) { Lock = False && At[p] = Idle }
unsafe (p q) { At[p] = Critical && At[q] = Critical }
transition enter (p) requires { At[p] = Idle && Lock = False } { At[p] := Critical; Lock := True; }
transition unlock (p) requires { At[p] = Idle && Lock = True } { Lock := False; }
";

/// The search ends in neither direction: a counter grows, and no engine finds that it stays even.
pub const ENDLESS: &str = "
var N : int
init { N = 0 }
unsafe { N = 1 }
transition up () { N := N + 2; }
transition down () { N := N - 2; }
";

/// The forward search never ends, the backward search asks for its states and ends at once.
pub const ENDLESS_FORWARD: &str = "
type location = Idle | Busy
var N : int
var Lock : bool
array At[proc] : location
init (p) { N = 0 && Lock = False && At[p] = Idle }
unsafe (p q) { At[p] = Busy && At[q] = Busy }
transition up () { N := N + 1; }
transition enter (p) requires { At[p] = Idle && Lock = False } { At[p] := Busy; Lock := True; }
transition leave (p) requires { At[p] = Busy } { At[p] := Idle; Lock := False; }
";

/// A process that enters never leaves: no bad state, but a deadlock.
pub const DEADLOCK: &str = "
type location = Idle | Critical
var Lock : bool
array At[proc] : location
init (p) { Lock = False && At[p] = Idle }
unsafe (p q) { At[p] = Critical && At[q] = Critical }
transition enter (p) requires { At[p] = Idle && Lock = False } { At[p] := Critical; Lock := True; }
";

/// The bad state lies behind one that the `invariant` excludes.
pub const EXCLUDED: &str = "
type status = A | B | C
array S[proc] : status
init (p) { S[p] = A }
invariant (p) { S[p] = B }
unsafe (p) { S[p] = C }
transition first (p) requires { S[p] = A } { S[p] := B; }
transition second (p) requires { S[p] = B } { S[p] := C; }
";
