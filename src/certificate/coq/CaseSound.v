(** What a certificate says of a case holds in each model: facts of arithmetic, instances, and sums of cells of counts. *)

From Coq Require Import List QArith Qround NArith PArith FMapPositive Bool Lia Lqa Arith.
From Cubicle Require Import Model Ground GroundSound Check Decide ReadSound.
Import ListNotations.

Lemma NoDup_few n who : NoDup who -> Forall (fun p => (p < n)%nat) who -> (length who <= n)%nat.
Proof.
  intros N X. rewrite <- (seq_length n 0). apply NoDup_incl_length; [exact N|].
  intros p P. apply in_seq. rewrite Forall_forall in X. specialize (X p P). lia.
Qed.

(** ** Facts of arithmetic *)

Section Facts.

Variable s : system.
Variable n : nat.
Variables st st' : state.
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
Notation the_model := (model s st st' who most).
Notation good := (holds the_model).
Notation val := (lval (num the_model)).

Definition integer (q : Q) : Prop := exists z, q == inject_Z z.

Lemma constant_part stx c idx p : constant_summand c = true -> integer (part stx c idx p).
Proof.
  unfold constant_summand, part, linear_value. destruct (ksummand c) as [[|t ts] [a b]]; [|discriminate].
  cbn [lterms lconst fold_right Qden]. rewrite Pos.eqb_eq. intros ->.
  destruct (dnf_b _ _ _); [exists a|exists 0%Z]; reflexivity.
Qed.

Lemma whole_integer k : whole types named k = true -> integer (num the_model k).
Proof.
  assert (H : forall stx l (f : positive -> positive), is_state s n stx -> part_of_key types (f l) = None ->
    match var_of_key l with
    | Some (v, rest) => match PM.find v types with Some (arity, t) => Some (arity, t, rest) | None => None end
    | None => None
    end = sort_of_key types (f l) -> whole types named (f l) = true -> integer (cell_number who stx l)).
  { intros stx l f S P E W. unfold whole in W. rewrite <- E, P in W. unfold cell_number.
    destruct (var_of_key l) as [[v rest]|]; [|discriminate].
    destruct (PM.find v types) as [[arity [all| |[|] o]]|] eqn:F; try discriminate.
    destruct (idx_of_key rest 0) as [idx|]; [|discriminate].
    apply andb_true_iff in W. destruct W as [L I]. apply Nat.eqb_eq in L.
    apply sorts_of_find in F. destruct F as (d & D & <- & A & T & _).
    assert (Y : has_type (vtype d) (stx (vnum d) (map (proc who) idx))).
    { apply S; [exact D|]. split; [rewrite map_length; congruence|].
      apply (procs_exist n who exist), forallb_below, I. }
    destruct (vtype d) as [name [|c cs]| | | |]; simpl in T; try discriminate. exact Y. }
  destruct k as [[k|k|]|k|]; try (unfold whole; simpl; discriminate).
  - unfold whole. cbn [sort_of_key num model number_of]. destruct (part_of_key _ _) as [[[[time c] idx] i]|]; [|discriminate].
    apply constant_part.
  - apply (H st' k (fun k => xI (xO k)) state'); reflexivity.
  - apply (H st k xO state); reflexivity.
Qed.

Lemma integral_value e : integral types named e = true -> integer (val e).
Proof.
  destruct e as [ts c]. unfold integral, lval. cbn [terms const]. rewrite andb_true_iff, Pos.eqb_eq. intros [C T].
  assert (I : forall q, Qden q = 1%positive -> q == inject_Z (Qnum q)).
  { intros [a b] E. simpl in E. subst. reflexivity. }
  induction ts as [|[k q] ts IH].
  - exists (Qnum c). apply I, C.
  - cbn [forallb fst snd] in T. rewrite !andb_true_iff, Pos.eqb_eq in T. destruct T as [[D W] T].
    destruct (IH T) as [z Z]. destruct (whole_integer k W) as [y Y].
    exists (Qnum q * y + z)%Z. rewrite sum_cons, Z, Y, inject_Z_plus, inject_Z_mult, <- (I q D). reflexivity.
Qed.

Lemma integer_negative q : integer q -> q < 0 -> q + 1 <= 0.
Proof.
  intros [z Z] L. rewrite Z in *. change 0 with (inject_Z 0) in *. change 1 with (inject_Z 1).
  rewrite <- inject_Z_plus. rewrite <- Zlt_Qlt in L. rewrite <- Zle_Qle. lia.
Qed.

Lemma integer_opposite q : integer q -> integer (- q).
Proof. intros [z Z]. exists (- z)%Z. rewrite Z, inject_Z_opp. reflexivity. Qed.

Lemma next_value e : val (add 1 e (number 1)) == val e + 1.
Proof. rewrite add_value, number_value. ring. Qed.

Lemma said_good p r e denied : said types consts most named p = Some (r, e, denied) ->
  related r (val e) \/ good denied.
Proof.
  destruct p as [[r0 a] h|k i|i|i]; cbn [said].
  - intros H. cbv zeta beta in H. destruct (holds_dec the_model (GLin (r0, a) h)) as [T|T].
    2: { right. assert (D : good (GLin (r0, a) (negb h))).
         { pose proof (holds_dec the_model (GLin (r0, a) (negb h))) as D. destruct h; simpl in *; tauto. }
         destruct r0, h; try discriminate;
           repeat match type of H with context [if ?b then _ else _] => destruct b end; injection H as _ _ <-; exact D. }
    left. assert (V : related r0 (val a) <-> h = true) by (destruct h; simpl in T; unfold atom_holds in T; simpl in T; intuition discriminate).
    clear T. destruct r0, h; try discriminate; cbn [related] in V.
    + injection H as <- <- _. apply V. reflexivity.
    + injection H as <- <- _. apply V. reflexivity.
    + assert (G : - val a < 0).
      { destruct (Qlt_le_dec 0 (val a)) as [L|L]; [lra|]. apply V in L. discriminate. }
      destruct (integral types named a) eqn:I; injection H as <- <- _; cbn [related].
      * rewrite next_value, negated_value. apply integer_negative; [apply integer_opposite, integral_value, I|exact G].
      * rewrite negated_value. exact G.
    + assert (G : val a < 0) by (apply V; reflexivity).
      destruct (integral types named a) eqn:I; injection H as <- <- _; cbn [related].
      * rewrite next_value. apply integer_negative; [apply integral_value, I|exact G].
      * exact G.
    + injection H as <- <- _. cbn [related]. rewrite negated_value.
      destruct (Qlt_le_dec (val a) 0) as [L|L]; [apply V in L; discriminate|lra].
  - destruct (sort_of_key types k) as [[[arity [all| |b o]] rest]|] eqn:K; try discriminate.
    destruct (Nat.ltb_spec i named) as [I|]; [|discriminate]. intros [= <- <- <-].
    pose proof (place_is s st st' who most k arity rest K) as P.
    destruct (Qeq_dec (num the_model k) (of_process (proc who i))) as [E|E].
    + left. simpl. rewrite add_value, !single_value. cbn [num model] in *. rewrite E, number_proc. ring.
    + right. apply (at_places_good _ _ _ _ _ false _ _ _ (num the_model k == of_process (proc who i))).
      * apply (place_everywhere _ _ _ _ _ rigid few _ _ P).
      * apply (place_process _ _ _ _ _ different rigid few _ _ _ P I).
      * exact E.
  - destruct (Nat.ltb_spec i named) as [I|]; [|discriminate].
    destruct (Nat.ltb_spec i consts) as [C|]; [|discriminate]. intros [= <- <- <-].
    left. simpl. rewrite add_value, single_value, number_value. cbn [num model]. rewrite number_proc.
    rewrite (rigid_process s who rigid i C). ring.
  - destruct (Nat.ltb_spec i named) as [I|]; [|discriminate].
    destruct (Nat.leb_spec consts i) as [C|]; [|discriminate]. intros [= <- <- <-].
    left. simpl. rewrite add_value, single_value, number_value. cbn [num model]. rewrite number_proc.
    pose proof (later_process s who most different rigid few i I C) as L. apply of_process_le in L. unfold consts in *. lra.
Qed.

Lemma summed_good ps : forall e negative denied, summed types consts most named ps = Some (e, negative, denied) ->
  (val e <= 0 /\ (negative = true -> val e < 0)) \/ good denied.
Proof.
  induction ps as [|[p q] ps IH]; cbn [summed]; intros e negative denied.
  - intros [= <- <- <-]. left. rewrite zero_val. split; [lra|discriminate].
  - destruct (said types consts most named p) as [[[r a] d]|] eqn:P; [|discriminate].
    destruct (summed types consts most named ps) as [[[sum neg] others]|]; [|discriminate].
    destruct (said_good p r a d P) as [R|D].
    2: { intros H. right. destruct r; try discriminate; [|destruct (Qle_bool 0 q)|destruct (Qlt_bool 0 q)]; try discriminate;
           injection H as _ _ <-; apply gor_holds; auto. }
    destruct (IH _ _ _ eq_refl) as [[L N]|O].
    2: { intros H. right. destruct r; try discriminate; [|destruct (Qle_bool 0 q)|destruct (Qlt_bool 0 q)]; try discriminate;
           injection H as _ _ <-; apply gor_holds; auto. }
    destruct r; cbn [related] in R; try discriminate.
    + intros [= <- <- <-]. left. rewrite add_value, R.
      split; [|intros T; specialize (N T)]; lra.
    + destruct (Qle_bool 0 q) eqn:Q; [|discriminate]. apply Qle_bool_iff in Q. intros [= <- <- <-]. left.
      rewrite add_value. assert (M : q * val a <= 0) by nra. split; [|intros T; specialize (N T)]; lra.
    + destruct (Qlt_bool 0 q) eqn:Q; [|discriminate]. apply Qlt_bool_iff in Q. intros [= <- <- <-]. left.
      rewrite add_value. assert (M : q * val a < 0) by nra. split; [|intros _]; lra.
Qed.

Variable later : reader.
Hypothesis later_reads : reads s st st' who most later st'.

(** The state after the step, or the state itself. *)
Definition at_time (time : bool) : Model.state := if time then st' else st.

Lemma counting_find v arity c : counting types v = Some (arity, c) ->
  exists d, List.In d (svars s) /\ vnum d = v /\ varity d = arity /\ count_of s v = Some c /\ kvar c = v.
Proof.
  unfold counting. destruct (PM.find v types) as [[a [all| |b [k|]]]|] eqn:F; try discriminate. intros [= -> ->].
  apply sorts_of_find in F. destruct F as (d & D & N & A & _ & C). exists d. repeat split; try assumption.
  unfold count_of in C. apply find_some in C. apply Pos.eqb_eq, C.
Qed.

Lemma part_number time v arity c idx i : counting types v = Some (arity, c) ->
  number_of s st st' who (key_part time v idx i) = part (at_time time) c (map (proc who) idx) (proc who i).
Proof.
  intros C. unfold key_part, number_of, part_of_key. fold types. rewrite idx_of_key_idx.
  assert (V : Pos.of_succ_nat (Nat.pred (Pos.to_nat v)) = v).
  { rewrite Pos.of_nat_succ, Nat.succ_pred_pos by apply Pos2Nat.is_pos. apply Pos2Nat.id. }
  rewrite V.
  rewrite C. destruct time; reflexivity.
Qed.

Lemma part_good time v idx i : good (part_gf types consts most named later time v idx i).
Proof.
  unfold part_gf. destruct (counting types v) as [[arity c]|] eqn:C; [|exact I].
  destruct (Nat.eqb_spec (length idx) arity) as [L|]; [|exact I].
  destruct (forallb (fun p => Nat.ltb p named) idx) eqn:X; [|exact I].
  destruct (Nat.ltb_spec i named) as [J|]; [|exact I]. cbn [andb].
  assert (R : reads s st st' who most (if time then later else now types) (at_time time)).
  { destruct time; [exact later_reads|]. apply (now_reads s n st st' who most state exist rigid few). }
  assert (K : Forall (fun i => (i < named)%nat) (idx ++ [i])).
  { apply Forall_app. split; [apply forallb_below, X|auto]. }
  assert (P : is s st st' who most (VNum (single (key_part time v idx i))) (part (at_time time) c (map (proc who) idx) (proc who i))).
  { cbn [is]. rewrite single_value. cbn [num model]. rewrite (part_number time v arity c idx i C). reflexivity. }
  pose proof (dnf_b_iff (at_time time) (map (proc who) idx ++ [proc who i]) (kbody c)) as D.
  assert (M : map (proc who) (idx ++ [i]) = map (proc who) idx ++ [proc who i]) by (rewrite map_app; reflexivity).
  apply gor_holds. unfold part in P. destruct (dnf_b _ _ _).
  - left. apply gand_holds.
    + apply (dnf_at_good s st st' who most different rigid few _ _ R _ K). rewrite M. apply D. reflexivity.
    + apply (test_good s st st' who most _ (linear_value (at_time time) (map (proc who) idx ++ [proc who i]) (ksummand c))).
      * rewrite <- M. apply (linear_way s st st' who most rigid few _ _ R _ K).
      * intros g G. apply (compared_good s st st' who most _ _ _ _ _ P G). simpl. ring.
  - right. apply gand_holds.
    + apply (not_dnf_at_good s st st' who most different rigid few _ _ R _ K). rewrite M. intros N. apply D in N. discriminate.
    + apply (compared_good s st st' who most _ _ _ _ _ P (zero_is s st st' who most)). simpl. ring.
Qed.

Lemma fact_good f : good (fact_gf types consts most named later f).
Proof.
  destruct f as [ps|e|i j|k i|k i|k|a|time v idx i]; cbn [fact_gf].
  - destruct (summed types consts most named ps) as [[[[[|t ts] c] negative] denied]|] eqn:E; try exact I.
    destruct (Qlt_bool 0 c || (negative && Qle_bool 0 c)) eqn:B; [|exact I].
    destruct (summed_good ps _ _ _ E) as [[L N]|D]; [|exact D].
    exfalso. unfold lval in *. simpl in L, N. apply orb_true_iff in B. destruct B as [B|B].
    + apply Qlt_bool_iff in B. lra.
    + apply andb_true_iff in B. destruct B as [-> B]. apply Qle_bool_iff in B. specialize (N eq_refl). lra.
  - destruct (Q_dec (val e) 0) as [[L|G]|E].
    + apply gor_holds. right. apply gor_holds. left. apply glin_holds, L.
    + apply gor_holds. right. apply gor_holds. right. apply glin_holds. cbn [related]. rewrite negated_value. lra.
    + apply gor_holds. left. apply glin_holds, E.
  - destruct (Nat.ltb_spec i named) as [A|]; [|exact I].
    destruct (Nat.ltb_spec j named) as [B|]; [|exact I].
    destruct (Nat.eqb_spec i j) as [|D]; [exact I|]. cbn [andb negb].
    set (e := add (-1) (single (key_proc j)) (single (key_proc i))).
    assert (V : val e == of_process (proc who i) - of_process (proc who j)).
    { unfold e. rewrite add_value, !single_value. cbn [num model]. rewrite !number_proc. ring. }
    assert (X : proc who i <> proc who j).
    { intros X. apply D, (proc_inj who different); assumption. }
    destruct (Nat.lt_total (proc who i) (proc who j)) as [L|[E|L]]; [|tauto|].
    + apply gor_holds. left. apply glin_holds. cbn [related]. rewrite V. apply of_process_lt in L. lra.
    + apply gor_holds. right. apply glin_holds. cbn [related]. rewrite negated_value, V. apply of_process_lt in L. lra.
  - destruct (sort_of_key types k) as [[[arity [all| |b o]] rest]|] eqn:K; try exact I.
    destruct (Nat.ltb_spec i named) as [J|]; [|exact I].
    pose proof (place_is s st st' who most k arity rest K) as P.
    apply gor_holds. destruct (Qeq_dec (num the_model k) (of_process (proc who i))) as [E|E].
    + right. apply (at_places_good _ _ _ _ _ true _ _ _ (num the_model k == of_process (proc who i))).
      * apply (place_everywhere _ _ _ _ _ rigid few _ _ P).
      * apply (place_process _ _ _ _ _ different rigid few _ _ _ P J).
      * exact E.
    + left. apply glin_holds. cbn [related]. rewrite add_value, !single_value. cbn [num model] in *. rewrite number_proc.
      intros X. apply E. rewrite <- (Qplus_0_r (of_process (proc who i))), <- X. ring.
  - destruct (sort_of_key types k) as [[[arity [all| |b o]] rest]|] eqn:K; try exact I.
    pose proof (place_is s st st' who most k arity rest K) as P.
    apply (place_everywhere _ _ _ _ _ rigid few) in P. apply gor_holds.
    destruct (N.eq_dec (fin the_model k) (N.of_nat i)) as [E|E]; [left|right].
    + apply (at_places_good _ _ _ _ _ true _ _ _ (fin the_model k = N.of_nat i)); [exact P| |exact E].
      symmetry. apply place_testbit.
    + apply (at_places_good _ _ _ _ _ false _ _ _ (fin the_model k = N.of_nat i)); [exact P| |exact E].
      symmetry. apply place_testbit.
  - destruct (sort_of_key types k) as [[[arity [all| |b o]] rest]|] eqn:K; try exact I.
    pose proof (place_is s st st' who most k arity rest K) as P.
    apply (at_places_good _ _ _ _ _ true _ _ _ True); [apply (place_everywhere _ _ _ _ _ rigid few _ _ P)| |exact I].
    split; [intros _|auto]. destruct P as [_ F]. rewrite F, N.lor_spec. apply orb_true_iff.
    destruct (locate_spec s who most rigid few (num the_model k) who 0) as [(j & L & J & _)|[L _]]; rewrite L.
    + left. apply ones_testbit. unfold named. lia.
    + right. apply place_testbit. reflexivity.
  - apply gor_holds. destruct (holds_dec the_model (GLin a true)) as [T|F]; [left; exact T|right; exact F].
  - apply part_good.
Qed.

(** ** One more process with a name *)

Variable table : PM.t cube.
(** No cube of the table holds in the state. *)
Hypothesis excluded : forall k c, PM.find k table = Some c -> ~ cube_holds n st c.

Lemma map_proc_NoDup ps : Forall (fun i => (i < named)%nat) ps -> NoDup ps -> NoDup (map (proc who) ps).
Proof.
  induction ps as [|p ps IH]; cbn [map]; intros F N; [constructor|].
  inversion F as [|? ? P F']; inversion N as [|? ? X N']; subst. constructor; [|auto].
  intros H. apply in_map_iff in H. destruct H as (q & E & Q). apply X.
  rewrite Forall_forall in F'. rewrite <- (proc_inj who different q p (F' q Q) P E). exact Q.
Qed.

Lemma chosen_distinct ps : Forall (fun i => (i < named)%nat) ps -> NoDup ps -> distinct n (length ps) (map (proc who) ps).
Proof.
  intros F N. split; [split|].
  - apply map_length.
  - apply (procs_exist n who exist), F.
  - apply map_proc_NoDup; assumption.
Qed.

Lemma instance_good i : good (instance_gf types consts most table named i).
Proof.
  unfold instance_gf. destruct (PM.find (fst i) table) as [c|] eqn:T; [|exact I].
  destruct (Nat.eqb_spec (length (snd i)) (carity c)) as [L|]; [|exact I].
  destruct (forallb (fun p => Nat.ltb p named) (snd i)) eqn:F; [|exact I].
  destruct (all_distinct (snd i)) eqn:D; [|exact I]. cbn [andb].
  apply forallb_below in F. apply all_distinct_iff in D.
  apply (not_conj_good s n st st' who most state different exist rigid few (snd i) F).
  intros C. apply (excluded _ _ T). exists (map (proc who) (snd i)). split; [|exact C].
  rewrite <- L. apply chosen_distinct; assumption.
Qed.

Lemma everywhere k : N.testbit (width types most k) (fin the_model k) = true.
Proof. apply (model_everywhere s st st' who most rigid few). Qed.

Lemma denied_good f : ~ good f -> good (denied types most f).
Proof.
  destruct f as [| |k m|a h| |]; cbn [denied]; intros H; try exact I.
  - cbn [holds]. rewrite N.ldiff_spec, everywhere. apply negb_true_iff, not_true_iff_false. exact H.
  - destruct (holds_dec the_model (GLin a h)) as [T|T]; [tauto|]. destruct h; simpl in *; [exact T|].
    destruct (holds_dec the_model (GLin a true)) as [Y|Y]; [exact Y|]. exfalso. apply T. exact Y.
Qed.

Lemma total_named f : total (fun i => f (proc who i)) (below named) == total f who.
Proof.
  assert (One : forall g p, total g [p] == g p) by (intros g p; unfold total; cbn [fold_right]; ring).
  unfold named, proc. clear - One. induction who as [|p ps IH] using rev_ind; [reflexivity|].
  rewrite app_length, Nat.add_1_r. cbn [below]. rewrite !total_app, <- IH, !One, nth_middle.
  apply Qplus_comp; [|reflexivity].
  assert (H : forall xs, (forall i, List.In i xs -> (i < length ps)%nat) ->
    total (fun i => f (nth i (ps ++ [p]) 0%nat)) xs == total (fun i => f (nth i ps 0%nat)) xs).
  { unfold total. induction xs as [|x xs IHx]; intros X; cbn [fold_right]; [reflexivity|].
    rewrite IHx by (intros i Hi; apply X; right; exact Hi). rewrite app_nth1 by (apply X; left; reflexivity). reflexivity. }
  apply H. intros i Hi. apply In_below, Hi.
Qed.

Lemma without_parts f cell xs :
  val (fold_right (fun i e => add (-1) (single (f i)) e) cell xs) == val cell - total (fun i => num the_model (f i)) xs.
Proof.
  unfold total. induction xs as [|x xs IH]; cbn [fold_right]; [ring|]. rewrite add_value, single_value, IH. ring.
Qed.

End Facts.

Lemma total_positive f ps : 0 < total f ps -> exists p, List.In p ps /\ 0 < f p.
Proof.
  unfold total. induction ps as [|p ps IH]; cbn [fold_right]; intros H; [lra|].
  destruct (Qlt_le_dec 0 (f p)) as [L|L]; [exists p; simpl; auto|].
  destruct IH as (q & Q & P); [lra|]. exists q. simpl; auto.
Qed.

(** Induction on hints. *)
Definition of_sum (P : hint -> Prop) (x : sum_hint) : Prop := match x with SumHint _ _ h => P h end.

Fixpoint hint_induction (P : hint -> Prop)
  (H : forall is fs sums, Forall (of_sum P) sums -> P (Hint is fs sums)) (h : hint) : P h :=
  match h with
  | Hint is fs sums => H is fs sums
      ((fix go (xs : list sum_hint) : Forall (of_sum P) xs :=
          match xs with
          | [] => Forall_nil _
          | SumHint a c h :: xs => Forall_cons (SumHint a c h) (hint_induction P H h : of_sum P (SumHint a c h)) (go xs)
          end) sums)
  end.

Section Cases.

Variable s : system.
Variable n : nat.
Variables st st' : state.
Variable most : nat.
Hypothesis state : is_state s n st.
Hypothesis state' : is_state s n st'.

Let types := sorts_of s.
Let consts := sconsts s.
Notation named_by who := (model s st st' who most).

Definition names (who : list nat) : Prop :=
  NoDup who /\ Forall (fun p => (p < n)%nat) who /\
  ((sconsts s <= length who)%nat /\ forall k, (k < sconsts s)%nat -> nth k who 0%nat = k) /\
  (length who <= most)%nat.

Section Further.

Variable who : list nat.
Hypothesis names_who : names who.
Variable p : nat.
Hypothesis new : ~ List.In p who.
Hypothesis exists_p : (p < n)%nat.
Hypothesis room_for_one : (length who < most)%nat.

Lemma names_further : names (who ++ [p]).
Proof.
  destruct names_who as (N & X & [R1 R2] & F). repeat split.
  - rewrite <- (rev_involutive (who ++ [p])). apply NoDup_rev. rewrite rev_app_distr. simpl. constructor.
    + rewrite <- in_rev. exact new.
    + apply NoDup_rev, N.
  - apply Forall_app. auto.
  - rewrite app_length. lia.
  - intros k K. rewrite app_nth1 by lia. apply R2, K.
  - rewrite app_length. simpl. lia.
Qed.

Lemma same_processes idx : forallb (fun i => Nat.ltb i (length who)) idx = true ->
  map (proc (who ++ [p])) idx = map (proc who) idx.
Proof.
  rewrite forallb_forall. intros H. apply map_ext_in. intros i Hi. unfold proc. apply app_nth1, Nat.ltb_lt, H, Hi.
Qed.

Lemma known_number k : known_key types (length who) k = true ->
  number_of s st st' (who ++ [p]) k = number_of s st st' who k.
Proof.
  assert (C : forall stx l,
    match match var_of_key l with
      | Some (v, rest) => match PM.find v types with Some (arity, t) => Some (arity, t, rest) | None => None end
      | None => None end with
    | Some (_, _, rest) => match idx_of_key rest 0 with Some idx => forallb (fun i => Nat.ltb i (length who)) idx | None => false end
    | None => false end = true -> cell_number (who ++ [p]) stx l = cell_number who stx l).
  { intros stx l. unfold cell_number. destruct (var_of_key l) as [[v rest]|]; [|reflexivity].
    destruct (PM.find v types) as [[arity t]|]; [|discriminate]. destruct (idx_of_key rest 0) as [idx|]; [|discriminate].
    intros H. rewrite (same_processes idx H). reflexivity. }
  unfold known_key. destruct k as [[k|k|]|k|]; cbn [sort_of_key number_of]; try discriminate.
  - unfold part_of_key. destruct (idx_of_key k 0) as [[|a [|b [|i idx]]]|]; try reflexivity.
    + intros H. apply Nat.ltb_lt in H. unfold proc. rewrite app_nth1 by exact H. reflexivity.
    + intros H. destruct (counting _ _) as [[arity c]|]; [|reflexivity]. cbn [forallb] in H. apply andb_true_iff in H.
      destruct H as [I H]. rewrite (same_processes idx H). apply Nat.ltb_lt in I.
      assert (E : proc (who ++ [p]) i = proc who i) by (apply app_nth1; exact I). rewrite E. reflexivity.
  - intros H. apply C. destruct (var_of_key k) as [[v rest]|]; [|discriminate].
    destruct (PM.find v types) as [[arity t]|]; [exact H|discriminate].
  - intros H. apply C. destruct (var_of_key k) as [[v rest]|]; [|discriminate].
    destruct (PM.find v types) as [[arity t]|]; [exact H|discriminate].
Qed.

Lemma locate_further q : locate most q 0 (who ++ [p]) = locate most q 0 who \/
  (locate most q 0 who = most /\ locate most q 0 (who ++ [p]) = length who).
Proof.
  destruct names_who as (N & X & R & F). pose proof names_further as (N' & X' & R' & F').
  destruct (locate_spec s who most R F q who 0) as [(j & L & J & E)|[L Nj]].
  - left. rewrite L. apply (locate_process s (who ++ [p]) most N' R' F').
    + rewrite app_length. simpl. lia.
    + unfold proc. rewrite app_nth1 by lia. exact E.
  - destruct (locate_spec s (who ++ [p]) most R' F' q (who ++ [p]) 0) as [(j & L' & J & E)|[L' _]].
    + right. split; [exact L|]. rewrite L', Nat.add_0_l. rewrite app_length in J. simpl in J.
      destruct (Nat.eq_dec j (length who)) as [->|D]; [reflexivity|].
      exfalso. apply (Nj j); [lia|]. rewrite app_nth1 in E by lia. exact E.
    + left. congruence.
Qed.

Lemma widened_good f g : widened types most (length who) f = Some g -> holds (named_by who) f -> holds (named_by (who ++ [p])) g.
Proof.
  destruct f as [| |k m|[r e] h| |]; cbn [widened]; try discriminate.
  - destruct (known_key types (length who) k) eqn:K; [|discriminate]. apply known_number in K.
    destruct (sort_of_key types k) as [[[arity [all| |b o]] rest]|] eqn:S; intros [= <-]; cbn [holds fin model];
      unfold place_of; fold types; rewrite S, ?K; auto.
    intros T. destruct (locate_further (number_of s st st' who k)) as [->|[L ->]].
    + destruct (N.testbit m (N.of_nat most)); [|exact T]. rewrite N.lor_spec, T. reflexivity.
    + rewrite L in T. rewrite T, N.lor_spec. apply orb_true_iff. right. apply place_testbit. reflexivity.
  - destruct (forallb _ _) eqn:K; [|discriminate]. intros [= <-]. cbn [snd] in K.
    assert (V : lval (num (named_by (who ++ [p]))) e == lval (num (named_by who)) e).
    { unfold lval. cbn [num model]. induction (terms e) as [|[k q] ts IH]; [reflexivity|].
      cbn [forallb fst] in K. apply andb_true_iff in K. destruct K as [K Ks].
      rewrite !sum_cons, (IH Ks), (known_number k K). reflexivity. }
    assert (H : atom_holds (num (named_by (who ++ [p]))) (r, e) <-> atom_holds (num (named_by who)) (r, e)).
    { unfold atom_holds. cbn [fst snd]. split; apply related_eq; [exact V|symmetry; exact V]. }
    cbn [holds]. destruct h; rewrite H; auto.
Qed.

Lemma all_widened_good fs : forall gs, all_widened types most (length who) fs = Some gs ->
  (forall f, List.In f fs -> holds (named_by who) f) -> forall g, List.In g gs -> holds (named_by (who ++ [p])) g.
Proof.
  induction fs as [|f fs IH]; cbn [all_widened]; intros gs H A g G.
  - injection H as <-. destruct G.
  - destruct (widened types most (length who) f) as [f'|] eqn:W; [|discriminate].
    destruct (all_widened types most (length who) fs) as [fs'|]; [|discriminate]. injection H as <-.
    destruct G as [<-|G].
    + apply (widened_good f f' W), A. left; reflexivity.
    + apply (IH fs' eq_refl); [|exact G]. intros h Hh. apply A. right; exact Hh.
Qed.

End Further.

(** What processes without a name add to cells of counts. *)
Lemma added_good who cells : names who -> forall rest one, added types (length who) cells = Some (rest, one) ->
  exists f, lval (num (named_by who)) rest == total f (others n who) /\
    forall p, lval (num (named_by (who ++ [p]))) one == f p.
Proof.
  intros (N & X & R & F). induction cells as [|[q [time v idx]] cells IH]; cbn [added]; intros rest one H.
  - injection H as <- <-. exists (fun _ => 0). split; [|intros p; apply zero_val].
    rewrite zero_val. unfold total. induction (others n who) as [|p ps IH]; cbn [fold_right]; [reflexivity|]. rewrite <- IH. ring.
  - destruct (counting types v) as [[arity c]|] eqn:C; [|discriminate].
    destruct (added types (length who) cells) as [[rest' one']|]; [|discriminate].
    destruct (Nat.eqb_spec (length idx) arity) as [L|]; [|discriminate].
    destruct (forallb (fun i => Nat.ltb i (length who)) idx) eqn:K; [|discriminate]. injection H as <- <-.
    destruct (IH rest' one' eq_refl) as (f & V & W). clear IH.
    set (stx := at_time st st' time). set (g := part stx c (map (proc who) idx)).
    exists (fun p => q * g p + f p). split.
    + rewrite add_value, V, without_parts.
      assert (Cell : lval (num (named_by who)) (single ((if time then key_next else key_now) v idx)) ==
                     total g who + total g (others n who)).
      { rewrite <- (total_below g n who N X), single_value. cbn [num model].
        assert (T : number_of s st st' who ((if time then key_next else key_now) v idx) = stx v (map (proc who) idx)).
        { unfold stx, at_time, number_of, cell_number. destruct time; cbn [key_now key_next]; rewrite var_of_key_var, idx_of_key_idx; reflexivity. }
        rewrite T. apply adds_up_iff.
        destruct (counting_find s v arity c C) as (d & D & Nd & A & Co & _).
        assert (Sx : is_state s n stx) by (unfold stx, at_time; destruct time; assumption).
        specialize (Sx d D (map (proc who) idx)). rewrite Nd, Co in Sx. apply Sx.
        split; [rewrite map_length; congruence|]. apply (procs_exist n who X), forallb_below, K. }
      rewrite Cell.
      assert (Parts : total (fun i => num (named_by who) (key_part time v idx i)) (below (length who)) == total g who).
      { rewrite <- (total_named who g). unfold total. induction (below (length who)) as [|i is IH]; cbn [fold_right]; [reflexivity|].
        rewrite IH. cbn [num model]. rewrite (part_number s st st' who time v arity c idx i C). reflexivity. }
      rewrite Parts.
      assert (Both : total (fun p => q * g p + f p) (others n who) == q * total g (others n who) + total f (others n who)).
      { clear. unfold total. induction (others n who) as [|p ps IH]; cbn [fold_right]; [ring|]. rewrite IH. ring. }
      rewrite Both. ring.
    + intros p. rewrite add_value, W, single_value. cbn [num model].
      rewrite (part_number s st st' (who ++ [p]) time v arity c idx (length who) C), (same_processes who p idx K).
      unfold proc at 2. rewrite nth_middle. reflexivity.
Qed.

Variable most_processes : option nat.
Variable table : PM.t cube.
Hypothesis allowed : match most_processes with None => True | Some m => (n <= m)%nat end.
(** No cube of the table holds in the state. *)
Hypothesis excluded : forall k c, PM.find k table = Some c -> ~ cube_holds n st c.

Lemma sum_good who assumed cells wide rest one : names who -> (length who < most)%nat ->
  all_widened types most (length who) assumed = Some wide -> added types (length who) cells = Some (rest, one) ->
  (forall p, names (who ++ [p]) ->
    (forall f, List.In f (glin Negative (add (-1) one zero) :: wide) -> holds (named_by (who ++ [p])) f) -> False) ->
  holds (named_by who) (gor (gany (map (denied types most) assumed)) (glin NotPositive rest)).
Proof.
  intros Nw Room W A No. destruct (added_good who cells Nw rest one A) as (f & V & O).
  pose proof Nw as (N & X & R & F). apply gor_holds.
  assert (D : (forall g, List.In g assumed -> holds (named_by who) g) \/
              exists g, List.In g assumed /\ ~ holds (named_by who) g).
  { clear W. induction assumed as [|g gs IH]; [left; intros ? []|]. destruct (holds_dec (named_by who) g) as [G|G].
    - destruct IH as [IH|(h & H & Nh)]; [left; intros h [<-|H]; auto|right; exists h; simpl; auto].
    - right. exists g. simpl; auto. }
  destruct D as [D|(g & G & Ng)].
  - right. apply glin_holds. cbn [related]. rewrite V. destruct (Qlt_le_dec 0 (total f (others n who))) as [P|P]; [|exact P].
    exfalso. apply total_positive in P. destruct P as (p & P & Pos). apply others_In in P. destruct P as [Pn Pw].
    apply (No p); [apply names_further; assumption|]. intros h [<-|H].
    + apply glin_holds. cbn [related]. rewrite negated_value, O. lra.
    + apply (all_widened_good who Nw p Pw Pn Room assumed wide W D h H).
  - left. apply (gany_holds _ _ (denied types most g)); [apply in_map, G|].
    apply (denied_good s st st' who most R F), Ng.
Qed.

Variable later : reader.
Variable base : nat -> option known.
Variable first : list nat.
Hypothesis later_reads : forall more, names (first ++ more) -> reads s st st' (first ++ more) most later st'.
Hypothesis based : forall more, names (first ++ more) ->
  exists k, base (length (first ++ more)) = Some k /\ satisfies (named_by (first ++ more)) k.

Lemma refuted_false h : forall more known, names (first ++ more) ->
  (forall f, List.In f known -> holds (named_by (first ++ more)) f) ->
  refuted types consts most most_processes table later base (length (first ++ more)) known h = false.
Proof.
  induction h as [instances facts sums IH] using hint_induction. intros more known Nw K.
  destruct (based more Nw) as (k & B & S). pose proof (later_reads more Nw) as Rd.
  set (who := first ++ more) in *. pose proof Nw as (N & X & R & F). cbn [refuted]. rewrite B.
  apply orb_false_iff. split.
  { apply negb_false_iff. unfold possible. destruct most_processes as [m|]; [|reflexivity]. apply Nat.leb_le.
    pose proof (NoDup_few n who N X). lia. }
  assert (W : forall k, N.testbit (width types most k) (fin (named_by who) k) = true).
  { apply (everywhere s st st' who most R F). }
  destruct (tell_all_holds (named_by who) _ W (known ++ map (instance_gf types consts most table (length who)) instances ++
    map (fact_gf types consts most (length who) later) facts) k S) as (k1 & -> & S1).
  { intros f Hf. rewrite !in_app_iff in Hf. destruct Hf as [Hf|[Hf|Hf]].
    - apply K, Hf.
    - apply in_map_iff in Hf. destruct Hf as (i & <- & _). apply (instance_good s n st st' who most state N X R F table excluded).
    - apply in_map_iff in Hf. destruct Hf as (i & <- & _). apply (fact_good s n st st' who most state state' N X R F later Rd). }
  match goal with |- context [tell_all _ (map ?g sums) k1] => set (sum := g) end.
  destruct (tell_all_holds (named_by who) _ W (map sum sums) k1 S1) as (k2 & -> & S2).
  { intros f Hf. apply in_map_iff in Hf. destruct Hf as ([assumed cells h] & <- & Hin). unfold sum.
    rewrite Forall_forall in IH. specialize (IH _ Hin). cbn [of_sum] in IH.
    destruct (all_widened types most (length who) assumed) as [wide|] eqn:Wd; [|exact I].
    destruct (added types (length who) cells) as [[rest one]|] eqn:Ad; [|exact I].
    destruct (Nat.ltb_spec (length who) most) as [Room|]; [|exact I].
    destruct (refuted _ _ _ _ _ _ _ _ _ h) eqn:Ref; [|exact I]. cbn [andb].
    apply (sum_good who assumed cells wide rest one Nw Room Wd Ad). intros p Np Kp.
    unfold who in Np. rewrite <- app_assoc in Np.
    specialize (IH (more ++ [p]) (glin Negative (add (-1) one zero) :: wide) Np).
    rewrite app_assoc in IH. fold who in IH. rewrite app_length, Nat.add_1_r, Ref in IH. discriminate IH. exact Kp. }
  destruct (closed _ _ _) eqn:Cl; [|reflexivity]. exfalso.
  apply (closed_sound (named_by who) _ W depth _ Cl). apply satisfies_parts; [exact S2|]. apply S2.
Qed.

Lemma case_false h : names first -> refuted types consts most most_processes table later base (length first) [] h = false.
Proof.
  intros N. pose proof (refuted_false h [] []) as H. rewrite app_nil_r in H. apply H; [exact N|]. intros f [].
Qed.

End Cases.
