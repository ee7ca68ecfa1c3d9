(** What the search of [Ground] finds contradictory has no model. *)

From Coq Require Import List QArith NArith PArith FMapPositive Bool Lia Lqa.
From Cubicle Require Import Model Ground.
Import ListNotations.

(** ** Models of ground formulas *)

(** The place and the number of each key. *)
Record env := Env { fin : positive -> N; num : positive -> Q }.

Definition sum_of (v : positive -> Q) (ts : list (positive * Q)) (c : Q) : Q :=
  fold_right (fun t s => snd t * v (fst t) + s) c ts.
Definition lval (v : positive -> Q) (e : lexp) : Q := sum_of v (terms e) (const e).

Definition related (r : relation) (q : Q) : Prop :=
  match r with Zero => q == 0 | NonZero => ~ q == 0 | NotPositive => q <= 0 | Negative => q < 0 end.

Definition atom_holds (v : positive -> Q) (a : atom) : Prop := related (fst a) (lval v (snd a)).

Fixpoint holds (e : env) (f : gf) : Prop :=
  match f with
  | GT => True
  | GF => False
  | GIn k m => N.testbit m (fin e k) = true
  | GLin a true => atom_holds (num e) a
  | GLin a false => ~ atom_holds (num e) a
  | GAnd f g => holds e f /\ holds e g
  | GOr f g => holds e f \/ holds e g
  end.

Section Sound.
Variable e : env.

Lemma gand_holds f g : holds e f -> holds e g -> holds e (gand f g).
Proof. destruct f, g; simpl; tauto. Qed.

Lemma gor_holds f g : holds e f \/ holds e g -> holds e (gor f g).
Proof. destruct f, g; simpl; tauto. Qed.

Lemma gall_holds fs : (forall f, List.In f fs -> holds e f) -> holds e (gall fs).
Proof.
  induction fs as [|f fs IH]; simpl; intros H; [exact I|].
  apply gand_holds; auto.
Qed.

Lemma gany_holds fs f : List.In f fs -> holds e f -> holds e (gany fs).
Proof.
  induction fs as [|g fs IH]; simpl; [tauto|].
  intros [->|Hin] Hf; apply gor_holds; auto.
Qed.

(** ** Linear expressions *)

Lemma related_eq r q p : q == p -> related r q -> related r p.
Proof. destruct r; simpl; intros E; rewrite E; auto. Qed.

Lemma sum_cons v k q ts c : sum_of v ((k, q) :: ts) c = q * v k + sum_of v ts c.
Proof. reflexivity. Qed.

Lemma add_term_sum v k q ts c : sum_of v (add_term k q ts) c == q * v k + sum_of v ts c.
Proof.
  induction ts as [|[l r] ts IH]; cbn [add_term].
  - destruct (Qeq_bool q 0) eqn:E.
    + apply Qeq_bool_iff in E. rewrite E. ring.
    + rewrite sum_cons, Qred_correct. reflexivity.
  - destruct (Pos.compare_spec k l) as [->| |].
    + destruct (Qeq_bool (Qred (q + r)) 0) eqn:E.
      * apply Qeq_bool_iff in E. rewrite Qred_correct in E. rewrite sum_cons.
        transitivity ((q + r) * v l + sum_of v ts c); [rewrite E|]; ring.
      * rewrite !sum_cons, Qred_correct. ring.
    + destruct (Qeq_bool q 0) eqn:E.
      * apply Qeq_bool_iff in E. rewrite E. ring.
      * rewrite !sum_cons, Qred_correct. ring.
    + rewrite !sum_cons, IH. ring.
Qed.

Lemma sum_const v ts c d : sum_of v ts c == sum_of v ts d + (c - d).
Proof. induction ts as [|[k q] ts IH]; [unfold sum_of; simpl; ring|]. rewrite !sum_cons, IH. ring. Qed.

Lemma add_value v q a b : lval v (add q a b) == q * lval v a + lval v b.
Proof.
  unfold lval, add. destruct a as [ts c], b as [us d]. cbn [terms const].
  rewrite (sum_const v _ _ d), Qred_correct.
  assert (H : sum_of v (fold_right (fun t ts => add_term (fst t) (q * snd t) ts) us ts) d
              == q * sum_of v ts 0 + sum_of v us d).
  { induction ts as [|[k r] ts IH]; cbn [fold_right fst snd]; [unfold sum_of at 2; cbn [fold_right]; ring|].
    rewrite add_term_sum, IH, sum_cons. ring. }
  rewrite H, (sum_const v ts c 0). ring.
Qed.

Lemma zero_val v : lval v zero == 0. Proof. reflexivity. Qed.
Lemma number_value v q : lval v (number q) == q.
Proof. unfold lval, number; simpl. apply Qred_correct. Qed.
Lemma single_value v k : lval v (single k) == v k.
Proof. unfold lval, single; simpl. ring. Qed.

Lemma negated_value v a : lval v (add (-1) a zero) == - lval v a.
Proof. rewrite add_value, zero_val. ring. Qed.

Lemma Qlt_bool_iff a b : Qlt_bool a b = true <-> a < b.
Proof.
  unfold Qlt_bool. rewrite negb_true_iff. split; intros H.
  - destruct (Qlt_le_dec a b) as [L|L]; auto. apply Qle_bool_iff in L. congruence.
  - apply not_true_is_false. intros L. apply Qle_bool_iff in L. lra.
Qed.

Lemma glin_holds r a : related r (lval (num e) a) -> holds e (glin r a).
Proof.
  unfold glin. destruct (terms a) as [|[k q] ts] eqn:T.
  - assert (V : lval (num e) a = const a) by (unfold lval; rewrite T; reflexivity). rewrite V.
    destruct r; simpl; intros H.
    + apply Qeq_bool_iff in H. rewrite H. exact I.
    + destruct (Qeq_bool (const a) 0) eqn:E; [|exact I]. apply Qeq_bool_iff in E. tauto.
    + apply Qle_bool_iff in H. rewrite H. exact I.
    + apply Qlt_bool_iff in H. rewrite H. exact I.
  - destruct (Qlt_bool q 0); destruct r; simpl; unfold atom_holds; simpl;
      try rewrite negated_value; intros; lra || auto.
Qed.

(** ** Search *)

Lemma same_number_eq a b : same_number a b = true -> a = b.
Proof.
  destruct a, b. unfold same_number; simpl. rewrite andb_true_iff, Z.eqb_eq, Pos.eqb_eq. intros [-> ->]. reflexivity.
Qed.

Lemma same_terms_eq ts us : same_terms ts us = true -> ts = us.
Proof.
  revert us. induction ts as [|[k q] ts IH]; destruct us as [|[l r] us]; simpl; try discriminate; auto.
  rewrite !andb_true_iff, Pos.eqb_eq. intros (-> & H & T). apply same_number_eq in H. apply IH in T. congruence.
Qed.

Lemma same_atom_eq a b : same_atom a b = true -> a = b.
Proof.
  destruct a as [r [ts c]], b as [r' [us d]]. unfold same_atom; simpl.
  rewrite !andb_true_iff. intros (R & T & C). apply same_terms_eq in T. apply same_number_eq in C. subst.
  destruct r, r'; simpl in R; congruence.
Qed.

Variable width : positive -> N.
Hypothesis everywhere : forall k, N.testbit (width k) (fin e k) = true.

(** The model satisfies what is known. *)
Definition satisfies (s : known) : Prop :=
  (forall k m, PM.find k (masks s) = Some m -> N.testbit m (fin e k) = true) /\
  (forall a h, List.In (a, h) (facts s) -> holds e (GLin a h)) /\
  (forall f, List.In f (rest s) -> holds e f).

Lemma satisfies_nothing : satisfies nothing.
Proof.
  repeat split; simpl; try tauto. intros k m H. rewrite PM.gempty in H. discriminate.
Qed.

Lemma mask_holds s k : satisfies s -> N.testbit (mask width s k) (fin e k) = true.
Proof. intros (M & _). unfold mask. destruct (PM.find k (masks s)) eqn:E; auto. Qed.

Lemma fact_In a fs h : fact a fs = Some h -> List.In (a, h) fs.
Proof.
  induction fs as [|[b h'] fs IH]; simpl; [discriminate|].
  destruct (same_atom a b) eqn:E; intros H; [|auto].
  apply same_atom_eq in E. injection H as ->. subst. auto.
Qed.

Lemma fact_clash s a h h' : satisfies s -> holds e (GLin a h) -> fact a (facts s) = Some h' -> h' = h.
Proof.
  intros (_ & F & _) H E. apply fact_In, F in E.
  destruct h, h'; simpl in *; tauto.
Qed.

Lemma simplify_holds s f : satisfies s -> holds e f -> holds e (simplify width s f).
Proof.
  intros S. induction f as [| |k m|a h|f IHf g IHg|f IHf g IHg]; cbn [simplify]; intros H; auto.
  - assert (T : N.testbit (N.land (mask width s k) m) (fin e k) = true).
    { rewrite N.land_spec, (mask_holds s k S). exact H. }
    destruct (N.eqb_spec (N.land (mask width s k) m) 0) as [Z|_].
    + rewrite Z, N.bits_0 in T. discriminate.
    + destruct (N.eqb _ _); [exact I|exact T].
  - destruct (fact a (facts s)) as [h'|] eqn:E; [|exact H].
    rewrite (fact_clash s a h h' S H E), Bool.eqb_reflx. exact I.
  - destruct H as [Hf Hg]. apply IHf in Hf. apply IHg in Hg.
    destruct (simplify width s f) eqn:E; solve [apply gand_holds; assumption | destruct Hf].
  - assert (O : holds e (gor (simplify width s f) (simplify width s g))).
    { apply gor_holds. destruct H; auto. }
    destruct (simplify width s f); try exact O.
Qed.

Lemma learn_holds f : forall s, satisfies s -> holds e f -> exists s', learn width f s = Some s' /\ satisfies s'.
Proof.
  induction f as [| |k m|a h|f IHf g IHg|f IHf g IHg]; cbn [learn]; intros s S H.
  - eauto.
  - destruct H.
  - assert (T : N.testbit (N.land (mask width s k) m) (fin e k) = true).
    { rewrite N.land_spec, (mask_holds s k S). exact H. }
    destruct (N.eqb_spec (N.land (mask width s k) m) 0) as [Z|_].
    + rewrite Z, N.bits_0 in T. discriminate.
    + destruct (N.eqb _ _); [eauto|]. eexists. split; [reflexivity|].
      destruct S as (M & F & R). repeat split; simpl; auto.
      intros l n. destruct (Pos.eq_dec l k) as [->|D].
      * rewrite PM.gss. intros [= <-]. exact T.
      * rewrite PM.gso by exact D. apply M.
  - destruct (fact a (facts s)) as [h'|] eqn:E.
    + rewrite (fact_clash s a h h' S H E), Bool.eqb_reflx. eauto.
    + eexists. split; [reflexivity|]. destruct S as (M & F & R). repeat split; cbn [masks facts rest]; auto.
      intros b g [[= <- <-]|Hin]; auto.
  - destruct H as [Hf Hg]. destruct (IHf s S Hf) as (s' & -> & S'). apply IHg; assumption.
  - eexists. split; [reflexivity|]. destruct S as (M & F & R). repeat split; cbn [masks facts rest]; auto.
    intros k [<-|Hin]; auto.
Qed.

Lemma tell_holds f s : satisfies s -> holds e f -> exists s', tell width f s = Some s' /\ satisfies s'.
Proof. intros S H. apply learn_holds; [exact S|]. apply simplify_holds; assumption. Qed.

Lemma tell_all_holds fs : forall s, satisfies s -> (forall f, List.In f fs -> holds e f) ->
  exists s', tell_all width fs s = Some s' /\ satisfies s'.
Proof.
  induction fs as [|f fs IH]; cbn [tell_all]; intros s S H; [eauto|].
  destruct (tell_holds f s S) as (s' & -> & S'); [apply H; simpl; auto|].
  apply IH; [exact S'|]. intros g Hg. apply H. simpl; auto.
Qed.

Lemma satisfies_parts s fs b : satisfies s -> (forall f, List.In f fs -> holds e f) ->
  satisfies (Known (masks s) (facts s) fs b).
Proof. intros (M & F & _) H. repeat split; auto. Qed.

Lemma propagate_holds fuel : forall s, satisfies s -> exists s', propagate width fuel s = Some s' /\ satisfies s'.
Proof.
  induction fuel as [|fuel IH]; cbn [propagate]; intros s S; [eauto|].
  destruct (grown s); [|eauto].
  destruct (tell_all_holds (rest s) (Known (masks s) (facts s) [] false)) as (s' & -> & S').
  - apply satisfies_parts; [exact S|simpl; tauto].
  - apply S.
  - apply IH, S'.
Qed.

Lemma smallest_In fs : forall f n before g others, smallest f n before fs = (g, others) ->
  forall h, List.In h (g :: others) -> List.In h (f :: before ++ fs).
Proof.
  induction fs as [|k fs IH]; cbn [smallest]; intros f n before g others H h Hin.
  - injection H as <- <-. rewrite app_nil_r. exact Hin.
  - destruct (N.ltb (size k) n); apply IH with (h := h) in H; try exact Hin; simpl in *;
      rewrite in_app_iff in *; simpl in *; tauto.
Qed.

Lemma otherwise_holds s f : satisfies s -> ~ holds e f -> holds e (otherwise width s f).
Proof.
  intros S. destruct f as [| |k m|a [|]| |]; cbn [otherwise holds negb]; auto; intros H.
  - rewrite N.ldiff_spec, (mask_holds s k S). destruct (N.testbit m (fin e k)); tauto.
  - destruct a as [r a]. unfold atom_holds in *. simpl in *. destruct r; simpl in *.
    + destruct (Qeq_dec (lval (num e) a) 0); tauto.
    + destruct (Qeq_dec (lval (num e) a) 0); tauto.
    + destruct (Qlt_le_dec 0 (lval (num e) a)); [lra|tauto].
    + destruct (Qlt_le_dec (lval (num e) a) 0); [tauto|lra].
Qed.

Lemma holds_dec f : holds e f \/ ~ holds e f.
Proof.
  induction f as [| |k m|a h| |]; simpl; try tauto.
  - destruct (N.testbit m (fin e k)); auto.
  - assert (D : atom_holds (num e) a \/ ~ atom_holds (num e) a).
    { destruct a as [r a]. unfold atom_holds. simpl. destruct r; simpl.
      - destruct (Qeq_dec (lval (num e) a) 0); tauto.
      - destruct (Qeq_dec (lval (num e) a) 0); tauto.
      - destruct (Qlt_le_dec 0 (lval (num e) a)); [right; lra|tauto].
      - destruct (Qlt_le_dec (lval (num e) a) 0); [tauto|right; lra]. }
    destruct h; tauto.
Qed.

Theorem closed_sound fuel : forall s, closed width fuel s = true -> ~ satisfies s.
Proof.
  induction fuel as [|fuel IH]; cbn [closed]; [discriminate|].
  intros s C S. destruct (propagate_holds fuel s S) as (s' & E & S'). rewrite E in C. clear s S E.
  destruct (rest s') as [|f fs] eqn:R; [discriminate|].
  destruct (smallest f (size f) [] fs) as [g others] eqn:P.
  assert (H : forall h, List.In h (g :: others) -> holds e h).
  { intros h Hin. apply S'. rewrite R. apply (smallest_In _ _ _ _ _ _ P h Hin). }
  destruct g as [| | | | |x y]; try discriminate.
  assert (S0 : satisfies (Known (masks s') (facts s') others true)).
  { apply satisfies_parts; [exact S'|]. intros h Hin. apply H. simpl; auto. }
  apply andb_true_iff in C. destruct C as [C1 C2].
  destruct (holds_dec x) as [X|X].
  - destruct (tell_holds x _ S0 X) as (s1 & E1 & S1). rewrite E1 in C1. exact (IH s1 C1 S1).
  - destruct (H (GOr x y)) as [X'|Y]; [simpl; auto|tauto|].
    destruct (tell_all_holds [otherwise width (Known (masks s') (facts s') others true) x; y] _ S0)
      as (s2 & E2 & S2).
    + intros h [<-|[<-|[]]]; [|exact Y]. apply otherwise_holds; assumption.
    + rewrite E2 in C2. exact (IH s2 C2 S2).
Qed.

End Sound.
