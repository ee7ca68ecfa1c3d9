(** The meaning of a parameterized system: what [safe] says, and all that has to be read to know it.

    A system runs with any number [n] of processes, which are numbered from 0 in their order. Every value is a rational
    number: constructor [c] of an enumeration is [c]; process [p] is [p], and a rational that is not one of the processes is a
    value of type [proc] "outside" of them; integers and reals are themselves; values of an abstract type, which are only
    compared for equality, may be any rationals. Reals are thereby rational: a finite run with reals exists only if one with
    rationals exists, since all conditions are linear with rational coefficients. *)

From Coq Require Import List QArith NArith String.
Import ListNotations.

(** ** Syntax *)

(** A process in a formula: the i-th variable in scope (parameters first, then bound ones), or the constant #(k+1). *)
Inductive pref := PVar (i : nat) | PConst (k : nat).

(** A variable, by its number, and one process for each index. *)
Record cell := Cell { cvar : positive; cidx : list pref }.

(** A constant and a sum of multiples of cells. *)
Record linear := Linear { lterms : list (Q * cell); lconst : Q }.

Inductive term :=
| Constructor (c : N)
| Process (p : pref)
| CellOf (c : cell)
| Sum (e : linear).

(** How a sum compares with 0. *)
Inductive relation := Zero | NonZero | NotPositive | Negative.

Inductive literal :=
| In (c : cell) (set : N)  (* the cell holds constructor number b for a bit b of the set *)
| Equal (l r : term)
| Different (l r : term)
| Less (l r : term)
| AtMost (l r : term)
| Compare (e : linear) (r : relation).

Definition conj := list literal.
Definition dnf := list conj.

Inductive type :=
| TEnum (name : string) (constructors : list string)
| TProc
| TInt
| TReal
| TAbstract (name : string).

Inductive kind := KGlobal | KConst | KArray.

Record var := Var { vnum : positive; vname : string; vkind : kind; varity : nat; vtype : type }.

(** The value is that of the first branch whose condition holds. *)
Record branch := Branch { bwhen : dnf; bvalue : term }.

(** A new value: any of the type, or one for each cell by its indices. *)
Inductive assignment := Anything | Cases (bs : list branch).
Record update := Update { uvar : positive; uvalue : assignment }.

(** A condition on all tuples of [uarity] different processes that are not parameters. *)
Record universal := Universal { uarity : nat; ubody : dnf }.

Record transition := Transition {
  tname : string;
  tarity : nat;
  tguard : conj;
  tuniversals : list universal;
  tupdates : list update }.

(** A variable whose cells follow from the others, and that no transition assigns: in each cell, the sum of [ksummand] over the
    processes that satisfy [kbody]. In scope are the indices of the cell, and then the process. *)
Record count := Count { kvar : positive; kbody : dnf; ksummand : linear }.

(** States in which the cube holds for some different processes. *)
Record cube := Cube { carity : nat; cconj : conj }.

Record system := System {
  smost : option nat;         (* at most this number of processes *)
  sconsts : nat;              (* this many processes have names, #1 .. *)
  svars : list var;
  scounts : list count;
  sinit_arity : nat;
  sinit : dnf;                (* for all processes, equal ones included *)
  sinit_empty : dnf;          (* what is left of it where there is no process *)
  saxioms : list cube;        (* cubes that hold in no initial state *)
  sbad : list cube;
  stransitions : list transition }.

(** ** States *)

Definition value := Q.

(** What each cell holds. *)
Definition state := positive -> list nat -> value.

Definition of_constructor (c : N) : value := inject_Z (Z.of_N c).
Definition of_process (p : nat) : value := inject_Z (Z.of_nat p).

Definition has_type (t : type) (v : value) : Prop :=
  match t with
  | TEnum _ constructors => exists c, (c < N.of_nat (List.length constructors))%N /\ v == of_constructor c
  | TInt => exists z, v == inject_Z z
  | TProc | TReal | TAbstract _ => True
  end.

(** Processes of an instance with [n] of them, equal ones included. *)
Definition processes (n arity : nat) (ps : list nat) : Prop :=
  List.length ps = arity /\ Forall (fun p => (p < n)%nat) ps.

(** Different processes. *)
Definition distinct (n arity : nat) (ps : list nat) : Prop := processes n arity ps /\ NoDup ps.

Definition count_of (s : system) (v : positive) : option count := find (fun c => Pos.eqb (kvar c) v) (scounts s).

(** ** Formulas, in a state and for the processes [ps] that the variables in scope stand for *)

Definition proc_of (ps : list nat) (p : pref) : nat :=
  match p with PVar i => nth i ps 0%nat | PConst k => k end.

Definition cell_value (st : state) (ps : list nat) (c : cell) : value := st (cvar c) (map (proc_of ps) (cidx c)).

Definition linear_value (st : state) (ps : list nat) (e : linear) : value :=
  fold_right (fun t sum => fst t * cell_value st ps (snd t) + sum) (lconst e) (lterms e).

Definition term_value (st : state) (ps : list nat) (t : term) : value :=
  match t with
  | Constructor c => of_constructor c
  | Process p => of_process (proc_of ps p)
  | CellOf c => cell_value st ps c
  | Sum e => linear_value st ps e
  end.

Definition literal_holds (st : state) (ps : list nat) (l : literal) : Prop :=
  match l with
  | In c set => exists b, N.testbit set b = true /\ cell_value st ps c == of_constructor b
  | Equal l r => term_value st ps l == term_value st ps r
  | Different l r => ~ term_value st ps l == term_value st ps r
  | Less l r => term_value st ps l < term_value st ps r
  | AtMost l r => term_value st ps l <= term_value st ps r
  | Compare e Zero => linear_value st ps e == 0
  | Compare e NonZero => ~ linear_value st ps e == 0
  | Compare e NotPositive => linear_value st ps e <= 0
  | Compare e Negative => linear_value st ps e < 0
  end.

Definition conj_holds st ps (c : conj) : Prop := Forall (literal_holds st ps) c.
Definition dnf_holds st ps (d : dnf) : Prop := Exists (conj_holds st ps) d.

Definition cube_holds (n : nat) (st : state) (c : cube) : Prop :=
  exists ps, distinct n (carity c) ps /\ conj_holds st ps (cconj c).

(** ** Counts *)

(** [v] is what a cell with the indices [idx] adds up to over the processes below [p]. *)
Fixpoint adds_up (st : state) (c : count) (idx : list nat) (p : nat) (v : value) : Prop :=
  match p with
  | O => v == 0
  | S p => exists w, adds_up st c idx p w /\
      ((dnf_holds st (idx ++ [p]) (kbody c) /\ v == w + linear_value st (idx ++ [p]) (ksummand c)) \/
       (~ dnf_holds st (idx ++ [p]) (kbody c) /\ v == w))
  end.

Definition is_state (s : system) (n : nat) (st : state) : Prop :=
  forall d, List.In d (svars s) -> forall idx, processes n (varity d) idx ->
  has_type (vtype d) (st (vnum d) idx) /\
  match count_of s (vnum d) with None => True | Some c => adds_up st c idx n (st (vnum d) idx) end.

(** ** Runs *)

Definition admits (s : system) (n : nat) : Prop :=
  (sconsts s <= n)%nat /\ match smost s with None => True | Some most => (n <= most)%nat end.

Definition initial (s : system) (n : nat) (st : state) : Prop :=
  is_state s n st /\
  Forall (fun c => ~ cube_holds n st c) (saxioms s) /\
  match n with
  | O => dnf_holds st [] (sinit_empty s)
  | S _ => forall ps, processes n (sinit_arity s) ps -> dnf_holds st ps (sinit s)
  end.

Definition enabled (n : nat) (st : state) (t : transition) (args : list nat) : Prop :=
  distinct n (tarity t) args /\
  conj_holds st args (tguard t) /\
  forall u, List.In u (tuniversals t) ->
  forall others, distinct n (uarity u) others -> (forall p, List.In p others -> ~ List.In p args) ->
  dnf_holds st (args ++ others) (ubody u).

(** [v] is the value of the first branch whose condition holds. *)
Fixpoint selected (st : state) (ps : list nat) (bs : list branch) (v : value) : Prop :=
  match bs with
  | [] => False
  | b :: rest =>
      (dnf_holds st ps (bwhen b) /\ v == term_value st ps (bvalue b)) \/
      (~ dnf_holds st ps (bwhen b) /\ selected st ps rest v)
  end.

(** What the cell [idx] of variable [v] may hold after the step: [new]. All is read in the state [st] before it. *)
Definition assigned (st : state) (t : transition) (args : list nat) (v : positive) (idx : list nat) (new : value) : Prop :=
  match find (fun u => Pos.eqb (uvar u) v) (tupdates t) with
  | None => new == st v idx
  | Some (Update _ Anything) => True
  | Some (Update _ (Cases bs)) => selected st (args ++ idx) bs new
  end.

Definition step (s : system) (n : nat) (st st' : state) : Prop :=
  exists t args, List.In t (stransitions s) /\ enabled n st t args /\ is_state s n st' /\
  forall d, List.In d (svars s) -> count_of s (vnum d) = None -> forall idx, processes n (varity d) idx ->
  assigned st t args (vnum d) idx (st' (vnum d) idx).

Inductive reachable (s : system) (n : nat) : state -> Prop :=
| starts : forall st, admits s n -> initial s n st -> reachable s n st
| steps : forall st st', reachable s n st -> step s n st st' -> reachable s n st'.

Definition bad (s : system) (n : nat) (st : state) : Prop := Exists (cube_holds n st) (sbad s).

(** No run of any number of processes reaches a bad state. *)
Definition safe (s : system) : Prop := forall n st, reachable s n st -> ~ bad s n st.
