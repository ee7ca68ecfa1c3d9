(** Formulas as programs, and what counts add up to. *)

From Coq Require Import List QArith Qround NArith PArith Bool Lia Lqa Arith Permutation.
From Cubicle Require Import Model Ground GroundSound Check.
Import ListNotations.

Definition constructor_of (v : value) : N := Z.to_N (Qfloor v).
Definition is_constructor (v : value) : bool := Qeq_bool v (of_constructor (constructor_of v)).

Definition literal_b (st : state) (ps : list nat) (l : literal) : bool :=
  match l with
  | In c set => let v := cell_value st ps c in N.testbit set (constructor_of v) && is_constructor v
  | Equal l r => Qeq_bool (term_value st ps l) (term_value st ps r)
  | Different l r => negb (Qeq_bool (term_value st ps l) (term_value st ps r))
  | Less l r => Qlt_bool (term_value st ps l) (term_value st ps r)
  | AtMost l r => Qle_bool (term_value st ps l) (term_value st ps r)
  | Compare e Zero => Qeq_bool (linear_value st ps e) 0
  | Compare e NonZero => negb (Qeq_bool (linear_value st ps e) 0)
  | Compare e NotPositive => Qle_bool (linear_value st ps e) 0
  | Compare e Negative => Qlt_bool (linear_value st ps e) 0
  end.

Definition conj_b st ps (c : conj) : bool := forallb (literal_b st ps) c.
Definition dnf_b st ps (d : dnf) : bool := existsb (conj_b st ps) d.

(** ** They are the same *)

Lemma constructor_of_eq v c : v == of_constructor c -> constructor_of v = c /\ is_constructor v = true.
Proof.
  intros E. assert (X : constructor_of v = c).
  { unfold constructor_of. rewrite (Qfloor_comp _ _ E). unfold of_constructor. rewrite Qfloor_Z. apply N2Z.id. }
  split; [exact X|]. unfold is_constructor. rewrite X. apply Qeq_bool_iff, E.
Qed.

Lemma is_constructor_eq v : is_constructor v = true -> v == of_constructor (constructor_of v).
Proof. apply Qeq_bool_iff. Qed.

Lemma Qeq_bool_false a b : Qeq_bool a b = false <-> ~ a == b.
Proof. rewrite <- Qeq_bool_iff. symmetry. apply not_true_iff_false. Qed.

Lemma literal_b_iff st ps l : literal_b st ps l = true <-> literal_holds st ps l.
Proof.
  destruct l as [c set|l r|l r|l r|l r|e [| | |]]; cbn [literal_b literal_holds];
    rewrite ?negb_true_iff, ?Qeq_bool_false, ?Qeq_bool_iff, ?Qle_bool_iff, ?GroundSound.Qlt_bool_iff; try reflexivity.
  rewrite andb_true_iff. split.
  - intros [T E]. exists (constructor_of (cell_value st ps c)). split; [exact T|apply is_constructor_eq, E].
  - intros (b & T & E). apply constructor_of_eq in E. destruct E as [<- E]. auto.
Qed.

Lemma conj_b_iff st ps c : conj_b st ps c = true <-> conj_holds st ps c.
Proof.
  unfold conj_b, conj_holds. rewrite forallb_forall, Forall_forall.
  split; intros H l L; apply literal_b_iff, H, L.
Qed.

Lemma dnf_b_iff st ps d : dnf_b st ps d = true <-> dnf_holds st ps d.
Proof.
  unfold dnf_b, dnf_holds. rewrite existsb_exists, Exists_exists.
  split; intros (c & C & H); exists c; (split; [exact C|apply conj_b_iff, H]).
Qed.

(** ** Lists of processes *)

Lemma among_iff p ps : existsb (Nat.eqb p) ps = true <-> List.In p ps.
Proof.
  rewrite existsb_exists. split.
  - intros (q & Q & E). apply Nat.eqb_eq in E. subst. exact Q.
  - intros H. exists p. split; [exact H|apply Nat.eqb_refl].
Qed.

Lemma not_among p ps : negb (existsb (Nat.eqb p) ps) = true <-> ~ List.In p ps.
Proof. rewrite negb_true_iff, <- not_true_iff_false, among_iff. reflexivity. Qed.

Lemma forallb_below n ps : forallb (fun p => Nat.ltb p n) ps = true -> Forall (fun p => (p < n)%nat) ps.
Proof. rewrite forallb_forall. intros H. apply Forall_forall. intros p P. apply Nat.ltb_lt, H, P. Qed.

Lemma all_distinct_iff ps : all_distinct ps = true <-> NoDup ps.
Proof.
  induction ps as [|p ps IH]; cbn [all_distinct]; [split; [constructor|reflexivity]|].
  rewrite andb_true_iff, not_among, IH. split; [intros [P N]; constructor; assumption|].
  inversion 1; subst. auto.
Qed.

Lemma tuples_iff ps arity : forall t, List.In t (tuples ps arity) <-> List.length t = arity /\ Forall (fun p => List.In p ps) t.
Proof.
  induction arity as [|arity IH]; intros t; cbn [tuples].
  - split.
    + intros [<-|[]]. auto.
    + intros [L _]. destruct t; [left; reflexivity|discriminate].
  - rewrite in_flat_map. split.
    + intros (p & P & H). apply in_map_iff in H. destruct H as (u & <- & U). apply IH in U. destruct U as [L U].
      split; [simpl; congruence|constructor; assumption].
    + intros [L H]. destruct t as [|p u]; [discriminate|]. inversion H; subst. exists p. split; [assumption|].
      apply in_map. apply IH. split; [injection L as L; exact L|assumption].
Qed.

(** ** Counts *)

(** What a process adds to a cell of a count. *)
Definition part (st : state) (c : count) (idx : list nat) (p : nat) : Q :=
  if dnf_b st (idx ++ [p]) (kbody c) then linear_value st (idx ++ [p]) (ksummand c) else 0.

Definition total (f : nat -> Q) (ps : list nat) : Q := fold_right (fun p sum => f p + sum) 0 ps.

Lemma total_app f ps qs : total f (ps ++ qs) == total f ps + total f qs.
Proof. unfold total. induction ps as [|p ps IH]; cbn [fold_right app]; [ring|]. rewrite IH. ring. Qed.

Lemma total_permutation f ps qs : Permutation ps qs -> total f ps == total f qs.
Proof.
  unfold total. induction 1 as [|p ps qs P IH|p q ps|ps qs rs P IH Q IH']; cbn [fold_right];
    [reflexivity|rewrite IH; reflexivity|ring|rewrite IH; exact IH'].
Qed.

Lemma adds_up_iff st c idx k : forall v, adds_up st c idx k v <-> v == total (part st c idx) (below k).
Proof.
  induction k as [|k IH]; intros v; cbn [adds_up below]; [reflexivity|].
  rewrite total_app. assert (T : total (part st c idx) [k] == part st c idx k) by (unfold total; cbn [fold_right]; ring).
  rewrite T. unfold part at 2. pose proof (dnf_b_iff st (idx ++ [k]) (kbody c)) as D.
  destruct (dnf_b st (idx ++ [k]) (kbody c)); split.
  - intros (w & W & [[_ V]|[N _]]); [|exfalso; apply N, D; reflexivity]. apply IH in W. rewrite V, W. reflexivity.
  - intros V. eexists. split; [apply IH; reflexivity|]. left. split; [apply D; reflexivity|exact V].
  - intros (w & W & [[N _]|[_ V]]); [apply D in N; discriminate|]. apply IH in W. rewrite V, W. ring.
  - intros V. eexists. split; [apply IH; reflexivity|]. right. split; [intros N; apply D in N; discriminate|].
    rewrite V. ring.
Qed.

Lemma In_below n i : List.In i (below n) <-> (i < n)%nat.
Proof.
  induction n as [|n IH]; cbn [below].
  - simpl. lia.
  - rewrite in_app_iff, IH. simpl. lia.
Qed.

Lemma below_NoDup n : NoDup (below n).
Proof.
  induction n as [|n IH]; cbn [below]; [constructor|].
  apply (Permutation_NoDup (Permutation_cons_append (below n) n)). constructor; [rewrite In_below; lia|exact IH].
Qed.

(** The processes that are not among these. *)
Definition others (n : nat) (who : list nat) : list nat := filter (fun p => negb (existsb (Nat.eqb p) who)) (below n).

Lemma others_In n who p : List.In p (others n who) <-> (p < n)%nat /\ ~ List.In p who.
Proof.
  unfold others. rewrite filter_In, In_below, not_among. reflexivity.
Qed.

Lemma total_below f n who : NoDup who -> Forall (fun p => (p < n)%nat) who ->
  total f (below n) == total f who + total f (others n who).
Proof.
  intros N X. rewrite <- total_app. apply total_permutation, NoDup_Permutation.
  - apply below_NoDup.
  - assert (D : forall p, List.In p who -> ~ List.In p (others n who)) by (intros p P; rewrite others_In; tauto).
    assert (O : NoDup (others n who)) by apply NoDup_filter, below_NoDup.
    revert D O. generalize (others n who) as os. clear X. induction N as [|p who P N IH]; intros os D O; [exact O|].
    cbn [app]. constructor; [|apply IH; [intros q Q; apply D; right; exact Q|exact O]].
    rewrite in_app_iff. intros [H|H]; [tauto|]. apply (D p); [left; reflexivity|exact H].
  - intros p. rewrite in_app_iff, In_below, others_In. rewrite Forall_forall in X. specialize (X p).
    destruct (in_dec Nat.eq_dec p who); tauto.
Qed.
