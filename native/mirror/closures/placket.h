/* Where buttoned fronts lie over each other: in which direction, and how far apart.
 *
 * Everything is seen from the kept side: the strip of the other side is there already, and the kept side's own strip is
 * there as its image. So there is one cloth, that of the half, with one strip above it and one below. All of them are
 * moved along one field of directions, which lie in the mirror plane: nothing ever leaves its side of it. The
 * directions are the cloth's normals beside the line, averaged along it, so that they hardly differ between neighbours.
 *
 * Looked at along that direction a strip must nowhere be nearer to the cloth than half the gap. Where it is, the
 * corners of the strip's triangle are moved away, each in proportion to its part in that place: first all strips from
 * the cloth, then, where the front is turned in, the farther layer of a strip from the nearer one. A strip is thus
 * clear of whatever the cloth has there: steps, folds, pockets. The cloth beside the line goes along with the line,
 * less and less. This is safe: it only moves it farther from the other side's strip. At last both sides together are put
 * outwards, so that what lies below is not inside the body on which the cloth lies.
 * Faces of four corners are looked at with both their diagonals. */
#pragma once

#include <stdint.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "base/vec3.h"

struct Half;

/* What is looked at together: a triangle of a strip, and one that it must be clear of. */
typedef struct PlacketPair {
    int32_t moved, met;
} PlacketPair;

/* Pairs are looked through in so many parts, side by side. */
#define PLACKET_PARTS 8

typedef struct PlacketPart {
    int across_count, asking_count;
} PlacketPart;

/* A vertex of the line along which strips end. */
typedef struct LineVertex {
    int32_t vertex;             /* of the half */
    Vec3 rest;                  /* m */
    Vec3 gathered, averaged;    /* directions */
    double raised, wanted, out; /* m */
} LineVertex;

/* A vertex of the half beside the line, with a direction. */
typedef struct MarginVertex {
    int32_t vertex, between[2]; /* the latter are numbers in the line */
    double along;               /* 0 at the first, 1 at the second */
    double near;                /* 1, and less where it was far from the line at rest */
} MarginVertex;

/* A point of a strip. */
typedef struct StripPoint {
    int32_t vertex;    /* of the caller */
    uint8_t side;      /* of its strip: mirrored */
    bool goes_along;   /* with the line */
    double over;       /* 1 above the cloth, -1 below it */
    int32_t beside;    /* the nearest vertex of the line */
    int32_t foot[2];   /* numbers in the line beside which it lies, -1 on the line itself */
    double foot_along; /* 0 at the first, 1 at the second */
} StripPoint;

typedef struct Placket {
    int line_count;
    LineVertex *line;
    double outward; /* 1: the cloth's normals point out of the garment; -1: into it */
    double reach;   /* m along the line: how far directions are averaged */
    int margin_count;
    MarginVertex *margin;
    double together;    /* m from the plane: where the sides are not moved apart any more */
    int32_t *margin_of; /* per vertex of the half: its number in the margin, -1 for none */
    Vec3 *directions;   /* room, per vertex of the half; zero outside of the margin */
    int rider_count;    /* vertices of the caller beside the line */
    int32_t *riders;
    double clearance; /* m */
    int cloth_count;  /* the first points are of the half, the others of strips */
    int32_t *cloth;   /* per cloth point: vertex of the half */
    double *sunk;     /* room, per cloth point: how far it goes along with the line, m */
    int point_count;
    StripPoint *strip;
    uint8_t *moves;  /* per point: 0 never; 1 from the cloth; 2 from the other layer, too */
    Vec3 *at, *away; /* room, per point */
    int32_t (*triangles)[3];
    int triangle_count;
    /* strips and cloth first, then strips of both sides, then layers of a strip */
    PlacketPair *pairs;
    int strips_from, layers_from, pair_count;
    /* Room for a pass over pairs, each part of them apart: */
    PlacketPart *parts; /* PLACKET_PARTS of them */
    int32_t *across;    /* pairs that are not beside each other across the plane */
    int32_t *asking;    /* pairs that lacked something */
    double *wanted;     /* per part and point of a strip, m */
    double *raised;     /* room, per caller's vertex: along the direction, m */
    Vec3 *shift;        /* likewise, seen on the half: of a strip whose front is still open, m */
} Placket;

/* For the half's vertices at these places; `normals` are sums of area vectors. Fills directions. */
void placket_turn(const struct Half *half, const Vec3 *normals);
/* Fills `raised`; after placket_turn(). */
void placket_raise(const struct Half *half, Pool *pool, const Vec3 *positions);

struct Draft;
/* Once the half has its numbers (-1: not in the half): from a draft with a button to the placket of its half. Returns -1
 * without memory, else 0. */
int placket_build(struct Draft *draft, const int32_t *number, struct Half *half);
