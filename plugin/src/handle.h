/* The table behind the handles. A handle is a slot and the slot's generation, so that a stale one is
 * recognised even after its slot has been given away again. The table is the library's only global.
 *
 * A slot is busy while a call works on its cloth. Another call meanwhile is refused, whichever thread it comes from;
 * only what is done under handle_lock(), cancel and progress, is not. */
#pragma once

#include "base/status.h"
#include "cloth/cloth.h"
#include "muslin.h"

/* Puts a cloth into the table, with the message of its creation; 0 if there is no room. */
MuslinCloth handle_add(Cloth *cloth, const Status *status);

/* Takes it out again, leaving the caller to destroy it; null for a stale or null handle. A call that works on the cloth is
 * cancelled and waited for; the handle is stale to all others from the start. */
Cloth *handle_remove(MuslinCloth handle);

/* A call that works on a cloth, from begin to end. */
typedef struct HandleCall {
    Cloth *cloth; /* null: the call is refused with `refusal` */
    Status *status;
    MuslinStatus refusal;
    uint32_t slot;
} HandleCall;

HandleCall handle_begin(MuslinCloth handle);
void handle_end(const HandleCall *call);

/* The cloth while all other threads wait, for what another thread may do during a call: only what takes no time. Null,
 * without waiting, for a stale or null handle. */
Cloth *handle_lock(MuslinCloth handle);
void handle_unlock(void);

/* The message of calls without a handle, and of those that a handle refused; one for each thread. */
Status *handle_thread_status(void);

/* What a call with a stale or null handle returns. */
MuslinStatus handle_refuse(void);

/* The core's codes are the public ones. */
static inline MuslinStatus public_status(StatusCode code) { return (MuslinStatus)code; }

/* Every function with a handle begins so: the cloth, which is this call's until it returns, and its message cleared. */
#define WITH_CLOTH(handle, cloth, status)                                                          \
    __attribute__((cleanup(handle_end))) const HandleCall call = handle_begin(handle);             \
    if (!call.cloth) {                                                                             \
        return call.refusal;                                                                       \
    }                                                                                              \
    Cloth *cloth = call.cloth;                                                                     \
    Status *status = call.status;                                                                  \
    status_clear(status)

/* Ends a function of muslin.h that has a `status` where a check of its arguments has set that. */
#define RETURN_IF_REFUSED(check)                                                                   \
    do {                                                                                           \
        if ((check) < 0) {                                                                         \
            return public_status(status->code);                                                    \
        }                                                                                          \
    } while (0)
