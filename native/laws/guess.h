/* Where a direction will point at the end of the step [Choi 2013, ch. 3.2 and 4.3].
 * A local step is taken at positions z. In most cases the targets point along what z shows: z is the
 * last state (previous direction), the vertices flown on (inertial translation), or the newest
 * iterate. Inertial rotation instead turns each direction on as it has turned so far. */
#ifndef LAWS_GUESS_H
#define LAWS_GUESS_H

#include <stdbool.h>

#include "base/vec3.h"

#define GUESS_HISTORY 5 /* states kept: the present one and one before each of four coefficients */

typedef struct Guess {
    const Vec3 *z;       /* where the tensions are measured */
    const Vec3 *present; /* state at the step's start: first fallback for a vanishing direction */
    bool turning;        /* inertial rotation from the history below */
    int coefficient_count;
    double coefficients[GUESS_HISTORY - 1];
    const Vec3 *history[GUESS_HISTORY]; /* newest first; history[0] is `present` */
} Guess;

/* The vector turned from `from` to `to`: angle times unit axis, by atan2 so that small and nearly
 * straight angles are exact; zero where the axis is undefined. */
Vec3 guess_turn(Vec3 from, Vec3 to);

/* Rodrigues: v turned by `rotation`. */
Vec3 guess_rotate(Vec3 rotation, Vec3 v);

/* Direction (not normalised) expected next for a vector that was seen as s[0] (newest), s[1], ...:
 * s[0] turned by sum_m coefficient_m turn(s[m+1], s[m])   [Choi 3.5 to 3.11]. */
Vec3 guess_turned(const Guess *guess, const Vec3 *seen);

#endif
