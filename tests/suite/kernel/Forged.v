(* Certificates with one change each, which the checker has to refuse by evaluation. *)

From Cubicle Require Import Notation.
(* The models. *)

(* All ways to replace one element by what [f] gives for it. *)
Fixpoint edits {A : Type} (f : A -> list (list A)) (xs : list A) : list (list A) :=
  match xs with
  | [] => []
  | x :: xs => map (fun y => y ++ xs)%list (f x) ++ map (cons x) (edits f xs)
  end.
Definition dropped {A : Type} : A -> list (list A) := fun _ => [[]].
Definition changed {A : Type} (f : A -> list A) : A -> list (list A) := fun x => map (fun y => [y]) (f x).
Definition at_snd {A B : Type} (f : B -> list B) (x : A * B) : list (A * B) := map (pair (fst x)) (f (snd x)).

(* A system with the variables that the proof adds, and a certificate. *)
Definition pair_of : Type := system * certificate.

Definition with_cubes (x : pair_of) (cs : list cube) : pair_of :=
  (fst x, Certificate cs (on_initial (snd x)) (on_step (snd x)) (on_bad (snd x)) (further (snd x))).
Definition with_steps (x : pair_of) hs : pair_of :=
  (fst x, Certificate (cubes (snd x)) (on_initial (snd x)) hs (on_bad (snd x)) (further (snd x))).
Definition with_bad (x : pair_of) hs : pair_of :=
  (fst x, Certificate (cubes (snd x)) (on_initial (snd x)) (on_step (snd x)) hs (further (snd x))).
Definition with_transitions (x : pair_of) ts : pair_of :=
  let y := fst x in
  (System (smost y) (sconsts y) (svars y) (scounts y) (sinit_arity y) (sinit y) (sinit_empty y) (saxioms y) (sbad y) ts, snd x).
Definition with_init (x : pair_of) d : pair_of :=
  let y := fst x in
  (System (smost y) (sconsts y) (svars y) (scounts y) (sinit_arity y) d d (saxioms y) (sbad y) (stransitions y), snd x).

(* A change of one hint for a step. *)
Definition hint_edits (f : hint -> list hint) (x : pair_of) : list pair_of :=
  map (with_steps x) (edits (changed (at_snd (edits (changed (at_snd (edits (changed f))))))) (on_step (snd x))).
Definition instances (f : positive * list nat -> list (list (positive * list nat))) : hint -> list hint :=
  fun y => match y with Hint is fs sums => map (fun is => Hint is fs sums) (edits f is) end.
Definition facts (f : fact_of -> list (list fact_of)) : hint -> list hint :=
  fun y => match y with Hint is fs sums => map (fun fs => Hint is fs sums) (edits f fs) end.
Definition sums (f : sum_hint -> list (list sum_hint)) : hint -> list hint :=
  fun y => match y with Hint is fs sums => map (Hint is fs) (edits f sums) end.

Definition cube_edits (f : cube -> list (list cube)) (x : pair_of) : list pair_of :=
  map (with_cubes x) (edits f (cubes (snd x))).
Definition literal_edits (f : literal -> list (list literal)) : cube -> list (list cube) :=
  changed (fun y => map (Cube (carity y)) (edits f (cconj y))).

Definition kinds : list (pair_of -> list pair_of) := [
  cube_edits dropped;
  cube_edits (literal_edits dropped);
  cube_edits (literal_edits (changed (fun l => match l with In p set => [In p (N.lxor set 1)] | _ => [] end)));
  hint_edits (instances dropped);
  hint_edits (instances (changed (fun y => [(Pos.succ (fst y), snd y)])));
  hint_edits (instances (changed (fun y => match snd y with [] => [] | p :: ps => [(fst y, S (S (S p)) :: ps)] end)));
  hint_edits (facts dropped);
  hint_edits (facts (changed (fun f => match f with
    | FSum ps => map FSum (edits (changed (fun y => [(fst y, snd y + 1)%Q])) ps) | _ => [] end)));
  hint_edits (facts (changed (fun f => match f with
    | FSum ps => map FSum (edits (changed (fun y => match fst y with
        | PAtom e b => [(PAtom e (negb b), snd y)] | _ => [] end)) ps) | _ => [] end)));
  hint_edits (sums dropped);
  hint_edits (sums (changed (fun y => match y with SumHint a cells y =>
    map (fun cells => SumHint a cells y) (edits (changed (fun z => [(Qopp (fst z), snd z)])) cells) end)));
  hint_edits (sums (changed (fun y => match y with SumHint a cells _ => [SumHint a cells no_hint] end)));
  fun x => map (with_steps x) (edits (changed (at_snd (edits (changed (fun y => [(Pos.succ (Pos.succ (fst y)), snd y)])))))
    (on_step (snd x)));
  fun x => map (with_bad x) (edits dropped (on_bad (snd x)));
  fun x => map (with_transitions x) (edits (changed (fun y =>
    [Transition (tname y) (tarity y) [] [] (tupdates y)])) (stransitions (fst x)));
  fun x => map (with_transitions x) (edits (changed (fun y => map (Transition (tname y) (tarity y) (tguard y) (tuniversals y))
    (edits (changed (fun w => [Update (uvar w) Anything])) (tupdates y)))) (stransitions (fst x)));
  fun x => [with_init x [[]]] ].

Definition originals : list pair_of := [
  (with_all Mutex.model Mutex.added, Mutex.proof);
  (with_all German.model German.added, German.proof);
  (with_all Bakery.model Bakery.added, Bakery.proof);
  (with_all Ticket.model Ticket.added, Ticket.proof);
  (with_all Count.model Count.added, Count.proof);
  (with_all Lease.model Lease.added, Lease.proof)].

Definition others : list pair_of :=
  flat_map (fun x => map (fun y => (fst x, snd y)) originals) [(Mutex.model, Mutex.proof); (German.model, German.proof)].

Definition accepts (x : pair_of) : bool := check (fst x) (snd x).
Definition tally (xs : list pair_of) : nat * nat :=
  (List.length xs, List.length (filter (fun x => negb (accepts x)) xs)).

Eval vm_compute in (forallb accepts originals).
(* For each kind: how many there are, and how many are refused. *)
Eval vm_compute in (map (fun kind => tally (flat_map (fun x => firstn 8 (kind x)) originals)) kinds).
Eval vm_compute in (tally others).
