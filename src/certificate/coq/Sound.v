(** The theorem: a system that [check] accepts is safe, with any number of processes. *)

From Coq Require Import List QArith Qround NArith PArith FMapPositive Bool Lia Lqa Arith.
From Cubicle Require Import Model Ground GroundSound Check Decide ReadSound CaseSound.
Import ListNotations.

(** ** Names for processes *)

Definition at_ (who : list nat) (i : nat) : nat := nth i who 0%nat.

Lemma at_app who more i : (i < length who)%nat -> at_ (who ++ more) i = at_ who i.
Proof. apply app_nth1. Qed.

Lemma map_further who more idx : Forall (fun i => (i < length who)%nat) idx -> map (at_ (who ++ more)) idx = map (at_ who) idx.
Proof. rewrite Forall_forall. intros H. apply map_ext_in. intros i Hi. apply at_app, H, Hi. Qed.

Lemma Forall_further (who more : list nat) idx : Forall (fun i => (i < length who)%nat) idx ->
  Forall (fun i => (i < length (who ++ more))%nat) idx.
Proof. apply Forall_impl. intros i. rewrite app_length. lia. Qed.

(** Any distinct processes are named by one of the arrangements. *)
Lemma arrange_complete n params : forall known chosen who qs,
  (known <= length who)%nat ->
  NoDup who -> Forall (fun p => (p < n)%nat) who ->
  Forall (fun i => (i < length who)%nat) chosen ->
  (forall i, (known <= i < length who)%nat -> List.In i chosen) ->
  length qs = params -> NoDup qs -> Forall (fun p => (p < n)%nat) qs ->
  (forall i, List.In i chosen -> ~ List.In (at_ who i) qs) ->
  exists more idx,
    List.In (length (who ++ more), rev chosen ++ idx) (arrange known (length who) params chosen) /\
    map (at_ (who ++ more)) idx = qs /\
    NoDup (who ++ more) /\ Forall (fun p => (p < n)%nat) (who ++ more) /\
    Forall (fun i => (i < length (who ++ more))%nat) idx /\ (length more <= params)%nat.
Proof.
  induction params as [|params IH]; intros known chosen who qs K N X C A L D Q S.
  - destruct qs; [|discriminate]. exists [], []. rewrite !app_nil_r. cbn [arrange]. repeat split; simpl; auto.
  - destruct qs as [|q qs]; [discriminate|]. injection L as L.
    inversion D as [|? ? Dq D']; inversion Q as [|? ? Qq Q']; subst.
    cbn [arrange]. destruct (in_dec Nat.eq_dec q who) as [W|W].
    + destruct (In_nth who q 0%nat W) as (j & J & E). fold (at_ who j) in E.
      assert (NC : ~ List.In j chosen) by (intros H; apply (S j H); rewrite E; left; reflexivity).
      assert (JK : (j < known)%nat).
      { destruct (le_lt_dec known j) as [G|G]; [|exact G]. exfalso. apply NC, A. lia. }
      destruct (IH known (j :: chosen) who qs) as (more & idx & I & M & R); auto.
      { intros i H. right. apply A, H. }
      { intros i [<-|H].
        - rewrite E. exact Dq.
        - intros H'. apply (S i H). right. exact H'. }
      exists more, (j :: idx). split; [|split; [|split; [|split; [|split]]]]; try apply R.
      * apply in_app_iff. left. apply in_flat_map. exists j. split; [apply In_below, JK|].
        destruct (existsb (Nat.eqb j) chosen) eqn:B.
        { apply among_iff in B. tauto. }
        simpl in I. rewrite <- app_assoc in I. exact I.
      * cbn [map]. rewrite M, at_app by exact J. congruence.
      * constructor; [rewrite app_length; lia|apply R].
      * destruct R as (_ & _ & _ & R). lia.
    + destruct (IH known (length who :: chosen) (who ++ [q]) qs) as (more & idx & I & M & R).
      * rewrite app_length. lia.
      * apply NoDup_rev in N. rewrite <- (rev_involutive (who ++ [q])). apply NoDup_rev.
        rewrite rev_app_distr. simpl. constructor; [|exact N]. rewrite <- in_rev. exact W.
      * apply Forall_app. auto.
      * rewrite app_length. simpl. constructor; [lia|]. revert C. apply Forall_impl. intros; lia.
      * rewrite app_length. simpl. intros i H. destruct (Nat.eq_dec i (length who)) as [->|G]; [left; reflexivity|].
        right. apply A. lia.
      * reflexivity.
      * exact D'.
      * exact Q'.
      * intros i [<-|H].
        -- unfold at_. rewrite nth_middle. exact Dq.
        -- rewrite Forall_forall in C. rewrite at_app by (apply C, H). intros H'. apply (S i H). right. exact H'.
      * exists (q :: more), (length who :: idx).
        replace (who ++ q :: more) with ((who ++ [q]) ++ more) by (rewrite <- app_assoc; reflexivity).
        split; [|split; [|split; [|split; [|split]]]]; try apply R.
        -- apply in_app_iff. right.
           assert (El : length (who ++ [q]) = Datatypes.S (length who)) by (rewrite app_length; simpl; lia).
           rewrite El in I. cbn [rev] in I. rewrite <- (app_assoc (rev chosen)) in I. exact I.
        -- cbn [map]. rewrite M. f_equal. unfold at_. rewrite <- app_assoc. apply nth_middle.
        -- constructor; [rewrite !app_length; simpl; lia|apply R].
        -- destruct R as (_ & _ & _ & R). simpl. lia.
Qed.

Lemma arrangements_complete n params who qs : NoDup who -> Forall (fun p => (p < n)%nat) who -> distinct n params qs ->
  exists more idx,
    List.In (length (who ++ more), idx) (arrangements (length who) params) /\
    map (at_ (who ++ more)) idx = qs /\
    NoDup (who ++ more) /\ Forall (fun p => (p < n)%nat) (who ++ more) /\
    Forall (fun i => (i < length (who ++ more))%nat) idx /\ (length more <= params)%nat.
Proof.
  intros N X [[L Q] D]. apply (arrange_complete n params (length who) [] who qs); auto.
  - intros i H. lia.
Qed.

Lemma cases_true {A : Type} (one : A -> hint -> bool) xs : forall hs x, cases one xs hs = true -> List.In x xs ->
  exists h, one x h = true.
Proof.
  induction xs as [|y xs IH]; cbn [cases]; intros hs x H X; [destruct X|].
  destruct hs as [|h hs]; apply andb_true_iff in H; destruct H as [H T]; destruct X as [->|X]; eauto.
Qed.

Lemma by_number_In {A : Type} (xs : list (positive * A)) k x : PM.find k (by_number xs) = Some x -> List.In (k, x) xs.
Proof.
  unfold by_number. induction xs as [|[l y] xs IH]; cbn [fold_right fst snd].
  - rewrite PM.gempty. discriminate.
  - destruct (Pos.eq_dec k l) as [->|D].
    + rewrite PM.gss. intros [= ->]. left; reflexivity.
    + rewrite PM.gso by exact D. right. auto.
Qed.

Lemma numbered_In {A : Type} (xs : list A) : forall i x, List.In x xs <-> exists k, List.In (k, x) (numbered i xs).
Proof.
  induction xs as [|y xs IH]; cbn [numbered]; intros i x.
  - split; [intros []|intros (k & [])].
  - split.
    + intros [->|H]; [exists i; left; reflexivity|]. apply (IH (Pos.succ i)) in H. destruct H as (k & H). exists k. right; exact H.
    + intros (k & [[= _ ->]|H]); [left; reflexivity|]. right. apply (IH (Pos.succ i)). eauto.
Qed.

(** ** The three obligations *)

Section Certified.

Variable s : system.
Variable c : certificate.

Let types := sorts_of s.
Let consts := sconsts s.
Let own := cubes c.
Let axioms := numbered (Pos.of_succ_nat (length own)) (saxioms s).
Let all := numbered 1 own ++ axioms.
Variable most : nat.
Hypothesis room : forall b t, List.In b (own ++ saxioms s ++ sbad s) -> List.In t (stransitions s) ->
  (consts + tarity t + S (carity b) <= most)%nat.
Hypothesis room' : forall b, List.In b (own ++ saxioms s ++ sbad s) -> (consts + S (carity b) <= most)%nat.

Definition excludes (n : nat) (st : state) : Prop := forall x, List.In x all -> ~ cube_holds n st (snd x).

Variable n : nat.
Hypothesis admitted : admits s n.

(** The processes that constants name. *)
Let constants := seq 0 consts.

Lemma constants_ok : NoDup constants /\ Forall (fun p => (p < n)%nat) constants /\ length constants = consts.
Proof.
  repeat split.
  - apply seq_NoDup.
  - apply Forall_forall. intros p P. apply in_seq in P. destruct admitted as [A _]. fold consts in A. lia.
  - apply seq_length.
Qed.

Lemma constants_rigid more : (sconsts s <= length (constants ++ more))%nat /\
  forall k, (k < sconsts s)%nat -> nth k (constants ++ more) 0%nat = k.
Proof.
  rewrite app_length. unfold constants, consts. rewrite seq_length. split; [lia|].
  intros k K. rewrite app_nth1 by (rewrite seq_length; exact K). rewrite seq_nth by exact K. reflexivity.
Qed.

Lemma allowed : match smost s with None => True | Some m => (n <= m)%nat end.
Proof. apply admitted. Qed.

Lemma table_excludes st k x : excludes n st -> PM.find k (by_number all) = Some x -> ~ cube_holds n st x.
Proof. intros E F. apply by_number_In in F. exact (E (k, x) F). Qed.

Lemma unread_reads st st' who stx : reads s st st' who most unread stx.
Proof. intros v idx _. exists (GT, VUnknown). simpl; auto. Qed.

Lemma bad_excluded st b hs :
  List.In b (sbad s) -> is_state s n st -> excludes n st ->
  cases (bad_case types consts most (smost s) (by_number all) b) (arrangements consts (carity b)) hs = true ->
  ~ cube_holds n st b.
Proof.
  intros B S E H (qs & D & C). destruct constants_ok as (N0 & X0 & L0).
  destruct (arrangements_complete n (carity b) constants qs N0 X0 D) as (more & idx & I & M & N & X & F & Lm).
  rewrite L0 in I. destruct (cases_true _ _ _ _ H I) as (h & T). unfold bad_case in T. cbn [fst snd] in T.
  set (who := constants ++ more) in *.
  assert (Few : (length who <= most)%nat).
  { unfold who. rewrite app_length, L0.
    pose proof (room' b ltac:(rewrite !in_app_iff; auto)). lia. }
  rewrite (case_false s n st st most S S (smost s) (by_number all) allowed (fun k x => table_excludes st k x E)
    unread _ who) in T; [discriminate| | |exact (Logic.conj N (Logic.conj X (Logic.conj (constants_rigid more) Few)))].
  - intros. apply unread_reads.
  - intros others (N' & X' & R' & F'). apply tell_all_holds.
    + intros k0. apply model_everywhere; assumption.
    + apply satisfies_nothing.
    + intros f Hf. apply (conj_gfs_good s n st st (who ++ others) most S N' X' R' F' idx (Forall_further who others idx F) (cconj b));
        [|exact Hf].
      change (proc (who ++ others)) with (at_ (who ++ others)). rewrite (map_further who others idx F), M. exact C.
Qed.

Lemma initially_excluded st b hs :
  List.In b own -> initial s n st ->
  cases (initial_case types consts most (smost s) (by_number axioms) s b) (initial_cases consts (carity b)) hs = true ->
  ~ cube_holds n st b.
Proof.
  intros B (S & A & In0) H (qs & D & C). destruct constants_ok as (N0 & X0 & L0).
  destruct (arrangements_complete n (carity b) constants qs N0 X0 D) as (more & idx & I & M & N & X & F & Lm).
  rewrite L0 in I.
  assert (Ax : forall k x, PM.find k (by_number axioms) = Some x -> ~ cube_holds n st x).
  { intros k x K. apply by_number_In in K. rewrite Forall_forall in A. apply A.
    apply (numbered_In _ (Pos.of_succ_nat (length own))). eauto. }
  (* A case with these processes is impossible. *)
  assert (Done : forall who empty, NoDup who -> Forall (fun p => (p < n)%nat) who ->
    (sconsts s <= length who)%nat /\ (forall k, (k < sconsts s)%nat -> nth k who 0%nat = k) ->
    Forall (fun i => (i < length who)%nat) idx -> map (at_ who) idx = qs ->
    (if empty : bool then n = 0%nat else n <> 0%nat) -> (length who <= consts + Datatypes.S (carity b))%nat ->
    ~ List.In (empty, length who, idx) (initial_cases consts (carity b))).
  { intros who empty Nw Xw R Fw Mw En Lw Hin. destruct (cases_true _ _ _ _ H Hin) as (h & T). unfold initial_case in T.
    assert (Few : (length who <= most)%nat).
    { pose proof (room' b ltac:(rewrite in_app_iff; auto)). lia. }
    rewrite (case_false s n st st most S S (smost s) (by_number axioms) allowed Ax unread _ who) in T;
      [discriminate| | |exact (Logic.conj Nw (Logic.conj Xw (Logic.conj R Few)))]; [intros; apply unread_reads|].
    intros others (N' & X' & R' & F'). set (all_named := who ++ others) in *.
    assert (W : forall k, N.testbit (width types most k) (fin (model s st st all_named most) k) = true).
    { intros k0. apply model_everywhere; assumption. }
    destruct (tell_all_holds (model s st st all_named most) (width types most) W (conj_gfs types consts most idx (cconj b)) nothing
      (satisfies_nothing _)) as (k & -> & Sk).
    { intros f Hf. apply (conj_gfs_good s n st st all_named most S N' X' R' F' idx (Forall_further who others idx Fw) (cconj b));
        [|exact Hf].
      change (proc all_named) with (at_ all_named). unfold all_named. rewrite (map_further who others idx Fw), Mw. exact C. }
    destruct empty.
    - pose proof (NoDup_few n all_named N' X') as Few0. rewrite En in Few0, In0.
      assert (Z : length all_named = 0%nat) by (clear - Few0; lia). rewrite Z. apply tell_holds; [exact W|exact Sk|].
      apply (dnf_good s n st st all_named most S N' X' R' F' []); [constructor|exact In0].
    - apply tell_all_holds; [exact W|exact Sk|]. intros f Hf. apply in_map_iff in Hf. destruct Hf as (ps & <- & P).
      apply tuples_iff in P. destruct P as [Lp P]. rewrite Forall_forall in P.
      assert (Fp : Forall (fun i => (i < length all_named)%nat) ps).
      { apply Forall_forall. intros i Hi. apply In_below, P, Hi. }
      apply (dnf_good s n st st all_named most S N' X' R' F' ps Fp).
      destruct n as [|n']; [congruence|]. apply In0. split; [rewrite map_length; exact Lp|].
      apply (procs_exist (Datatypes.S n') all_named X' ps Fp). }
  destruct (length (constants ++ more)) as [|m] eqn:Len.
  - assert (W0 : constants ++ more = []) by (apply length_zero_iff_nil, Len). rewrite W0 in *.
    assert (idx = []) as -> by (destruct idx; [reflexivity|inversion F; simpl in *; lia]).
    assert (Both : List.In (true, 0%nat, []) (initial_cases consts (carity b)) /\
                   List.In (false, 1%nat, []) (initial_cases consts (carity b))).
    { unfold initial_cases. split; apply in_flat_map; exists (0%nat, @nil nat); simpl; auto. }
    destruct Both as [B0 B1]. pose proof (constants_rigid more) as R. rewrite W0 in R. destruct R as [R1 R2].
    destruct (Nat.eq_dec n 0) as [Z|Z].
    + apply (Done [] true); auto. simpl. lia.
    + apply (Done [0%nat] false); auto.
      * constructor; [simpl; tauto|constructor].
      * constructor; [lia|constructor].
      * simpl in *. split; [lia|]. intros k K. lia.
      * simpl. lia.
  - apply (Done (constants ++ more) false); auto.
    + apply constants_rigid.
    + rewrite Len. exact F.
    + assert (Nn : (length (constants ++ more) <= n)%nat) by (apply NoDup_few; assumption). lia.
    + rewrite app_length, L0. lia.
    + unfold initial_cases. apply in_flat_map. exists (Datatypes.S m, idx). rewrite Len in *. split; [exact I|]. simpl. auto.
Qed.

(** *** Steps *)

Lemma proc_ok_exists arity ps p : processes n arity ps -> proc_ok consts arity p = true -> (proc_of ps p < n)%nat.
Proof.
  intros [L X] H. destruct p as [i|k]; cbn [proc_ok proc_of] in *; apply Nat.ltb_lt in H.
  - rewrite Forall_forall in X. apply X, nth_In. lia.
  - destruct admitted as [A _]. fold consts in A. lia.
Qed.

Section Step.

Variables st st' : state.
Variable t : transition.
Variable args : list nat.
Hypothesis step_assigns : forall d, List.In d (svars s) -> count_of s (vnum d) = None -> forall idx, processes n (varity d) idx ->
  assigned st t args (vnum d) idx (st' (vnum d) idx).

Lemma kept_cell arity ps x : processes n arity ps -> cell_kept types consts arity t x = true ->
  cell_value st' ps x == cell_value st ps x.
Proof.
  intros P H. unfold cell_kept, cell_ok, is_counted, counting in H. apply andb_true_iff in H. destruct H as [H W].
  destruct (PM.find (cvar x) types) as [[indices u]|] eqn:F; [|discriminate].
  apply andb_true_iff in H. destruct H as [L I]. apply Nat.eqb_eq in L.
  apply sorts_of_find in F. destruct F as (d & D & E & A & _ & Co). apply negb_true_iff, orb_false_iff in W. destruct W as [Nc W].
  unfold cell_value. rewrite <- E.
  assert (Q : processes n (varity d) (map (proc_of ps) (cidx x))).
  { split; [rewrite map_length; congruence|]. rewrite Forall_map. rewrite forallb_forall in I.
    apply Forall_forall. intros p Hp. apply (proc_ok_exists arity); auto. }
  assert (None_ : count_of s (vnum d) = None).
  { rewrite E, Co. destruct u as [| |w [c0|]]; simpl in *; congruence. }
  specialize (step_assigns d D None_ _ Q). unfold assigned in step_assigns.
  destruct (find (fun y => Pos.eqb (uvar y) (vnum d)) (tupdates t)) as [y|] eqn:Y; [|exact step_assigns].
  exfalso. apply find_some in Y. rewrite E in Y. apply not_true_iff_false in W.
  apply W, existsb_exists. exists y. exact Y.
Qed.

Lemma kept_linear arity ps ts k : processes n arity ps ->
  forallb (fun y => cell_kept types consts arity t (snd y)) ts = true ->
  linear_value st' ps (Linear ts k) == linear_value st ps (Linear ts k).
Proof.
  intros P. unfold linear_value. cbn [lterms lconst].
  induction ts as [|[q x] ts IH]; cbn [fold_right fst snd forallb]; intros H; [reflexivity|].
  apply andb_true_iff in H. destruct H as [K T]. rewrite (IH T), (kept_cell arity ps x P K). reflexivity.
Qed.

Lemma kept_term arity ps x : processes n arity ps -> term_kept types consts arity t x = true ->
  term_value st' ps x == term_value st ps x.
Proof.
  intros P H. destruct x as [b|p|x|[ts k]]; cbn [term_value term_kept lterms] in *; try reflexivity.
  - apply (kept_cell arity); assumption.
  - apply (kept_linear arity); assumption.
Qed.

Lemma kept_literal arity ps l : processes n arity ps -> literal_kept types consts arity t l = true ->
  literal_holds st' ps l -> literal_holds st ps l.
Proof.
  intros P. destruct l as [x set|l r|l r|l r|l r|e r]; cbn [literal_kept literal_holds]; intros K.
  - intros (b & B & E). exists b. rewrite <- (kept_cell arity ps x P K). auto.
  - apply andb_true_iff in K. destruct K as [A B]. rewrite (kept_term arity ps l P A), (kept_term arity ps r P B). auto.
  - apply andb_true_iff in K. destruct K as [A B]. rewrite (kept_term arity ps l P A), (kept_term arity ps r P B). auto.
  - apply andb_true_iff in K. destruct K as [A B]. rewrite (kept_term arity ps l P A), (kept_term arity ps r P B). auto.
  - apply andb_true_iff in K. destruct K as [A B]. rewrite (kept_term arity ps l P A), (kept_term arity ps r P B). auto.
  - pose proof (kept_term arity ps (Sum e) P K) as E. cbn [term_value] in E. destruct r; rewrite E; auto.
Qed.

Hypothesis enabled_here : enabled n st t args.
Hypothesis state : is_state s n st.
Hypothesis state' : is_state s n st'.
Hypothesis before : excludes n st.

Lemma all_room x b : List.In (x, b) all -> List.In b (own ++ saxioms s ++ sbad s).
Proof.
  unfold all, axioms. rewrite !in_app_iff. intros [H|H].
  - left. apply (numbered_In _ 1%positive). eauto.
  - right. left. apply (numbered_In _ (Pos.of_succ_nat (length own))). eauto.
Qed.

Lemma step_excluded x b hs : List.In (x, b) all -> List.In t (stransitions s) ->
  step_checked types consts most (smost s) (by_number all) b (prepare types consts most t) hs = true ->
  ~ cube_holds n st' b.
Proof.
  intros Hall Ht H (qs & D & C). unfold step_checked in H. apply orb_true_iff in H. destruct H as [H|H].
  - cbn [prepare fst] in H. apply (before (x, b) Hall). exists qs. split; [exact D|].
    unfold conj_holds in *. rewrite Forall_forall in *. intros l L. apply (kept_literal (carity b)); [apply D| |apply C, L].
    rewrite forallb_forall in H. apply H, L.
  - destruct constants_ok as (N0 & X0 & L0). destruct enabled_here as (Da & G & U).
    destruct (arrangements_complete n (tarity t) constants args N0 X0 Da) as (more & aidx & Ia & Ma & Na & Xa & Fa & La).
    destruct (arrangements_complete n (carity b) (constants ++ more) qs Na Xa D) as (more' & idx & I & M & N & X & F & Lm).
    pose proof (constants_rigid (more ++ more')) as R. rewrite app_assoc in R.
    rewrite L0 in Ia. set (who0 := constants ++ more) in *. set (who := who0 ++ more') in *.
    assert (Fa' : Forall (fun i => (i < length who)%nat) aidx).
    { revert Fa. apply Forall_impl. intros i. unfold who. rewrite app_length. lia. }
    assert (Ma' : map (at_ who) aidx = args).
    { rewrite <- Ma. apply map_ext_in. intros i Hi. apply at_app. rewrite Forall_forall in Fa. apply Fa, Hi. }
    (* There is room for the named processes, or the case would not be accepted. *)
    assert (Cases : forall k, tell_all (width types most) (conj_gfs types consts most aidx (tguard t)) nothing = Some k ->
      exists h, step_case types consts most (smost s) (by_number all) t aidx k b (length who, idx) h = true).
    { intros k Ek. destruct (cases_true _ _ _ ((length who0, aidx, k), (length who, idx)) H) as (h & T).
      - apply in_flat_map. exists (length who0, aidx, k). split.
        + unfold prepare. cbn [snd]. apply in_flat_map. exists (length who0, aidx). split; [exact Ia|].
          cbn [snd]. rewrite Ek. left. reflexivity.
        + cbn [fst]. apply in_map. exact I.
      - exists h. exact T. }
    assert (Few : (length who <= most)%nat).
    { unfold who, who0. rewrite !app_length, L0. pose proof (room b t (all_room x b Hall) Ht). lia. }
    assert (Known : forall others, names s n most (who ++ others) ->
      exists k, tell_all (width types most) (conj_gfs types consts most aidx (tguard t)) nothing = Some k /\
                satisfies (model s st st' (who ++ others) most) k).
    { intros others (N' & X' & R' & F'). apply tell_all_holds.
      - intros k0. apply model_everywhere; assumption.
      - apply satisfies_nothing.
      - intros f Hf. apply (conj_gfs_good s n st st' (who ++ others) most state N' X' R' F' aidx
          (Forall_further who others aidx Fa') (tguard t)); [|exact Hf].
        change (proc (who ++ others)) with (at_ (who ++ others)). rewrite (map_further who others aidx Fa'), Ma'. exact G. }
    assert (Names : names s n most who) by exact (Logic.conj N (Logic.conj X (Logic.conj R Few))).
    destruct (Known []) as (k & Ek & _); [rewrite app_nil_r; exact Names|].
    destruct (Cases k Ek) as (h & T). unfold step_case in T.
    rewrite (case_false s n st st' most state state' (smost s) (by_number all) allowed
      (fun k x => table_excludes st k x before) _ _ who) in T; [discriminate| | |exact Names].
    { intros others (N' & X' & R' & F'). apply (after_reads s n); try assumption.
      - apply Forall_further, Fa'.
      - change (proc (who ++ others)) with (at_ (who ++ others)). rewrite (map_further who others aidx Fa'), Ma'. exact step_assigns. }
    intros others Names'. pose proof Names' as (N' & X' & R' & F').
    destruct (Known others Names') as (k' & Ek' & Sk). rewrite Ek in Ek'. injection Ek' as <-.
    set (all_named := who ++ others) in *.
    assert (Fi : Forall (fun i => (i < length all_named)%nat) idx) by apply (Forall_further who others idx F).
    assert (Fi' : Forall (fun i => (i < length all_named)%nat) aidx) by apply (Forall_further who others aidx Fa').
    assert (Mi : map (at_ all_named) idx = qs) by (unfold all_named; rewrite (map_further who others idx F); exact M).
    assert (Mi' : map (at_ all_named) aidx = args) by (unfold all_named; rewrite (map_further who others aidx Fa'); exact Ma').
    assert (W : forall k, N.testbit (width types most k) (fin (model s st st' all_named most) k) = true).
    { intros k0. apply model_everywhere; assumption. }
    assert (Rd : reads s st st' all_named most (after types consts most t aidx) st').
    { apply (after_reads s n); try assumption. change (proc all_named) with (at_ all_named). rewrite Mi'. exact step_assigns. }
    destruct (tell_all_holds (model s st st' all_named most) (width types most) W
      (map (literal_gf consts most (after types consts most t aidx) true idx) (cconj b)) k Sk) as (k1 & -> & S1).
    { intros f Hf. apply in_map_iff in Hf. destruct Hf as (l & <- & L).
      apply (literal_good s st st' all_named most N' R' F' _ st' Rd idx Fi true).
      change (proc all_named) with (at_ all_named). rewrite Mi. unfold conj_holds in C. rewrite Forall_forall in C. apply C, L. }
    assert (NC : holds (model s st st' all_named most) (not_conj_gf types consts most idx (cconj b))).
    { apply (not_conj_good s n st st' all_named most state N' X' R' F' idx Fi).
      change (proc all_named) with (at_ all_named). rewrite Mi. intros C0. apply (before (x, b) Hall). exists qs. split; assumption. }
    destruct (tell_holds (model s st st' all_named most) (width types most) W _ k1 S1 NC) as (k2 & -> & S2).
    destruct (tuniversals t) as [|u us] eqn:Eu; [exists k2; auto|]. rewrite <- Eu in *.
    apply tell_all_holds; [exact W|exact S2|]. intros f Hf. unfold universal_gfs in Hf.
    apply in_flat_map in Hf. destruct Hf as (v & V & Hf). apply in_map_iff in Hf. destruct Hf as (o & <- & O).
    apply filter_In in O. destruct O as [O Od]. apply all_distinct_iff in Od. apply tuples_iff in O. destruct O as [Lo O].
    rewrite Forall_forall in O.
    assert (Oi : forall p, List.In p o -> (p < length all_named)%nat /\ ~ List.In p aidx).
    { intros p P. apply O, filter_In in P. destruct P as [P Q]. apply In_below in P. apply not_among in Q. auto. }
    assert (Fo : Forall (fun i => (i < length all_named)%nat) o) by (apply Forall_forall; intros p P; apply Oi, P).
    apply (dnf_good s n st st' all_named most state N' X' R' F' (aidx ++ o)); [apply Forall_app; auto|].
    rewrite map_app. change (proc all_named) with (at_ all_named) at 1. rewrite Mi'.
    apply (U v V).
    * rewrite <- Lo. apply (chosen_distinct n all_named N' X'); assumption.
    * intros p P A. apply in_map_iff in P. destruct P as (i & <- & P). rewrite <- Mi' in A.
      apply in_map_iff in A. destruct A as (j & E & A). apply (Oi i P).
      rewrite <- (proc_inj all_named N' j i); [exact A|rewrite Forall_forall in Fi'; apply Fi', A|apply Oi, P|exact E].
Qed.

End Step.
End Certified.

Lemma most_of_le xs x : List.In x xs -> (x <= most_of xs)%nat.
Proof.
  unfold most_of. induction xs as [|y xs IH]; cbn [fold_right]; intros H; [destruct H|].
  destruct H as [->|H]; [|apply IH in H]; lia.
Qed.

Theorem sound (s : system) (c : certificate) : check s c = true -> safe s.
Proof.
  unfold check. set (types := sorts_of s). set (consts := sconsts s). set (own := cubes c).
  set (axioms := numbered (Pos.of_succ_nat (length own)) (saxioms s)). set (all := numbered 1 own ++ axioms).
  set (most := (consts + most_of (map tarity (stransitions s)) + S (most_of (map carity (own ++ saxioms s ++ sbad s))) + further c)%nat).
  cbv zeta. rewrite !andb_true_iff, !forallb_forall. intros (Hi & Hs & Hb).
  assert (room' : forall b, List.In b (own ++ saxioms s ++ sbad s) -> (consts + S (carity b) <= most)%nat).
  { intros b B. apply (in_map carity), most_of_le in B. unfold most. lia. }
  assert (room : forall b t, List.In b (own ++ saxioms s ++ sbad s) -> List.In t (stransitions s) ->
    (consts + tarity t + S (carity b) <= most)%nat).
  { intros b t B T. apply (in_map carity), most_of_le in B. apply (in_map tarity), most_of_le in T. unfold most. lia. }
  intros n st0 R0.
  assert (Inv : admits s n /\ is_state s n st0 /\ excludes s c n st0).
  { induction R0 as [st A I|st st' R (A & S & E) (t & args & T & En & S' & As)].
    - split; [exact A|]. split; [apply I|]. intros [k b] B. cbn [snd].
      apply in_app_iff in B. destruct B as [B|B].
      + assert (Ob : List.In b own) by (apply (numbered_In _ 1%positive); eauto).
        apply (initially_excluded s c most room' n A st b (find_or [] (by_number (on_initial c)) k) Ob I).
        exact (Hi (k, b) B).
      + destruct I as (_ & Ax & _). rewrite Forall_forall in Ax. apply Ax.
        apply (numbered_In _ (Pos.of_succ_nat (length own))). eauto.
    - split; [exact A|]. split; [exact S'|]. intros [k b] B. cbn [snd].
      assert (Tp : List.In (prepare types consts most t) (map (prepare types consts most) (stransitions s))) by (apply in_map, T).
      apply (numbered_In _ 1%positive) in Tp. destruct Tp as (j & J).
      pose proof (Hs (k, b) B) as H. cbn [fst snd] in H. rewrite forallb_forall in H. specialize (H _ J). cbn [fst snd] in H.
      exact (step_excluded s c most room n A st st' t args As En S S' E k b _ B T H). }
  intros Bad. unfold bad in Bad. rewrite Exists_exists in Bad. destruct Bad as (b & B & Hold).
  destruct Inv as (A & S & E). pose proof B as B'. apply (numbered_In _ 1%positive) in B'. destruct B' as (k & K).
  apply (bad_excluded s c most room' n A st0 b (find_or [] (by_number (on_bad c)) k) B S E); [|exact Hold].
  exact (Hb (k, b) K).
Qed.

