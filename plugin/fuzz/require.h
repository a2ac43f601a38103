/* What a fuzzed call has promised. A broken promise ends the program: that is how libFuzzer hears of it. */
#ifndef REQUIRE_H
#define REQUIRE_H

#include <stdio.h>
#include <stdlib.h>

#define REQUIRE(what)                                                                              \
    do {                                                                                           \
        if (!(what)) {                                                                             \
            fprintf(stderr, "%s:%d: broken promise: %s\n", __FILE__, __LINE__, #what);             \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

#endif
