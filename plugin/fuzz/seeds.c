/* Runs a fuzz target without libFuzzer, as a test of every build: on the corpus, and on text that follows from numbers.
 * Usage: PROGRAM FIRST COUNT [FILE...]     the seeds FIRST to FIRST + COUNT - 1; an input that fails can be had again. */
#include <stdio.h>
#include <stdlib.h>

#include "random.h"

#define LONGEST 160

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static size_t text_of_seed(uint64_t seed, uint8_t *text) {
    Random random = {seed};
    size_t size = (size_t)random_below(&random, LONGEST);
    for (size_t i = 0; i < size; ++i) {
        text[i] = (uint8_t)(' ' + random_below(&random, 95));
    }
    return size;
}

static int run_file(const char *path) {
    static uint8_t bytes[1 << 16];
    FILE *file = fopen(path, "rb");
    if (!file) {
        fprintf(stderr, "%s cannot be read\n", path);
        return 1;
    }
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    LLVMFuzzerTestOneInput(bytes, size);
    return 0;
}

int main(int count, char **arguments) {
    uint8_t text[LONGEST];
    if (count < 3) {
        fprintf(stderr, "usage: %s FIRST COUNT [FILE...]\n", arguments[0]);
        return 2;
    }
    uint64_t first = strtoull(arguments[1], NULL, 10),
             end = first + strtoull(arguments[2], NULL, 10);
    for (int a = 3; a < count; ++a) {
        if (run_file(arguments[a])) {
            return 1;
        }
    }
    const char *trace = getenv("MUSLIN_FUZZ_TRACE");
    for (uint64_t seed = first; seed < end; ++seed) {
        if (trace) {
            fprintf(stderr, "%llu\n", (unsigned long long)seed);
        }
        LLVMFuzzerTestOneInput(text, text_of_seed(seed, text));
    }
    return 0;
}
