/* Counting checks, telling which failed, and random numbers that are the same everywhere. */
#include "check.h"

#include <stdint.h>
#include <stdio.h>

/* Failures beyond this many are counted, not printed. */
#define MOST_PRINTED 25

static int checks, failures;
static uint64_t random_state = 1;

static bool is_printed(void) { return ++failures <= MOST_PRINTED; }

void check_true(int holds, const char *what, const char *file, int line) {
    ++checks;
    if (!holds && is_printed()) {
        printf("%s:%d: does not hold: %s\n", file, line, what);
    }
}

void check_near(double got, double wanted, double tolerance, const char *what, const char *file,
                int line) {
    ++checks;
    if (!(fabs(got - wanted) <= tolerance) && is_printed()) {
        printf("%s:%d: %s is %.17g, not %.17g: off by %.3g, allowed %.3g\n", file, line, what, got,
               wanted, got - wanted, tolerance);
    }
}

void check_below(double got, double bound, const char *what, const char *file, int line) {
    ++checks;
    if (!(got <= bound) && is_printed()) {
        printf("%s:%d: %s is %.6g, above %.6g\n", file, line, what, got, bound);
    }
}

void check_int(long long got, long long wanted, const char *what, const char *file, int line) {
    ++checks;
    if (got != wanted && is_printed()) {
        printf("%s:%d: %s is %lld, not %lld\n", file, line, what, got, wanted);
    }
}

int check_result(void) {
    printf("%d checks, %d failed\n", checks, failures);
    return failures > 0 || checks == 0;
}

void random_start(unsigned seed) { random_state = 0x9e3779b97f4a7c15u * (seed + 1u); }

/* xorshift64*: short, and good enough to find mistakes with. */
static uint64_t random_next(void) {
    random_state ^= random_state >> 12;
    random_state ^= random_state << 25;
    random_state ^= random_state >> 27;
    return random_state * 0x2545f4914f6cdd1du;
}

double random_between(double low, double high) {
    return low + (high - low) * (double)(random_next() >> 11) / 9007199254740992.0;
}

int random_below(int count) { return (int)((random_next() >> 33) % (uint64_t)count); }

Vec3 random_vector(double size) {
    double x = random_between(-size, size), y = random_between(-size, size);
    return vec3(x, y, random_between(-size, size));
}
