;;;; initiation.smt2: [Initiation(0), Initiation(1), Initiation(2), Initiation(3), Initiation(4), Initiation(5), Initiation(6), Initiation(7), Initiation(8), Initiation(9), Initiation(10), Initiation(11), Initiation(12), Initiation(13)]
; Written by cubicle. No initial state is in a cube of the invariant.
; Every answer must be unsat: each is about processes of which nothing is said but
; that they differ, so that it holds for any number of processes.
(set-logic ALL)
(define-sort Proc () Int)
(declare-sort |data| 0)
(declare-datatypes ((|phase| 0)) (((Idle) (Wait) (Busy))))
(declare-datatypes ((|bool| 0)) (((False) (True))))
(declare-fun Turn () Proc)
(declare-fun Count () Int)
(declare-fun Load () Real)
(declare-fun Left () Real)
(declare-fun Stored () |data|)
(declare-fun Kept () |data|)
(declare-fun At (Proc) |phase|)
(declare-fun Fee (Proc) Int)
(declare-fun Seen (Proc Proc) |bool|)
(declare-fun const1 () Proc)
(declare-fun p1 () Proc)
(declare-fun p2 () Proc)
(assert (distinct const1 p1 p2))

; initiation of invariant 1
(push 1)
(assert (or
  (and
    (< const1 p1)
    (= (At const1) Busy)
    (= (At p1) Busy)
    (= const1 Turn)
    (= Count 0)
    (= (+ Load (/ 1.0 2.0)) 0.0)
    (= (+ Left (- (/ 1.0 4.0))) 0.0)
    (= Stored Kept)
    (= (At const1) Idle)
    (= (At p1) Idle)
    (= (+ (Fee const1) 2) 0)
    (= (+ (Fee p1) 2) 0)
    (= (Seen const1 const1) False)
    (= (Seen const1 p1) False)
    (= (Seen p1 const1) False)
    (= (Seen p1 p1) False)
  )))
(check-sat)
(pop 1)

; initiation of invariant 2
(push 1)
(assert (or
  (and
    (< const1 p1)
    (< const1 p2)
    (= (At p1) Busy)
    (= (At p2) Busy)
    (= const1 Turn)
    (= Count 0)
    (= (+ Load (/ 1.0 2.0)) 0.0)
    (= (+ Left (- (/ 1.0 4.0))) 0.0)
    (= Stored Kept)
    (= (At const1) Idle)
    (= (At p1) Idle)
    (= (At p2) Idle)
    (= (+ (Fee const1) 2) 0)
    (= (+ (Fee p1) 2) 0)
    (= (+ (Fee p2) 2) 0)
    (= (Seen const1 const1) False)
    (= (Seen const1 p1) False)
    (= (Seen const1 p2) False)
    (= (Seen p1 const1) False)
    (= (Seen p1 p1) False)
    (= (Seen p1 p2) False)
    (= (Seen p2 const1) False)
    (= (Seen p2 p1) False)
    (= (Seen p2 p2) False)
  )))
(check-sat)
(pop 1)

; initiation of invariant 3
(push 1)
(assert (or
  (and
    (<= (+ Count 4) 0)
    (= const1 Turn)
    (= Count 0)
    (= (+ Load (/ 1.0 2.0)) 0.0)
    (= (+ Left (- (/ 1.0 4.0))) 0.0)
    (= Stored Kept)
    (= (At const1) Idle)
    (= (+ (Fee const1) 2) 0)
    (= (Seen const1 const1) False)
  )))
(check-sat)
(pop 1)

; initiation of invariant 4
(push 1)
(assert (or
  (and
    (not (= Stored Kept))
    (= const1 Turn)
    (= Count 0)
    (= (+ Load (/ 1.0 2.0)) 0.0)
    (= (+ Left (- (/ 1.0 4.0))) 0.0)
    (= Stored Kept)
    (= (At const1) Idle)
    (= (+ (Fee const1) 2) 0)
    (= (Seen const1 const1) False)
  )))
(check-sat)
(pop 1)

; initiation of invariant 5
(push 1)
(assert (or
  (and
    (not (<= (+ Load (* (- 1.0) Left)) 0.0))
    (= const1 Turn)
    (= Count 0)
    (= (+ Load (/ 1.0 2.0)) 0.0)
    (= (+ Left (- (/ 1.0 4.0))) 0.0)
    (= Stored Kept)
    (= (At const1) Idle)
    (= (+ (Fee const1) 2) 0)
    (= (Seen const1 const1) False)
  )))
(check-sat)
(pop 1)

; initiation of invariant 6
(push 1)
(assert (or
  (and
    (< (+ Left (- (/ 1.0 4.0))) 0.0)
    (= const1 Turn)
    (= Count 0)
    (= (+ Load (/ 1.0 2.0)) 0.0)
    (= (+ Left (- (/ 1.0 4.0))) 0.0)
    (= Stored Kept)
    (= (At const1) Idle)
    (= (+ (Fee const1) 2) 0)
    (= (Seen const1 const1) False)
  )))
(check-sat)
(pop 1)

; initiation of invariant 7
(push 1)
(assert (or
  (and
    (<= (+ Count (* (- 1) (Fee const1)) 1) 0)
    (= const1 Turn)
    (= Count 0)
    (= (+ Load (/ 1.0 2.0)) 0.0)
    (= (+ Left (- (/ 1.0 4.0))) 0.0)
    (= Stored Kept)
    (= (At const1) Idle)
    (= (+ (Fee const1) 2) 0)
    (= (Seen const1 const1) False)
  )))
(check-sat)
(pop 1)

; initiation of invariant 8
(push 1)
(assert (or
  (and
    (< const1 p1)
    (<= (+ Count (* (- 1) (Fee p1)) 1) 0)
    (= const1 Turn)
    (= Count 0)
    (= (+ Load (/ 1.0 2.0)) 0.0)
    (= (+ Left (- (/ 1.0 4.0))) 0.0)
    (= Stored Kept)
    (= (At const1) Idle)
    (= (At p1) Idle)
    (= (+ (Fee const1) 2) 0)
    (= (+ (Fee p1) 2) 0)
    (= (Seen const1 const1) False)
    (= (Seen const1 p1) False)
    (= (Seen p1 const1) False)
    (= (Seen p1 p1) False)
  )))
(check-sat)
(pop 1)

; initiation of invariant 9
(push 1)
(assert (or
  (and
    (< const1 p1)
    (not (= (At p1) Wait))
    (= (Seen const1 const1) True)
    (= const1 Turn)
    (= Count 0)
    (= (+ Load (/ 1.0 2.0)) 0.0)
    (= (+ Left (- (/ 1.0 4.0))) 0.0)
    (= Stored Kept)
    (= (At const1) Idle)
    (= (At p1) Idle)
    (= (+ (Fee const1) 2) 0)
    (= (+ (Fee p1) 2) 0)
    (= (Seen const1 const1) False)
    (= (Seen const1 p1) False)
    (= (Seen p1 const1) False)
    (= (Seen p1 p1) False)
  )))
(check-sat)
(pop 1)

; initiation of invariant 10
(push 1)
(assert (or
  (and
    (< const1 p1)
    (not (= (At const1) Wait))
    (= (Seen p1 p1) True)
    (= const1 Turn)
    (= Count 0)
    (= (+ Load (/ 1.0 2.0)) 0.0)
    (= (+ Left (- (/ 1.0 4.0))) 0.0)
    (= Stored Kept)
    (= (At const1) Idle)
    (= (At p1) Idle)
    (= (+ (Fee const1) 2) 0)
    (= (+ (Fee p1) 2) 0)
    (= (Seen const1 const1) False)
    (= (Seen const1 p1) False)
    (= (Seen p1 const1) False)
    (= (Seen p1 p1) False)
  )))
(check-sat)
(pop 1)

; initiation of invariant 11
(push 1)
(assert (or
  (and
    (< const1 p1)
    (< const1 p2)
    (not (= (At p2) Wait))
    (= (Seen p1 p1) True)
    (= const1 Turn)
    (= Count 0)
    (= (+ Load (/ 1.0 2.0)) 0.0)
    (= (+ Left (- (/ 1.0 4.0))) 0.0)
    (= Stored Kept)
    (= (At const1) Idle)
    (= (At p1) Idle)
    (= (At p2) Idle)
    (= (+ (Fee const1) 2) 0)
    (= (+ (Fee p1) 2) 0)
    (= (+ (Fee p2) 2) 0)
    (= (Seen const1 const1) False)
    (= (Seen const1 p1) False)
    (= (Seen const1 p2) False)
    (= (Seen p1 const1) False)
    (= (Seen p1 p1) False)
    (= (Seen p1 p2) False)
    (= (Seen p2 const1) False)
    (= (Seen p2 p1) False)
    (= (Seen p2 p2) False)
  )))
(check-sat)
(pop 1)

; initiation of invariant 12
(push 1)
(assert (or
  (and
    (< const1 p1)
    (= const1 Turn)
    (= (At p1) Busy)
    (= const1 Turn)
    (= Count 0)
    (= (+ Load (/ 1.0 2.0)) 0.0)
    (= (+ Left (- (/ 1.0 4.0))) 0.0)
    (= Stored Kept)
    (= (At const1) Idle)
    (= (At p1) Idle)
    (= (+ (Fee const1) 2) 0)
    (= (+ (Fee p1) 2) 0)
    (= (Seen const1 const1) False)
    (= (Seen const1 p1) False)
    (= (Seen p1 const1) False)
    (= (Seen p1 p1) False)
  )))
(check-sat)
(pop 1)

; initiation of invariant 13
(push 1)
(assert (or
  (and
    (< const1 p1)
    (= p1 Turn)
    (= (At const1) Busy)
    (= (At p1) Idle)
    (not (<= (+ Count (* (- 1) (Fee p1)) 4) 0))
    (= const1 Turn)
    (= Count 0)
    (= (+ Load (/ 1.0 2.0)) 0.0)
    (= (+ Left (- (/ 1.0 4.0))) 0.0)
    (= Stored Kept)
    (= (At const1) Idle)
    (= (At p1) Idle)
    (= (+ (Fee const1) 2) 0)
    (= (+ (Fee p1) 2) 0)
    (= (Seen const1 const1) False)
    (= (Seen const1 p1) False)
    (= (Seen p1 const1) False)
    (= (Seen p1 p1) False)
  )))
(check-sat)
(pop 1)

; initiation of invariant 14
(push 1)
(assert (or
  (and
    (< const1 p1)
    (< const1 p2)
    (= p1 Turn)
    (= (At p1) Idle)
    (= (At p2) Busy)
    (not (<= (+ Count (* (- 1) (Fee p1)) 4) 0))
    (= const1 Turn)
    (= Count 0)
    (= (+ Load (/ 1.0 2.0)) 0.0)
    (= (+ Left (- (/ 1.0 4.0))) 0.0)
    (= Stored Kept)
    (= (At const1) Idle)
    (= (At p1) Idle)
    (= (At p2) Idle)
    (= (+ (Fee const1) 2) 0)
    (= (+ (Fee p1) 2) 0)
    (= (+ (Fee p2) 2) 0)
    (= (Seen const1 const1) False)
    (= (Seen const1 p1) False)
    (= (Seen const1 p2) False)
    (= (Seen p1 const1) False)
    (= (Seen p1 p1) False)
    (= (Seen p1 p2) False)
    (= (Seen p2 const1) False)
    (= (Seen p2 p1) False)
    (= (Seen p2 p2) False)
  )))
(check-sat)
(pop 1)
;;;; consecution-001-enter.smt2: [Consecution { transition: 0, cube: 0 }, Consecution { transition: 0, cube: 1 }, Consecution { transition: 0, cube: 2 }, Consecution { transition: 0, cube: 3 }, Consecution { transition: 0, cube: 4 }, Consecution { transition: 0, cube: 5 }, Consecution { transition: 0, cube: 6 }, Consecution { transition: 0, cube: 7 }, Consecution { transition: 0, cube: 8 }, Consecution { transition: 0, cube: 9 }, Consecution { transition: 0, cube: 10 }, Consecution { transition: 0, cube: 11 }, Consecution { transition: 0, cube: 12 }, Consecution { transition: 0, cube: 13 }]
; Written by cubicle. No step of enter leads from the invariant into one of its cubes.
; Every answer must be unsat: each is about processes of which nothing is said but
; that they differ, so that it holds for any number of processes.
(set-logic ALL)
(define-sort Proc () Int)
(declare-sort |data| 0)
(declare-datatypes ((|phase| 0)) (((Idle) (Wait) (Busy))))
(declare-datatypes ((|bool| 0)) (((False) (True))))
(declare-fun Turn () Proc)
(declare-fun Count () Int)
(declare-fun Load () Real)
(declare-fun Left () Real)
(declare-fun Stored () |data|)
(declare-fun Kept () |data|)
(declare-fun At (Proc) |phase|)
(declare-fun Fee (Proc) Int)
(declare-fun Seen (Proc Proc) |bool|)
(declare-fun const1 () Proc)
(declare-fun p1 () Proc)
(declare-fun p2 () Proc)
(assert (distinct const1 p1 p2))

; consecution of invariant 1 under enter
(push 1)
(assert (or
  (and
    (< const1 p1)
    (= (At p1) Busy)
    (= (At const1) Idle)
    (= const1 Turn)
    (not (<= (+ Count (* (- 1) (Fee const1)) 4) 0))
  )
  (and
    (< const1 p1)
    (= (At const1) Busy)
    (= (At p1) Idle)
    (= p1 Turn)
    (not (<= (+ Count (* (- 1) (Fee p1)) 4) 0))
  )
  (and
    (< const1 p1)
    (= (At const1) Busy)
    (= (At p1) Busy)
  )))
(check-sat)
(pop 1)

; consecution of invariant 2 under enter
(push 1)
(assert (or
  (and
    (< const1 p1)
    (< const1 p2)
    (= (At p2) Busy)
    (= (At p1) Idle)
    (= p1 Turn)
    (not (<= (+ Count (* (- 1) (Fee p1)) 4) 0))
  )
  (and
    (< const1 p1)
    (< const1 p2)
    (= (At p2) Busy)
    (= (At p1) Idle)
    (= p1 Turn)
    (not (<= (+ Count (* (- 1) (Fee p1)) 4) 0))
  )
  (and
    (< const1 p1)
    (< const1 p2)
    (= (At p1) Busy)
    (= (At p2) Busy)
  )))
(check-sat)
(pop 1)

; consecution of invariant 3 under enter
(push 1)
(assert (or
  (and
    (<= (+ Count 4) 0)
  )))
(check-sat)
(pop 1)

; consecution of invariant 4 under enter
(push 1)
(assert (or
  (and
    (not (= Stored Kept))
  )))
(check-sat)
(pop 1)

; consecution of invariant 5 under enter
(push 1)
(assert (or
  (and
    (not (<= (+ Load (* (- 1.0) Left)) 0.0))
  )))
(check-sat)
(pop 1)

; consecution of invariant 6 under enter
(push 1)
(assert (or
  (and
    (< (+ Left (- (/ 1.0 4.0))) 0.0)
  )))
(check-sat)
(pop 1)

; consecution of invariant 7 under enter
(push 1)
(assert (or
  (and
    (<= (+ Count (* (- 1) (Fee const1)) 2) 0)
    (= (At const1) Idle)
    (= const1 Turn)
    (not (<= (+ Count (* (- 1) (Fee const1)) 4) 0))
  )
  (and
    (<= (+ Count (* (- 1) (Fee const1)) 1) 0)
  )))
(check-sat)
(pop 1)

; consecution of invariant 8 under enter
(push 1)
(assert (or
  (and
    (< const1 p1)
    (<= (+ Count (* (- 1) (Fee p1)) 2) 0)
    (= (At p1) Idle)
    (= p1 Turn)
    (not (<= (+ Count (* (- 1) (Fee p1)) 4) 0))
  )
  (and
    (< const1 p1)
    (<= (+ Count (* (- 1) (Fee p1)) 1) 0)
  )))
(check-sat)
(pop 1)

; consecution of invariant 9 under enter
(push 1)
(assert (or
  (and
    (< const1 p1)
    (= (Seen const1 const1) True)
    (= (At p1) Idle)
    (= p1 Turn)
    (not (<= (+ Count (* (- 1) (Fee p1)) 4) 0))
  )
  (and
    (< const1 p1)
    (not (= (At p1) Wait))
    (= (Seen const1 const1) True)
  )))
(check-sat)
(pop 1)

; consecution of invariant 10 under enter
(push 1)
(assert (or
  (and
    (< const1 p1)
    (= (Seen p1 p1) True)
    (= (At const1) Idle)
    (= const1 Turn)
    (not (<= (+ Count (* (- 1) (Fee const1)) 4) 0))
  )
  (and
    (< const1 p1)
    (not (= (At const1) Wait))
    (= (Seen p1 p1) True)
  )))
(check-sat)
(pop 1)

; consecution of invariant 11 under enter
(push 1)
(assert (or
  (and
    (< const1 p1)
    (< const1 p2)
    (= (Seen p2 p2) True)
    (= (At p1) Idle)
    (= p1 Turn)
    (not (<= (+ Count (* (- 1) (Fee p1)) 4) 0))
  )
  (and
    (< const1 p1)
    (< const1 p2)
    (not (= (At p2) Wait))
    (= (Seen p1 p1) True)
  )))
(check-sat)
(pop 1)

; consecution of invariant 12 under enter
(push 1)
(assert (or
  (and
    (< const1 p1)
    (= const1 Turn)
    (= (At p1) Idle)
    (= p1 Turn)
    (not (<= (+ Count (* (- 1) (Fee p1)) 4) 0))
  )
  (and
    (< const1 p1)
    (= const1 Turn)
    (= (At p1) Busy)
  )))
(check-sat)
(pop 1)

; consecution of invariant 13 under enter
(push 1)
(assert (or
  (and
    (< const1 p1)
    (= (At p1) Idle)
    (not (<= (+ Count (* (- 1) (Fee p1)) 4) 0))
    (= p1 Turn)
    (= (At const1) Idle)
    (= const1 Turn)
    (not (<= (+ Count (* (- 1) (Fee const1)) 4) 0))
  )
  (and
    (< const1 p1)
    (= p1 Turn)
    (= (At const1) Busy)
    (= (At p1) Idle)
    (not (<= (+ Count (* (- 1) (Fee p1)) 4) 0))
  )))
(check-sat)
(pop 1)

; consecution of invariant 14 under enter
(push 1)
(assert (or
  (and
    (< const1 p1)
    (< const1 p2)
    (= (At p2) Idle)
    (not (<= (+ Count (* (- 1) (Fee p2)) 4) 0))
    (= p2 Turn)
    (= (At p1) Idle)
    (= p1 Turn)
    (not (<= (+ Count (* (- 1) (Fee p1)) 4) 0))
  )
  (and
    (< const1 p1)
    (< const1 p2)
    (= p1 Turn)
    (= (At p1) Idle)
    (= (At p2) Busy)
    (not (<= (+ Count (* (- 1) (Fee p1)) 4) 0))
  )))
(check-sat)
(pop 1)
;;;; consecution-002-leave.smt2: [Consecution { transition: 1, cube: 0 }, Consecution { transition: 1, cube: 1 }, Consecution { transition: 1, cube: 2 }, Consecution { transition: 1, cube: 3 }, Consecution { transition: 1, cube: 4 }, Consecution { transition: 1, cube: 5 }, Consecution { transition: 1, cube: 6 }, Consecution { transition: 1, cube: 7 }, Consecution { transition: 1, cube: 8 }, Consecution { transition: 1, cube: 9 }, Consecution { transition: 1, cube: 10 }, Consecution { transition: 1, cube: 12 }, Consecution { transition: 1, cube: 13 }]
; Written by cubicle. No step of leave leads from the invariant into one of its cubes.
; Every answer must be unsat: each is about processes of which nothing is said but
; that they differ, so that it holds for any number of processes.
(set-logic ALL)
(define-sort Proc () Int)
(declare-sort |data| 0)
(declare-datatypes ((|phase| 0)) (((Idle) (Wait) (Busy))))
(declare-datatypes ((|bool| 0)) (((False) (True))))
(declare-fun Turn () Proc)
(declare-fun Count () Int)
(declare-fun Load () Real)
(declare-fun Left () Real)
(declare-fun Stored () |data|)
(declare-fun Kept () |data|)
(declare-fun At (Proc) |phase|)
(declare-fun Fee (Proc) Int)
(declare-fun Seen (Proc Proc) |bool|)
(declare-fun const1 () Proc)
(declare-fun p1 () Proc)
(declare-fun p2 () Proc)
(assert (distinct const1 p1 p2))

; consecution of invariant 1 under leave
(push 1)
(assert (or
  (and
    (< const1 p1)
    (= (At const1) Busy)
    (= (At p1) Busy)
  )))
(check-sat)
(pop 1)

; consecution of invariant 2 under leave
(push 1)
(assert (or
  (and
    (< const1 p1)
    (< const1 p2)
    (= (At p1) Busy)
    (= (At p2) Busy)
  )))
(check-sat)
(pop 1)

; consecution of invariant 3 under leave
(push 1)
(assert (or
  (and
    (<= (+ Count 4) 0)
  )))
(check-sat)
(pop 1)

; consecution of invariant 4 under leave
(push 1)
(assert (or
  (and
    (not (= Stored Kept))
  )))
(check-sat)
(pop 1)

; consecution of invariant 5 under leave
(push 1)
(assert (or
  (and
    (not (<= (+ Load (* (- 1.0) Left)) 0.0))
  )))
(check-sat)
(pop 1)

; consecution of invariant 6 under leave
(push 1)
(assert (or
  (and
    (< (+ Left (- (/ 1.0 4.0))) 0.0)
  )))
(check-sat)
(pop 1)

; consecution of invariant 7 under leave
(push 1)
(assert (or
  (and
    (<= (+ Count (* (- 1) (Fee const1)) 1) 0)
  )))
(check-sat)
(pop 1)

; consecution of invariant 8 under leave
(push 1)
(assert (or
  (and
    (< const1 p1)
    (<= (+ Count (* (- 1) (Fee p1)) 1) 0)
  )))
(check-sat)
(pop 1)

; consecution of invariant 9 under leave
(push 1)
(assert (or
  (and
    (< const1 p1)
    (not (= (At p1) Wait))
    (= (Seen const1 const1) True)
  )))
(check-sat)
(pop 1)

; consecution of invariant 10 under leave
(push 1)
(assert (or
  (and
    (< const1 p1)
    (not (= (At const1) Wait))
    (= (Seen p1 p1) True)
  )))
(check-sat)
(pop 1)

; consecution of invariant 11 under leave
(push 1)
(assert (or
  (and
    (< const1 p1)
    (< const1 p2)
    (not (= (At p2) Wait))
    (= (Seen p1 p1) True)
  )))
(check-sat)
(pop 1)

; consecution of invariant 12 under leave
; There are not enough processes for it, or the guard excludes it.

; consecution of invariant 13 under leave
(push 1)
(assert (or
  (and
    (< const1 p1)
    (< const1 p2)
    (= (At const1) Busy)
    (= (At p2) Idle)
    (not (<= (+ Count (* (- 1) (Fee p2)) 4) 0))
    (= (At p1) Busy)
    (= p1 Turn)
    (< p1 p2)
    (= (Seen p1 p2) False)
  )))
(check-sat)
(pop 1)

; consecution of invariant 14 under leave
(push 1)
(assert (or
  (and
    (< const1 p1)
    (< const1 p2)
    (= (At p1) Idle)
    (= (At p2) Busy)
    (not (<= (+ Count (* (- 1) (Fee p1)) 4) 0))
    (= (At const1) Busy)
    (= const1 Turn)
    (= (Seen const1 p1) False)
  )))
(check-sat)
(pop 1)
;;;; consecution-003-back.smt2: [Consecution { transition: 2, cube: 0 }, Consecution { transition: 2, cube: 1 }, Consecution { transition: 2, cube: 2 }, Consecution { transition: 2, cube: 3 }, Consecution { transition: 2, cube: 4 }, Consecution { transition: 2, cube: 5 }, Consecution { transition: 2, cube: 6 }, Consecution { transition: 2, cube: 7 }, Consecution { transition: 2, cube: 8 }, Consecution { transition: 2, cube: 9 }, Consecution { transition: 2, cube: 10 }, Consecution { transition: 2, cube: 11 }]
; Written by cubicle. No step of back leads from the invariant into one of its cubes.
; Every answer must be unsat: each is about processes of which nothing is said but
; that they differ, so that it holds for any number of processes.
(set-logic ALL)
(define-sort Proc () Int)
(declare-sort |data| 0)
(declare-datatypes ((|phase| 0)) (((Idle) (Wait) (Busy))))
(declare-datatypes ((|bool| 0)) (((False) (True))))
(declare-fun Turn () Proc)
(declare-fun Count () Int)
(declare-fun Load () Real)
(declare-fun Left () Real)
(declare-fun Stored () |data|)
(declare-fun Kept () |data|)
(declare-fun At (Proc) |phase|)
(declare-fun Fee (Proc) Int)
(declare-fun Seen (Proc Proc) |bool|)
(declare-fun const1 () Proc)
(declare-fun p1 () Proc)
(declare-fun p2 () Proc)
(assert (distinct const1 p1 p2))

; consecution of invariant 1 under back
(push 1)
(assert (or
  (and
    (< const1 p1)
    (= (At const1) Busy)
    (= (At p1) Busy)
  )))
(check-sat)
(pop 1)

; consecution of invariant 2 under back
(push 1)
(assert (or
  (and
    (< const1 p1)
    (< const1 p2)
    (= (At p1) Busy)
    (= (At p2) Busy)
  )))
(check-sat)
(pop 1)

; consecution of invariant 3 under back
(push 1)
(assert (or
  (and
    (<= (+ Count 4) 0)
  )))
(check-sat)
(pop 1)

; consecution of invariant 4 under back
(push 1)
(assert (or
  (and
    (not (= Stored Kept))
  )))
(check-sat)
(pop 1)

; consecution of invariant 5 under back
(push 1)
(assert (or
  (and
    (not (<= (+ Load (* (- 1.0) Left)) 0.0))
  )))
(check-sat)
(pop 1)

; consecution of invariant 6 under back
(push 1)
(assert (or
  (and
    (< (+ Left (- (/ 1.0 4.0))) 0.0)
  )))
(check-sat)
(pop 1)

; consecution of invariant 7 under back
(push 1)
(assert (or
  (and
    (<= (+ Count (* (- 1) (Fee const1)) 1) 0)
  )))
(check-sat)
(pop 1)

; consecution of invariant 8 under back
(push 1)
(assert (or
  (and
    (< const1 p1)
    (<= (+ Count (* (- 1) (Fee p1)) 1) 0)
  )))
(check-sat)
(pop 1)

; consecution of invariant 9 under back
(push 1)
(assert (or
  (and
    (< const1 p1)
    (= (Seen const1 const1) True)
    (= (At p1) Busy)
    (= p1 Turn)
  )
  (and
    (< const1 p1)
    (not (= (At p1) Wait))
    (= (Seen const1 const1) True)
  )))
(check-sat)
(pop 1)

; consecution of invariant 10 under back
(push 1)
(assert (or
  (and
    (< const1 p1)
    (not (= (At const1) Wait))
    (= (Seen p1 p1) True)
  )))
(check-sat)
(pop 1)

; consecution of invariant 11 under back
(push 1)
(assert (or
  (and
    (< const1 p1)
    (< const1 p2)
    (= (Seen p2 p2) True)
    (= (At p1) Busy)
    (= p1 Turn)
  )
  (and
    (< const1 p1)
    (< const1 p2)
    (not (= (At p2) Wait))
    (= (Seen p1 p1) True)
  )))
(check-sat)
(pop 1)

; consecution of invariant 12 under back
(push 1)
(assert (or
  (and
    (< const1 p1)
    (< const1 p2)
    (= (At p2) Busy)
    (= (At p1) Busy)
    (= p1 Turn)
  )))
(check-sat)
(pop 1)

; consecution of invariant 13 under back
; There are not enough processes for it, or the guard excludes it.

; consecution of invariant 14 under back
; There are not enough processes for it, or the guard excludes it.
;;;; consecution-004-count.smt2: [Consecution { transition: 3, cube: 0 }, Consecution { transition: 3, cube: 1 }, Consecution { transition: 3, cube: 2 }, Consecution { transition: 3, cube: 4 }, Consecution { transition: 3, cube: 5 }, Consecution { transition: 3, cube: 6 }, Consecution { transition: 3, cube: 7 }, Consecution { transition: 3, cube: 8 }, Consecution { transition: 3, cube: 9 }, Consecution { transition: 3, cube: 10 }, Consecution { transition: 3, cube: 11 }, Consecution { transition: 3, cube: 12 }, Consecution { transition: 3, cube: 13 }]
; Written by cubicle. No step of count leads from the invariant into one of its cubes.
; Every answer must be unsat: each is about processes of which nothing is said but
; that they differ, so that it holds for any number of processes.
(set-logic ALL)
(define-sort Proc () Int)
(declare-datatypes ((|phase| 0)) (((Idle) (Wait) (Busy))))
(declare-datatypes ((|bool| 0)) (((False) (True))))
(declare-fun Turn () Proc)
(declare-fun Count () Int)
(declare-fun Load () Real)
(declare-fun Left () Real)
(declare-fun At (Proc) |phase|)
(declare-fun Fee (Proc) Int)
(declare-fun Seen (Proc Proc) |bool|)
(declare-fun const1 () Proc)
(declare-fun p1 () Proc)
(declare-fun p2 () Proc)
(assert (distinct const1 p1 p2))

; consecution of invariant 1 under count
(push 1)
(assert (or
  (and
    (< const1 p1)
    (= (At const1) Busy)
    (= (At p1) Busy)
  )))
(check-sat)
(pop 1)

; consecution of invariant 2 under count
(push 1)
(assert (or
  (and
    (< const1 p1)
    (< const1 p2)
    (= (At p1) Busy)
    (= (At p2) Busy)
  )))
(check-sat)
(pop 1)

; consecution of invariant 3 under count
(push 1)
(assert (or
  (and
    (<= (+ Count 5) 0)
    (<= (+ Count (- 6)) 0)
  )))
(check-sat)
(pop 1)

; consecution of invariant 4 under count
; There are not enough processes for it, or the guard excludes it.

; consecution of invariant 5 under count
(push 1)
(assert (or
  (and
    (not (<= (+ Load (* (- 1.0) Left)) 0.0))
  )))
(check-sat)
(pop 1)

; consecution of invariant 6 under count
(push 1)
(assert (or
  (and
    (< (+ Left (- (/ 1.0 4.0))) 0.0)
  )))
(check-sat)
(pop 1)

; consecution of invariant 7 under count
(push 1)
(assert (or
  (and
    (<= (+ Count (* (- 1) (Fee const1)) 2) 0)
    (<= (+ Count (- 6)) 0)
  )))
(check-sat)
(pop 1)

; consecution of invariant 8 under count
(push 1)
(assert (or
  (and
    (< const1 p1)
    (<= (+ Count (* (- 1) (Fee p1)) 2) 0)
    (<= (+ Count (- 6)) 0)
  )))
(check-sat)
(pop 1)

; consecution of invariant 9 under count
(push 1)
(assert (or
  (and
    (< const1 p1)
    (not (= (At p1) Wait))
    (= (Seen const1 const1) True)
  )))
(check-sat)
(pop 1)

; consecution of invariant 10 under count
(push 1)
(assert (or
  (and
    (< const1 p1)
    (not (= (At const1) Wait))
    (= (Seen p1 p1) True)
  )))
(check-sat)
(pop 1)

; consecution of invariant 11 under count
(push 1)
(assert (or
  (and
    (< const1 p1)
    (< const1 p2)
    (not (= (At p2) Wait))
    (= (Seen p1 p1) True)
  )))
(check-sat)
(pop 1)

; consecution of invariant 12 under count
(push 1)
(assert (or
  (and
    (< const1 p1)
    (= const1 Turn)
    (= (At p1) Busy)
  )))
(check-sat)
(pop 1)

; consecution of invariant 13 under count
(push 1)
(assert (or
  (and
    (< const1 p1)
    (not (<= (+ Count (* (- 1) (Fee p1)) 5) 0))
    (= p1 Turn)
    (= (At const1) Busy)
    (= (At p1) Idle)
    (<= (+ Count (- 6)) 0)
  )))
(check-sat)
(pop 1)

; consecution of invariant 14 under count
(push 1)
(assert (or
  (and
    (< const1 p1)
    (< const1 p2)
    (not (<= (+ Count (* (- 1) (Fee p1)) 5) 0))
    (= p1 Turn)
    (= (At p1) Idle)
    (= (At p2) Busy)
    (<= (+ Count (- 6)) 0)
  )))
(check-sat)
(pop 1)
;;;; consecution-005-pass.smt2: [Consecution { transition: 4, cube: 0 }, Consecution { transition: 4, cube: 1 }, Consecution { transition: 4, cube: 2 }, Consecution { transition: 4, cube: 3 }, Consecution { transition: 4, cube: 4 }, Consecution { transition: 4, cube: 5 }, Consecution { transition: 4, cube: 6 }, Consecution { transition: 4, cube: 7 }, Consecution { transition: 4, cube: 8 }, Consecution { transition: 4, cube: 9 }, Consecution { transition: 4, cube: 10 }, Consecution { transition: 4, cube: 11 }, Consecution { transition: 4, cube: 12 }, Consecution { transition: 4, cube: 13 }]
; Written by cubicle. No step of pass leads from the invariant into one of its cubes.
; Every answer must be unsat: each is about processes of which nothing is said but
; that they differ, so that it holds for any number of processes.
(set-logic ALL)
(define-sort Proc () Int)
(declare-sort |data| 0)
(declare-datatypes ((|phase| 0)) (((Idle) (Wait) (Busy))))
(declare-datatypes ((|bool| 0)) (((False) (True))))
(declare-fun Turn () Proc)
(declare-fun Count () Int)
(declare-fun Load () Real)
(declare-fun Left () Real)
(declare-fun Stored () |data|)
(declare-fun Kept () |data|)
(declare-fun At (Proc) |phase|)
(declare-fun Fee (Proc) Int)
(declare-fun Seen (Proc Proc) |bool|)
(declare-fun const1 () Proc)
(declare-fun p1 () Proc)
(declare-fun p2 () Proc)
(assert (distinct const1 p1 p2))

; consecution of invariant 1 under pass
(push 1)
(assert (or
  (and
    (< const1 p1)
    (= (At const1) Busy)
    (= (At p1) Busy)
  )))
(check-sat)
(pop 1)

; consecution of invariant 2 under pass
(push 1)
(assert (or
  (and
    (< const1 p1)
    (< const1 p2)
    (= (At p1) Busy)
    (= (At p2) Busy)
  )))
(check-sat)
(pop 1)

; consecution of invariant 3 under pass
(push 1)
(assert (or
  (and
    (<= (+ Count 4) 0)
  )))
(check-sat)
(pop 1)

; consecution of invariant 4 under pass
(push 1)
(assert (or
  (and
    (not (= Stored Kept))
  )))
(check-sat)
(pop 1)

; consecution of invariant 5 under pass
(push 1)
(assert (or
  (and
    (not (<= (+ Load (* (- 1.0) Left) (- (/ 1.0 2.0))) 0.0))
    (not (< (+ Left (- (/ 1.0 4.0))) 0.0))
  )))
(check-sat)
(pop 1)

; consecution of invariant 6 under pass
(push 1)
(assert (or
  (and
    (< (+ Left (/ 5.0 4.0)) 0.0)
    (not (< (+ Left (- (/ 1.0 4.0))) 0.0))
  )))
(check-sat)
(pop 1)

; consecution of invariant 7 under pass
(push 1)
(assert (or
  (and
    (<= (+ Count (* (- 1) (Fee const1)) 1) 0)
  )))
(check-sat)
(pop 1)

; consecution of invariant 8 under pass
(push 1)
(assert (or
  (and
    (< const1 p1)
    (<= (+ Count (* (- 1) (Fee p1)) 1) 0)
  )))
(check-sat)
(pop 1)

; consecution of invariant 9 under pass
(push 1)
(assert (or
  (and
    (< const1 p1)
    (not (= (At p1) Wait))
    (= (Seen const1 const1) True)
  )))
(check-sat)
(pop 1)

; consecution of invariant 10 under pass
(push 1)
(assert (or
  (and
    (< const1 p1)
    (not (= (At const1) Wait))
    (= (Seen p1 p1) True)
  )))
(check-sat)
(pop 1)

; consecution of invariant 11 under pass
(push 1)
(assert (or
  (and
    (< const1 p1)
    (< const1 p2)
    (not (= (At p2) Wait))
    (= (Seen p1 p1) True)
  )))
(check-sat)
(pop 1)

; consecution of invariant 12 under pass
(push 1)
(assert (or
  (and
    (< const1 p1)
    (= const1 Turn)
    (= (At p1) Busy)
  )))
(check-sat)
(pop 1)

; consecution of invariant 13 under pass
(push 1)
(assert (or
  (and
    (< const1 p1)
    (= p1 Turn)
    (= (At const1) Busy)
    (= (At p1) Idle)
    (not (<= (+ Count (* (- 1) (Fee p1)) 4) 0))
  )))
(check-sat)
(pop 1)

; consecution of invariant 14 under pass
(push 1)
(assert (or
  (and
    (< const1 p1)
    (< const1 p2)
    (= p1 Turn)
    (= (At p1) Idle)
    (= (At p2) Busy)
    (not (<= (+ Count (* (- 1) (Fee p1)) 4) 0))
  )))
(check-sat)
(pop 1)
;;;; property.smt2: [Property(0), Property(1), Property(2), Property(3), Property(4), Property(5), Property(6)]
; Written by cubicle. No state of the invariant is unsafe.
; Every answer must be unsat: each is about processes of which nothing is said but
; that they differ, so that it holds for any number of processes.
(set-logic ALL)
(define-sort Proc () Int)
(declare-sort |data| 0)
(declare-datatypes ((|phase| 0)) (((Idle) (Wait) (Busy))))
(declare-datatypes ((|bool| 0)) (((False) (True))))
(declare-fun Count () Int)
(declare-fun Load () Real)
(declare-fun Left () Real)
(declare-fun Stored () |data|)
(declare-fun Kept () |data|)
(declare-fun At (Proc) |phase|)
(declare-fun Fee (Proc) Int)
(declare-fun Seen (Proc Proc) |bool|)
(declare-fun const1 () Proc)
(declare-fun p1 () Proc)
(declare-fun p2 () Proc)
(assert (distinct const1 p1 p2))

; property unsafe[1]
(push 1)
(assert (or
  (and
    (< const1 p1)
    (= (At const1) Busy)
    (= (At p1) Busy)
  )
  (and
    (< const1 p1)
    (= (At p1) Busy)
    (= (At const1) Busy)
  )
  (and
    (< const1 p1)
    (< const1 p2)
    (= (At p1) Busy)
    (= (At p2) Busy)
  )))
(check-sat)
(pop 1)

; property unsafe[2]
(push 1)
(assert (or
  (and
    (<= (+ Count 4) 0)
  )))
(check-sat)
(pop 1)

; property unsafe[3]
(push 1)
(assert (or
  (and
    (not (= Stored Kept))
  )))
(check-sat)
(pop 1)

; property unsafe[4]
(push 1)
(assert (or
  (and
    (not (<= (+ Load (* (- 1.0) Left)) 0.0))
  )))
(check-sat)
(pop 1)

; property unsafe[5]
(push 1)
(assert (or
  (and
    (< (+ Left (- (/ 1.0 4.0))) 0.0)
  )))
(check-sat)
(pop 1)

; property unsafe[6]
(push 1)
(assert (or
  (and
    (<= (+ Count (* (- 1) (Fee const1)) 1) 0)
  )
  (and
    (< const1 p1)
    (<= (+ Count (* (- 1) (Fee p1)) 1) 0)
  )))
(check-sat)
(pop 1)

; property unsafe[7]
(push 1)
(assert (or
  (and
    (< const1 p1)
    (= (Seen const1 const1) True)
    (not (= (At p1) Wait))
  )
  (and
    (< const1 p1)
    (= (Seen p1 p1) True)
    (not (= (At const1) Wait))
  )
  (and
    (< const1 p1)
    (< const1 p2)
    (= (Seen p1 p1) True)
    (not (= (At p2) Wait))
  )))
(check-sat)
(pop 1)
