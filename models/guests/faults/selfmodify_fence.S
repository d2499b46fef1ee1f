# Must exit with 42 on every machine that has FENCE.I. It is `selfmodify.S`
# with that fence after each store to code; see there for other statuses.

#define CODE_FENCE .word 0x0000100f /* FENCE.I */
#include "selfmodify.S"
