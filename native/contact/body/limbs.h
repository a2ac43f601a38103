/* How a surface, of a body or of the cloth, moves in a substep, limb by limb: a limb is some dozens of neighbouring
 * triangles. They go
 * nearly alike, which boxes around all that they sweep do not tell: a vertex that goes along with an arm comes no nearer
 * to it, however far both go. So from its distance at the substep's start follows how near it can get, and most vertices
 * need not be searched for. Lengths are in m. Queries read alone. */
#ifndef CONTACT_BODY_LIMBS_H
#define CONTACT_BODY_LIMBS_H

#include <stdint.h>

#include "geometry/bvh.h"

/* A point y of a limb goes by drift + turn x (y - middle), but for `bend` at most. */
typedef struct LimbTurn {
    Vec3 middle, drift, turn;
    double bend;
} LimbTurn;

typedef struct Limbs {
    int count;
    int *first, *order;    /* per limb: its triangles; the end */
    int *of;               /* per triangle: its limb */
    int *start, *vertices; /* per limb: those of its triangles, each once */
    Box *boxes;            /* all that its triangles sweep */
    Vec3 *motion;          /* about the mean of theirs */
    double *stray;         /* the most by which a point of it goes otherwise */
    LimbTurn *turns;       /* the same with a turn, which leaves less; of the bodies' alone */
    double fastest;        /* the most that a point of any goes */
    WideBvh tree;
} Limbs;

/* Of up to `size` triangles each, in the given order, which is that of a tree over those of each part: limbs are branches
 * of it. Vertices are at x; `part` null: there is but one. Arrays come from `store`. */
StatusCode limbs_build(Limbs *limbs, int size, int triangle_count, const int *order,
                       int (*const corners)[3], const int *part, int vertex_count, const Vec3 *x,
                       Store *store, Status *status);

/* For a substep in which the vertices go from `start` to `end`. `turning`: limbs_bound() will be asked. */
void limbs_move(Limbs *limbs, Pool *pool, const Vec3 *start, const Vec3 *end, bool turning);

/* Around all that they sweep. */
Box limbs_box(const Limbs *limbs);

/* Marks the limbs of which a point can be up to `reach` away from one of the others' limb, whenever in the substep, or
 * that could pass it. `awake`: per limb, 1 where marked; the others are left alone. */
void limbs_mark(const Limbs *limbs, const Limbs *others, int other, double reach, uint8_t *awake);

/* What a point can have met on its way, m. */
typedef struct LimbBound {
    double distance; /* from all of the surface at the way's end, at least; no more than `known` */
    double
        approach; /* the most by which it can have come nearer to what may end within `meeting` of it */
} LimbBound;

/* Of a point that goes from x to z and begins at least `clearance` away from the surface. */
LimbBound limbs_bound(const Limbs *limbs, Vec3 x, Vec3 z, double clearance, double known,
                      double meeting);

#endif
