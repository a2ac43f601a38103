/* How the elements of a cloth lie in the rest shape, at the start of a substep and at its end: neighbours that lie to
 * each other as at rest are calm, and cannot touch. Lengths are in m. */
#ifndef CONTACT_SELF_POSES_H
#define CONTACT_SELF_POSES_H

#include "contact/self/links.h"
#include "geometry/swept_tree.h"

/* Small, since it is looked at for every pair. */
typedef struct Pose {
    _Alignas(64) float middle[3][3]; /* in the rest shape, at the start, at the end */
    float normal[2][3];              /* unit, at start and end; of a rope its direction */
    int group;                       /* elements of one component, ropes apart, have the same */
} Pose;

/* All elements. */
typedef struct PoseTable {
    Pose *poses;
    float (*folds)[4]; /* in the rest shape: normals, of ropes zero, of what is never to lie as at
                        * rest in a fold no numbers; and radii around the middles */
} PoseTable;

/* Middle, radius and normal in the rest shape. */
void pose_rest(Pose *pose, float *fold, const Element *element, const Vec3 *rest);

/* Where an element is at start and end. The normal is zero, so that it is never calm, where it is much larger than at
 * rest. */
void pose_place(Pose *pose, const float *fold, const Element *element, const SweptSpot *spots);

/* Lists those of the others that do not lie to an element as at rest at both ends, or are not of its group; returns how many.
 * There is room for SWEPT_LANES more of either than there are others. */
int poses_stirring(const PoseTable *table, int element, int *others, int count, int *stirring);

#endif
