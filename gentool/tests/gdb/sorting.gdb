# Driven by gdb.rs: what a session shows of guest `sorting`, from the beginning to the end.
break main
continue
backtrace
delete
break sort_by_heap
continue
backtrace
next
next
next
break sink
continue
backtrace
finish
delete
watch comparisons
continue
backtrace 1
continue
monitor position
reverse-continue
reverse-continue
print comparisons
monitor position
stepi
reverse-stepi
monitor position
delete
monitor goto 20000
continue
monitor position
monitor goto 10000
continue
monitor position
monitor pending
rwatch random_state
continue
awatch random_state
continue
info watchpoints
delete
tbreak guest_exit
continue
backtrace
delete
continue
