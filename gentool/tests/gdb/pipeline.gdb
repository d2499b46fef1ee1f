# Driven by gdb.rs: instructions that overlap, by instruction and by cycle.
break main
continue
backtrace
monitor position
monitor pipeline
monitor pending
monitor step cycle
stepi
monitor position
monitor pipeline
stepi
stepi
monitor position
reverse-stepi
monitor position
monitor step instruction
monitor cycle
continue
monitor position
monitor cycle
continue
monitor position
monitor cycle
reverse-continue
monitor position
stepi
stepi
monitor position
reverse-stepi
monitor position
info registers pc a0 a1 ex_value
delete
monitor goto 5000
continue
monitor position
break print_flush
reverse-continue
monitor position
continue
backtrace
delete
continue
