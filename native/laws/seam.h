/* Bending across closed seams: hinges between the faces on both sides, as if these were one mesh.
 * A hinge lies between two stitches that follow each other along the seam: its edge goes from the middle of the one's two
 * points to that of the other's, and its opposite corners are those of the two faces. R and lambda are those of
 * bending.h, for cloth that wants to lie flat. It resists once both stitches hold (link.h). */
#ifndef LAWS_SEAM_H
#define LAWS_SEAM_H

#include "laws/link.h"

/* Of one face its ends of the edge, then its opposite corner; then those of the other. */
#define SEAM_WIDTH 6

typedef struct SeamLaw {
    Law law;
    const LinkSet *set;
    int (*stitches)[2]; /* per element: the two links */
    double *shape;      /* lambda per mu, 1/m^2 */
} SeamLaw;

extern const LawKind seam_kind;

/* Of the seams among these links; the set must stay. Null: none. */
StatusCode seam_law_build(const LinkSet *set, Store *store, Law **law, Status *status);

#endif
