/* Numbers that follow from a seed alone, the same on every machine (splitmix64). */
#ifndef FUZZ_RANDOM_H
#define FUZZ_RANDOM_H

#include <stdint.h>

typedef struct Random {
    uint64_t state;
} Random;

static inline uint64_t random_bits(Random *random) {
    uint64_t z = random->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* 0 to count - 1. */
static inline int random_below(Random *random, int count) {
    return (int)(random_bits(random) % (uint64_t)count);
}

/* From 0 up to 1. */
static inline double random_unit(Random *random) {
    return (double)(random_bits(random) >> 11) * 0x1p-53;
}

/* From -1 up to 1. */
static inline double random_signed(Random *random) { return 2 * random_unit(random) - 1; }

static inline int random_chance(Random *random, double probability) {
    return random_unit(random) < probability;
}

#endif
