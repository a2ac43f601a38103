/* Seams, tacks, elastics and buttons, as muslin_cloth_set_links() and muslin_cloth_add_links() of muslin.h take them; that header
 * includes this one. The first replaces all links. The second adds some behind those before, which stay as long as they
 * were measured, and closed or released as they are. A tack goes with its body when that is removed, or is replaced by
 * one without the tack's vertices.
 *
 * A seam closes at its speed and pulls softly until it is near, then holds. With `weightless`, gravity waits for that,
 * at most twice as long as the way takes: a pattern that is laid around a body does not fall off it. Setting links, of
 * which there may be 0, or adding some takes memory and builds the matrix anew; a step takes none, but factors again
 * when links begin to hold. A cloth with links is simulated whole, not mirrored, and a budget is kept by no coarser
 * mesh; the solver of threads refuses them. A snapshot has how far they have come.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef MUSLIN_LINKS_H
#define MUSLIN_LINKS_H

#include <stdint.h>

/* What a link is for. */
typedef enum MuslinLinkUse {
    /* a stitch: closes, then holds as if both sides were one piece, bending included; with self-contact, what it joins
     * does not meet */
    MUSLIN_LINK_SEAM = 0,
    /* holds two points, or a vertex and a body, as far apart as it is told */
    MUSLIN_LINK_TACK = 1,
    /* pulls two points together where they are further apart than it is told */
    MUSLIN_LINK_ELASTIC = 2,
    /* lays one layer over another: closes until its first point is over the second by its length, and holds it there */
    MUSLIN_LINK_BUTTON = 3
} MuslinLinkUse;

/* Holds two points together that the mesh does not join. A point is a vertex, or lies on an edge of the mesh. */
typedef struct MuslinLink {
    /* a MuslinLinkUse */
    int32_t use;
    /* any number from 0 on: links of one set are released and reported on together */
    int32_t set;
    /* two ends of an edge for each of the two points; the second may be -1, then the first is the point */
    int32_t vertices[4];
    /* where the points are on those edges: 0 at the first end, 1 at the second */
    float places[2];
    /* of a tack to a body its number, else -1. The second point is then on the body, and the first is a vertex */
    int32_t body;
    /* three vertices of that body, and their weights, which add up to 1. Of a button three vertices of the cloth below,
     * without weights: over is where their triangle is seen counter-clockwise from */
    int32_t body_vertices[3];
    float body_weights[3];
    /* how far apart the points shall be, m, at most 1000; below 0: as far as they are now, which
     * no button has. Of an elastic: its share of that, above 0 */
    float length;
    /* N/m of one that holds; 0: 30 times the fabric's stretch stiffness. Of an elastic: N that it pulls with at twice
     * its length, above 0 */
    float stiffness;
    /* m/s of closing, above 0; not read of an elastic */
    float speed;
} MuslinLink;

#endif
