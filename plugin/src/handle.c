/* Slots and generations behind the handles, and which of them are busy, under one lock; and the functions of muslin.h that only
 * say something: versions, a line for each status, and the last message of a handle with what it is about in numbers. */
#include "handle.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "settings.h"

_Static_assert((int)DETAIL_DIVERGED == (int)MUSLIN_DETAIL_DIVERGED, "codes of details");
_Static_assert((int)OUTCOME_KEPT_SIDE_MET == (int)MUSLIN_OUTCOME_KEPT_SIDE_MET, "outcomes");
_Static_assert((int)ELEMENT_BODY_FACE == (int)MUSLIN_ELEMENT_BODY_FACE, "elements");
_Static_assert(sizeof((Status){0}.message) <= MUSLIN_MESSAGE_SIZE, "messages");
_Static_assert(DETAIL_ELEMENTS == MUSLIN_DETAIL_ELEMENTS, "elements of a detail");

#define MOST_SLOTS 65536

typedef struct Slot {
    Cloth *cloth;
    Status *status;
    uint32_t generation;
    bool busy;    /* a call works on it */
    bool leaving; /* somebody waits to destroy it */
} Slot;

static pthread_mutex_t table_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t call_ended = PTHREAD_COND_INITIALIZER; /* of a slot that is leaving */
static Slot *slots;
static uint32_t slot_count;

/* A pointer alone is thread-local: a library that its host loads late may get little of that storage. */
static _Thread_local Status *thread_status;
static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static pthread_key_t thread_key; /* gives a thread's status back when the thread ends */
static bool has_key;
static Status spare_status; /* of threads that can get no memory */

/* Call with the mutex held. */
static Slot *find(MuslinCloth handle) {
    uint32_t number = (uint32_t)handle, generation = (uint32_t)(handle >> 32);
    if (number == 0 || number > slot_count) {
        return NULL;
    }
    Slot *slot = &slots[number - 1];
    bool meant = slot->cloth && slot->generation == generation;
    return meant && !slot->leaving ? slot : NULL;
}

/* A free slot, or a new one; null without memory. Call with the mutex held. */
static Slot *free_slot(void) {
    for (uint32_t i = 0; i < slot_count; ++i) {
        if (!slots[i].cloth) {
            return &slots[i];
        }
    }
    if (slot_count == MOST_SLOTS) {
        return NULL;
    }
    Slot *grown = realloc(slots, (slot_count + 1) * sizeof *slots);
    if (!grown) {
        return NULL;
    }
    slots = grown;
    slots[slot_count] = (Slot){0};
    return &slots[slot_count++];
}

MuslinCloth handle_add(Cloth *cloth, const Status *status) {
    MuslinCloth handle = 0;
    Status *own = malloc(sizeof *own);
    pthread_mutex_lock(&table_mutex);
    Slot *slot = own ? free_slot() : NULL;
    if (slot) {
        *own = *status;
        slot->cloth = cloth;
        slot->status = own;
        ++slot->generation;
        handle = (uint64_t)slot->generation << 32 | (uint64_t)(slot - slots + 1);
    }
    pthread_mutex_unlock(&table_mutex);
    if (!handle) {
        free(own);
    }
    return handle;
}

/* No deadlock with a host's own locks: calls never call back, so the one that is waited for ends by itself. */
Cloth *handle_remove(MuslinCloth handle) {
    pthread_mutex_lock(&table_mutex);
    Slot *slot = find(handle);
    Cloth *cloth = slot ? slot->cloth : NULL;
    if (slot) {
        uint32_t number = (uint32_t)(slot - slots);
        slot->leaving = true;
        if (slot->busy) {
            cloth_cancel(cloth);
        }
        while (slots[number].busy) { /* the table may grow and move meanwhile */
            pthread_cond_wait(&call_ended, &table_mutex);
        }
        slot = &slots[number];
        free(slot->status);
        *slot = (Slot){.generation = slot->generation};
    }
    pthread_mutex_unlock(&table_mutex);
    return cloth;
}

/* Another destructor of the thread may still call the library: it then gets a new one. */
static void drop_status(void *status) {
    thread_status = NULL;
    free(status);
}

static void make_key(void) { has_key = pthread_key_create(&thread_key, drop_status) == 0; }

/* A thread may end after the library is unloaded. */
__attribute__((destructor)) static void forget_key(void) {
    if (has_key) {
        pthread_key_delete(thread_key);
    }
}

Status *handle_thread_status(void) {
    if (!thread_status) {
        pthread_once(&key_once, make_key);
        thread_status = calloc(1, sizeof *thread_status);
        if (has_key && thread_status) {
            pthread_setspecific(thread_key, thread_status);
        }
    }
    return thread_status ? thread_status : &spare_status;
}

const char *muslin_version(void) { return MUSLIN_VERSION; }

uint32_t muslin_abi_version(void) { return MUSLIN_ABI_VERSION; }

const char *muslin_status_text(MuslinStatus status) {
    static const struct {
        MuslinStatus status;
        const char *text;
    } texts[] = {
        {MUSLIN_OK, "success"},
        {MUSLIN_WARNING_MESH, "the mesh has defects, but can be simulated"},
        {MUSLIN_WARNING_ALL_PINNED, "all vertices are pinned"},
        {MUSLIN_WARNING_MIRROR, "not mirrored, or not in all: something is not symmetric"},
        {MUSLIN_WARNING_MATERIAL, "the model cannot have the material as it is asked for"},
        {MUSLIN_WARNING_BODY, "a body jumped, and was placed"},
        {MUSLIN_ERROR_HANDLE, "no such cloth: the handle is null or stale"},
        {MUSLIN_ERROR_ARGUMENT, "a parameter is out of its range"},
        {MUSLIN_ERROR_MESH, "the mesh cannot be simulated"},
        {MUSLIN_ERROR_MEMORY, "not enough memory"},
        {MUSLIN_ERROR_MATRIX, "the system matrix is not positive definite"},
        {MUSLIN_ERROR_DIVERGED, "the simulation diverged"},
        {MUSLIN_ERROR_CANCELLED, "cancelled"},
        {MUSLIN_ERROR_SNAPSHOT, "no snapshot of this cloth"},
        {MUSLIN_ERROR_BODY, "no such body: its number is wrong, or it was removed"},
        {MUSLIN_ERROR_BUSY, "the cloth is busy: another thread works on it"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
        if (texts[i].status == status) {
            return texts[i].text;
        }
    }
    return "unknown status";
}

static MuslinStatus refuse_with(MuslinStatus status) {
    return public_status(
        status_set(handle_thread_status(), (StatusCode)status, "%s", muslin_status_text(status)));
}

MuslinStatus handle_refuse(void) { return refuse_with(MUSLIN_ERROR_HANDLE); }

HandleCall handle_begin(MuslinCloth handle) {
    HandleCall call = {0};
    pthread_mutex_lock(&table_mutex);
    Slot *slot = find(handle);
    bool busy = slot && slot->busy;
    if (slot && !busy) {
        slot->busy = true;
        call.cloth = slot->cloth;
        call.status = slot->status;
        call.slot = (uint32_t)(slot - slots);
    }
    pthread_mutex_unlock(&table_mutex);
    if (!call.cloth) {
        call.refusal = refuse_with(busy ? MUSLIN_ERROR_BUSY : MUSLIN_ERROR_HANDLE);
    }
    return call;
}

void handle_end(const HandleCall *call) {
    if (!call->cloth) {
        return;
    }
    pthread_mutex_lock(&table_mutex);
    Slot *slot = &slots[call->slot];
    slot->busy = false;
    if (slot->leaving) {
        pthread_cond_broadcast(&call_ended);
    }
    pthread_mutex_unlock(&table_mutex);
}

Cloth *handle_lock(MuslinCloth handle) {
    pthread_mutex_lock(&table_mutex);
    Slot *slot = find(handle);
    if (!slot) {
        pthread_mutex_unlock(&table_mutex);
    }
    return slot ? slot->cloth : NULL;
}

void handle_unlock(void) { pthread_mutex_unlock(&table_mutex); }

/* --- messages ----------------------------------------------------------------------------------- */

/* Copies the message of a handle; of 0: that of this thread. Returns MUSLIN_OK, or why there is none. */
static MuslinStatus read_message(MuslinCloth handle, Status *status) {
    if (!handle) {
        *status = *handle_thread_status();
        return MUSLIN_OK;
    }
    MuslinStatus code = MUSLIN_ERROR_HANDLE;
    pthread_mutex_lock(&table_mutex);
    const Slot *slot = find(handle);
    if (slot) {
        code = slot->busy ? MUSLIN_ERROR_BUSY : MUSLIN_OK;
    }
    if (code == MUSLIN_OK) {
        *status = *slot->status;
    }
    pthread_mutex_unlock(&table_mutex);
    return code;
}

MuslinStatus muslin_get_message(MuslinCloth handle, char *text, size_t capacity) {
    if (!text || capacity == 0) {
        return MUSLIN_ERROR_ARGUMENT;
    }
    Status status;
    MuslinStatus code = read_message(handle, &status);
    const char *message = code == MUSLIN_OK ? status.message : muslin_status_text(code);
    size_t length = strlen(message);
    length = length < capacity ? length : capacity - 1;
    memcpy(text, message, length);
    text[length] = '\0';
    return code;
}

MuslinStatus muslin_get_detail_count(MuslinCloth handle, int32_t *count) {
    if (!count) {
        return MUSLIN_ERROR_ARGUMENT;
    }
    Status status;
    MuslinStatus code = read_message(handle, &status);
    *count = code == MUSLIN_OK ? status.detail_count : 0;
    return code;
}

static void copy_part(const char *message, int begin, int end, char part[MUSLIN_MESSAGE_SIZE]) {
    memcpy(part, message + begin, (size_t)(end - begin)); /* the rest is 0 */
}

MuslinStatus muslin_get_detail(MuslinCloth handle, int32_t index, MuslinDetail *out) {
    Status status;
    MuslinStatus code = read_message(handle, &status);
    if (code != MUSLIN_OK) {
        return code;
    }
    if (index < 0 || index >= status.detail_count) {
        return MUSLIN_ERROR_ARGUMENT;
    }
    const Detail *detail = &status.details[index];
    MuslinDetail reported = {.size = sizeof reported,
                             .code = (int32_t)detail->code,
                             .outcome = (int32_t)detail->outcome,
                             .element = (int32_t)detail->element,
                             .count = detail->count,
                             .body = detail->body,
                             .defect = detail->defect,
                             .value = detail->value,
                             .limit = detail->limit};
    copy_part(status.message, detail->begin, detail->end, reported.sentence);
    copy_part(status.message, detail->cause_begin, detail->cause_end, reported.cause);
    memcpy(reported.elements, detail->elements, sizeof reported.elements);
    if (detail->name) {
        strncpy(reported.name, detail->name, sizeof reported.name - 1);
    }
    Status ignored = {0}; /* the message in question stays */
    return public_status(report_give("MuslinDetail", &reported, sizeof reported, out, &ignored));
}
