//! The constants of elaboration: what each trades. None changes what a model means; the bounds beyond which a model is
//! refused stand in `limits`.

/// Disjuncts that are compared with each other: leaving out those that imply another keeps guards small, while all
/// pairs of thousands take longer than they save.
pub(super) const MAX_COMPARED: usize = 128;

/// Ways to satisfy init that are tried for one cube, for a warning or a help: beyond, nothing is reported.
pub(super) const MAX_WAYS: usize = 512;

/// Processes of init for which they are tried: more make too many instances.
pub(super) const MAX_INIT_PROCS: usize = 4;

/// Comparisons, over all parts of a declaration, to say where their literals come from: beyond, messages name the
/// declaration instead of the literal.
pub(super) const MAX_LOOKS: usize = 1 << 20;

/// Literals of a declaration whose places are remembered, for the same messages.
pub(super) const MAX_PLACES: usize = 4096;
