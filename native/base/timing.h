/* Seconds on a clock that only moves forward. */
#ifndef BASE_TIMING_H
#define BASE_TIMING_H

double timing_now(void);

#endif
