/* The table behind the handles. A handle is a slot and the slot's generation, so that a stale one is
 * recognised even after its slot has been given away again. The table is the library's only global. */
#ifndef HANDLE_H
#define HANDLE_H

#include "base/status.h"
#include "garment/garment.h"
#include "muslin.h"

/* Puts a garment into the table; 0 if there is no room. */
MuslinCloth handle_add(Garment *garment);

/* The garment and its message; null for a stale or null handle. */
Garment *handle_garment(MuslinCloth handle);
Status *handle_status(MuslinCloth handle);

/* Takes it out again, leaving the caller to destroy it; null as above. */
Garment *handle_remove(MuslinCloth handle);

/* The message of calls without a handle, one for each thread. */
Status *handle_thread_status(void);

/* What a call with a stale or null handle returns. */
int32_t handle_refuse(void);

/* Every function with a handle begins so: the garment, and its message cleared. */
#define WITH_GARMENT(handle, garment, status)                                                      \
    Garment *garment = handle_garment(handle);                                                     \
    Status *status = handle_status(handle);                                                        \
    if (!garment || !status) {                                                                     \
        return handle_refuse();                                                                    \
    }                                                                                              \
    status_clear(status)

#endif
