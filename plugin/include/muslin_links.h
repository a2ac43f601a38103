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

/* A link holds two points together that the mesh does not join. All four definitions begin alike: `set` is any number from
 * 0 on, by which links are released and reported on together. `vertices` are two ends of an edge for each of the two points,
 * and `places` where the points are on these edges, 0 at the first end, 1 at the second. Where the second end is -1 the first
 * is the point. Of the rest, unless something else is said: `length`, m, at most 1000, is how far apart the points shall be;
 * below 0 as far as they are now. `stiffness`, N/m, is that of a link that holds; 0: 30 times the fabric's stretch stiffness.
 * `speed`, m/s, above 0, is that of closing. */

/* A stitch: closes, then holds as if both sides were one piece, bending included. With self-contact, what it joins does not
 * meet. */
typedef struct MuslinSeam {
    int32_t set;
    int32_t vertices[4];
    float places[2];
    float length, stiffness, speed;
} MuslinSeam;

/* Holds two points, or a vertex and a body, at a given distance. */
typedef struct MuslinTack {
    int32_t set;
    int32_t vertices[4];
    float places[2];
    float length, stiffness, speed;
    /* the number of a body that the second point is on, else -1 */
    int32_t body;
    /* three vertices of it, and their weights, which add up to 1 */
    int32_t body_vertices[3];
    float body_weights[3];
} MuslinTack;

/* Pulls two points together where they are further apart than it wants. */
typedef struct MuslinElastic {
    int32_t set;
    int32_t vertices[4];
    float places[2];
    /* of the distance now, above 0: what it wants */
    float share;
    /* N, above 0: what it pulls with at twice its length */
    float strength;
} MuslinElastic;

/* Lays one layer over another: closes until its first point is over the second by its length, at least 0, and holds it there. */
typedef struct MuslinButton {
    int32_t set;
    int32_t vertices[4];
    float places[2];
    float length, stiffness, speed;
    /* three vertices of the cloth below: over is where their triangle is seen counter-clockwise from */
    int32_t below[3];
} MuslinButton;

/* All that are given by one call, in this order; arrays of none may be null. */
typedef struct MuslinLinks {
    uint32_t size;
    int32_t seam_count, tack_count, elastic_count, button_count;
    /* 1: gravity waits until they have closed */
    int32_t weightless;
    const MuslinSeam *seams;
    const MuslinTack *tacks;
    const MuslinElastic *elastics;
    const MuslinButton *buttons;
} MuslinLinks;

#endif
