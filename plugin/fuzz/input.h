/* What a fuzzer's bytes choose. Every byte counts by its remainder, so that plain text reaches everything: a corpus can
 * be read. After the last byte all choices are the first. */
#ifndef FUZZ_INPUT_H
#define FUZZ_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Input {
    const uint8_t *bytes;
    size_t size, at;
} Input;

static inline bool input_ended(const Input *input) { return input->at >= input->size; }

/* 0 to count - 1; count is at most 90, which printable letters reach. */
static inline int input_choice(Input *input, int count) {
    return input_ended(input) ? 0 : input->bytes[input->at++] % count;
}

/* For a generator: as many seeds as three letters make. */
static inline uint64_t input_seed(Input *input) {
    uint64_t seed = 0;
    for (int i = 0; i < 3; ++i) {
        seed = 90 * seed + (uint64_t)input_choice(input, 90);
    }
    return seed;
}

#endif
