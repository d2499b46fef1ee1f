// Five instructions that take op2 and op1 in turn; status 223 (3 op1, 2 op2, 2 op3).

        step    1                       // op2, then op3
        step    0                       // op1
        step    1
        step    0
        stop    0                       // op1; the run ends when this one is written back
