/* From a draft with a button to the placket of its half. */
#ifndef MIRROR_CLOSURES_PLACKET_BUILD_H
#define MIRROR_CLOSURES_PLACKET_BUILD_H

#include "mirror/half/draft.h"

/* Once the half has its numbers (-1: not in the half). Returns -1 without memory, else 0. */
int placket_build(Draft *draft, const int32_t *number, Half *half);

#endif
