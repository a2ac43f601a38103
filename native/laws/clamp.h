/* The positive part of a small symmetric matrix: what is left of a second derivative where stress would make it
 * indefinite. */
#ifndef LAWS_CLAMP_H
#define LAWS_CLAMP_H

#include <math.h>

/* m = [m0 m1; m1 m2], without its negative eigenvalue, if it has one, or both. */
static inline void clamp_symmetric(double m[3]) {
    double middle = 0.5 * (m[0] + m[2]), half = 0.5 * (m[0] - m[2]);
    double reach = sqrt(half * half + m[1] * m[1]), least = middle - reach, most = middle + reach;
    if (least >= 0) {
        return;
    }
    double part = most > 0 ? most / (most - least) : 0.0;
    m[0] = part * (m[0] - least);
    m[1] = part * m[1];
    m[2] = part * (m[2] - least);
}

#endif
