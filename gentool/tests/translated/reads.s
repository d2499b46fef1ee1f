        set r0, 4000
again:  get r1
        sum r1
        ask r2
        sum r2
        turn r3
        sum r3
        loop r0, again
        stop
