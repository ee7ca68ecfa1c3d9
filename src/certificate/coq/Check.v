(** The checker: reads formulas of a system at named processes, makes the cases of each obligation and refutes them with the
    instances of the invariant and the facts of arithmetic that a certificate names.

    A case names processes by numbers: the constants first. All that is read is an over-approximation: whatever is not
    understood is [GT]. *)

From Coq Require Import List QArith NArith PArith FMapPositive Bool Arith.
From Cubicle Require Import Model Ground.
Import ListNotations.

(** ** Certificates *)

(** A premise of a sum of inequalities. *)
Inductive premise :=
| PAtom (a : atom) (holds : bool)
| PHolds (k : positive) (i : nat)  (* the cell holds the named process *)
| PFixed (i : nat)                 (* a process constant is its number *)
| PAbove (i : nat).                (* other processes come after the constants *)

(** A fact of arithmetic. *)
Inductive fact_of :=
| FSum (premises : list (premise * Q))  (* these multiples add up to a contradiction *)
| FSplit (e : lexp)                     (* zero, negative or positive *)
| FApart (i j : nat)                    (* one of two processes comes first *)
| FPlace (k : positive) (i : nat)         (* a cell that is equal to a named process holds it *)
| FHeld (k : positive) (i : nat)          (* a cell holds a named process or not *)
| FNamed (k : positive)                   (* a cell holds a named process or another value *)
| FEither (a : atom)
| FPart (after : bool) (v : positive) (idx : list nat) (i : nat).  (* what a named process adds to a cell of a count *)

(** A cell of a count, in the state after the step or not. *)
Record counted := Counted { cafter : bool; ccount : positive; cindex : list nat }.

(** For one case: instances of cubes, by number, and facts. Then sums of multiples of cells of counts, with assumptions, that no further
    process adds to: what refutes the case where one does. *)
Inductive hint := Hint (instances : list (positive * list nat)) (facts : list fact_of) (sums : list sum_hint)
with sum_hint := SumHint (assumed : list gf) (cells : list (Q * counted)) (refuting : hint).

(** Hints for the cases of an obligation in order; those that are missing at the end are empty. *)
Definition hints := list hint.

Record certificate := Certificate {
  cubes : list cube;
  on_initial : list (positive * hints);             (* by cube *)
  on_step : list (positive * list (positive * hints));  (* by cube and transition *)
  on_bad : list (positive * hints);                 (* by bad cube *)
  further : nat }.                                  (* at most this number of further processes are named by hints *)

(** ** Types *)

Inductive sort := SEnum (all : N) | SProc | SNumber (whole : bool) (counts : option count).

Definition sorts := PM.t (nat * sort).

Definition sort_of_type (t : type) : option sort :=
  match t with
  | TEnum _ [] => None
  | TEnum _ constructors => Some (SEnum (N.ones (N.of_nat (List.length constructors))))
  | TProc => Some SProc
  | TInt => Some (SNumber true None)
  | TReal | TAbstract _ => Some (SNumber false None)
  end.

Definition sort_of_var (s : system) (d : var) : option sort :=
  match count_of s (vnum d), sort_of_type (vtype d) with
  | None, t => t
  | Some c, Some (SNumber whole _) => Some (SNumber whole (Some c))
  | Some _, _ => None
  end.

Definition sorts_of (s : system) : sorts :=
  fold_right (fun d m =>
    match sort_of_var s d with Some t => PM.add (vnum d) (varity d, t) m | None => m end)
    (PM.empty _) (svars s).

(** All numbers below. *)
Fixpoint below (n : nat) : list nat := match n with O => [] | S n => below n ++ [n] end.

Section Reading.

Variable types : sorts.
(** Number of process constants, and a bound on the number of named processes. *)
Variables consts most : nat.

Definition sort_of_key (k : positive) : option (nat * sort * positive) :=
  match k with
  | xO k | xI (xO k) =>
      match var_of_key k with
      | Some (v, rest) => match PM.find v types with Some (arity, t) => Some (arity, t, rest) | None => None end
      | None => None
      end
  | _ => None
  end.

Definition every_place : N := N.ones (N.of_nat (S most)).
Definition place (i : nat) : N := N.shiftl 1 (N.of_nat i).
Definition elsewhere : N := place most.

Definition width (k : positive) : N :=
  match sort_of_key k with
  | Some (_, SEnum all, _) => all
  | Some (_, SProc, _) => every_place
  | _ => 1
  end.

(** The count that this variable is. *)
Definition counting (v : positive) : option (nat * count) :=
  match PM.find v types with Some (arity, SNumber _ (Some c)) => Some (arity, c) | _ => None end.

(** What the i-th of the named processes adds to a cell of a count after the step or before it: which, and its indices. *)
Definition part_of_key (k : positive) : option (bool * count * list nat * nat) :=
  match k with
  | xI (xI k) =>
      match idx_of_key k 0 with
      | Some (time :: v :: i :: idx) =>
          match counting (Pos.of_succ_nat v) with Some (_, c) => Some (Nat.eqb time 1, c, idx, i) | None => None end
      | _ => None
      end
  | _ => None
  end.

Definition constant_summand (c : count) : bool :=
  match lterms (ksummand c) with [] => Pos.eqb (Qden (lconst (ksummand c))) 1 | _ => false end.

(** Whether the key is that of a cell of integers at named processes, or of what one of them adds to a count of integers. *)
Definition whole (named : nat) (k : positive) : bool :=
  match sort_of_key k with
  | Some (arity, SNumber true _, rest) =>
      match idx_of_key rest 0 with
      | Some idx => Nat.eqb (List.length idx) arity && forallb (fun i => Nat.ltb i named) idx
      | None => false
      end
  | _ => match part_of_key k with Some (_, c, _, _) => constant_summand c | None => false end
  end.

(** ** Values *)

Inductive gval :=
| VUnknown
| VConst (c : N)
| VEnum (k : positive) (all : N)
| VProc (i : nat)
| VPlace (k : positive)
| VNum (e : lexp).

Definition held (t : sort) (k : positive) : gval :=
  match t with
  | SEnum all => VEnum k all
  | SProc => VPlace k
  | SNumber _ _ => VNum (single k)
  end.

(** The value of a cell; [key] makes its key. *)
Definition cell_at (key : positive -> list nat -> positive) (v : positive) (idx : list nat) : gval :=
  match PM.find v types with
  | Some (arity, t) => if Nat.eqb (List.length idx) arity then held t (key v idx) else VUnknown
  | None => VUnknown
  end.

Definition named_proc (ns : list nat) (p : pref) : option nat :=
  match p with
  | PVar i => nth_error ns i
  | PConst k => if Nat.ltb k consts then Some k else None
  end.

Fixpoint named_idx (ns : list nat) (idx : list pref) : option (list nat) :=
  match idx with
  | [] => Some []
  | p :: idx =>
      match named_proc ns p with
      | Some i => match named_idx ns idx with Some idx => Some (i :: idx) | None => None end
      | None => None
      end
  end.

(** Values, each under a condition; one of the conditions holds. *)
Definition ways := list (gf * gval).

Definition surely (v : gval) : ways := [(GT, v)].

(** A reader says what a cell may hold. *)
Definition reader := positive -> list nat -> ways.

Definition now : reader := fun v idx => surely (cell_at key_now v idx).

Definition cell_ways (read : reader) (ns : list nat) (c : cell) : ways :=
  match named_idx ns (cidx c) with Some idx => read (cvar c) idx | None => surely VUnknown end.

(** The sum of one that is known and a multiple of a value. *)
Definition plus_ways (q : Q) (ws : ways) (sums : ways) : ways :=
  flat_map (fun w => map (fun s =>
    (gand (fst w) (fst s),
     match snd w, snd s with VNum e, VNum f => VNum (add q e f) | _, _ => VUnknown end)) sums) ws.

Definition linear_ways (read : reader) (ns : list nat) (e : linear) : ways :=
  fold_right (fun t sums => plus_ways (fst t) (cell_ways read ns (snd t)) sums)
    (surely (VNum (number (lconst e)))) (lterms e).

Definition term_ways (read : reader) (ns : list nat) (t : term) : ways :=
  match t with
  | Constructor c => surely (VConst c)
  | Process p => surely (match named_proc ns p with Some i => VProc i | None => VUnknown end)
  | CellOf c => cell_ways read ns c
  | Sum e => linear_ways read ns e
  end.

(** ** Comparisons of values; each is implied by what it says, if [yes], or by the negation of that *)

Definition truth (yes b : bool) : gf := if Bool.eqb yes b then GT else GF.

(** In these places, of all of them. *)
Definition located (k : positive) (all m : N) : gf :=
  let m := N.land all m in if N.eqb m 0 then GF else if N.eqb m all then GT else GIn k m.

Definition at_places (yes : bool) (k : positive) (all m : N) : gf :=
  located k all (if yes then m else N.ldiff all m).

Definition member (yes : bool) (set : N) (v : gval) : gf :=
  match v with
  | VConst c => truth yes (N.testbit set c)
  | VEnum k all => at_places yes k all set
  | _ => GT
  end.

Definition lexp_of (v : gval) : option lexp :=
  match v with
  | VProc i => Some (single (key_proc i))
  | VPlace k => Some (single k)
  | VNum e => Some e
  | _ => None
  end.

(** What relation the first value has to the second. *)
Definition compared (r : relation) (v w : gval) : gf :=
  match lexp_of v, lexp_of w with Some e, Some f => glin r (add (-1) f e) | _, _ => GT end.

(** Two cells of an enumeration, or of type [proc], that have a place in common. *)
Definition together (k l : positive) (all1 all2 : N) (count : nat) : gf :=
  gany (map (fun c => gand (located k all1 (place c)) (located l all2 (place c))) (below count)).
Definition never_together (k l : positive) (all1 all2 : N) (count : nat) : gf :=
  gall (map (fun c => gor (at_places false k all1 (place c)) (at_places false l all2 (place c))) (below count)).

Definition equal (yes : bool) (v w : gval) : gf :=
  match v, w with
  | VConst c, VConst d => truth yes (N.eqb c d)
  | VConst c, VEnum k all | VEnum k all, VConst c => at_places yes k all (N.shiftl 1 c)
  | VEnum k all1, VEnum l all2 =>
      if Pos.eqb k l then truth yes true
      else (if yes then together else never_together) k l all1 all2 (N.to_nat (N.size all1))
  | VProc i, VProc j => truth yes (Nat.eqb i j)
  | VProc i, VPlace k | VPlace k, VProc i => at_places yes k every_place (place i)
  | VPlace k, VPlace l =>
      if Pos.eqb k l then truth yes true
      else if yes then
        gor (together k l every_place every_place most)
            (gand (gand (GIn k elsewhere) (GIn l elsewhere)) (compared Zero v w))
      else
        gand (never_together k l every_place every_place most)
             (gor (at_places false k every_place elsewhere)
                  (gor (at_places false l every_place elsewhere) (compared NonZero v w)))
  | VNum _, VNum _ => compared (if yes then Zero else NonZero) v w
  | _, _ => GT
  end.

Definition less (v w : gval) : gf :=
  match v, w with
  | VProc i, VProc j =>
      if Nat.ltb i consts || Nat.ltb j consts then truth true (Nat.ltb i j) else compared Negative v w
  | _, _ => compared Negative v w
  end.

Definition at_most (v w : gval) : gf :=
  match v, w with
  | VProc i, VProc j =>
      if Nat.ltb i consts || Nat.ltb j consts then truth true (Nat.leb i j) else compared NotPositive v w
  | _, _ => compared NotPositive v w
  end.

(** ** Literals and formulas *)

Definition test (ws : ways) (f : gval -> gf) : gf := gany (map (fun w => gand (fst w) (f (snd w))) ws).

Definition pairs (ws us : ways) (f : gval -> gval -> gf) : gf := test ws (fun v => test us (fun u => f v u)).

Definition zero_value : gval := VNum (number 0).

Definition literal_gf (read : reader) (yes : bool) (ns : list nat) (l : literal) : gf :=
  match l with
  | In c set => test (cell_ways read ns c) (member yes set)
  | Equal l r => pairs (term_ways read ns l) (term_ways read ns r) (equal yes)
  | Different l r => pairs (term_ways read ns l) (term_ways read ns r) (equal (negb yes))
  | Less l r =>
      pairs (term_ways read ns l) (term_ways read ns r) (fun v w => if yes then less v w else at_most w v)
  | AtMost l r =>
      pairs (term_ways read ns l) (term_ways read ns r) (fun v w => if yes then at_most v w else less w v)
  | Compare e r =>
      test (linear_ways read ns e) (fun v =>
        match r, yes with
        | Zero, true | NonZero, false => compared Zero v zero_value
        | Zero, false | NonZero, true => compared NonZero v zero_value
        | NotPositive, true => compared NotPositive v zero_value
        | NotPositive, false => compared Negative zero_value v
        | Negative, true => compared Negative v zero_value
        | Negative, false => compared NotPositive zero_value v
        end)
  end.

Definition conj_at (read : reader) (ns : list nat) (c : conj) : gf := gall (map (literal_gf read true ns) c).
Definition not_conj_at (read : reader) (ns : list nat) (c : conj) : gf := gany (map (literal_gf read false ns) c).
Definition dnf_at (read : reader) (ns : list nat) (d : dnf) : gf := gany (map (conj_at read ns) d).
Definition not_dnf_at (read : reader) (ns : list nat) (d : dnf) : gf := gall (map (not_conj_at read ns) d).

Definition conj_gfs (ns : list nat) (c : conj) : list gf := map (literal_gf now true ns) c.
Definition not_conj_gf : list nat -> conj -> gf := not_conj_at now.
Definition dnf_gf : list nat -> dnf -> gf := dnf_at now.
Definition not_dnf_gf : list nat -> dnf -> gf := not_dnf_at now.

(** ** After a step *)

Fixpoint branch_ways (ns : list nat) (bs : list branch) (before : gf) : ways :=
  match bs with
  | [] => []
  | b :: bs =>
      let here := gand before (dnf_gf ns (bwhen b)) in
      let later := gand before (not_dnf_gf ns (bwhen b)) in
      let values := map (fun w => (gand here (fst w), snd w)) (term_ways now ns (bvalue b)) in
      match here, later with
      | GF, GF => []
      | GF, _ => branch_ways ns bs later
      | _, GF => values
      | _, _ => values ++ branch_ways ns bs later
      end
  end.

Definition is_counted (v : positive) : bool := match counting v with Some _ => true | None => false end.

Definition after (t : transition) (args : list nat) : reader := fun v idx =>
  match cell_at key_next v idx with
  | VUnknown => surely VUnknown
  | next =>
      if is_counted v then surely next else
      match find (fun u => Pos.eqb (uvar u) v) (tupdates t) with
      | None => now v idx
      | Some (Update _ Anything) => surely next
      | Some (Update _ (Cases bs)) => branch_ways (args ++ idx) bs GT
      end
  end.

(** ** Facts of arithmetic *)

Section Facts.

(** How many processes are named. *)
Variable named : nat.

(** How cells after the step are read. *)
Variable later : reader.

Definition integral (e : lexp) : bool :=
  Pos.eqb (Qden (const e)) 1 &&
  forallb (fun t => Pos.eqb (Qden (snd t)) 1 && whole named (fst t)) (terms e).

(** What a premise says: [e = 0], [e <= 0] or [e < 0], and a formula that holds where it is false. *)
Definition said (p : premise) : option (relation * lexp * gf) :=
  match p with
  | PAtom (r, e) holds =>
      let denied := GLin (r, e) (negb holds) in
      let next f := add 1 f (number 1) in
      match r, holds with
      | Zero, true => Some (Zero, e, denied)
      | NotPositive, true => Some (NotPositive, e, denied)
      | NotPositive, false =>
          let f := add (-1) e zero in
          Some (if integral e then (NotPositive, next f, denied) else (Negative, f, denied))
      | Negative, true => Some (if integral e then (NotPositive, next e, denied) else (Negative, e, denied))
      | Negative, false => Some (NotPositive, add (-1) e zero, denied)
      | _, _ => None
      end
  | PHolds k i =>
      match sort_of_key k with
      | Some (_, SProc, _) =>
          if Nat.ltb i named
          then Some (Zero, add (-1) (single (key_proc i)) (single k), at_places false k every_place (place i))
          else None
      | _ => None
      end
  | PFixed i =>
      if Nat.ltb i named && Nat.ltb i consts
      then Some (Zero, add 1 (single (key_proc i)) (number (- of_process i)), GF) else None
  | PAbove i =>
      if Nat.ltb i named && Nat.leb consts i
      then Some (NotPositive, add (-1) (single (key_proc i)) (number (of_process consts)), GF) else None
  end.

(** The sum, whether it is negative, and a formula that holds where some premise is false. *)
Fixpoint summed (ps : list (premise * Q)) : option (lexp * bool * gf) :=
  match ps with
  | [] => Some (zero, false, GF)
  | (p, q) :: ps =>
      match said p, summed ps with
      | Some (r, e, denied), Some (sum, negative, others) =>
          let sum := add q e sum in
          let others := gor denied others in
          match r with
          | Zero => Some (sum, negative, others)
          | NotPositive => if Qle_bool 0 q then Some (sum, negative, others) else None
          | Negative => if Qlt_bool 0 q then Some (sum, true, others) else None
          | NonZero => None
          end
      | _, _ => None
      end
  end.

(** What a named process adds to a cell of a count. *)
Definition part_gf (time : bool) (v : positive) (idx : list nat) (i : nat) : gf :=
  match counting v with
  | Some (arity, c) =>
      if Nat.eqb (List.length idx) arity && (forallb (fun p => Nat.ltb p named) idx && Nat.ltb i named) then
        let read := if time then later else now in
        let ns := idx ++ [i] in
        let part := VNum (single (key_part time v idx i)) in
        gor (gand (dnf_at read ns (kbody c)) (test (linear_ways read ns (ksummand c)) (compared Zero part)))
            (gand (not_dnf_at read ns (kbody c)) (compared Zero part zero_value))
      else GT
  | None => GT
  end.

Definition fact_gf (f : fact_of) : gf :=
  match f with
  | FSum ps =>
      match summed ps with
      | Some (Lexp [] c, negative, denied) =>
          if Qlt_bool 0 c || (negative && Qle_bool 0 c) then denied else GT
      | _ => GT
      end
  | FSplit e => gor (glin Zero e) (gor (glin Negative e) (glin Negative (add (-1) e zero)))
  | FApart i j =>
      if Nat.ltb i named && (Nat.ltb j named && negb (Nat.eqb i j)) then
        let e := add (-1) (single (key_proc j)) (single (key_proc i)) in
        gor (glin Negative e) (glin Negative (add (-1) e zero))
      else GT
  | FPlace k i =>
      match sort_of_key k with
      | Some (_, SProc, _) =>
          if Nat.ltb i named
          then gor (glin NonZero (add (-1) (single (key_proc i)) (single k))) (at_places true k every_place (place i))
          else GT
      | _ => GT
      end
  | FHeld k i =>
      match sort_of_key k with
      | Some (_, SProc, _) => gor (at_places true k every_place (place i)) (at_places false k every_place (place i))
      | _ => GT
      end
  | FNamed k =>
      match sort_of_key k with
      | Some (_, SProc, _) => at_places true k every_place (N.lor (N.ones (N.of_nat named)) elsewhere)
      | _ => GT
      end
  | FPart time v idx i => part_gf time v idx i
  | FEither a => gor (GLin a true) (GLin a false)
  end.

End Facts.

(** ** Cases *)

(** All ways to choose distinct named processes for parameters: each is one of the first [known], or a further one; with
    the number of named processes then. *)
Fixpoint arrange (known fresh params : nat) (chosen : list nat) : list (nat * list nat) :=
  match params with
  | O => [(fresh, rev chosen)]
  | S params =>
      flat_map (fun p => if existsb (Nat.eqb p) chosen then [] else arrange known fresh params (p :: chosen)) (below known)
      ++ arrange known (S fresh) params (fresh :: chosen)
  end.

Definition arrangements (named params : nat) : list (nat * list nat) := arrange named named params [].

(** All tuples of these processes. *)
Fixpoint tuples (ps : list nat) (arity : nat) : list (list nat) :=
  match arity with
  | O => [[]]
  | S arity => flat_map (fun p => map (cons p) (tuples ps arity)) ps
  end.

Fixpoint all_distinct (ps : list nat) : bool :=
  match ps with [] => true | p :: ps => negb (existsb (Nat.eqb p) ps) && all_distinct ps end.

(** Fuel of a search: how many cases are split one within the other. *)
Definition depth : nat := 400.

Variable most_processes : option nat.

(** Whether an instance may have so many processes. *)
Definition possible (named : nat) : bool :=
  match most_processes with None => true | Some n => Nat.leb named n end.

(** The cubes that may be used. *)
Variable table : PM.t cube.

(** What an instance says: its cube does not hold. *)
Definition instance_gf (named : nat) (i : positive * list nat) : gf :=
  match PM.find (fst i) table with
  | Some c =>
      if Nat.eqb (List.length (snd i)) (carity c)
         && (forallb (fun p => Nat.ltb p named) (snd i) && all_distinct (snd i))
      then not_conj_gf (snd i) (cconj c) else GT
  | None => GT
  end.

Definition grow (s : known) : known := Known (masks s) (facts s) (rest s) true.

(** Whether the processes of a key are named. *)
Definition known_key (named : nat) (k : positive) : bool :=
  let ok := forallb (fun i => Nat.ltb i named) in
  match sort_of_key k, k with
  | Some (_, _, rest), _ => match idx_of_key rest 0 with Some idx => ok idx | None => false end
  | None, xI (xI k) =>
      match idx_of_key k 0 with Some [i] => Nat.ltb i named | Some (_ :: _ :: idx) => ok idx | _ => false end
  | None, _ => false
  end.

(** An assumption where one more process is named. *)
Definition widened (named : nat) (f : gf) : option gf :=
  match f with
  | GIn k m =>
      if known_key named k then
        match sort_of_key k with
        | Some (_, SProc, _) => Some (GIn k (if N.testbit m (N.of_nat most) then N.lor m (place named) else m))
        | _ => Some f
        end
      else None
  | GLin a _ => if forallb (fun t => known_key named (fst t)) (terms (snd a)) then Some f else None
  | _ => None
  end.

Fixpoint all_widened (named : nat) (fs : list gf) : option (list gf) :=
  match fs with
  | [] => Some []
  | f :: fs =>
      match widened named f, all_widened named fs with Some f, Some fs => Some (f :: fs) | _, _ => None end
  end.

Definition denied (f : gf) : gf :=
  match f with GIn k m => GIn k (N.ldiff (width k) m) | GLin a h => GLin a (negb h) | _ => GT end.

(** What the processes that have no name add to a sum of multiples of cells of counts, and what the next process with a name adds. *)
Fixpoint added (named : nat) (cells : list (Q * counted)) : option (lexp * lexp) :=
  match cells with
  | [] => Some (zero, zero)
  | (q, Counted time v idx) :: cells =>
      match counting v, added named cells with
      | Some (arity, _), Some (others, one) =>
          if Nat.eqb (List.length idx) arity && forallb (fun p => Nat.ltb p named) idx then
            let part i := single (key_part time v idx i) in
            let cell := single ((if time then key_next else key_now) v idx) in
            Some (add q (fold_right (fun i => add (-1) (part i)) cell (below named)) others, add q (part named) one)
          else None
      | _, _ => None
      end
  end.

Section Refuted.

(** How cells after the step are read. *)
Variable later : reader.

(** What is known where this number of processes is named. *)
Variable base : nat -> option known.

(** Whether that, and what else is known, contradicts what a hint names. *)
Fixpoint refuted (named : nat) (more : list gf) (h : hint) : bool :=
  negb (possible named) ||
  match h, base named with
  | Hint instances facts sums, Some k =>
      match tell_all width (more ++ map (instance_gf named) instances ++ map (fact_gf named later) facts) k with
      | None => true
      | Some k =>
          let sum x := match x with SumHint assumed cells h =>
            match all_widened named assumed, added named cells with
            | Some wide, Some (others, one) =>
                if Nat.ltb named most && refuted (S named) (glin Negative (add (-1) one zero) :: wide) h
                then gor (gany (map denied assumed)) (glin NotPositive others) else GT
            | _, _ => GT
            end end in
          match tell_all width (map sum sums) k with None => true | Some k => closed width depth (grow k) end
      end
  | _, None => true
  end.

End Refuted.

Definition no_hint : hint := Hint [] [] [].

(** Whether all cases are refuted. *)
Fixpoint cases {A : Type} (one : A -> hint -> bool) (xs : list A) (hs : hints) : bool :=
  match xs with
  | [] => true
  | x :: xs => match hs with [] => one x no_hint && cases one xs [] | h :: hs => one x h && cases one xs hs end
  end.

(** Cells after a step, where there is no step. *)
Definition unread : reader := fun _ _ => surely VUnknown.

(** A bad cube, in a state of the invariant. *)
Definition bad_case (c : cube) (x : nat * list nat) (h : hint) : bool :=
  let k := tell_all width (conj_gfs (snd x) (cconj c)) nothing in refuted unread (fun _ => k) (fst x) [] h.

(** A cube in an initial state: with no process at all, or with one at least. *)
Definition initial_cases (arity : nat) : list (bool * nat * list nat) :=
  flat_map (fun x => match x with
    | (O, ps) => [(true, O, ps); (false, 1%nat, ps)]
    | (S n, ps) => [(false, S n, ps)]
    end) (arrangements consts arity).

Definition initial_case (s : system) (c : cube) (x : bool * nat * list nat) (h : hint) : bool :=
  match x with (empty, named, ps) =>
    refuted unread (fun named =>
      match tell_all width (conj_gfs ps (cconj c)) nothing with
      | None => None
      | Some k =>
          if (empty : bool) then match named with O => tell width (dnf_gf [] (sinit_empty s)) k | S _ => None end
          else tell_all width (map (fun qs => dnf_gf qs (sinit s)) (tuples (below named) (sinit_arity s))) k
      end) named [] h
  end.

(** What universal guards say of the named processes that are not arguments. *)
Definition universal_gfs (t : transition) (args : list nat) (named : nat) : list gf :=
  let others := filter (fun p => negb (existsb (Nat.eqb p) args)) (below named) in
  flat_map (fun u => map (fun o => dnf_gf (args ++ o) (ubody u)) (filter all_distinct (tuples others (uarity u))))
    (tuniversals t).

(** A cube after a step, from what the guard says. *)
Definition step_case (t : transition) (args : list nat) (guard : known) (c : cube) (x : nat * list nat) (h : hint) : bool :=
  let (named, ps) := x in
  let k :=
    match tell_all width (map (literal_gf (after t args) true ps) (cconj c)) guard with
    | None => None
    | Some k => tell width (not_conj_gf ps (cconj c)) k
    end in
  refuted (after t args) (fun named =>
    match k, tuniversals t with
    | Some k, _ :: _ => tell_all width (universal_gfs t args named) k
    | _, _ => k
    end) named [] h.

(** A transition with the choices for its arguments that its guard does not exclude, and what it says of each. *)
Definition prepared := (transition * list (nat * list nat * known))%type.

Definition prepare (t : transition) : prepared :=
  (t, flat_map (fun x =>
     match tell_all width (conj_gfs (snd x) (tguard t)) nothing with None => [] | Some k => [(x, k)] end)
     (arrangements consts (tarity t))).

(** Whether a term or literal of a cube is about declared cells of its own processes. *)
Definition proc_ok (arity : nat) (p : pref) : bool :=
  match p with PVar i => Nat.ltb i arity | PConst k => Nat.ltb k consts end.
Definition cell_ok (arity : nat) (c : cell) : bool :=
  match PM.find (cvar c) types with
  | Some (indices, _) => Nat.eqb (List.length (cidx c)) indices && forallb (proc_ok arity) (cidx c)
  | None => false
  end.

(** Whether the transition leaves it alone. *)
Definition cell_kept (arity : nat) (t : transition) (c : cell) : bool :=
  cell_ok arity c && negb (is_counted (cvar c) || existsb (fun u => Pos.eqb (uvar u) (cvar c)) (tupdates t)).
Definition term_kept (arity : nat) (t : transition) (x : term) : bool :=
  match x with
  | Constructor _ | Process _ => true
  | CellOf c => cell_kept arity t c
  | Sum e => forallb (fun y => cell_kept arity t (snd y)) (lterms e)
  end.
Definition literal_kept (arity : nat) (t : transition) (l : literal) : bool :=
  match l with
  | In c _ => cell_kept arity t c
  | Equal l r | Different l r | Less l r | AtMost l r => term_kept arity t l && term_kept arity t r
  | Compare e _ => term_kept arity t (Sum e)
  end.

Definition step_checked (c : cube) (p : prepared) (hs : hints) : bool :=
  let t := fst p in
  forallb (literal_kept (carity c) t) (cconj c) ||
  cases (fun x => step_case t (snd (fst (fst x))) (snd (fst x)) c (snd x))
    (flat_map (fun x => map (pair x) (arrangements (fst (fst x)) (carity c))) (snd p)) hs.

End Reading.

(** ** All of it *)

(** The list with numbers, from [i]. *)
Fixpoint numbered {A : Type} (i : positive) (xs : list A) : list (positive * A) :=
  match xs with [] => [] | x :: xs => (i, x) :: numbered (Pos.succ i) xs end.

Definition by_number {A : Type} (xs : list (positive * A)) : PM.t A :=
  fold_right (fun x m => PM.add (fst x) (snd x) m) (PM.empty A) xs.

Definition find_or {A : Type} (default : A) (m : PM.t A) (k : positive) : A :=
  match PM.find k m with Some x => x | None => default end.

Definition most_of (xs : list nat) : nat := fold_right Nat.max O xs.

Definition check (s : system) (c : certificate) : bool :=
  let types := sorts_of s in
  let consts := sconsts s in
  let own := cubes c in
  let axioms := numbered (Pos.of_succ_nat (List.length own)) (saxioms s) in
  let all := numbered 1 own ++ axioms in
  let most := (consts + most_of (map tarity (stransitions s)) + S (most_of (map carity (own ++ saxioms s ++ sbad s))) + further c)%nat in
  let table := by_number all in
  let axiom_table := by_number axioms in
  let initials := by_number (on_initial c) in
  let steps := by_number (on_step c) in
  let bads := by_number (on_bad c) in
  let transitions := numbered 1 (map (prepare types consts most) (stransitions s)) in
  forallb (fun x =>
    cases (initial_case types consts most (smost s) axiom_table s (snd x)) (initial_cases consts (carity (snd x)))
      (find_or [] initials (fst x))) (numbered 1 own) &&
  (forallb (fun x =>
     let hs := by_number (find_or [] steps (fst x)) in
     forallb (fun p =>
       step_checked types consts most (smost s) table (snd x) (snd p) (find_or [] hs (fst p))) transitions) all &&
   forallb (fun x =>
     cases (bad_case types consts most (smost s) table (snd x)) (arrangements consts (carity (snd x)))
       (find_or [] bads (fst x))) (numbered 1 (sbad s))).
