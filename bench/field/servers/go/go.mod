module field

go 1.24
