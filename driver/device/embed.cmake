# Script mode: writes the bytes of IN as the C array NAME (terminated) and NAME_size into OUT.
file(READ ${IN} hex HEX)
string(REGEX REPLACE "(................................)" "\\1\n    " hex "${hex}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1, " hex "${hex}")
file(WRITE ${OUT} "// Made from ${IN}.
#include <stddef.h>
extern const unsigned char ${NAME}[];
extern const size_t ${NAME}_size;
const unsigned char ${NAME}[] __attribute__((aligned(16))) = {
    ${hex}0x00};
const size_t ${NAME}_size = sizeof ${NAME} - 1;
")
