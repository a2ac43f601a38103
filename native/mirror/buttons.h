/* One front over the other: the strips along both fronts leave the half and ride on the other side's cloth. */
#ifndef MIRROR_BUTTONS_H
#define MIRROR_BUTTONS_H

#include "mirror/fronts.h"

/* Sets the draft's front_count: 0 where no cloth would be left beside the strip; nothing is changed then. */
StatusCode button_close(Draft *draft, const Fronts *fronts, Status *status);

#endif
