/* Checks of the programs that know muslin.h alone: what fails is reported and counted. */
#pragma once

#include <stdio.h>

static int failures;

#define CHECK(what)                                                                                \
    do {                                                                                           \
        if (!(what)) {                                                                             \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #what);                             \
            ++failures;                                                                            \
        }                                                                                          \
    } while (0)
