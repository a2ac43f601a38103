/* The only file that asks the system for the time. */
#define _POSIX_C_SOURCE 200809L
#include "base/machine.h"

#include <time.h>

double timing_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
