# Driven by gdb.rs: the translated engine, which cannot go back.
break main
continue
backtrace 1
delete
watch comparisons
continue
monitor position
monitor pipeline
delete
monitor goto 30000
continue
monitor position
continue
