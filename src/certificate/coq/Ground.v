(** Ground formulas over a few named processes, and a search that shows that some have no model.

    A cell at named processes has a key. A cell of an enumeration or of type [proc] is in one of finitely many places: its
    constructor, or the number of the named process that it holds, or "another value". Whatever else is said of processes and
    numbers is a linear atom. *)

From Coq Require Import List QArith NArith PArith FMapPositive Bool.
From Cubicle Require Import Model.
Import ListNotations.
Module PM := PositiveMap.

(** ** Keys *)

Fixpoint key_idx (idx : list nat) : positive :=
  match idx with [] => xH | i :: rest => Nat.iter i xI (xO (key_idx rest)) end.

Fixpoint key_var (v rest : positive) : positive :=
  match v with
  | xH => xO rest
  | xO v => xI (xO (key_var v rest))
  | xI v => xI (xI (key_var v rest))
  end.

(** Of a cell before the step, of a cell after it, of a named process. *)
Definition key_now (v : positive) (idx : list nat) : positive := xO (key_var v (key_idx idx)).
Definition key_next (v : positive) (idx : list nat) : positive := xI (xO (key_var v (key_idx idx))).
Definition key_proc (i : nat) : positive := xI (xI (key_idx [i])).
(** Of what process [i] adds to a cell of a count. *)
Definition key_part (after : bool) (v : positive) (idx : list nat) (i : nat) : positive :=
  xI (xI (key_idx ((if after then 1 else 0)%nat :: Nat.pred (Pos.to_nat v) :: i :: idx))).

Fixpoint var_of_key (k : positive) : option (positive * positive) :=
  match k with
  | xO rest => Some (xH, rest)
  | xI (xO k) => match var_of_key k with Some (v, rest) => Some (xO v, rest) | None => None end
  | xI (xI k) => match var_of_key k with Some (v, rest) => Some (xI v, rest) | None => None end
  | _ => None
  end.

Fixpoint idx_of_key (k : positive) (count : nat) : option (list nat) :=
  match k with
  | xH => match count with O => Some [] | S _ => None end
  | xI k => idx_of_key k (S count)
  | xO k => match idx_of_key k O with Some idx => Some (count :: idx) | None => None end
  end.

(** ** Formulas *)

(** A constant and a sum of multiples of what keys stand for, in order of the keys. *)
Record lexp := Lexp { terms : list (positive * Q); const : Q }.

(** The relation is not [NonZero]. *)
Definition atom : Set := relation * lexp.

Inductive gf :=
| GT
| GF
| GIn (k : positive) (places : N)
| GLin (a : atom) (holds : bool)
| GAnd (f g : gf)
| GOr (f g : gf).

Definition gand (f g : gf) : gf :=
  match f, g with GF, _ | _, GF => GF | GT, h | h, GT => h | _, _ => GAnd f g end.
Definition gor (f g : gf) : gf :=
  match f, g with GT, _ | _, GT => GT | GF, h | h, GF => h | _, _ => GOr f g end.

Definition gall (fs : list gf) : gf := fold_right gand GT fs.
Definition gany (fs : list gf) : gf := fold_right gor GF fs.

(** ** Linear expressions *)

Fixpoint add_term (k : positive) (q : Q) (ts : list (positive * Q)) : list (positive * Q) :=
  match ts with
  | [] => if Qeq_bool q 0 then [] else [(k, Qred q)]
  | (l, r) :: rest =>
      match Pos.compare k l with
      | Lt => if Qeq_bool q 0 then ts else (k, Qred q) :: ts
      | Eq => let sum := Qred (q + r) in if Qeq_bool sum 0 then rest else (l, sum) :: rest
      | Gt => (l, r) :: add_term k q rest
      end
  end.

(** [q * e + f] *)
Definition add (q : Q) (e f : lexp) : lexp :=
  Lexp (fold_right (fun t ts => add_term (fst t) (q * snd t) ts) (terms f) (terms e)) (Qred (q * const e + const f)).

Definition zero : lexp := Lexp [] 0.
Definition number (q : Q) : lexp := Lexp [] (Qred q).
Definition single (k : positive) : lexp := Lexp [(k, 1)] 0.

Definition Qlt_bool (a b : Q) : bool := negb (Qle_bool b a).

(** A comparison with 0, whose first coefficient is positive then. *)
Definition glin (r : relation) (e : lexp) : gf :=
  match terms e with
  | [] =>
      let holds := match r with
        | Zero => Qeq_bool (const e) 0
        | NonZero => negb (Qeq_bool (const e) 0)
        | NotPositive => Qle_bool (const e) 0
        | Negative => Qlt_bool (const e) 0
        end in if holds then GT else GF
  | (_, q) :: _ =>
      if Qlt_bool q 0 then
        let e := add (-1) e zero in
        match r with
        | Zero => GLin (Zero, e) true
        | NonZero => GLin (Zero, e) false
        | NotPositive => GLin (Negative, e) false
        | Negative => GLin (NotPositive, e) false
        end
      else
        match r with
        | Zero => GLin (Zero, e) true
        | NonZero => GLin (Zero, e) false
        | NotPositive => GLin (NotPositive, e) true
        | Negative => GLin (Negative, e) true
        end
  end.

Definition same_relation (r s : relation) : bool :=
  match r, s with
  | Zero, Zero | NonZero, NonZero | NotPositive, NotPositive | Negative, Negative => true
  | _, _ => false
  end.

Definition same_number (a b : Q) : bool := Z.eqb (Qnum a) (Qnum b) && Pos.eqb (Qden a) (Qden b).

Fixpoint same_terms (ts us : list (positive * Q)) : bool :=
  match ts, us with
  | [], [] => true
  | (k, q) :: ts, (l, r) :: us => Pos.eqb k l && (same_number q r && same_terms ts us)
  | _, _ => false
  end.

Definition same_atom (a b : atom) : bool :=
  same_relation (fst a) (fst b) &&
  (same_terms (terms (snd a)) (terms (snd b)) && same_number (const (snd a)) (const (snd b))).

(** ** Search *)

Section Search.

(** All places of a key. *)
Variable width : positive -> N.

(** Where each key may be, which atoms hold, and formulas that remain. *)
Record known := Known { masks : PM.t N; facts : list (atom * bool); rest : list gf; grown : bool }.

Definition nothing : known := Known (PM.empty N) [] [] false.

Definition mask (s : known) (k : positive) : N :=
  match PM.find k (masks s) with Some m => m | None => width k end.

Fixpoint fact (a : atom) (fs : list (atom * bool)) : option bool :=
  match fs with
  | [] => None
  | (b, holds) :: fs => if same_atom a b then Some holds else fact a fs
  end.

Fixpoint simplify (s : known) (f : gf) : gf :=
  match f with
  | GT | GF => f
  | GIn k m =>
      let all := mask s k in
      let m := N.land all m in
      if N.eqb m 0 then GF else if N.eqb m all then GT else GIn k m
  | GLin a holds => match fact a (facts s) with Some h => if Bool.eqb h holds then GT else GF | None => f end
  | GAnd f g => match simplify s f with GF => GF | f => gand f (simplify s g) end
  | GOr f g => match simplify s f with GT => GT | f => gor f (simplify s g) end
  end.

(** [None] where the formula contradicts what is known. *)
Fixpoint learn (f : gf) (s : known) : option known :=
  match f with
  | GT => Some s
  | GF => None
  | GIn k m =>
      let all := mask s k in
      let m := N.land all m in
      if N.eqb m 0 then None
      else if N.eqb m all then Some s
      else Some (Known (PM.add k m (masks s)) (facts s) (rest s) true)
  | GLin a holds =>
      match fact a (facts s) with
      | Some h => if Bool.eqb h holds then Some s else None
      | None => Some (Known (masks s) ((a, holds) :: facts s) (rest s) true)
      end
  | GAnd f g => match learn f s with Some s => learn g s | None => None end
  | GOr _ _ => Some (Known (masks s) (facts s) (f :: rest s) (grown s))
  end.

Definition tell (f : gf) (s : known) : option known := learn (simplify s f) s.

Fixpoint tell_all (fs : list gf) (s : known) : option known :=
  match fs with
  | [] => Some s
  | f :: fs => match tell f s with Some s => tell_all fs s | None => None end
  end.

(** Says all that remains again, until nothing new is known. *)
Fixpoint propagate (fuel : nat) (s : known) : option known :=
  match fuel with
  | O => Some s
  | S fuel =>
      if grown s then
        match tell_all (rest s) (Known (masks s) (facts s) [] false) with
        | Some s => propagate fuel s
        | None => None
        end
      else Some s
  end.

Fixpoint size (f : gf) : N :=
  match f with GAnd f g | GOr f g => N.succ (size f + size g) | _ => 1 end.

(** The smallest formula, and the others. *)
Fixpoint smallest (f : gf) (n : N) (before : list gf) (fs : list gf) : gf * list gf :=
  match fs with
  | [] => (f, before)
  | g :: fs =>
      let m := size g in
      if N.ltb m n then smallest g m (f :: before) fs else smallest f n (g :: before) fs
  end.

(** A formula that holds where a literal does not. *)
Definition otherwise (s : known) (f : gf) : gf :=
  match f with
  | GIn k m => GIn k (N.ldiff (mask s k) m)
  | GLin a holds => GLin a (negb holds)
  | _ => GT
  end.

(** Whether nothing satisfies what is known. *)
Fixpoint closed (fuel : nat) (s : known) : bool :=
  match fuel with
  | O => false
  | S fuel =>
      match propagate fuel s with
      | None => true
      | Some s =>
          match rest s with
          | [] => false
          | f :: fs =>
              match smallest f (size f) [] fs with
              | (GOr g h, fs) =>
                  let s := Known (masks s) (facts s) fs true in
                  match tell g s with None => true | Some s => closed fuel s end
                  && match tell_all [otherwise s g; h] s with None => true | Some s => closed fuel s end
              | _ => false
              end
          end
      end
  end.

End Search.
