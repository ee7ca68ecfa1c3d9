(** The semantics of [Model] as programs, proved to be the same: so that steps of real systems can be compared with those of
    another implementation. *)

From Coq Require Import List QArith Qround NArith PArith Bool Lia Arith.
From Cubicle Require Import Model Ground Check Decide.
Import ListNotations.

Definition all_processes (n arity : nat) : list (list nat) := tuples (below n) arity.
Definition all_different (n arity : nat) : list (list nat) := filter all_distinct (all_processes n arity).

Definition has_type_b (t : type) (v : value) : bool :=
  match t with
  | TEnum _ cs => N.ltb (constructor_of v) (N.of_nat (List.length cs)) && is_constructor v
  | TInt => Qeq_bool v (inject_Z (Qfloor v))
  | TProc | TReal | TAbstract _ => true
  end.

Definition is_state_b (s : system) (n : nat) (st : state) : bool :=
  forallb (fun d => forallb (fun idx => has_type_b (vtype d) (st (vnum d) idx) &&
    match count_of s (vnum d) with
    | None => true
    | Some c => Qeq_bool (st (vnum d) idx) (total (part st c idx) (below n))
    end) (all_processes n (varity d))) (svars s).

Definition cube_b (n : nat) (st : state) (c : cube) : bool :=
  existsb (fun ps => conj_b st ps (cconj c)) (all_different n (carity c)).

Definition initial_b (s : system) (n : nat) (st : state) : bool :=
  is_state_b s n st && (forallb (fun c => negb (cube_b n st c)) (saxioms s) &&
  match n with
  | O => dnf_b st [] (sinit_empty s)
  | S _ => forallb (fun ps => dnf_b st ps (sinit s)) (all_processes n (sinit_arity s))
  end).

Definition enabled_b (n : nat) (st : state) (t : transition) (args : list nat) : bool :=
  conj_b st args (tguard t) &&
  forallb (fun u => forallb (fun o => existsb (fun p => existsb (Nat.eqb p) args) o || dnf_b st (args ++ o) (ubody u))
    (all_different n (uarity u))) (tuniversals t).

Fixpoint selected_b (st : state) (ps : list nat) (bs : list branch) (v : value) : bool :=
  match bs with
  | [] => false
  | b :: rest => if dnf_b st ps (bwhen b) then Qeq_bool v (term_value st ps (bvalue b)) else selected_b st ps rest v
  end.

Definition assigned_b (st : state) (t : transition) (args : list nat) (v : positive) (idx : list nat) (new : value) : bool :=
  match find (fun u => Pos.eqb (uvar u) v) (tupdates t) with
  | None => Qeq_bool new (st v idx)
  | Some (Update _ Anything) => true
  | Some (Update _ (Cases bs)) => selected_b st (args ++ idx) bs new
  end.

(** A step of the transition with these arguments, which are different processes. *)
Definition fires_b (s : system) (n : nat) (st st' : state) (t : transition) (args : list nat) : bool :=
  enabled_b n st t args && (is_state_b s n st' &&
  forallb (fun d => match count_of s (vnum d) with Some _ => true | None =>
    forallb (fun idx => assigned_b st t args (vnum d) idx (st' (vnum d) idx)) (all_processes n (varity d)) end) (svars s)).

Definition step_b (s : system) (n : nat) (st st' : state) : bool :=
  existsb (fun t => existsb (fires_b s n st st' t) (all_different n (tarity t))) (stransitions s).

Definition bad_b (s : system) (n : nat) (st : state) : bool := existsb (cube_b n st) (sbad s).

(** ** They are the same *)

Lemma all_processes_iff n arity ps : List.In ps (all_processes n arity) <-> processes n arity ps.
Proof.
  unfold all_processes, processes. rewrite tuples_iff, !Forall_forall. split; intros [L H]; (split; [exact L|]); intros p P.
  - apply In_below, H, P.
  - apply In_below, H, P.
Qed.

Lemma all_different_iff n arity ps : List.In ps (all_different n arity) <-> distinct n arity ps.
Proof. unfold all_different, distinct. rewrite filter_In, all_processes_iff, all_distinct_iff. reflexivity. Qed.

Lemma has_type_b_iff t v : has_type_b t v = true <-> has_type t v.
Proof.
  destruct t as [name cs| | | |name]; cbn [has_type_b has_type]; try tauto.
  - rewrite andb_true_iff, N.ltb_lt. split.
    + intros [L E]. exists (constructor_of v). split; [exact L|apply is_constructor_eq, E].
    + intros (c & L & E). apply constructor_of_eq in E. destruct E as [<- E]. auto.
  - rewrite Qeq_bool_iff. split; [eauto|]. intros [z E]. rewrite (Qfloor_comp _ _ E), Qfloor_Z. exact E.
Qed.

Lemma is_state_b_iff s n st : is_state_b s n st = true <-> is_state s n st.
Proof.
  assert (C : forall v idx, match count_of s v with
      | None => true | Some c => Qeq_bool (st v idx) (total (part st c idx) (below n)) end = true <->
    match count_of s v with None => True | Some c => adds_up st c idx n (st v idx) end).
  { intros v idx. destruct (count_of s v) as [c|]; [|tauto]. rewrite Qeq_bool_iff, adds_up_iff. reflexivity. }
  unfold is_state_b, is_state. rewrite forallb_forall. split.
  - intros H d D idx I. specialize (H d D). rewrite forallb_forall in H. apply all_processes_iff, H in I.
    apply andb_true_iff in I. rewrite has_type_b_iff, C in I. exact I.
  - intros H d D. apply forallb_forall. intros idx I. apply andb_true_iff. rewrite has_type_b_iff, C.
    apply H; [exact D|]. apply all_processes_iff, I.
Qed.

Lemma cube_b_iff n st c : cube_b n st c = true <-> cube_holds n st c.
Proof.
  unfold cube_b, cube_holds. rewrite existsb_exists.
  split; intros (ps & D & H); exists ps; (split; [apply all_different_iff, D|apply conj_b_iff, H]).
Qed.

Theorem initial_b_iff s n st : initial_b s n st = true <-> initial s n st.
Proof.
  unfold initial_b, initial. rewrite !andb_true_iff, is_state_b_iff, forallb_forall, Forall_forall.
  assert (A : (forall c, List.In c (saxioms s) -> negb (cube_b n st c) = true) <->
              (forall c, List.In c (saxioms s) -> ~ cube_holds n st c)).
  { split; intros H c C; specialize (H c C).
    - rewrite <- cube_b_iff. apply negb_true_iff in H. congruence.
    - apply negb_true_iff, not_true_iff_false. rewrite cube_b_iff. exact H. }
  rewrite A. destruct n as [|n].
  - rewrite dnf_b_iff. reflexivity.
  - rewrite forallb_forall. split; intros (S & X & H); (split; [exact S|split; [exact X|]]).
    + intros ps P. apply dnf_b_iff, H, all_processes_iff, P.
    + intros ps P. apply dnf_b_iff, H, all_processes_iff, P.
Qed.

Lemma enabled_b_iff n st t args : distinct n (tarity t) args -> (enabled_b n st t args = true <-> enabled n st t args).
Proof.
  intros D. unfold enabled_b, enabled. rewrite andb_true_iff, conj_b_iff, forallb_forall.
  assert (M : forall o, existsb (fun p => existsb (Nat.eqb p) args) o = true <-> exists p, List.In p o /\ List.In p args).
  { intros o. rewrite existsb_exists. split; intros (p & P & Q); exists p; (split; [exact P|apply among_iff, Q]). }
  split.
  - intros [G U]. split; [exact D|split; [exact G|]]. intros u Hu o Do N.
    specialize (U u Hu). rewrite forallb_forall in U. specialize (U o (proj2 (all_different_iff _ _ _) Do)).
    apply orb_true_iff in U. destruct U as [U|U]; [|apply dnf_b_iff, U].
    apply M in U. destruct U as (p & P & Q). destruct (N p P Q).
  - intros (_ & G & U). split; [exact G|]. intros u Hu. apply forallb_forall. intros o Do. apply all_different_iff in Do.
    apply orb_true_iff. destruct (existsb (fun p => existsb (Nat.eqb p) args) o) eqn:E; [left; reflexivity|right].
    apply dnf_b_iff, (U u Hu o Do). intros p P Q. apply not_true_iff_false in E. apply E, M. eauto.
Qed.

Lemma selected_b_iff st ps bs v : selected_b st ps bs v = true <-> selected st ps bs v.
Proof.
  induction bs as [|b bs IH]; cbn [selected_b selected]; [split; [discriminate|tauto]|].
  destruct (dnf_b st ps (bwhen b)) eqn:E.
  - apply dnf_b_iff in E. rewrite Qeq_bool_iff. tauto.
  - apply not_true_iff_false in E. rewrite dnf_b_iff in E. rewrite IH. tauto.
Qed.

Lemma assigned_b_iff st t args v idx new : assigned_b st t args v idx new = true <-> assigned st t args v idx new.
Proof.
  unfold assigned_b, assigned. destruct (find _ _) as [[w [|bs]]|].
  - tauto.
  - apply selected_b_iff.
  - apply Qeq_bool_iff.
Qed.

Theorem step_b_iff s n st st' : step_b s n st st' = true <-> step s n st st'.
Proof.
  assert (A : forall t args,
    forallb (fun d => match count_of s (vnum d) with Some _ => true | None =>
      forallb (fun idx => assigned_b st t args (vnum d) idx (st' (vnum d) idx)) (all_processes n (varity d)) end) (svars s) = true <->
    forall d, List.In d (svars s) -> count_of s (vnum d) = None -> forall idx, processes n (varity d) idx ->
      assigned st t args (vnum d) idx (st' (vnum d) idx)).
  { intros t args. rewrite forallb_forall. split.
    - intros H d D C idx I. specialize (H d D). rewrite C, forallb_forall in H. apply assigned_b_iff, H, all_processes_iff, I.
    - intros H d D. destruct (count_of s (vnum d)) eqn:C; [reflexivity|]. apply forallb_forall. intros idx I.
      apply assigned_b_iff, H; [exact D|exact C|]. apply all_processes_iff, I. }
  unfold step_b, step. rewrite existsb_exists. split.
  - intros (t & T & H). apply existsb_exists in H. destruct H as (args & D & H). apply all_different_iff in D.
    unfold fires_b in H. rewrite !andb_true_iff, (enabled_b_iff n st t args D), is_state_b_iff, A in H.
    destruct H as (E & S & X). exists t, args. auto.
  - intros (t & args & T & E & S & X). exists t. split; [exact T|]. apply existsb_exists. exists args.
    assert (D : distinct n (tarity t) args) by apply E.
    split; [apply all_different_iff, D|]. unfold fires_b. rewrite !andb_true_iff, (enabled_b_iff n st t args D), is_state_b_iff, A. auto.
Qed.

Theorem bad_b_iff s n st : bad_b s n st = true <-> bad s n st.
Proof.
  unfold bad_b, bad. rewrite existsb_exists, Exists_exists.
  split; intros (c & C & H); exists c; (split; [exact C|apply cube_b_iff, H]).
Qed.
