//! Models that the tests share, small enough to see what must come out.

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

/// Two processes can be in their critical section after three steps: the third leaves too much open.
pub const UNSAFE: &str = "
type location = Idle | Critical
var Lock : bool
array At[proc] : location
init (p) { Lock = False && At[p] = Idle }
unsafe (p q) { At[p] = Critical && At[q] = Critical }
transition enter (p) requires { At[p] = Idle && Lock = False } { At[p] := Critical; Lock := True; }
transition unlock (p) requires { At[p] = Idle && Lock = True } { Lock := False; }
";

/// Neither direction ever ends: a counter goes up, and nobody can see that it stays even.
pub const ENDLESS: &str = "
var N : int
init { N = 0 }
unsafe { N = 1 }
transition up () { N := N + 2; }
transition down () { N := N - 2; }
";

/// Forward never ends, backward is done at once.
pub const ENDLESS_FORWARD: &str = "
type location = Idle | Busy
var N : int
array At[proc] : location
init (p) { N = 0 && At[p] = Idle }
unsafe (p) { At[p] = Busy }
transition up () { N := N + 1; }
";

/// Whoever enters never leaves: nothing bad, but the end of all motion.
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
