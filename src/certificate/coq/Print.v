(** A system as the text of a model, in the core of the language: to know what a theorem is about, read that text instead of the
    terms of its system.

    Processes of a transition, property or initial condition are [p1], [p2], ..; further ones of a universal condition are [q1],
    ..; the indices of an update are [j1], ... A counted process is [p] (in a count within a count [q]). *)

From Coq Require Import Ascii DecimalString List QArith NArith ZArith String.
From Cubicle Require Import Model.
Import ListNotations.
Open Scope string_scope.

Definition line_end : string := String "010" "".

(** ** Numbers *)

Definition of_N (n : N) : string := NilEmpty.string_of_uint (N.to_uint n).
Definition of_nat (n : nat) : string := of_N (N.of_nat n).
Definition of_Z (z : Z) : string := match z with Zneg p => "-" ++ of_N (Npos p) | _ => of_N (Z.to_N z) end.
Definition fraction (q : Q) : string :=
  match Qden q with 1%positive => of_Z (Qnum q) | d => of_Z (Qnum q) ++ "/" ++ of_N (Npos d) end.

(** How many factors 2 and 5 a number has, and what is left of it. *)
Fixpoint twos_and_fives (fuel : nat) (d : N) : nat * N :=
  match fuel with
  | O => (O, d)
  | S fuel =>
      let without k := let (n, rest) := twos_and_fives fuel (d / k)%N in (S n, rest) in
      if (d mod 2 =? 0)%N then without 2%N else if (d mod 5 =? 0)%N then without 5%N else (O, d)
  end.

Fixpoint without_last_zeros (text : string) : string :=
  match text with
  | "" => ""
  | String c rest =>
      match without_last_zeros rest with
      | "" => if Ascii.eqb c "0" then "" else String c ""
      | rest => String c rest
      end
  end.

(** A constant that is not negative: [2], [0.25], [1/3]. *)
Definition constant (q : Q) : string :=
  match Qden q, twos_and_fives (Pos.size_nat (Qden q)) (Npos (Qden q)) with
  | 1%positive, _ => fraction q
  | d, (places, 1%N) =>
      let scaled := of_N (Z.to_N (Qnum q) * (10 ^ N.of_nat places / Npos d)) in
      let digits := String.concat "" (repeat "0" (S places - String.length scaled)%nat) ++ scaled in
      let whole := (String.length digits - places)%nat in
      String.substring 0 whole digits ++ "." ++ without_last_zeros (String.substring whole places digits)
  | _, _ => fraction q
  end.

Definition is_zero (q : Q) : bool := Z.eqb (Qnum q) 0.
Definition is_negative (q : Q) : bool := Z.ltb (Qnum q) 0.
Definition is_one (q : Q) : bool := Z.eqb (Qnum q) 1 && Pos.eqb (Qden q) 1.
Definition positive_part (q : Q) : Q := Qmake (Z.abs (Qnum q)) (Qden q).

(** ** Formulas *)

(** [p1 .. pn], for any letter. *)
Definition named (letter : string) (n : nat) : list string := map (fun p => letter ++ of_nat p) (seq 1 n).

Definition in_parentheses (text : string) : string := "(" ++ text ++ ")".

Section OfSystem.
Variable s : system.

Definition declaration (v : positive) : option var := find (fun d => Pos.eqb (vnum d) v) (svars s).
Definition name_of (v : positive) : string := match declaration v with Some d => vname d | None => "?" end.
Definition constructors_of (v : positive) : list string :=
  match declaration v with Some (Var _ _ _ _ (TEnum _ constructors)) => constructors | _ => [] end.

Definition process (names : list string) (p : pref) : string :=
  match p with PVar i => nth i names "?" | PConst k => "#" ++ of_nat (S k) end.

Section Literals.
(** How a cell is written. *)
Variable shown : cell -> string.

(** A sum: [-X + 2 * Y[p1] - 3]. *)
Definition sum (e : linear) : string :=
  let add text q part := text ++
    (match text, is_negative q with "", false => "" | "", true => "-" | _, false => " + " | _, true => " - " end) ++ part in
  let term text t := let size := positive_part (fst t) in
    add text (fst t) ((if is_one size then "" else fraction size ++ " * ") ++ shown (snd t)) in
  let terms := fold_left term (lterms e) "" in
  match lterms e, is_zero (lconst e) with
  | _ :: _, true => terms
  | _, _ => add terms (lconst e) (constant (positive_part (lconst e)))
  end.

(** The terms with positive, or those with negative factors: one side of a comparison. *)
Definition side (e : linear) (negative : bool) : string :=
  let here q := Bool.eqb (is_negative q) negative in
  let term t := let size := positive_part (fst t) in (if is_one size then "" else fraction size ++ " * ") ++ shown (snd t) in
  let terms := map term (filter (fun t => here (fst t)) (lterms e)) in
  let last := if negb (is_zero (lconst e)) && here (lconst e) then [constant (positive_part (lconst e))] else [] in
  match (terms ++ last)%list with [] => "0" | parts => String.concat " + " parts end.

(** A value; one of an enumeration only in an update, where its variable says which. *)
Definition value (constructors : list string) (t : term) (names : list string) : string :=
  match t with
  | Constructor c => nth (N.to_nat c) constructors ("constructor!" ++ of_N c)
  | Process p => process names p
  | CellOf c => shown c
  | Sum e => sum e
  end.

Definition numbered (c : cell) : list (N * string) :=
  let all := constructors_of (cvar c) in combine (map N.of_nat (seq 0 (List.length all))) all.

Definition inside (c : cell) (set : N) : list (N * string) := filter (fun it => N.testbit set (fst it)) (numbered c).
Definition outside (c : cell) (set : N) : list (N * string) := filter (fun it => negb (N.testbit set (fst it))) (numbered c).

(** [X = A], or [X <> A && X <> B]; what excludes no constructor is not hidden. *)
Definition conditions (c : cell) (set : N) : string :=
  match inside c set, outside c set with
  | [one], _ => shown c ++ " = " ++ snd one
  | _, [] => shown c ++ " = ?"
  | _, _ => String.concat " && " (map (fun it => shown c ++ " <> " ++ snd it) (outside c set))
  end.

(** [X = A], [X <> A], or alternatives [X = A], [X = B]. *)
Definition member (c : cell) (set : N) : list string :=
  match inside c set, outside c set with
  | [one], _ => [shown c ++ " = " ++ snd one]
  | _, [one] => [shown c ++ " <> " ++ snd one]
  | inside, _ => map (fun it => shown c ++ " = " ++ snd it) inside
  end.

Definition relation_word (r : relation) : string :=
  match r with Zero => " = " | NonZero => " <> " | NotPositive => " <= " | Negative => " < " end.

Definition literal (names : list string) (l : literal) : string :=
  let two word l r := value [] l names ++ word ++ value [] r names in
  match l with
  | In c set => match member c set with [one] => one | parts => in_parentheses (String.concat " || " parts) end
  | Equal l r => two " = " l r
  | Different l r => two " <> " l r
  | Less l r => two " < " l r
  | AtMost l r => two " <= " l r
  | Compare e r => side e false ++ relation_word r ++ side e true
  end.

Definition conjunction (alternatives : bool) (names : list string) (c : conj) : string :=
  let one l := match alternatives, l with false, In c set => conditions c set | _, _ => literal names l end in
  match c with [] => "true" | _ => String.concat " && " (map one c) end.

Definition disjunction (names : list string) (d : dnf) : string :=
  match d with
  | [] => "false"
  | [one] => conjunction false names one
  | _ => String.concat " || " (map (fun c => in_parentheses (conjunction false names c)) d)
  end.

(** The condition of a count: what is one condition on a cell has no parentheses. *)
Definition counted (names : list string) (d : dnf) : string :=
  let one c := match c with [In c set] => String.concat " || " (member c set) | _ => conjunction true names c end in
  match d with
  | [] => "false"
  | [c] => one c
  | _ => String.concat " || " (map (fun c => in_parentheses (one c)) d)
  end.
End Literals.

(** A cell; of a count, its definition. [letters] are the names of counted processes. *)
Fixpoint cell_in (letters : list string) (names : list string) (c : cell) : string :=
  let index := map (process names) (cidx c) in
  match count_of s (cvar c), letters with
  | Some (Count _ body (Linear terms last)), letter :: letters =>
      let names := (index ++ [letter])%list in
      let inner := cell_in letters names in
      let everywhere := match body with [[]] => true | _ => false end in
      match terms, is_one last, everywhere with
      | [], true, true => "#proc"
      | [], true, false => "#{" ++ letter ++ " | " ++ counted inner names body ++ "}"
      | _, _, true => "sum{" ++ letter ++ " | " ++ sum inner (Linear terms last) ++ "}"
      | _, _, false => "sum{" ++ letter ++ " | " ++ sum inner (Linear terms last) ++ " if " ++ counted inner names body ++ "}"
      end
  | _, _ => name_of (cvar c) ++ match index with [] => "" | _ => "[" ++ String.concat ", " index ++ "]" end
  end.

Definition cell_text : list string -> cell -> string := cell_in ["p"; "q"; "r"; "s"; "t"].
Definition conj_text names : conj -> string := conjunction (cell_text names) false names.
Definition dnf_text names : dnf -> string := disjunction (cell_text names) names.

(** ** Declarations *)

Fixpoint unlike {A : Type} (same : A -> A -> bool) (known : list A) (all : list A) : list A :=
  match all with
  | [] => []
  | it :: rest => if existsb (same it) known then unlike same known rest else it :: unlike same (it :: known) rest
  end.

(** Types, in the order in which variables have them; [bool] is one of the language. *)
Definition enumerations : list (string * list string) :=
  let of d := match vtype d with TEnum name constructors => [(name, constructors)] | _ => [] end in
  let same a b := andb (String.eqb (fst a) (fst b)) (String.eqb (String.concat " " (snd a)) (String.concat " " (snd b))) in
  unlike same [("bool", ["False"; "True"])] (flat_map of (svars s)).

Definition abstracts : list string :=
  unlike String.eqb [] (flat_map (fun d => match vtype d with TAbstract name => [name] | _ => [] end) (svars s)).

Definition variable (d : var) : string :=
  let type := match vtype d with
    | TEnum name _ | TAbstract name => name
    | TProc => "proc"
    | TInt => "int"
    | TReal => "real"
    end in
  let index := "[" ++ String.concat ", " (repeat "proc" (varity d)) ++ "]" in
  match vkind d with KGlobal => "var " | KConst => "const " | KArray => "array " end ++
  vname d ++ match vkind d, varity d with KArray, _ => index | _, O => "" | _, _ => index end ++ " : " ++ type.

Definition head (word : string) (arity : nat) : string := word ++ " (" ++ String.concat " " (named "p" arity) ++ ")".

Definition property (word : string) (c : cube) : string :=
  head word (carity c) ++ " { " ++ conj_text (named "p" (carity c)) (cconj c) ++ " }".

Definition universal (names : list string) (u : universal) : string :=
  let bound := named "q" (uarity u) in
  "(forall_other " ++ String.concat " " bound ++ ". (" ++ dnf_text (names ++ bound)%list (ubody u) ++ "))".

Definition branch_text (constructors : list string) (names : list string) (b : branch) : string :=
  let when := match bwhen b with [[]] => "_" | when => dnf_text names when end in
  line_end ++ "    | " ++ when ++ " : " ++ value (cell_text names) constructors (bvalue b) names.

Definition update_text (names : list string) (u : update) : string :=
  let arity := match declaration (uvar u) with Some d => varity d | None => O end in
  let index := named "j" arity in
  let names := (names ++ index)%list in
  let constructors := constructors_of (uvar u) in
  let target := name_of (uvar u) ++ match index with [] => "" | _ => "[" ++ String.concat ", " index ++ "]" end in
  target ++ " := " ++
  match uvalue u, index with
  | Anything, _ => "?"
  | Cases [Branch [[]] one], [] => value (cell_text names) constructors one names
  | Cases branches, _ => "case" ++ String.concat "" (map (branch_text constructors names) branches)
  end.

Definition transition_text (t : transition) : string :=
  let names := named "p" (tarity t) in
  let guard := match tguard t with [] => [] | g => [conj_text names g] end in
  let guards := (guard ++ map (universal names) (tuniversals t))%list in
  head ("transition " ++ tname t) (tarity t) ++ line_end ++
  match guards with [] => "" | _ => "requires { " ++ String.concat " && " guards ++ " }" ++ line_end end ++
  "{ " ++ String.concat (";" ++ line_end ++ "  ") (map (update_text names) (tupdates t)) ++ " }".

(** The model, and a comment of what its text says of the smallest numbers of processes: parts between which there are empty lines.
    Each is short, since Coq looks at a string one character within the other. *)
Definition print : list string :=
  let most := match smost s with None => "" | Some most => "number_procs " ++ of_nat most end in
  let enumeration it := "type " ++ fst it ++ " = " ++ String.concat " | " (snd it) in
  let abstract it := "type " ++ it in
  let types := (map enumeration enumerations ++ map abstract abstracts)%list in
  let is_declared d := match count_of s (vnum d) with None => true | Some _ => false end in
  let lines := String.concat line_end in
  let init := head "init" (sinit_arity s) ++ " { " ++ dnf_text (named "p" (sinit_arity s)) (sinit s) ++ " }" in
  let least := "(* At least " ++ of_nat (sconsts s) ++ " processes; where there is none, init is: " ++
    dnf_text [] (sinit_empty s) ++ " *)" in
  filter (fun part => negb (String.eqb part ""))
    ([most; lines types; lines (map variable (filter is_declared (svars s))); init] ++
     map (property "invariant") (saxioms s) ++ map (property "unsafe") (sbad s) ++ map transition_text (stransitions s) ++
     [least])%list.

End OfSystem.
