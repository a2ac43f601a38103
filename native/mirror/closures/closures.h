/* Brings open fronts together. Without a front: a warning. */
#ifndef MIRROR_CLOSURES_CLOSURES_H
#define MIRROR_CLOSURES_CLOSURES_H

#include "mirror/half/draft.h"

StatusCode closure_apply(Draft *draft, Status *status);

#endif
