/* Exponential averages, and thresholds with hysteresis so that levels do not alternate. */
#include "cloth/pace.h"

#include <stdbool.h>

#define FIRST_GUESS 60e3 /* vertices that a second of stepping is good for, at the least */
#define NEWEST 0.25      /* the last step's part in the average */
#define SLOW_STEPS 3     /* before going coarser */
#define QUICK_STEPS 12   /* before going finer */
#define ROOM 0.8         /* of the budget: what a finer level may be expected to take */
#define BARRED_STEPS 240

static double expected(const Pace *pace, int level) {
    return pace->average * pace->vertex_counts[level] / pace->vertex_counts[pace->level];
}

static void change(Pace *pace, int level) {
    pace->before = 0;
    pace->level = level;
    pace->steps = 0;
    pace->average = 0;
}

void pace_start(Pace *pace, int level_count, const int *vertex_counts) {
    pace->level_count = level_count;
    int level = 0;
    for (int l = 0; l < level_count; ++l) {
        pace->vertex_counts[l] = vertex_counts[l];
        pace->barred[l] = 0;
    }
    while (level + 1 < level_count && vertex_counts[level] > FIRST_GUESS * pace->budget) {
        ++level;
    }
    pace->level = level;
    pace->average = 0;
    pace->steps = 0;
    pace_hold(pace, pace->held);
}

void pace_hold(Pace *pace, int level) {
    pace->held = level;
    if (level >= 0 && pace->level_count > 0) {
        change(pace, level < pace->level_count ? level : pace->level_count - 1);
    }
}

/* Whether it has gone to the coarser one, or back to a finer one that took less. */
static bool leave_slow(Pace *pace) {
    int here = pace->level;
    double average = pace->average;
    bool back = pace->before > 0 && pace->before < average;
    int found = back ? pace->came_from : -1;
    for (int l = here + 1; l < pace->level_count && !back; ++l) {
        if (!pace->barred[l]) {
            found = l;
            if (expected(pace, l) <= pace->budget) {
                break;
            }
        }
    }
    if (found >= 0) {
        pace->barred[here] = BARRED_STEPS;
        change(pace, found);
        pace->before = back ? 0 : average;
        pace->came_from = here;
    }
    return found >= 0;
}

void pace_note(Pace *pace, double seconds) {
    pace->average = pace->steps == 0 ? seconds : pace->average + NEWEST * (seconds - pace->average);
    ++pace->steps;
    for (int l = 0; l < pace->level_count; ++l) {
        pace->barred[l] -= pace->barred[l] > 0;
    }
    if (pace->held >= 0 ||
        (pace->steps >= SLOW_STEPS && pace->average > pace->budget && leave_slow(pace))) {
        return;
    }
    if (pace->steps >= QUICK_STEPS && pace->level > 0 && !pace->barred[pace->level - 1] &&
        expected(pace, pace->level - 1) <= ROOM * pace->budget) {
        change(pace, pace->level - 1);
    }
}
