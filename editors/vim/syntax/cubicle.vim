" Colours for models of Cubicle.
if exists('b:current_syntax')
  finish
endif

syntax case match
syntax keyword cubicleDeclaration array const init invariant number_procs predicate requires transition type unsafe var
" Words of the language only where a declaration begins.
syntax match cubicleDeclaration '^\s*\(fair\|strong_fair\|response\|recurrence\|possible\|cover\|never\|always\|lemma\|process\)\>'
syntax keyword cubicleControl case else if in let then
syntax keyword cubicleOperator exists exists_other forall forall_other not
syntax keyword cubicleBoolean true false True False
syntax keyword cubicleType bool int proc real
syntax match cubicleNumber '\<\d\+\(\.\d*\)\?'
syntax match cubicleProcess '#[1-9]\d*'
" Counts.
syntax match cubicleOperator '#proc\>\|#\ze{\|\<sum\ze{'
syntax match cubicleName '\<\u\w*\>'
syntax match cubicleSymbol ':=\|<=>\|=>\|<>\|<=\|>=\|&&\|||\|[=<>+?|-]'
syntax region cubicleComment start='(\*' end='\*)' contains=cubicleComment,@Spell

" True and False are names as well: the later rule would win.
syntax match cubicleBoolean '\<\(True\|False\)\>'

highlight default link cubicleDeclaration Keyword
highlight default link cubicleControl Conditional
highlight default link cubicleOperator Operator
highlight default link cubicleBoolean Boolean
highlight default link cubicleType Type
highlight default link cubicleNumber Number
highlight default link cubicleProcess Constant
highlight default link cubicleName Identifier
highlight default link cubicleSymbol Operator
highlight default link cubicleComment Comment

let b:current_syntax = 'cubicle'
