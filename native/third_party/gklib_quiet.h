// Included by the compiler before every METIS and GKlib source (-include), never by our own code.
//
// METIS was written as a program, and prints; inside a host such as Blender it may not. The other
// ways in which it would disturb its host are all in the files that gklib_runtime.c replaces.
// The real headers come first, so that only the calls change and not the declarations.
#pragma once

#include <stdio.h>
#include <stdlib.h>

void *gk_realloc(void *old, size_t size, char *message);

static inline int gk_say_nothing(const char *format, ...) {
    (void)format;
    return 0;
}

#define printf gk_say_nothing

// mcore.c grows by plain realloc what gk_malloc gave it, and forgets the old block when that fails.
#define realloc(old, size) gk_realloc((old), (size), "")
