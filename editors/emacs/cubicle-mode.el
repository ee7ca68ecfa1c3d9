;;; cubicle-mode.el --- Models of Cubicle -*- lexical-binding: t; -*-

;; Package-Requires: ((emacs "27.1"))
;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; Colours and comments for models of parameterized systems in Cubicle's language.  With eglot, `M-x eglot' connects
;; a model with `cubicle lsp'.

;;; Code:

(defconst cubicle-keywords
  '("array" "case" "const" "else" "exists" "exists_other" "forall" "forall_other" "if" "in" "init" "invariant"
    "let" "not" "number_procs" "predicate" "requires" "then" "transition" "type" "unsafe" "var")
  "Words of the language.")

(defconst cubicle-font-lock
  `((,(regexp-opt cubicle-keywords 'symbols) . font-lock-keyword-face)
    (,(regexp-opt '("true" "false" "True" "False") 'symbols) . font-lock-constant-face)
    (,(regexp-opt '("bool" "int" "proc" "real") 'symbols) . font-lock-type-face)
    ("\\_<\\(?:transition\\|predicate\\)\\_>[ \t\n]+\\(\\(?:\\sw\\|\\s_\\)+\\)" 1 font-lock-function-name-face)
    ("\\_<type\\_>[ \t\n]+\\(\\(?:\\sw\\|\\s_\\)+\\)" 1 font-lock-type-face)
    ;; Words of the language only where a declaration begins.
    ("^[ \t]*\\(\\(?:strong_\\)?fair\\|response\\|recurrence\\|possible\\|cover\\|never\\|always\\|lemma\\|process\\)\\_>" 1 font-lock-keyword-face)
    ("\\(#proc\\)\\_>" 1 font-lock-keyword-face)
    ("\\_<\\(sum\\){" 1 font-lock-keyword-face)
    ("#[1-9][0-9]*" . font-lock-constant-face)
    ("\\_<[A-Z][A-Za-z0-9_]*\\_>" . font-lock-variable-name-face))
  "What is coloured, and how.")

(defvar cubicle-mode-syntax-table
  (let ((table (make-syntax-table)))
    ;; (* comments that (* nest *) *)
    (modify-syntax-entry ?\( "()1n" table)
    (modify-syntax-entry ?\) ")(4n" table)
    (modify-syntax-entry ?* ". 23n" table)
    (modify-syntax-entry ?_ "_" table)
    (modify-syntax-entry ?\" "." table)
    table)
  "What characters mean.")

;;;###autoload
(define-derived-mode cubicle-mode prog-mode "Cubicle"
  "Major mode for models of Cubicle."
  (setq-local comment-start "(* ")
  (setq-local comment-end " *)")
  (setq-local comment-start-skip "(\\*+[ \t]*")
  (setq-local indent-tabs-mode nil)
  (setq-local case-fold-search nil)
  (setq-local font-lock-defaults '(cubicle-font-lock nil nil)))

;;;###autoload
(add-to-list 'auto-mode-alist '("\\.cub\\'" . cubicle-mode))

(with-eval-after-load 'eglot
  (defvar eglot-server-programs)
  (add-to-list 'eglot-server-programs '(cubicle-mode . ("cubicle" "lsp"))))

(provide 'cubicle-mode)
;;; cubicle-mode.el ends here
