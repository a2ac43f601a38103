/* The table behind the handles. A handle is a slot and the slot's generation, so that a stale one is
 * recognised even after its slot has been given away again. The table is the library's only global. */
#ifndef HANDLE_H
#define HANDLE_H

#include "base/status.h"
#include "live/live.h"
#include "muslin.h"

/* Puts a cloth into the table; 0 if there is no room. */
MuslinCloth handle_add(Live *cloth);

/* The cloth and its message; null for a stale or null handle. */
Live *handle_cloth(MuslinCloth handle);
Status *handle_status(MuslinCloth handle);

/* Takes it out again, leaving the caller to destroy it; null as above. */
Live *handle_remove(MuslinCloth handle);

/* The message of calls without a handle, one for each thread. */
Status *handle_thread_status(void);

/* What a call with a stale or null handle returns. */
int32_t handle_refuse(void);

/* Every function with a handle begins so: the cloth, and its message cleared. */
#define WITH_CLOTH(handle, cloth, status)                                                          \
    Live *cloth = handle_cloth(handle);                                                            \
    Status *status = handle_status(handle);                                                        \
    if (!cloth || !status) {                                                                       \
        return handle_refuse();                                                                    \
    }                                                                                              \
    status_clear(status)

#endif
