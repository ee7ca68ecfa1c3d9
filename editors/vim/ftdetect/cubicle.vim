" Models of Cubicle.
autocmd BufRead,BufNewFile *.cub setfiletype cubicle
