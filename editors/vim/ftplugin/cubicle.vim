" How models of Cubicle are edited.
if exists('b:did_ftplugin')
  finish
endif
let b:did_ftplugin = 1

setlocal commentstring=(*\ %s\ *)
setlocal comments=s1:(*,mb:*,ex:*)
setlocal expandtab shiftwidth=2 softtabstop=2 textwidth=100
setlocal formatprg=cubicle\ fmt

let b:undo_ftplugin = 'setlocal commentstring< comments< expandtab< shiftwidth< softtabstop< textwidth< formatprg<'
