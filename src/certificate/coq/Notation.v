(** Short forms for the files that [cubicle] writes. *)

From Coq Require Export List QArith NArith String.
From Cubicle Require Export Model Ground Check Sound Ghosts.
From Cubicle Require Print.
Export ListNotations.
Open Scope string_scope.
Open Scope nat_scope.

Definition m (q : Q) (c : cell) : Q * cell := (q, c).     (* a multiple of a cell *)
Definition t (k : positive) (q : Q) : positive * Q := (k, q).  (* of what a key stands for *)
Definition i (k : positive) (ps : list nat) : positive * list nat := (k, ps).  (* an instance *)
Definition s (p : premise) (q : Q) : premise * Q := (p, q).
Definition o (k : positive) (hs : hints) : positive * hints := (k, hs).
Definition u (k : positive) (hs : list (positive * hints)) : positive * list (positive * hints) := (k, hs).
Definition a (r : relation) (e : lexp) : atom := (r, e).
Definition h (is : list (positive * list nat)) (fs : list fact_of) : hint := Hint is fs nil.
Definition q (r : Q) (b : bool) (k : positive) (ps : list nat) : Q * counted := (r, Counted b k ps).  (* a multiple of a count *)
Notation "'_0'" := (Hint nil nil nil).
Definition v (i : nat) : pref := PVar i.
Definition c (k : positive) (ps : list pref) : cell := Cell k ps.
Definition print : system -> list string := Print.print.
