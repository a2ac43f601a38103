/* Seams, tacks, elastics and buttons for muslin_cloth_set_links() and muslin_cloth_add_links() of muslin.h, which includes this
 * header. The first replaces all links. The second adds some; those before keep their measured lengths and stay closed or
 * released. A tack is released when its body is removed, or replaced by one without the tack's vertices.
 *
 * A seam closes at its speed, pulling softly until it is near, then holds. With `weightless`, gravity starts after that, or
 * after twice the time that closing takes, so that a pattern laid around a body does not fall off. Setting (also 0) or
 * adding links takes memory and rebuilds the matrix; a step takes none, but factors again when links begin to hold. A
 * mirrored cloth is simulated by half where each link is on one side, and its image is a link of the same set, or lies in
 * the plane, or closes a front: a seam from a place to its own image, or buttons that lay one side over the other; else
 * whole. Coarser levels have no links; the thread solver refuses them. A snapshot contains their progress.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef MUSLIN_LINKS_H
#define MUSLIN_LINKS_H

#include <stdint.h>

/* A link holds two points together that the mesh does not join. Fields of all four kinds:
 *   set        any number from 0 on; links of one set are released and reported together
 *   vertices   for each of the two points the two ends of an edge; a second end of -1: the point is the first end
 *   places     where the points are on these edges: 0 at the first end, 1 at the second
 *   length     m, at most 1000: the distance to close to; negative: the present distance
 *   stiffness  N/m, of a link that holds; 0: 30 times the fabric's stretch stiffness
 *   speed      m/s, above 0, of closing */

/* A stitch: closes, then holds as if both sides were one piece, bending included. The faces that it joins have no
 * self-contact. */
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

/* Pulls two points together when they are further apart than its length. */
typedef struct MuslinElastic {
    int32_t set;
    int32_t vertices[4];
    float places[2];
    /* its length as a share of the present distance, above 0 */
    float share;
    /* N, above 0: its force at twice its length */
    float strength;
} MuslinElastic;

/* Lays one layer over another: closes until its first point is its length, at least 0, above the second, and holds it there. */
typedef struct MuslinButton {
    int32_t set;
    int32_t vertices[4];
    float places[2];
    float length, stiffness, speed;
    /* three vertices of the cloth below, counter-clockwise seen from above */
    int32_t below[3];
} MuslinButton;

/* The links of one call, in this order; empty arrays may be null. */
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
