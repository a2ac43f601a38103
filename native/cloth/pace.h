/* Which level of a cloth is simulated: the finest whose steps fit the budget, as measured. It goes coarser after a few
 * steps that are too slow, finer after many that leave room, and not back to a level that was too slow for a while. A
 * coarser one may be slower, where long edges meet more of a body: then it goes back to the quicker one. */
#pragma once

#define LEVELS_MOST 16

typedef struct Pace {
    double budget; /* s for a step */
    int held;      /* the level that the caller wants, -1: as measured */
    int level;     /* the one to simulate; 0 is the caller's mesh */
    int level_count;
    int vertex_counts[LEVELS_MOST];
    double average; /* s: of the steps since the level changed, later ones more */
    int steps;      /* since then */
    double
        before; /* s: the average of the finer level that was too slow, from which it came; else 0 */
    int came_from;           /* that level */
    int barred[LEVELS_MOST]; /* steps for which a level is not tried again */
} Pace;

/* The levels are known: chooses one to begin with, by its number of vertices. */
void pace_start(Pace *pace, int level_count, const int *vertex_counts);

/* A step of this many seconds was taken at `level`; it may be another one afterwards. */
void pace_note(Pace *pace, double seconds);

/* Simulate this one whatever it takes; -1: by the budget. */
void pace_hold(Pace *pace, int level);
