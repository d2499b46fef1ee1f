# Driven by gdb.rs: statements of the description, and the sums so far, by gdb's monitor.
break main
continue
monitor locals
monitor break operation srli
monitor break operation srlx
monitor break nofile.isac:3
monitor break integer.isac:1
monitor break stall
monitor break operation sub
monitor points
monitor delete 7
monitor delete 2
delete
continue
monitor where
monitor position
monitor break integer.isac:47
continue
monitor where
monitor operands
monitor locals
monitor position
monitor statement
continue
monitor where
monitor operands
monitor statement
continue
monitor where
monitor statement
reverse-continue
monitor where
monitor out
continue
monitor where
monitor over
continue
monitor where
monitor source
stepi
monitor where
reverse-continue
monitor where
monitor position
monitor delete
monitor points
monitor profile
continue
