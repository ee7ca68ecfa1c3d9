(** Variables that a proof adds to a system: counts, and the process that took a step last. Where the system with them is safe, the
    system is. *)

From Coq Require String.
From Coq Require Import List QArith NArith PArith Bool Lia Arith.
From Cubicle Require Import Model Ground GroundSound Check Decide ReadSound CaseSound Sound.
Import ListNotations.

(** Counts, each with the number of its indices; global variables of type [proc]; and for each transition what it gives them: its
    i-th argument. *)
Record ghosts := Ghosts {
  gcounts : list (nat * count);
  gowners : list positive;
  ggiven : list (list (positive * nat)) }.

Definition type_of_count (g : ghosts) (v : positive) : type :=
  if forallb (fun c => negb (Pos.eqb (kvar (snd c)) v) || constant_summand (snd c)) (gcounts g) then TInt else TReal.

Definition ghost_vars (g : ghosts) : list var :=
  map (fun c => let v := kvar (snd c) in Var v String.EmptyString KArray (fst c) (type_of_count g v)) (gcounts g) ++
  map (fun v => Var v String.EmptyString KGlobal 0 TProc) (gowners g).

Definition given (x : positive * nat) : update := Update (fst x) (Cases [Branch [[]] (Process (PVar (snd x)))]).

Definition giving (t : transition) (xs : list (positive * nat)) : transition :=
  Transition (tname t) (tarity t) (tguard t) (tuniversals t) (tupdates t ++ map given xs).

Fixpoint all_giving (ts : list transition) (xss : list (list (positive * nat))) : list transition :=
  match ts, xss with
  | t :: ts, xs :: xss => giving t xs :: all_giving ts xss
  | _, _ => ts
  end.

Definition with_ghosts (s : system) (g : ghosts) : system :=
  System (smost s) (sconsts s) (svars s ++ ghost_vars g) (scounts s ++ map snd (gcounts g)) (sinit_arity s) (sinit s)
    (sinit_empty s) (saxioms s) (sbad s) (all_giving (stransitions s) (ggiven g)).

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
  forallb (fun c => negb (known_var (kvar (snd c))) && count_below (snd c)) (gcounts g) &&
  (forallb (fun v => negb (known_var v)) (gowners g) &&
   forallb (forallb (fun x => negb (known_var (fst x)))) (ggiven g)).

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

Lemma new_parts :
  (forall c, List.In c (gcounts g) -> known_var (kvar (snd c)) = false /\ count_below (snd c) = true) /\
  (forall v, List.In v (gowners g) -> known_var v = false) /\
  (forall xs, List.In xs (ggiven g) -> forall x, List.In x xs -> known_var (fst x) = false).
Proof.
  unfold new_ghosts in new. rewrite !andb_true_iff, !forallb_forall in new. destruct new as (A & B & C).
  split; [|split].
  - intros c H. apply A, andb_true_iff in H. destruct H as [H K]. apply negb_true_iff in H. auto.
  - intros v V. apply negb_true_iff, B, V.
  - intros xs X x Hx. specialize (C xs X). rewrite forallb_forall in C. apply negb_true_iff, C, Hx.
Qed.

Lemma ghost_vars_new d : List.In d (ghost_vars g) -> known_var (vnum d) = false.
Proof.
  destruct new_parts as (C & O & _). unfold ghost_vars. rewrite in_app_iff, !in_map_iff.
  intros [(x & <- & X)|(v & <- & V)]; [apply C, X|apply O, V].
Qed.

Lemma count_of_old v : known_var v = true -> count_of extended v = count_of s v.
Proof.
  intros K. unfold count_of, extended, with_ghosts. cbn [scounts].
  assert (N : find (fun c => Pos.eqb (kvar c) v) (map snd (gcounts g)) = None).
  { destruct (find _ _) as [c|] eqn:F; [|reflexivity]. exfalso. apply find_some in F. destruct F as [I E].
    apply in_map_iff in I. destruct I as (x & <- & I). apply Pos.eqb_eq in E. apply (proj1 new_parts) in I. rewrite E in I.
    destruct I as [I _]. congruence. }
  induction (scounts s) as [|c cs IH]; cbn [app find]; [exact N|]. destruct (Pos.eqb (kvar c) v); [reflexivity|exact IH].
Qed.

Lemma count_of_new v : known_var v = false -> count_of extended v = find (fun c => Pos.eqb (kvar c) v) (map snd (gcounts g)).
Proof.
  intros K. unfold count_of, extended, with_ghosts. cbn [scounts].
  assert (N : forall c, List.In c (scounts s) -> Pos.eqb (kvar c) v = false).
  { intros c C. apply old_parts in C. apply Pos.eqb_neq. intros <-. destruct C as [C _]. congruence. }
  induction (scounts s) as [|c cs IH]; cbn [app find]; [reflexivity|].
  rewrite (N c) by (left; reflexivity). apply IH. intros d D. apply N. right; exact D.
Qed.

Section Instance.
Variable n : nat.

(** The state with the new variables: [h] is what owners hold. *)
Definition lifted (st : state) (h : positive -> value) : state := fun v idx =>
  if known_var v then st v idx
  else match find (fun c => Pos.eqb (kvar c) v) (map snd (gcounts g)) with
       | Some c => total (part st c idx) (below n)
       | None => h v
       end.

Lemma lifted_agree st h : agree st (lifted st h).
Proof. intros v idx K. unfold lifted. rewrite K. reflexivity. Qed.

Lemma total_integer st c idx ps : constant_summand c = true -> exists z, total (part st c idx) ps == inject_Z z.
Proof.
  intros C. unfold total. induction ps as [|p ps [z IH]]; cbn [fold_right]; [exists 0%Z; reflexivity|].
  destruct (constant_part st c idx p C) as [y Y]. exists (y + z)%Z. rewrite IH, Y, inject_Z_plus. reflexivity.
Qed.

Lemma lifted_state st h : is_state s n st -> is_state extended n (lifted st h).
Proof.
  intros S d D idx P. unfold extended, with_ghosts in D. cbn [svars] in D. apply in_app_iff in D. destruct D as [D|D].
  - pose proof (proj1 old_parts d D) as K. destruct (S d D idx P) as [T C].
    rewrite (lifted_agree st h _ idx K), (count_of_old _ K). split; [exact T|].
    destruct (count_of s (vnum d)) as [c|] eqn:F; [|exact I]. apply find_some in F. destruct F as [F _].
    apply (adds_up_same st); [apply lifted_agree|apply old_parts, F|exact C].
  - assert (K : known_var (vnum d) = false).
    { apply ghost_vars_new, D. }
    rewrite (count_of_new _ K). unfold lifted. rewrite K. split.
    + unfold ghost_vars in D. apply in_app_iff in D. destruct D as [D|D]; apply in_map_iff in D; destruct D as (x & <- & X).
      * cbn [vtype vnum]. unfold type_of_count.
        destruct (forallb _ _) eqn:A; [|exact I]. cbn [has_type]. rewrite forallb_forall in A.
        destruct (find _ _) as [c|] eqn:F.
        -- apply total_integer. apply find_some in F. destruct F as [F E]. apply in_map_iff in F. destruct F as (y & <- & Y).
           specialize (A y Y). rewrite E in A. exact A.
        -- exfalso. pose proof (find_none _ _ F (snd x) (in_map snd _ x X)) as Q. cbn beta in Q. rewrite Pos.eqb_refl in Q. discriminate.
      * exact I.
    + destruct (find _ _) as [c|] eqn:F; [|exact I]. apply find_some in F. destruct F as [F _].
      apply in_map_iff in F. destruct F as (y & <- & Y). apply new_parts in Y. destruct Y as [_ Y].
      apply (adds_up_same st); [apply lifted_agree|exact Y|]. apply adds_up_iff. reflexivity.
Qed.

Lemma all_giving_In t : forall ts xss, List.In t ts ->
  exists t' xs, List.In t' (all_giving ts xss) /\ (xs = [] \/ List.In xs xss) /\
    tarity t' = tarity t /\ tguard t' = tguard t /\ tuniversals t' = tuniversals t /\ tupdates t' = tupdates t ++ map given xs.
Proof.
  induction ts as [|u ts IH]; intros xss H; [destruct H|]. destruct xss as [|xs xss].
  - exists t, []. cbn [all_giving map]. rewrite app_nil_r. auto 10.
  - cbn [all_giving]. destruct H as [->|H].
    + exists (giving t xs), xs. simpl. auto 10.
    + destruct (IH xss H) as (t' & ys & I & [->|Y] & R); exists t'; [exists []|exists ys]; simpl; auto 10.
Qed.

Lemma lifted_step st st' h : step s n st st' -> exists h', step extended n (lifted st h) (lifted st' h').
Proof.
  intros (t & args & T & (D & G & U) & S' & A).
  destruct (all_giving_In t _ (ggiven g) T) as (t' & xs & T' & X & Ar & Gd & Un & Up).
  pose proof old_parts as (Vs & Cs & _ & _ & _ & _ & Ts). pose proof (Ts t T) as B. unfold transition_below in B.
  rewrite !andb_true_iff, !forallb_forall in B. destruct B as (Bg & Bu & Bw).
  assert (Xn : forall x, List.In x xs -> known_var (fst x) = false).
  { destruct X as [->|X]; [intros x []|]. apply new_parts, X. }
  exists (fun v => match find (fun x => Pos.eqb (fst x) v) xs with
    | Some x => of_process (nth (snd x) args 0%nat) | None => h v end).
  exists t', args. split; [exact T'|]. split; [|split].
  - rewrite <- Ar in D. split; [exact D|]. rewrite Gd, Un. split.
    + apply (conj_same st); [apply lifted_agree|exact Bg|exact G].
    + intros u Hu others O N. apply (dnf_same st); [apply lifted_agree|apply Bu, Hu|]. apply (U u Hu others O N).
  - apply lifted_state, S'.
  - intros d Hd Co idx P. unfold assigned. rewrite Up.
    assert (Fapp : forall (us ws : list update) v, find (fun u => Pos.eqb (uvar u) v) (us ++ ws) =
      match find (fun u => Pos.eqb (uvar u) v) us with Some u => Some u | None => find (fun u => Pos.eqb (uvar u) v) ws end).
    { intros us ws v. induction us as [|u us IH]; cbn [app find]; [reflexivity|]. destruct (Pos.eqb _ _); [reflexivity|exact IH]. }
    assert (Fmap : forall v, find (fun u => Pos.eqb (uvar u) v) (map given xs) =
      match find (fun x => Pos.eqb (fst x) v) xs with Some x => Some (given x) | None => None end).
    { intros v. clear. induction xs as [|x ys IH]; cbn [map find]; [reflexivity|]. cbn [given uvar].
      destruct (Pos.eqb _ _); [reflexivity|exact IH]. }
    rewrite Fapp, Fmap. unfold extended, with_ghosts in Hd. cbn [svars] in Hd. apply in_app_iff in Hd. destruct Hd as [Hd|Hd].
    + pose proof (Vs d Hd) as K. rewrite (count_of_old _ K) in Co. specialize (A d Hd Co idx P). unfold assigned in A.
      rewrite (lifted_agree st' _ _ idx K).
      destruct (find (fun u => Pos.eqb (uvar u) (vnum d)) (tupdates t)) as [[w [|bs]]|] eqn:F; [exact I| |].
      * apply find_some in F. destruct F as [F _]. specialize (Bw _ F). unfold update_below in Bw. cbn [uvalue] in Bw.
        apply andb_true_iff in Bw. apply (selected_same st); [apply lifted_agree|apply Bw|exact A].
      * destruct (find (fun x => Pos.eqb (fst x) (vnum d)) xs) as [x|] eqn:E.
        -- exfalso. apply find_some in E. destruct E as [E Q]. apply Pos.eqb_eq in Q. apply Xn in E. congruence.
        -- rewrite (lifted_agree st h _ idx K). exact A.
    + assert (K : known_var (vnum d) = false).
      { apply ghost_vars_new, Hd. }
      rewrite (count_of_new _ K) in Co.
      destruct (find (fun u => Pos.eqb (uvar u) (vnum d)) (tupdates t)) as [u|] eqn:F.
      { exfalso. apply find_some in F. destruct F as [F Q]. apply Pos.eqb_eq in Q. specialize (Bw _ F). unfold update_below in Bw.
        apply andb_true_iff in Bw. destruct Bw as [Bw _]. rewrite Q in Bw. congruence. }
      unfold lifted. rewrite K, Co.
      destruct (find (fun x => Pos.eqb (fst x) (vnum d)) xs) as [x|] eqn:E; [|reflexivity].
      cbn [given]. left. cbn [bwhen bvalue term_value proc_of]. split; [left; constructor|].
      assert (Z : idx = []).
      { unfold ghost_vars in Hd. apply in_app_iff in Hd. destruct Hd as [Hd|Hd]; apply in_map_iff in Hd; destruct Hd as (y & <- & Y).
        - exfalso. cbn [vnum] in Co. pose proof (find_none _ _ Co (snd y) (in_map snd _ y Y)) as Q. cbn beta in Q.
          rewrite Pos.eqb_refl in Q. discriminate.
        - destruct P as [L _]. apply length_zero_iff_nil, L. }
      rewrite Z, app_nil_r. reflexivity.
Qed.

Lemma lifted_reachable st : reachable s n st -> exists h, reachable extended n (lifted st h).
Proof.
  induction 1 as [st A (S & Ax & In0)|st st' R (h & IH) St].
  - exists (fun _ => 0). pose proof old_parts as (_ & _ & Bi & Be & Ba & _). apply starts; [exact A|]. split; [|split].
    + apply lifted_state, S.
    + rewrite Forall_forall in *. intros c C H. apply (Ax c C).
      apply (cube_same st _ (lifted_agree st (fun _ => 0)) n c (Ba c C)), H.
    + cbn [extended with_ghosts sinit_empty sinit_arity sinit]. destruct n as [|m].
      * apply (dnf_same st); [apply lifted_agree|exact Be|exact In0].
      * intros ps P. apply (dnf_same st); [apply lifted_agree|exact Bi|apply In0, P].
  - destruct (lifted_step st st' h St) as (h' & St'). exists h'. apply (steps _ _ (lifted st h)); assumption.
Qed.

End Instance.

Lemma safe_without_ghosts : safe extended -> safe s.
Proof.
  intros H n st R Bad. destruct (lifted_reachable n st R) as (h & R'). apply (H n _ R'). unfold bad in *.
  rewrite Exists_exists in *. destruct Bad as (c & C & B). exists c. split; [exact C|].
  apply (cube_same st _ (lifted_agree n st h) n c); [|exact B]. pose proof old_parts as (_ & _ & _ & _ & _ & O & _). apply O, C.
Qed.

End Below.

(** The number of the first variable that a system does not have. *)
Definition first_new (s : system) : positive := fold_right (fun d k => Pos.max (Pos.succ (vnum d)) k) 1%positive (svars s).

(** One after the other: the later ones may be about the earlier ones. *)
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
