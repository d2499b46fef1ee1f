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
monitor break operation divu
monitor break integer.isac:47
monitor break 0x10000
continue
x/i $pc
monitor position
monitor delete
continue
