/* What every test of the core uses: checks that print where and what, and numbers that look random
 * but are the same in every run. A failed check is counted and the test goes on. */
#pragma once

#include "base/vec3.h"

/* Holds, or prints the condition. */
#define CHECK(condition) check_true((condition) != 0, #condition, __FILE__, __LINE__)
/* |got - wanted| <= tolerance; a number that is not finite fails. */
#define CHECK_NEAR(got, wanted, tolerance)                                                         \
    check_near((got), (wanted), (tolerance), #got, __FILE__, __LINE__)
/* got <= bound; a number that is not finite fails. */
#define CHECK_BELOW(got, bound) check_below((got), (bound), #got, __FILE__, __LINE__)
#define CHECK_INT(got, wanted) check_int((got), (wanted), #got, __FILE__, __LINE__)

void check_true(int holds, const char *what, const char *file, int line);
void check_near(double got, double wanted, double tolerance, const char *what, const char *file,
                int line);
void check_below(double got, double bound, const char *what, const char *file, int line);
void check_int(long long got, long long wanted, const char *what, const char *file, int line);

/* Prints how many checks there were; returns what main returns. No checks at all is a failure. */
int check_result(void);

/* Starts the numbers anew. */
void random_start(unsigned seed);
/* Between low and high. */
double random_between(double low, double high);
int random_below(int count);
/* Each coordinate between -size and size. */
Vec3 random_vector(double size);
