(** Counts that a proof adds to a system. Where the system with them is safe, the system is. *)

From Coq Require String.
From Coq Require Import List QArith NArith PArith Bool Lia Arith.
From Cubicle Require Import Model Ground GroundSound Check Decide ReadSound CaseSound Sound.
Import ListNotations.

(** Counts, each with the number of its indices. *)
Definition ghosts : Type := list (nat * count).

Definition type_of_count (g : ghosts) (v : positive) : type :=
  if forallb (fun c => negb (Pos.eqb (kvar (snd c)) v) || constant_summand (snd c)) g then TInt else TReal.

Definition ghost_vars (g : ghosts) : list var :=
  map (fun c => let v := kvar (snd c) in Var v String.EmptyString KArray (fst c) (type_of_count g v)) g.

Definition with_ghosts (s : system) (g : ghosts) : system :=
  System (smost s) (sconsts s) (svars s ++ ghost_vars g) (scounts s ++ map snd g) (sinit_arity s) (sinit s)
    (sinit_empty s) (saxioms s) (sbad s) (stransitions s).

(** ** Formulas in which all variables are below a number *)

Section Below.

Variable bound : positive.

Definition known_var (v : positive) : bool := Pos.ltb v bound.
Definition cell_below (c : cell) : bool := known_var (cvar c).
Definition linear_below (e : linear) : bool := forallb (fun t => cell_below (snd t)) (lterms e).
Definition term_below (t : term) : bool :=
  match t with Constructor _ | Process _ => true | CellOf c => cell_below c | Sum e => linear_below e end.
Definition literal_below (l : literal) : bool :=
  match l with
  | In c _ => cell_below c
  | Equal l r | Different l r | Less l r | AtMost l r => term_below l && term_below r
  | Compare e _ => linear_below e
  end.
Definition conj_below (c : conj) : bool := forallb literal_below c.
Definition dnf_below (d : dnf) : bool := forallb conj_below d.
Definition count_below (c : count) : bool := dnf_below (kbody c) && linear_below (ksummand c).
Definition update_below (u : update) : bool :=
  known_var (uvar u) &&
  match uvalue u with
  | Anything => true
  | Cases bs => forallb (fun b => dnf_below (bwhen b) && term_below (bvalue b)) bs
  end.
Definition transition_below (t : transition) : bool :=
  conj_below (tguard t) && (forallb (fun u => dnf_below (ubody u)) (tuniversals t) && forallb update_below (tupdates t)).
Definition system_below (s : system) : bool :=
  forallb (fun d => known_var (vnum d)) (svars s) &&
  (forallb (fun c => known_var (kvar c) && count_below c) (scounts s) &&
   (dnf_below (sinit s) && (dnf_below (sinit_empty s) &&
    (forallb (fun c => conj_below (cconj c)) (saxioms s ++ sbad s) && forallb transition_below (stransitions s))))).

(** The variables are new, and counts are about those of the system. *)
Definition new_ghosts (g : ghosts) : bool :=
  forallb (fun c => negb (known_var (kvar (snd c))) && count_below (snd c)) g.

(** *** They say the same of states that agree on these variables. *)

Definition agree (st st' : state) : Prop := forall v idx, known_var v = true -> st' v idx = st v idx.

Section Agree.
Variables st st' : state.
Hypothesis same : agree st st'.

Lemma cell_same ps c : cell_below c = true -> cell_value st' ps c = cell_value st ps c.
Proof. apply same. Qed.

Lemma linear_same ps e : linear_below e = true -> linear_value st' ps e = linear_value st ps e.
Proof.
  unfold linear_below, linear_value. induction (lterms e) as [|[q c] ts IH]; cbn [forallb fold_right fst snd]; [reflexivity|].
  rewrite andb_true_iff. intros [C T]. rewrite (IH T), (cell_same ps c C). reflexivity.
Qed.

Lemma term_same ps t : term_below t = true -> term_value st' ps t = term_value st ps t.
Proof. destruct t; cbn [term_below term_value]; auto using cell_same, linear_same. Qed.

Lemma literal_same ps l : literal_below l = true -> literal_holds st' ps l <-> literal_holds st ps l.
Proof.
  destruct l as [c set|l r|l r|l r|l r|e r]; cbn [literal_below literal_holds]; rewrite ?andb_true_iff; intros H.
  - rewrite (cell_same ps c H). reflexivity.
  - destruct H as [A B]. rewrite (term_same ps l A), (term_same ps r B). reflexivity.
  - destruct H as [A B]. rewrite (term_same ps l A), (term_same ps r B). reflexivity.
  - destruct H as [A B]. rewrite (term_same ps l A), (term_same ps r B). reflexivity.
  - destruct H as [A B]. rewrite (term_same ps l A), (term_same ps r B). reflexivity.
  - destruct r; rewrite (linear_same ps e H); reflexivity.
Qed.

Lemma conj_same ps c : conj_below c = true -> conj_holds st' ps c <-> conj_holds st ps c.
Proof.
  unfold conj_below, conj_holds. rewrite forallb_forall, !Forall_forall. intros B.
  split; intros H l L; apply (literal_same ps l (B l L)), H, L.
Qed.

Lemma dnf_same ps d : dnf_below d = true -> dnf_holds st' ps d <-> dnf_holds st ps d.
Proof.
  unfold dnf_below, dnf_holds. rewrite forallb_forall, !Exists_exists. intros B.
  split; intros (c & C & H); exists c; (split; [exact C|]); apply (conj_same ps c (B c C)), H.
Qed.

Lemma cube_same n c : conj_below (cconj c) = true -> cube_holds n st' c <-> cube_holds n st c.
Proof. intros B. unfold cube_holds. split; intros (ps & D & H); exists ps; (split; [exact D|]); apply (conj_same ps _ B), H. Qed.

Lemma part_same c idx p : count_below c = true -> part st' c idx p = part st c idx p.
Proof.
  unfold count_below, part. rewrite andb_true_iff. intros [B S]. rewrite (linear_same _ _ S).
  pose proof (dnf_same (idx ++ [p]) _ B) as D. rewrite <- !dnf_b_iff in D.
  destruct (dnf_b st' _ _), (dnf_b st _ _); auto; destruct D as [D D']; [discriminate D|discriminate D']; reflexivity.
Qed.

Lemma adds_up_same c idx k v : count_below c = true -> adds_up st' c idx k v <-> adds_up st c idx k v.
Proof.
  intros B. rewrite !adds_up_iff.
  assert (T : total (part st' c idx) (below k) == total (part st c idx) (below k)).
  { unfold total. induction (below k) as [|p ps IH]; cbn [fold_right]; [reflexivity|]. rewrite IH, (part_same c idx p B). reflexivity. }
  rewrite T. reflexivity.
Qed.

Lemma selected_same ps bs v : forallb (fun b => dnf_below (bwhen b) && term_below (bvalue b)) bs = true ->
  selected st ps bs v -> selected st' ps bs v.
Proof.
  induction bs as [|b bs IH]; cbn [forallb selected]; [auto|]. rewrite !andb_true_iff. intros [[W T] R].
  rewrite (dnf_same ps _ W), (term_same ps _ T). intros [H|[H S]]; [left; exact H|right; split; [exact H|apply (IH R S)]].
Qed.

End Agree.

(** ** Each run has one with the new variables *)

Variable s : system.
Variable g : ghosts.
Hypothesis old : system_below s = true.
Hypothesis new : new_ghosts g = true.

Let extended := with_ghosts s g.

Lemma old_parts :
  (forall d, List.In d (svars s) -> known_var (vnum d) = true) /\
  (forall c, List.In c (scounts s) -> known_var (kvar c) = true /\ count_below c = true) /\
  dnf_below (sinit s) = true /\ dnf_below (sinit_empty s) = true /\
  (forall c, List.In c (saxioms s) -> conj_below (cconj c) = true) /\
  (forall c, List.In c (sbad s) -> conj_below (cconj c) = true) /\
  (forall t, List.In t (stransitions s) -> transition_below t = true).
Proof.
  unfold system_below in old. rewrite !andb_true_iff, forallb_app, andb_true_iff, !forallb_forall in old.
  destruct old as (A & B & C & D & (E & F) & G).
  split; [exact A|]. split; [intros c H; apply andb_true_iff, B, H|]. repeat (split; [assumption|]). exact G.
Qed.

Lemma new_parts c : List.In c g -> known_var (kvar (snd c)) = false /\ count_below (snd c) = true.
Proof.
  unfold new_ghosts in new. rewrite forallb_forall in new. intros H. apply new, andb_true_iff in H. destruct H as [H K].
  apply negb_true_iff in H. auto.
Qed.

Lemma ghost_vars_new d : List.In d (ghost_vars g) -> known_var (vnum d) = false.
Proof.
  unfold ghost_vars. rewrite in_map_iff. intros (x & <- & X). apply new_parts, X.
Qed.

Lemma count_of_old v : known_var v = true -> count_of extended v = count_of s v.
Proof.
  intros K. unfold count_of, extended, with_ghosts. cbn [scounts].
  assert (N : find (fun c => Pos.eqb (kvar c) v) (map snd g) = None).
  { destruct (find _ _) as [c|] eqn:F; [|reflexivity]. exfalso. apply find_some in F. destruct F as [I E].
    apply in_map_iff in I. destruct I as (x & <- & I). apply Pos.eqb_eq in E. apply new_parts in I. rewrite E in I.
    destruct I as [I _]. congruence. }
  induction (scounts s) as [|c cs IH]; cbn [app find]; [exact N|]. destruct (Pos.eqb (kvar c) v); [reflexivity|exact IH].
Qed.

Lemma count_of_new v : known_var v = false -> count_of extended v = find (fun c => Pos.eqb (kvar c) v) (map snd g).
Proof.
  intros K. unfold count_of, extended, with_ghosts. cbn [scounts].
  assert (N : forall c, List.In c (scounts s) -> Pos.eqb (kvar c) v = false).
  { intros c C. apply old_parts in C. apply Pos.eqb_neq. intros <-. destruct C as [C _]. congruence. }
  induction (scounts s) as [|c cs IH]; cbn [app find]; [reflexivity|].
  rewrite (N c) by (left; reflexivity). apply IH. intros d D. apply N. right; exact D.
Qed.

Section Instance.
Variable n : nat.

(** The state with the new variables. *)
Definition lifted (st : state) : state := fun v idx =>
  if known_var v then st v idx
  else match find (fun c => Pos.eqb (kvar c) v) (map snd g) with
       | Some c => total (part st c idx) (below n)
       | None => 0
       end.

Lemma lifted_agree st : agree st (lifted st).
Proof. intros v idx K. unfold lifted. rewrite K. reflexivity. Qed.

Lemma total_integer st c idx ps : constant_summand c = true -> exists z, total (part st c idx) ps == inject_Z z.
Proof.
  intros C. unfold total. induction ps as [|p ps [z IH]]; cbn [fold_right]; [exists 0%Z; reflexivity|].
  destruct (constant_part st c idx p C) as [y Y]. exists (y + z)%Z. rewrite IH, Y, inject_Z_plus. reflexivity.
Qed.

Lemma lifted_state st : is_state s n st -> is_state extended n (lifted st).
Proof.
  intros S d D idx P. unfold extended, with_ghosts in D. cbn [svars] in D. apply in_app_iff in D. destruct D as [D|D].
  - pose proof (proj1 old_parts d D) as K. destruct (S d D idx P) as [T C].
    rewrite (lifted_agree st _ idx K), (count_of_old _ K). split; [exact T|].
    destruct (count_of s (vnum d)) as [c|] eqn:F; [|exact I]. apply find_some in F. destruct F as [F _].
    apply (adds_up_same st); [apply lifted_agree|apply old_parts, F|exact C].
  - assert (K : known_var (vnum d) = false).
    { apply ghost_vars_new, D. }
    rewrite (count_of_new _ K). unfold lifted. rewrite K. split.
    + unfold ghost_vars in D. apply in_map_iff in D. destruct D as (x & <- & X).
      cbn [vtype vnum]. unfold type_of_count.
      destruct (forallb _ _) eqn:A; [|exact I]. cbn [has_type]. rewrite forallb_forall in A.
      destruct (find _ _) as [c|] eqn:F.
      * apply total_integer. apply find_some in F. destruct F as [F E]. apply in_map_iff in F. destruct F as (y & <- & Y).
        specialize (A y Y). rewrite E in A. exact A.
      * exfalso. pose proof (find_none _ _ F (snd x) (in_map snd _ x X)) as Q. cbn beta in Q. rewrite Pos.eqb_refl in Q. discriminate.
    + destruct (find _ _) as [c|] eqn:F; [|exact I]. apply find_some in F. destruct F as [F _].
      apply in_map_iff in F. destruct F as (y & <- & Y). apply new_parts in Y. destruct Y as [_ Y].
      apply (adds_up_same st); [apply lifted_agree|exact Y|]. apply adds_up_iff. reflexivity.
Qed.

Lemma lifted_step st st' : step s n st st' -> step extended n (lifted st) (lifted st').
Proof.
  intros (t & args & T & (D & G & U) & S' & A).
  pose proof old_parts as (Vs & Cs & _ & _ & _ & _ & Ts). pose proof (Ts t T) as B. unfold transition_below in B.
  rewrite !andb_true_iff, !forallb_forall in B. destruct B as (Bg & Bu & Bw).
  exists t, args. split; [exact T|]. split; [|split].
  - split; [exact D|]. split.
    + apply (conj_same st); [apply lifted_agree|exact Bg|exact G].
    + intros u Hu others O N. apply (dnf_same st); [apply lifted_agree|apply Bu, Hu|]. apply (U u Hu others O N).
  - apply lifted_state, S'.
  - intros d Hd Co idx P. unfold extended, with_ghosts in Hd. cbn [svars] in Hd. apply in_app_iff in Hd. destruct Hd as [Hd|Hd].
    + pose proof (Vs d Hd) as K. rewrite (count_of_old _ K) in Co. specialize (A d Hd Co idx P). unfold assigned in *.
      rewrite (lifted_agree st' _ idx K).
      destruct (find (fun u => Pos.eqb (uvar u) (vnum d)) (tupdates t)) as [[w [|bs]]|] eqn:F; [exact I| |].
      * apply find_some in F. destruct F as [F _]. specialize (Bw _ F). unfold update_below in Bw. cbn [uvalue] in Bw.
        apply andb_true_iff in Bw. apply (selected_same st); [apply lifted_agree|apply Bw|exact A].
      * rewrite (lifted_agree st _ idx K). exact A.
    + (* It counts, so that no step assigns it. *)
      exfalso. rewrite (count_of_new _ (ghost_vars_new d Hd)) in Co. unfold ghost_vars in Hd. apply in_map_iff in Hd.
      destruct Hd as (y & <- & Y). cbn [vnum] in Co. pose proof (find_none _ _ Co (snd y) (in_map snd _ y Y)) as Q.
      cbn beta in Q. rewrite Pos.eqb_refl in Q. discriminate.
Qed.

Lemma lifted_reachable st : reachable s n st -> reachable extended n (lifted st).
Proof.
  induction 1 as [st A (S & Ax & In0)|st st' R IH St].
  - pose proof old_parts as (_ & _ & Bi & Be & Ba & _). apply starts; [exact A|]. split; [|split].
    + apply lifted_state, S.
    + rewrite Forall_forall in *. intros c C H. apply (Ax c C).
      apply (cube_same st _ (lifted_agree st) n c (Ba c C)), H.
    + cbn [extended with_ghosts sinit_empty sinit_arity sinit]. destruct n as [|m].
      * apply (dnf_same st); [apply lifted_agree|exact Be|exact In0].
      * intros ps P. apply (dnf_same st); [apply lifted_agree|exact Bi|apply In0, P].
  - apply (steps _ _ (lifted st)); [exact IH|apply lifted_step, St].
Qed.

End Instance.

Lemma safe_without_ghosts : safe extended -> safe s.
Proof.
  intros H n st R Bad. apply (H n _ (lifted_reachable n st R)). unfold bad in *.
  rewrite Exists_exists in *. destruct Bad as (c & C & B). exists c. split; [exact C|].
  apply (cube_same st _ (lifted_agree n st) n c); [|exact B]. pose proof old_parts as (_ & _ & _ & _ & _ & O & _). apply O, C.
Qed.

End Below.

(** The number of the first variable that a system does not have. *)
Definition first_new (s : system) : positive := fold_right (fun d k => Pos.max (Pos.succ (vnum d)) k) 1%positive (svars s).

(** One list after the other: the later ones may be about the earlier ones. *)
Fixpoint with_all (s : system) (gs : list ghosts) : system :=
  match gs with [] => s | g :: gs => with_all (with_ghosts s g) gs end.

Fixpoint all_new (s : system) (gs : list ghosts) : bool :=
  match gs with
  | [] => true
  | g :: gs =>
      let bound := first_new s in
      system_below bound s && (new_ghosts bound g && all_new (with_ghosts s g) gs)
  end.

Definition check_with (s : system) (gs : list ghosts) (c : certificate) : bool := all_new s gs && check (with_all s gs) c.

Lemma safe_without gs : forall s, all_new s gs = true -> safe (with_all s gs) -> safe s.
Proof.
  induction gs as [|g gs IH]; cbn [all_new with_all]; intros s H S; [exact S|].
  rewrite !andb_true_iff in H. destruct H as (O & N & R).
  apply (safe_without_ghosts (first_new s) s g O N), IH, S. exact R.
Qed.

Theorem sound_with (s : system) (gs : list ghosts) (c : certificate) : check_with s gs c = true -> safe s.
Proof.
  unfold check_with. rewrite andb_true_iff. intros (N & C). apply (safe_without gs s N), (sound _ c C).
Qed.

Print Assumptions sound_with.
