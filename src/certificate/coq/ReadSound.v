(** What [Check] reads of formulas holds in every model made of a state, the state after a step, and named processes. *)

From Coq Require Import List QArith Qround NArith PArith FMapPositive Bool Lia Lqa Arith.
From Cubicle Require Import Model Ground GroundSound Check Decide.
Import ListNotations.

(** ** Keys can be read back *)

Lemma var_of_key_var v rest : var_of_key (key_var v rest) = Some (v, rest).
Proof. induction v as [v IH|v IH|]; simpl; try rewrite IH; reflexivity. Qed.

Lemma idx_of_key_iter i k c : idx_of_key (Nat.iter i xI k) c = idx_of_key k (i + c).
Proof.
  revert c. induction i as [|i IH]; intros c; [reflexivity|].
  cbn [Nat.iter]. unfold Nat.iter in *. simpl. rewrite IH. f_equal. lia.
Qed.

Lemma idx_of_key_idx idx : idx_of_key (key_idx idx) 0 = Some idx.
Proof.
  induction idx as [|i idx IH]; [reflexivity|].
  cbn [key_idx]. rewrite idx_of_key_iter, Nat.add_0_r. cbn [idx_of_key]. rewrite IH. reflexivity.
Qed.

(** ** Truth of formulas is decidable *)

Lemma literal_dec st ps l : literal_holds st ps l \/ ~ literal_holds st ps l.
Proof. rewrite <- literal_b_iff. destruct (literal_b st ps l); auto. Qed.

Lemma not_conj st ps c : ~ conj_holds st ps c -> exists l, List.In l c /\ ~ literal_holds st ps l.
Proof.
  induction c as [|l c IH]; intros H.
  - exfalso. apply H. constructor.
  - destruct (literal_dec st ps l) as [L|L]; [|exists l; simpl; auto].
    destruct IH as (m & M & N); [|exists m; simpl; auto].
    intros C. apply H. constructor; assumption.
Qed.

(** ** Types *)

(** The type without the count that a variable is. *)
Definition plain (t : sort) : sort := match t with SNumber whole _ => SNumber whole None | _ => t end.
Definition count_in (t : sort) : option count := match t with SNumber _ c => c | _ => None end.

Lemma sorts_of_find s v arity t : PM.find v (sorts_of s) = Some (arity, t) ->
  exists d, List.In d (svars s) /\ vnum d = v /\ varity d = arity /\ sort_of_type (vtype d) = Some (plain t) /\
            count_of s v = count_in t.
Proof.
  unfold sorts_of. induction (svars s) as [|d ds IH]; cbn [fold_right].
  - rewrite PM.gempty. discriminate.
  - assert (Later : PM.find v (fold_right (fun d m =>
        match sort_of_var s d with Some t => PM.add (vnum d) (varity d, t) m | None => m end) (PM.empty _) ds) = Some (arity, t) ->
      exists e, List.In e (d :: ds) /\ vnum e = v /\ varity e = arity /\ sort_of_type (vtype e) = Some (plain t) /\
                count_of s v = count_in t).
    { intros H. apply IH in H. destruct H as (d' & ? & ?). exists d'. simpl; tauto. }
    destruct (sort_of_var s d) as [t'|] eqn:T; [|exact Later].
    destruct (Pos.eq_dec v (vnum d)) as [->|D].
    + rewrite PM.gss. intros [= <- <-]. exists d. split; [left; reflexivity|]. split; [reflexivity|]. split; [reflexivity|].
      unfold sort_of_var in T. destruct (count_of s (vnum d)) as [c|], (vtype d) as [name [|k ks]| | | |];
        simpl in *; try discriminate; injection T as <-; auto.
    + rewrite PM.gso by exact D. exact Later.
Qed.

Lemma ones_testbit n b : N.testbit (N.ones n) b = true <-> (b < n)%N.
Proof.
  split; intros H.
  - destruct (N.lt_ge_cases b n) as [L|L]; auto. rewrite N.ones_spec_high in H by exact L. discriminate.
  - apply N.ones_spec_low, H.
Qed.

Lemma place_testbit i b : N.testbit (place i) b = true <-> b = N.of_nat i.
Proof.
  unfold place. rewrite N.shiftl_1_l, N.pow2_bits_eqb, N.eqb_eq. split; congruence.
Qed.

Lemma shift_testbit i b : N.testbit (N.shiftl 1 i) b = true <-> b = i.
Proof. rewrite N.shiftl_1_l, N.pow2_bits_eqb, N.eqb_eq. split; congruence. Qed.

Lemma of_constructor_inj c d : of_constructor c == of_constructor d -> c = d.
Proof. unfold of_constructor, inject_Z, Qeq. simpl. lia. Qed.

Lemma of_process_inj p q : of_process p == of_process q -> p = q.
Proof. unfold of_process, inject_Z, Qeq. simpl. lia. Qed.

Lemma of_process_lt p q : of_process p < of_process q <-> (p < q)%nat.
Proof. unfold of_process. rewrite <- Zlt_Qlt. lia. Qed.
Lemma of_process_le p q : of_process p <= of_process q <-> (p <= q)%nat.
Proof. unfold of_process. rewrite <- Zle_Qle. lia. Qed.

(** ** A model: a state, one after a step, and named processes *)

Section Model.

Variable s : system.
Variable n : nat.
Variables st st' : state.
(** The named processes. *)
Variable who : list nat.
Variable most : nat.

Hypothesis state : is_state s n st.
Hypothesis state' : is_state s n st'.
Hypothesis different : NoDup who.
Hypothesis exist : Forall (fun p => (p < n)%nat) who.
Hypothesis rigid : (sconsts s <= length who)%nat /\ forall k, (k < sconsts s)%nat -> nth k who 0%nat = k.
Hypothesis few : (length who <= most)%nat.

Let types := sorts_of s.
Let named := length who.
Let consts := sconsts s.
Definition proc (i : nat) : nat := nth i who 0%nat.

Lemma proc_exists i : (i < named)%nat -> (proc i < n)%nat.
Proof. intros H. rewrite Forall_forall in exist. apply exist, nth_In, H. Qed.

Lemma proc_inj i j : (i < named)%nat -> (j < named)%nat -> proc i = proc j -> i = j.
Proof. intros. apply (NoDup_nth who 0%nat); assumption. Qed.

Lemma procs_exist idx : Forall (fun i => (i < named)%nat) idx -> Forall (fun p => (p < n)%nat) (map proc idx).
Proof. rewrite Forall_map. apply Forall_impl. exact proc_exists. Qed.

(** *** Numbers and places of keys *)

(** What a cell of a state holds, by the part of its key that does not say which state. *)
Definition cell_number (stx : Model.state) (k : positive) : Q :=
  match var_of_key k with
  | Some (v, rest) => match idx_of_key rest 0 with Some idx => stx v (map proc idx) | None => 0 end
  | None => 0
  end.

Definition number_of (k : positive) : Q :=
  match k with
  | xO k => cell_number st k
  | xI (xO k) => cell_number st' k
  | xI (xI l) =>
      match part_of_key types k with
      | Some (time, c, idx, i) => part (if time then st' else st) c (map proc idx) (proc i)
      | None => match idx_of_key l 0 with Some [i] => of_process (proc i) | _ => 0 end
      end
  | _ => 0
  end.

Fixpoint locate (q : Q) (i : nat) (ps : list nat) : nat :=
  match ps with
  | [] => most
  | p :: ps => if Qeq_bool q (of_process p) then i else locate q (S i) ps
  end.

Definition clamped (all : N) (q : Q) : N :=
  let c := Z.to_N (Qfloor q) in if N.testbit all c && Qeq_bool q (of_constructor c) then c else 0%N.

Definition place_of (k : positive) : N :=
  match sort_of_key types k with
  | Some (_, SEnum all, _) => clamped all (number_of k)
  | Some (_, SProc, _) => N.of_nat (locate (number_of k) 0 who)
  | _ => 0%N
  end.

Definition model : env := Env place_of number_of.

Lemma locate_spec q ps : forall i,
  (exists j, locate q i ps = (i + j)%nat /\ (j < length ps)%nat /\ q == of_process (nth j ps 0%nat)) \/
  (locate q i ps = most /\ forall j, (j < length ps)%nat -> ~ q == of_process (nth j ps 0%nat)).
Proof.
  induction ps as [|p ps IH]; intros i; cbn [locate].
  - right. split; [reflexivity|]. simpl. lia.
  - destruct (Qeq_bool q (of_process p)) eqn:E.
    + left. exists 0%nat. apply Qeq_bool_iff in E. simpl. repeat split; [lia|lia|exact E].
    + apply Qeq_bool_neq in E. destruct (IH (S i)) as [(j & L & J & Q)|[L N]].
      * left. exists (S j). simpl. repeat split; [lia|lia|exact Q].
      * right. split; [exact L|]. intros [|j] J; simpl in *; [exact E|]. apply N. lia.
Qed.

Lemma locate_process q i : (i < named)%nat -> q == of_process (proc i) -> locate q 0 who = i.
Proof.
  intros H Q. destruct (locate_spec q who 0) as [(j & L & J & E)|[_ N]].
  - rewrite Nat.add_0_l in L. rewrite L. apply proc_inj; try assumption. apply of_process_inj. unfold proc at 1. rewrite <- E. exact Q.
  - exfalso. apply (N i H), Q.
Qed.

Lemma enum_sort v arity all : PM.find v types = Some (arity, SEnum all) ->
  exists size, (0 < size)%N /\ all = N.ones size.
Proof.
  intros H. apply sorts_of_find in H. destruct H as (d & _ & _ & _ & T & _).
  destruct (vtype d) as [name [|c cs]| | | |]; simpl in T; try discriminate.
  injection T as <-. eexists. split; [|reflexivity]. lia.
Qed.

Lemma sort_of_key_find k arity t rest : sort_of_key types k = Some (arity, t, rest) ->
  exists v, PM.find v types = Some (arity, t).
Proof.
  assert (H : forall k, match var_of_key k with
      | Some (v, rest) => match PM.find v types with Some (arity, t) => Some (arity, t, rest) | None => None end
      | None => None end = Some (arity, t, rest) -> exists v, PM.find v types = Some (arity, t)).
  { intros l. destruct (var_of_key l) as [[v r]|]; [|discriminate].
    destruct (PM.find v types) as [[a u]|] eqn:E; [|discriminate]. intros [= <- <- <-]. eauto. }
  unfold sort_of_key. destruct k as [[k|k|]|k|]; try discriminate; apply H.
Qed.

Lemma model_everywhere k : N.testbit (width types most k) (fin model k) = true.
Proof.
  cbn [fin model]. unfold width, place_of.
  destruct (sort_of_key types k) as [[[arity [all| |b o]] rest]|] eqn:E; try reflexivity.
  - apply sort_of_key_find in E. destruct E as (v & E). apply enum_sort in E. destruct E as (size & P & ->).
    unfold clamped. destruct (N.testbit (N.ones size) (Z.to_N (Qfloor (number_of k)))) eqn:T; simpl.
    + destruct (Qeq_bool _ _); [exact T|]. apply ones_testbit, P.
    + apply ones_testbit, P.
  - unfold every_place. apply ones_testbit.
    destruct (locate_spec (number_of k) who 0) as [(j & L & J & _)|[L _]]; rewrite L; lia.
Qed.

(** *** Values *)

Definition is (g : gval) (v : Q) : Prop :=
  match g with
  | VUnknown => True
  | VConst c => v == of_constructor c
  | VEnum k all => v == of_constructor (fin model k) /\ N.testbit all (fin model k) = true /\
                   exists size, all = N.ones size
  | VProc i => (i < named)%nat /\ v == of_process (proc i)
  | VPlace k => v == num model k /\ fin model k = N.of_nat (locate (num model k) 0 who)
  | VNum e => v == lval (num model) e
  end.

Lemma number_proc i : number_of (key_proc i) = of_process (proc i).
Proof. unfold number_of, key_proc, part_of_key. rewrite idx_of_key_idx. reflexivity. Qed.

(** A key of a cell of one of the states. *)
Lemma held_is stx key v idx arity t :
  is_state s n stx ->
  sort_of_key types (key v idx) = match PM.find v types with Some (a, u) => Some (a, u, key_idx idx) | None => None end ->
  number_of (key v idx) = stx v (map proc idx) ->
  PM.find v types = Some (arity, t) -> length idx = arity -> Forall (fun i => (i < named)%nat) idx ->
  is (held t (key v idx)) (stx v (map proc idx)).
Proof.
  intros S K V F L I. rewrite F in K.
  pose proof (model_everywhere (key v idx)) as W.
  unfold width in W. cbn [fin model] in W. unfold place_of in W. rewrite K in W.
  destruct (sorts_of_find _ _ _ _ F) as (d & D & N & A & T & _).
  assert (HT : has_type (vtype d) (stx v (map proc idx))).
  { rewrite <- N. apply S; [exact D|]. split; [|apply procs_exist, I]. rewrite map_length. congruence. }
  destruct t as [all| |b o]; cbn [held is fin num model].
  - unfold place_of. rewrite K. cbn [is]. 
    destruct (vtype d) as [name [|c0 cs]| | | |]; simpl in T; try discriminate. injection T as <-.
    destruct HT as (c & C & E). rewrite <- V in E.
    assert (X : Z.to_N (Qfloor (number_of (key v idx))) = c).
    { rewrite (Qfloor_comp _ _ E). unfold of_constructor. rewrite Qfloor_Z. apply N2Z.id. }
    assert (B : N.testbit (N.ones (N.of_nat (length (c0 :: cs)))) c = true) by (apply ones_testbit; exact C).
    assert (P : clamped (N.ones (N.of_nat (length (c0 :: cs)))) (number_of (key v idx)) = c).
    { unfold clamped. rewrite X. pose proof E as E'. apply Qeq_bool_iff in E'. rewrite E'.
      change (N.pos (Pos.of_succ_nat (length cs))) with (N.of_nat (length (c0 :: cs))). rewrite B. reflexivity. }
    change (N.pos (Pos.of_succ_nat (length cs))) with (N.of_nat (length (c0 :: cs))).
    rewrite P. repeat split; [rewrite <- V; exact E|exact B|eauto].
  - unfold place_of. rewrite K, V. split; reflexivity.
  - rewrite single_value. rewrite V. reflexivity.
Qed.

Lemma now_is v idx : Forall (fun i => (i < named)%nat) idx -> is (cell_at types key_now v idx) (st v (map proc idx)).
Proof.
  intros I. unfold cell_at. destruct (PM.find v types) as [[arity t]|] eqn:F; [|exact Logic.I].
  destruct (Nat.eqb_spec (length idx) arity) as [L|L]; [|exact Logic.I].
  apply (held_is st key_now v idx arity t); try assumption.
  - unfold sort_of_key, key_now. rewrite var_of_key_var. reflexivity.
  - unfold number_of, cell_number, key_now. rewrite var_of_key_var, idx_of_key_idx. reflexivity.
Qed.

Lemma next_is v idx : Forall (fun i => (i < named)%nat) idx -> is (cell_at types key_next v idx) (st' v (map proc idx)).
Proof.
  intros I. unfold cell_at. destruct (PM.find v types) as [[arity t]|] eqn:F; [|exact Logic.I].
  destruct (Nat.eqb_spec (length idx) arity) as [L|L]; [|exact Logic.I].
  apply (held_is st' key_next v idx arity t); try assumption.
  - unfold sort_of_key, key_next. rewrite var_of_key_var. reflexivity.
  - unfold number_of, cell_number, key_next. rewrite var_of_key_var, idx_of_key_idx. reflexivity.
Qed.

(** *** Comparisons *)

Notation good := (holds model).

Lemma truth_good (yes b : bool) (P : Prop) : (P <-> b = true) -> (if yes then P else ~ P) -> good (truth yes b).
Proof.
  unfold truth. intros E H. destruct yes, b; simpl; auto; try (apply E in H; discriminate).
  apply H, E. reflexivity.
Qed.

Lemma located_good k all m : N.testbit all (fin model k) = true -> N.testbit m (fin model k) = true -> good (located k all m).
Proof.
  intros A M. unfold located. assert (T : N.testbit (N.land all m) (fin model k) = true) by (rewrite N.land_spec, A, M; reflexivity).
  destruct (N.eqb_spec (N.land all m) 0) as [Z|_]; [rewrite Z, N.bits_0 in T; discriminate|].
  destruct (N.eqb _ _); [exact I|exact T].
Qed.

Lemma at_places_good (yes : bool) k all m (P : Prop) : N.testbit all (fin model k) = true ->
  (P <-> N.testbit m (fin model k) = true) -> (if yes then P else ~ P) -> good (at_places yes k all m).
Proof.
  intros A E H. unfold at_places. apply located_good; [exact A|]. destruct yes; [apply E, H|].
  rewrite N.ldiff_spec, A. destruct (N.testbit m (fin model k)); [exfalso; apply H, E; reflexivity|reflexivity].
Qed.

Lemma place_everywhere k v : is (VPlace k) v -> N.testbit (every_place most) (fin model k) = true.
Proof.
  intros [_ F]. rewrite F. unfold every_place. apply ones_testbit.
  destruct (locate_spec (num model k) who 0) as [(j & L & J & _)|[L _]]; rewrite L; lia.
Qed.

Lemma place_is k arity rest : sort_of_key types k = Some (arity, SProc, rest) -> is (VPlace k) (num model k).
Proof. intros K. split; [reflexivity|]. cbn [fin model]. unfold place_of. rewrite K. reflexivity. Qed.

Lemma place_process k v i : is (VPlace k) v -> (i < named)%nat ->
  (v == of_process (proc i) <-> N.testbit (place i) (fin model k) = true).
Proof.
  intros [V F] I. rewrite place_testbit, F. split; intros H.
  - f_equal. apply locate_process; [exact I|]. rewrite <- V. exact H.
  - apply Nat2N.inj in H. destruct (locate_spec (num model k) who 0) as [(j & L & J & E)|[L _]].
    + rewrite Nat.add_0_l in L. assert (j = i) by congruence. subst. rewrite V. exact E.
    + unfold named in I. lia.
Qed.

Lemma lexp_of_is g v e : is g v -> lexp_of g = Some e -> v == lval (num model) e.
Proof.
  destruct g; simpl; intros H [= <-].
  - rewrite single_value. cbn [num model]. rewrite number_proc. apply H.
  - rewrite single_value. apply H.
  - exact H.
Qed.

Lemma compared_good r g h v w : is g v -> is h w -> related r (v - w) -> good (compared r g h).
Proof.
  intros G H R. unfold compared.
  destruct (lexp_of g) as [a|] eqn:A; [|exact I]. destruct (lexp_of h) as [b|] eqn:B; [|exact I].
  apply glin_holds. apply (related_eq r (v - w)); [|exact R].
  rewrite add_value, <- (lexp_of_is g v a G A), <- (lexp_of_is h w b H B). ring.
Qed.

Lemma together_good k l all1 all2 count c : (c < count)%nat ->
  N.testbit all1 (fin model k) = true -> N.testbit all2 (fin model l) = true ->
  fin model k = N.of_nat c -> fin model l = N.of_nat c -> good (together k l all1 all2 count).
Proof.
  intros C A B K L. unfold together. apply (gany_holds _ _ (gand (located k all1 (place c)) (located l all2 (place c)))).
  - apply in_map_iff. exists c. split; [reflexivity|]. apply In_below, C.
  - apply gand_holds; apply located_good; try assumption; apply place_testbit; assumption.
Qed.

Lemma never_together_good k l all1 all2 count :
  N.testbit all1 (fin model k) = true -> N.testbit all2 (fin model l) = true ->
  (forall c, (c < count)%nat -> fin model k = N.of_nat c -> fin model l <> N.of_nat c) ->
  good (never_together k l all1 all2 count).
Proof.
  intros A B H. unfold never_together. apply gall_holds. intros f Hf. apply in_map_iff in Hf.
  destruct Hf as (c & <- & C). apply In_below in C. apply gor_holds.
  destruct (N.eq_dec (fin model k) (N.of_nat c)) as [E|E].
  - right. apply (at_places_good false _ _ _ (fin model l = N.of_nat c)); [exact B| |apply H; assumption].
    symmetry. apply place_testbit.
  - left. apply (at_places_good false _ _ _ (fin model k = N.of_nat c)); [exact A| |exact E].
    symmetry. apply place_testbit.
Qed.

Lemma fin_below k size : N.testbit (N.ones size) (fin model k) = true ->
  exists c, (c < N.to_nat (N.size (N.ones size)))%nat /\ fin model k = N.of_nat c.
Proof.
  intros H. exists (N.to_nat (fin model k)). rewrite N2Nat.id. split; [|reflexivity].
  assert (B : (fin model k < N.size (N.ones size))%N); [|lia].
  destruct (N.lt_ge_cases (fin model k) (N.size (N.ones size))) as [L|L]; [exact L|].
  rewrite N.bits_above_log2 in H; [discriminate|].
  destruct (N.eq_dec (N.ones size) 0) as [Z|Z].
  - rewrite Z, N.bits_0 in H. discriminate.
  - rewrite N.size_log2 in L by exact Z. lia.
Qed.

Lemma equal_good (yes : bool) g h v w : is g v -> is h w -> (if yes then v == w else ~ v == w) -> good (equal most yes g h).
Proof.
  intros G H E. unfold equal.
  assert (Self : v == w -> good (truth yes true)).
  { intros X. unfold truth. destruct yes; simpl; [exact I|tauto]. }
  destruct g as [|c|k all|i|k|a], h as [|d|l all'|j|l|b]; try exact I; cbn [is] in G, H.
  - apply (truth_good yes _ (v == w)); [|exact E]. rewrite N.eqb_eq, G, H. split; [apply of_constructor_inj|intros ->; reflexivity].
  - destruct H as (H & T & _). apply (at_places_good yes _ _ _ (v == w)); [exact T| |exact E].
    rewrite shift_testbit, G, H. split; [intros X; symmetry; apply of_constructor_inj, X|intros ->; reflexivity].
  - destruct G as (G & T & _). apply (at_places_good yes _ _ _ (v == w)); [exact T| |exact E].
    rewrite shift_testbit, G, H. split; [apply of_constructor_inj|intros ->; reflexivity].
  - destruct G as (G & T & size & ->), H as (H & U & _).
    destruct (Pos.eqb_spec k l) as [->|D]; [apply Self; rewrite G, H; reflexivity|].
    destruct yes.
    + destruct (fin_below k size T) as (c & C & F). apply (together_good _ _ _ _ _ c); try assumption.
      rewrite <- F. symmetry. apply of_constructor_inj. rewrite <- G, <- H. exact E.
    + apply never_together_good; try assumption. intros c _ K L. apply E. rewrite G, H, K, L. reflexivity.
  - destruct G as [I G], H as [J H]. apply (truth_good yes _ (v == w)); [|exact E].
    rewrite Nat.eqb_eq, G, H. split; [intros X; apply proc_inj; try assumption; apply of_process_inj, X|intros ->; reflexivity].
  - destruct G as [I G]. apply (at_places_good yes _ _ _ (v == w)); [apply (place_everywhere l w H)| |exact E].
    rewrite G, <- (place_process l w i H I). split; intros X; rewrite X; reflexivity.
  - destruct H as [J H]. apply (at_places_good yes _ _ _ (v == w)); [apply (place_everywhere k v G)| |exact E].
    rewrite H, <- (place_process k v j G J). reflexivity.
  - pose proof (place_everywhere k v G) as PK. pose proof (place_everywhere l w H) as PL.
    destruct (Pos.eqb_spec k l) as [->|D].
    { apply Self. destruct G as [G _], H as [H _]. rewrite G, H. reflexivity. }
    assert (SP : forall x m, is (VPlace m) x ->
      (exists j, (j < named)%nat /\ fin model m = N.of_nat j /\ x == of_process (proc j)) \/ fin model m = N.of_nat most).
    { intros x m [X F]. destruct (locate_spec (num model m) who 0) as [(j & L & J & Q)|[L _]].
      - left. exists j. rewrite F, L. repeat split; [exact J|]. rewrite X. exact Q.
      - right. rewrite F, L. reflexivity. }
    destruct yes.
    + apply gor_holds. destruct (SP v k G) as [(j & J & F & V)|F].
      * left. assert (F' : fin model l = N.of_nat j).
        { apply place_testbit, (place_process l w j H J). rewrite <- E. exact V. }
        apply (together_good _ _ _ _ _ j); try assumption. unfold named in J. lia.
      * right. assert (F' : fin model l = N.of_nat most).
        { destruct (SP w l H) as [(j & J & F' & W)|F']; [|exact F'].
          assert (X : N.testbit (place j) (fin model k) = true).
          { apply (place_process k v j G J). rewrite E. exact W. }
          apply place_testbit in X. rewrite F in X. apply Nat2N.inj in X. unfold named in J. lia. }
        apply gand_holds; [apply gand_holds; simpl; apply place_testbit; assumption|].
        apply (compared_good _ _ _ v w); [exact G|exact H|]. simpl. rewrite E. ring.
    + apply gand_holds.
      * apply never_together_good; try assumption. intros c C K L. apply E.
        destruct (SP v k G) as [(j & J & F & V)|F].
        -- assert (j = c) by (apply Nat2N.inj; congruence). subst j.
           rewrite V. symmetry. apply (place_process l w c H J). apply place_testbit, L.
        -- rewrite K in F. apply Nat2N.inj in F. lia.
      * apply gor_holds. destruct (N.eq_dec (fin model k) (N.of_nat most)) as [K|K].
        -- right. apply gor_holds. right. apply (compared_good _ _ _ v w); [exact G|exact H|].
           simpl. intros X. apply E. rewrite <- (Qplus_0_r w), <- X. ring.
        -- left. apply (at_places_good false _ _ _ (fin model k = N.of_nat most)); [exact PK| |exact K].
           unfold elsewhere. symmetry. apply place_testbit.
  - apply (compared_good _ _ _ v w); [exact G|exact H|]. destruct yes; simpl.
    + rewrite E. ring.
    + intros X. apply E. rewrite <- (Qplus_0_r w), <- X. ring.
Qed.

Lemma member_good (yes : bool) set g v : is g v ->
  (if yes then exists b, N.testbit set b = true /\ v == of_constructor b
   else ~ exists b, N.testbit set b = true /\ v == of_constructor b) -> good (member yes set g).
Proof.
  intros G E. destruct g as [|c|k all|i|k|a]; try exact I; cbn [is] in G; cbn [member].
  - apply (truth_good yes _ (exists b, N.testbit set b = true /\ v == of_constructor b)); [|exact E]. split.
    + intros (b & T & B). rewrite G in B. apply of_constructor_inj in B. congruence.
    + intros T. eauto.
  - destruct G as (G & T & _).
    apply (at_places_good yes _ _ _ (exists b, N.testbit set b = true /\ v == of_constructor b)); [exact T| |exact E]. split.
    + intros (b & B & Q). rewrite G in Q. apply of_constructor_inj in Q. congruence.
    + intros B. eauto.
Qed.

Lemma rigid_process i : (i < consts)%nat -> proc i = i.
Proof. intros H. apply rigid, H. Qed.

Lemma later_process i : (i < named)%nat -> (consts <= i)%nat -> (consts <= proc i)%nat.
Proof.
  intros I C. destruct (le_lt_dec consts (proc i)) as [L|L]; [exact L|].
  assert (X : i = proc i); [|lia].
  apply proc_inj; [exact I|unfold named, consts in *; lia|]. symmetry. apply rigid_process, L.
Qed.

Lemma rigid_order i j : (i < named)%nat -> (j < named)%nat -> (i < consts)%nat \/ (j < consts)%nat ->
  ((proc i < proc j)%nat <-> (i < j)%nat) /\ ((proc i <= proc j)%nat <-> (i <= j)%nat).
Proof.
  intros I J C. destruct (le_lt_dec consts i) as [A|A], (le_lt_dec consts j) as [B|B]; try lia.
  - rewrite (rigid_process j B). pose proof (later_process i I A). lia.
  - rewrite (rigid_process i A). pose proof (later_process j J B). lia.
  - rewrite (rigid_process i A), (rigid_process j B). lia.
Qed.

Lemma less_good g h v w : is g v -> is h w -> v < w -> good (less consts g h).
Proof.
  intros G H L. assert (C : good (compared Negative g h)).
  { apply (compared_good _ _ _ v w); try assumption. simpl. lra. }
  unfold less. destruct g as [|c|k all|i|k|a], h as [|d|l all'|j|l|b]; try exact C.
  destruct (Nat.ltb i consts || Nat.ltb j consts) eqn:R; [|exact C].
  destruct G as [I G], H as [J H]. apply orb_true_iff in R. rewrite !Nat.ltb_lt in R.
  apply (truth_good true _ (v < w)); [|exact L].
  rewrite Nat.ltb_lt, <- (proj1 (rigid_order i j I J R)), <- of_process_lt, G, H. reflexivity.
Qed.

Lemma at_most_good g h v w : is g v -> is h w -> v <= w -> good (at_most consts g h).
Proof.
  intros G H L. assert (C : good (compared NotPositive g h)).
  { apply (compared_good _ _ _ v w); try assumption. simpl. lra. }
  unfold at_most. destruct g as [|c|k all|i|k|a], h as [|d|l all'|j|l|b]; try exact C.
  destruct (Nat.ltb i consts || Nat.ltb j consts) eqn:R; [|exact C].
  destruct G as [I G], H as [J H]. apply orb_true_iff in R. rewrite !Nat.ltb_lt in R.
  apply (truth_good true _ (v <= w)); [|exact L].
  rewrite Nat.leb_le, <- (proj2 (rigid_order i j I J R)), <- of_process_le, G, H. reflexivity.
Qed.

(** *** Terms *)

Definition some_way (ws : ways) (v : Q) : Prop :=
  exists w, List.In w ws /\ good (fst w) /\ is (snd w) v.

Lemma surely_way g v : is g v -> some_way (surely g) v.
Proof. intros H. exists (GT, g). simpl; auto. Qed.

(** The reader is about this state. *)
Definition reads (read : reader) (stx : Model.state) : Prop :=
  forall v idx, Forall (fun i => (i < named)%nat) idx -> some_way (read v idx) (stx v (map proc idx)).

Lemma now_reads : reads (now types) st.
Proof. intros v idx H. apply surely_way, now_is, H. Qed.

Section Scope.
Variable read : reader.
Variable stx : Model.state.
Hypothesis about : reads read stx.
Variable ns : list nat.
Hypothesis known : Forall (fun i => (i < named)%nat) ns.
Let ps := map proc ns.

Lemma named_proc_is p i : named_proc consts ns p = Some i -> (i < named)%nat /\ proc i = proc_of ps p.
Proof.
  destruct p as [j|k]; simpl.
  - intros H. split.
    + apply nth_error_In in H. rewrite Forall_forall in known. apply known, H.
    + unfold ps. apply (map_nth_error proc) in H. symmetry. apply nth_error_nth, H.
  - destruct (Nat.ltb_spec k consts) as [L|]; [|discriminate]. intros [= <-].
    split; [unfold named, consts in *; lia|apply rigid_process, L].
Qed.

Lemma named_idx_is idx : forall is', named_idx consts ns idx = Some is' ->
  Forall (fun i => (i < named)%nat) is' /\ map proc is' = map (proc_of ps) idx.
Proof.
  induction idx as [|p idx IH]; cbn [named_idx]; intros is'.
  - intros [= <-]. auto.
  - destruct (named_proc consts ns p) as [i|] eqn:P; [|discriminate].
    destruct (named_idx consts ns idx) as [js|]; [|discriminate]. intros [= <-].
    apply named_proc_is in P. destruct P as [I P], (IH js eq_refl) as [J E].
    split; [constructor; assumption|]. simpl. congruence.
Qed.

Lemma cell_way c : some_way (cell_ways consts read ns c) (cell_value stx ps c).
Proof.
  unfold cell_ways. destruct (named_idx consts ns (cidx c)) as [idx|] eqn:E.
  - apply named_idx_is in E. destruct E as [I E]. unfold cell_value. rewrite <- E. apply about, I.
  - apply surely_way. exact I.
Qed.

Lemma plus_way q ws sums v w : some_way ws v -> some_way sums w -> some_way (plus_ways q ws sums) (q * v + w).
Proof.
  intros (a & A & GA & IA) (b & B & GB & IB). unfold plus_ways.
  eexists. split; [apply in_flat_map; exists a; split; [exact A|]; apply in_map_iff; exists b; split; [reflexivity|exact B]|].
  simpl. split; [apply gand_holds; assumption|].
  destruct (snd a); try exact I. destruct (snd b); try exact I. simpl in *. rewrite add_value, <- IA, <- IB. reflexivity.
Qed.

Lemma linear_way a : some_way (linear_ways consts read ns a) (linear_value stx ps a).
Proof.
  unfold linear_ways, linear_value. induction (lterms a) as [|[q c] ts IH]; cbn [fold_right fst snd].
  - apply surely_way. simpl. rewrite number_value. reflexivity.
  - apply plus_way; [apply cell_way|exact IH].
Qed.

Lemma term_way t : some_way (term_ways consts read ns t) (term_value stx ps t).
Proof.
  destruct t as [c|p|c|a]; cbn [term_ways term_value].
  - apply surely_way. simpl. reflexivity.
  - apply surely_way. destruct (named_proc consts ns p) as [i|] eqn:P; [|exact I].
    apply named_proc_is in P. destruct P as [J P]. simpl. rewrite P. split; [exact J|reflexivity].
  - apply cell_way.
  - apply linear_way.
Qed.

Lemma test_good ws v f : some_way ws v -> (forall g, is g v -> good (f g)) -> good (test ws f).
Proof.
  intros (w & W & G & H) F. unfold test. apply (gany_holds _ _ (gand (fst w) (f (snd w)))).
  - apply in_map_iff. exists w. auto.
  - apply gand_holds; auto.
Qed.

Lemma pairs_good ws us v u f : some_way ws v -> some_way us u -> (forall g h, is g v -> is h u -> good (f g h)) ->
  good (pairs ws us f).
Proof.
  intros W U F. unfold pairs. apply (test_good _ v); [exact W|]. intros g G. apply (test_good _ u); auto.
Qed.

Lemma zero_is : is zero_value 0.
Proof. simpl. rewrite number_value. reflexivity. Qed.

Lemma literal_good (yes : bool) l : (if yes then literal_holds stx ps l else ~ literal_holds stx ps l) ->
  good (literal_gf consts most read yes ns l).
Proof.
  destruct l as [c set|l r|l r|l r|l r|a r]; cbn [literal_gf literal_holds]; intros H.
  - apply (test_good _ (cell_value stx ps c)); [apply cell_way|]. intros g G. apply (member_good _ _ _ _ G H).
  - apply (pairs_good _ _ (term_value stx ps l) (term_value stx ps r)); try apply term_way.
    intros g h G K. apply (equal_good _ _ _ _ _ G K H).
  - apply (pairs_good _ _ (term_value stx ps l) (term_value stx ps r)); try apply term_way.
    intros g h G K. apply (equal_good _ _ _ _ _ G K). destruct yes; simpl; [exact H|].
    destruct (Qeq_dec (term_value stx ps l) (term_value stx ps r)); tauto.
  - apply (pairs_good _ _ (term_value stx ps l) (term_value stx ps r)); try apply term_way.
    intros g h G K. destruct yes; [apply (less_good _ _ _ _ G K H)|].
    apply (at_most_good _ _ _ _ K G). apply Qnot_lt_le, H.
  - apply (pairs_good _ _ (term_value stx ps l) (term_value stx ps r)); try apply term_way.
    intros g h G K. destruct yes; [apply (at_most_good _ _ _ _ G K H)|].
    apply (less_good _ _ _ _ K G). apply Qnot_le_lt, H.
  - apply (test_good _ (linear_value stx ps a)); [apply linear_way|]. intros g G.
    destruct r, yes; cbn [literal_holds] in H.
    1-5,7: apply (compared_good _ _ _ _ _ G zero_is); simpl.
    7,8: apply (compared_good _ _ _ _ _ zero_is G); simpl.
    all: change value with Q in *; set (q := linear_value stx ps a : Q) in *.
    all: try lra.
Qed.

Lemma conj_at_good c : conj_holds stx ps c -> good (conj_at consts most read ns c).
Proof.
  intros H. apply gall_holds. intros f F. apply in_map_iff in F. destruct F as (l & <- & L).
  apply (literal_good true). unfold conj_holds in H. rewrite Forall_forall in H. apply H, L.
Qed.

Lemma not_conj_at_good c : ~ conj_holds stx ps c -> good (not_conj_at consts most read ns c).
Proof.
  intros H. apply not_conj in H. destruct H as (l & L & N). unfold not_conj_at.
  apply (gany_holds _ _ (literal_gf consts most read false ns l)); [apply in_map, L|].
  apply (literal_good false), N.
Qed.

Lemma dnf_at_good d : dnf_holds stx ps d -> good (dnf_at consts most read ns d).
Proof.
  intros H. unfold dnf_holds in H. rewrite Exists_exists in H. destruct H as (c & C & H). unfold dnf_at.
  apply (gany_holds _ _ (conj_at consts most read ns c)); [apply in_map, C|]. apply conj_at_good, H.
Qed.

Lemma not_dnf_at_good d : ~ dnf_holds stx ps d -> good (not_dnf_at consts most read ns d).
Proof.
  intros H. unfold not_dnf_at. apply gall_holds. intros f F. apply in_map_iff in F. destruct F as (c & <- & C).
  apply not_conj_at_good. intros X. apply H. unfold dnf_holds. rewrite Exists_exists. eauto.
Qed.

End Scope.

Section Now.
Variable ns : list nat.
Hypothesis known : Forall (fun i => (i < named)%nat) ns.
Let ps := map proc ns.

Lemma conj_gfs_good c : conj_holds st ps c -> forall f, List.In f (conj_gfs types consts most ns c) -> good f.
Proof.
  intros H f F. unfold conj_gfs in F. apply in_map_iff in F. destruct F as (l & <- & L).
  apply (literal_good _ st now_reads ns known true). unfold conj_holds in H. rewrite Forall_forall in H. apply H, L.
Qed.

Lemma not_conj_good c : ~ conj_holds st ps c -> good (not_conj_gf types consts most ns c).
Proof. apply (not_conj_at_good _ st now_reads ns known). Qed.

Lemma dnf_good d : dnf_holds st ps d -> good (dnf_gf types consts most ns d).
Proof. apply (dnf_at_good _ st now_reads ns known). Qed.

Lemma not_dnf_good d : ~ dnf_holds st ps d -> good (not_dnf_gf types consts most ns d).
Proof. apply (not_dnf_at_good _ st now_reads ns known). Qed.

Lemma branch_way bs v : forall before, good before -> selected st ps bs v ->
  some_way (branch_ways types consts most ns bs before) v.
Proof.
  induction bs as [|b bs IH]; cbn [selected branch_ways]; intros before B; [tauto|].
  set (here := gand before (dnf_gf types consts most ns (bwhen b))).
  set (later := gand before (not_dnf_gf types consts most ns (bwhen b))).
  intros [[W V]|[W S]].
  - assert (H : good here) by (apply gand_holds; [exact B|apply dnf_good, W]).
    assert (R : some_way (map (fun w => (gand here (fst w), snd w)) (term_ways consts (now types) ns (bvalue b))) v).
    { destruct (term_way _ st now_reads ns known (bvalue b)) as (w & I & G & Q).
      eexists. split; [apply in_map_iff; exists w; split; [reflexivity|exact I]|]. simpl.
      split; [apply gand_holds; assumption|].
      revert Q V. destruct (snd w); simpl; intuition; rewrite V; assumption. }
    assert (R' : some_way (map (fun w => (gand here (fst w), snd w)) (term_ways consts (now types) ns (bvalue b))
        ++ branch_ways types consts most ns bs later) v).
    { destruct R as (w & I & R). exists w. split; [apply in_app_iff; auto|exact R]. }
    destruct here; [| destruct H | | | |]; destruct later; assumption.
  - assert (H : good later) by (apply gand_holds; [exact B|apply not_dnf_good, W]).
    destruct (IH later H S) as (w & I & R).
    assert (R' : some_way (map (fun w => (gand here (fst w), snd w)) (term_ways consts (now types) ns (bvalue b))
        ++ branch_ways types consts most ns bs later) v).
    { exists w. split; [apply in_app_iff; auto|exact R]. }
    assert (R'' : some_way (branch_ways types consts most ns bs later) v) by (exists w; auto).
    destruct later; [| destruct H | | | |]; destruct here; assumption.
Qed.

End Now.

(** What a step assigns, where it is known of all cells of the system. *)
Lemma after_reads t args : Forall (fun i => (i < named)%nat) args ->
  (forall d, List.In d (svars s) -> count_of s (vnum d) = None -> forall idx, processes n (varity d) idx ->
     assigned st t (map proc args) (vnum d) idx (st' (vnum d) idx)) ->
  reads (after types consts most t args) st'.
Proof.
  intros A H v idx J. unfold after. pose proof (next_is v idx J) as X.
  assert (S : cell_at types key_next v idx <> VUnknown -> is_counted types v = false ->
    assigned st t (map proc args) v (map proc idx) (st' v (map proc idx))).
  { unfold cell_at, is_counted, counting. destruct (PM.find v types) as [[arity u]|] eqn:F; [|tauto].
    destruct (Nat.eqb_spec (length idx) arity) as [L|L]; [|tauto]. intros _ Nc.
    apply sorts_of_find in F. destruct F as (d & D & <- & K & _ & Co). apply H; [exact D| |].
    - rewrite Co. destruct u as [| |w [c|]]; simpl in *; congruence.
    - split; [rewrite map_length; congruence|apply procs_exist, J]. }
  assert (R : cell_at types key_next v idx <> VUnknown ->
    some_way (if is_counted types v then surely (cell_at types key_next v idx) else
      match find (fun u => Pos.eqb (uvar u) v) (tupdates t) with
      | None => now types v idx
      | Some (Update _ Anything) => surely (cell_at types key_next v idx)
      | Some (Update _ (Cases bs)) => branch_ways types consts most (args ++ idx) bs GT
      end) (st' v (map proc idx))).
  { intros U. destruct (is_counted types v); [apply surely_way, X|].
    specialize (S U eq_refl). unfold assigned in S. destruct (find _ _) as [[w [|bs]]|].
    - apply surely_way, X.
    - apply branch_way; [apply Forall_app; auto|exact I|]. rewrite map_app. exact S.
    - destruct (now_reads v idx J) as (w & W & G & Q). exists w. repeat split; auto.
      destruct (snd w); cbn [is] in *; intuition; rewrite S; assumption. }
  destruct (cell_at types key_next v idx); try (apply R; discriminate). apply surely_way. exact I.
Qed.

End Model.
