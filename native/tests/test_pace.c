/* Which level fits a budget, with seconds that the test makes up. */
#include "check.h"
#include "cloth/pace.h"

static const int COUNTS[] = {90000, 30000, 10000, 3300, 1100};

static Pace pace_of(double budget) {
    Pace pace = {.budget = budget, .held = -1};
    pace_start(&pace, 5, COUNTS);
    return pace;
}

/* A machine that takes `each` seconds a vertex; returns how often the level changed. */
static int run(Pace *pace, int steps, double each) {
    int changes = 0;
    for (int s = 0; s < steps; ++s) {
        int before = pace->level;
        pace_note(pace, each * COUNTS[pace->level]);
        changes += pace->level != before;
    }
    return changes;
}

static void test_start(void) {
    CHECK_INT(pace_of(0.040).level, 4);
    CHECK_INT(pace_of(0.060).level, 3);
    CHECK_INT(pace_of(10).level, 0);
    CHECK_INT(pace_of(0.001).level, 4);
}

static void test_settles(void) {
    Pace pace = pace_of(0.040);
    run(&pace, 100, 3e-6); /* 10,000 vertices take 30 ms */
    CHECK_INT(pace.level, 2);
    CHECK_INT(run(&pace, 1000, 3e-6), 0);
    CHECK_NEAR(pace.average, 0.030, 1e-12);
    run(&pace, 100, 3e-7);
    CHECK_INT(pace.level, 0);
    run(&pace, 10, 3e-5); /* at once to where it fits */
    CHECK_INT(pace.level, 4);
}

/* Between two levels, and with single slow steps, it does not go back and forth. */
static void test_calm(void) {
    for (double each = 1e-6; each < 2e-5; each *= 1.1) {
        Pace pace = pace_of(0.040);
        run(&pace, 100, each);
        CHECK(run(&pace, 200, each) <= 1);
    }
    Pace pace = pace_of(0.040);
    run(&pace, 100, 2e-6);
    int level = pace.level;
    for (int s = 0; s < 300; ++s) {
        pace_note(&pace, s % 20 ? 0.020 : 0.080);
        CHECK_INT(pace.level, level);
    }
}

/* A coarser level that is no quicker is left again. */
static void test_coarser_is_slower(void) {
    Pace pace = pace_of(0.060);
    int elsewhere = 0;
    for (int s = 0; s < 400; ++s) {
        pace_note(&pace, pace.level == 4 ? 0.080 : pace.level == 3 ? 0.070 : 0.200);
        elsewhere += pace.level != 3;
    }
    CHECK(elsewhere > 0 && elsewhere < 10);
}

static void test_held(void) {
    Pace pace = pace_of(0.040);
    pace_hold(&pace, 1);
    run(&pace, 100, 1e-3);
    CHECK_INT(pace.level, 1);
    pace_hold(&pace, 99);
    CHECK_INT(pace.level, 4);
    pace_hold(&pace, -1);
    run(&pace, 300, 1e-7);
    CHECK_INT(pace.level, 0);
}

int main(void) {
    test_start();
    test_settles();
    test_calm();
    test_coarser_is_slower();
    test_held();
    return check_result();
}
