(** The theorem: a system that [check] accepts is safe, with any number of processes. *)

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
  assert (H : forall stx k (f : positive -> positive), is_state s n stx -> part_of_key types (f k) = None ->
    match var_of_key k with
    | Some (v, rest) => match PM.find v types with Some (arity, t) => Some (arity, t, rest) | None => None end
    | None => None
    end = sort_of_key types (f k) -> whole types named (f k) = true ->
    integer match var_of_key k with
      | Some (v, rest) => match idx_of_key rest 0 with Some idx => stx v (map (proc who) idx) | None => 0 end
      | None => 0 end).
  { intros stx l f S P E W. unfold whole in W. rewrite <- E, P in W.
    destruct (var_of_key l) as [[v rest]|]; [|discriminate].
    destruct (PM.find v types) as [[arity [all| |[|] o]]|] eqn:F; try discriminate.
    destruct (idx_of_key rest 0) as [idx|]; [|discriminate].
    apply andb_true_iff in W. destruct W as [L I]. apply Nat.eqb_eq in L.
    apply sorts_of_find in F. destruct F as (d & D & <- & A & T & _).
    assert (Y : has_type (vtype d) (stx (vnum d) (map (proc who) idx))).
    { apply S; [exact D|]. split; [rewrite map_length; congruence|].
      rewrite Forall_map. rewrite forallb_forall in I. apply Forall_forall. intros i Hi.
      apply (proc_exists n who exist). apply Nat.ltb_lt, I, Hi. }
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
    assert (P : is s st st' who most (VPlace k) (num the_model k)).
    { split; [reflexivity|]. cbn [fin model]. unfold place_of. fold types. rewrite K. reflexivity. }
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
  { apply Forall_app. split; [|auto]. rewrite forallb_forall in X. apply Forall_forall. intros p P. apply Nat.ltb_lt, X, P. }
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
    assert (P : is s st st' who most (VPlace k) (num the_model k)).
    { split; [reflexivity|]. cbn [fin model]. unfold place_of. fold types. rewrite K. reflexivity. }
    apply gor_holds. destruct (Qeq_dec (num the_model k) (of_process (proc who i))) as [E|E].
    + right. apply (at_places_good _ _ _ _ _ true _ _ _ (num the_model k == of_process (proc who i))).
      * apply (place_everywhere _ _ _ _ _ rigid few _ _ P).
      * apply (place_process _ _ _ _ _ different rigid few _ _ _ P J).
      * exact E.
    + left. apply glin_holds. cbn [related]. rewrite add_value, !single_value. cbn [num model] in *. rewrite number_proc.
      intros X. apply E. rewrite <- (Qplus_0_r (of_process (proc who i))), <- X. ring.
  - destruct (sort_of_key types k) as [[[arity [all| |b o]] rest]|] eqn:K; try exact I.
    assert (P : is s st st' who most (VPlace k) (num the_model k)).
    { split; [reflexivity|]. cbn [fin model]. unfold place_of. fold types. rewrite K. reflexivity. }
    apply (place_everywhere _ _ _ _ _ rigid few) in P. apply gor_holds.
    destruct (N.eq_dec (fin the_model k) (N.of_nat i)) as [E|E]; [left|right].
    + apply (at_places_good _ _ _ _ _ true _ _ _ (fin the_model k = N.of_nat i)); [exact P| |exact E].
      symmetry. apply place_testbit.
    + apply (at_places_good _ _ _ _ _ false _ _ _ (fin the_model k = N.of_nat i)); [exact P| |exact E].
      symmetry. apply place_testbit.
  - destruct (sort_of_key types k) as [[[arity [all| |b o]] rest]|] eqn:K; try exact I.
    assert (P : is s st st' who most (VPlace k) (num the_model k)).
    { split; [reflexivity|]. cbn [fin model]. unfold place_of. fold types. rewrite K. reflexivity. }
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

Lemma all_distinct_NoDup ps : all_distinct ps = true -> NoDup ps.
Proof.
  induction ps as [|p ps IH]; cbn [all_distinct]; [constructor|].
  rewrite andb_true_iff, negb_true_iff. intros [H T]. constructor; [|auto].
  intros X. apply not_true_iff_false in H. apply H, existsb_exists. exists p. split; [exact X|apply Nat.eqb_refl].
Qed.

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
  assert (F' : Forall (fun i => (i < named)%nat) (snd i)).
  { rewrite forallb_forall in F. apply Forall_forall. intros p P. apply Nat.ltb_lt, F, P. }
  apply all_distinct_NoDup in D.
  apply (not_conj_good s n st st' who most state different exist rigid few (snd i) F').
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
  unfold known_key. destruct k as [[k|k|]|k|].
  - cbn [sort_of_key number_of]. unfold part_of_key.
    destruct (idx_of_key k 0) as [[|a [|b [|i idx]]]|]; try reflexivity.
    + intros H. apply Nat.ltb_lt in H. unfold proc. rewrite app_nth1 by exact H. reflexivity.
    + intros H. destruct (counting _ _) as [[arity c]|]; [|reflexivity]. cbn [forallb] in H. apply andb_true_iff in H.
      destruct H as [I H]. rewrite (same_processes idx H). apply Nat.ltb_lt in I.
      assert (E : proc (who ++ [p]) i = proc who i) by (apply app_nth1; exact I). rewrite E. reflexivity.
  - cbn [sort_of_key number_of]. destruct (var_of_key k) as [[v rest]|]; [|reflexivity].
    destruct (PM.find v types) as [[arity t]|]; [|discriminate]. destruct (idx_of_key rest 0) as [idx|]; [|discriminate].
    intros H. rewrite (same_processes idx H). reflexivity.
  - discriminate.
  - cbn [sort_of_key number_of]. destruct (var_of_key k) as [[v rest]|]; [|reflexivity].
    destruct (PM.find v types) as [[arity t]|]; [|discriminate]. destruct (idx_of_key rest 0) as [idx|]; [|discriminate].
    intros H. rewrite (same_processes idx H). reflexivity.
  - discriminate.
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
        { unfold stx, at_time, number_of. destruct time; cbn [key_now key_next]; rewrite var_of_key_var, idx_of_key_idx; reflexivity. }
        rewrite T. apply adds_up_iff.
        destruct (counting_find s v arity c C) as (d & D & Nd & A & Co & _).
        assert (Sx : is_state s n stx) by (unfold stx, at_time; destruct time; assumption).
        specialize (Sx d D (map (proc who) idx)). rewrite Nd, Co in Sx. apply Sx.
        split; [rewrite map_length; congruence|]. rewrite Forall_map. rewrite forallb_forall in K.
        apply Forall_forall. intros i Hi. apply (proc_exists n who X), Nat.ltb_lt, K, Hi. }
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
        { apply existsb_exists in B. destruct B as (i & H & B). apply Nat.eqb_eq in B. subst. tauto. }
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

Lemma tuples_In ps arity : forall t, List.In t (tuples ps arity) -> length t = arity /\ forall p, List.In p t -> List.In p ps.
Proof.
  induction arity as [|arity IH]; cbn [tuples]; intros t.
  - intros [<-|[]]. simpl. tauto.
  - intros H. apply in_flat_map in H. destruct H as (p & P & H). apply in_map_iff in H.
    destruct H as (u & <- & U). apply IH in U. destruct U as [L U]. split; [simpl; congruence|].
    intros q [<-|Q]; auto.
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
      apply tuples_In in P. destruct P as [Lp P].
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
    apply filter_In in O. destruct O as [O Od]. apply all_distinct_NoDup in Od. apply tuples_In in O. destruct O as [Lo O].
    assert (Oi : forall p, List.In p o -> (p < length all_named)%nat /\ ~ List.In p aidx).
    { intros p P. apply O, filter_In in P. destruct P as [P Q]. apply In_below in P. split; [exact P|].
      intros B. apply negb_true_iff, not_true_iff_false in Q. apply Q, existsb_exists. exists p.
      split; [exact B|apply Nat.eqb_refl]. }
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

