/* Links: what holds two points of the cloth together that its mesh does not join. A point is a vertex, or lies between
 * the two ends of an edge. Seams and tacks close at a bounded speed, then hold; elastics pull along a chain of edges.
 *
 * E = k/2 (|s| - r)^2 with s from the second point to the first, and nothing for |s| < r where a link only pulls. Its
 * second derivative is below k, which stands in the constant matrix; at r = 0 it is k itself, so a closed seam is linear.
 *
 * A button that closes has a direction, too: E = k/2 |s - o|^2, with o where its first point shall be from the second,
 * on the way to its length along the normal of the cloth below. Within a substep o stays, so this is linear. Such a pull
 * turns what it holds, as a hand does, so a closed button is without: it holds like a tack.
 *
 * A link that closes is soft, and r is ahead of it by what the speed allows in a substep: it pulls with no more than
 * LINK_CLOSING of the fabric's stiffness times that way, whatever is in between. Once it is near it holds, some
 * LINK_HOLDING times as stiff as the fabric. Which of the two it does is its state: whoever changes it has the
 * material set anew. */
#pragma once

#include "laws/law.h"

typedef enum LinkUse {
    LINK_SEAM, /* closes; bending goes on across it (below), and cloth does not meet what it is sewn to */
    LINK_TACK,    /* closes to its length, and holds it */
    LINK_ELASTIC, /* pulls where it is longer than its length */
    LINK_BUTTON   /* closes until its first point lies over the second, then holds its length */
} LinkUse;

typedef enum LinkState { LINK_CLOSES, LINK_HOLDS, LINK_RELEASED } LinkState;

#define LINK_POINTS 4
/* Stiffness of a link over the fabric's stretch stiffness, both N/m: of one that closes, and of one that holds. */
#define LINK_CLOSING 0.2
#define LINK_HOLDING 30.0
/* A link holds once it is longer than its length by less than this, m. */
#define LINK_NEAR 0.01
/* A button comes down from above: it aims so much higher for each metre that its points are apart along the cloth. */
#define BUTTON_SLOPE 0.5

typedef struct Link {
    LinkUse use;
    int set; /* links of one set are released and reported together */
    int vertices
        [LINK_POINTS]; /* two of the first point, two of the second; -1 where a weight is 0 */
    double weights[LINK_POINTS]; /* positive; those of a point add up to 1 */
    int body; /* the second point is on this one: three of its vertices, with weights; -1: on the cloth */
    int body_vertices[3];
    double body_weights[3];
    int facing
        [3]; /* of a button: a triangle whose normal points from the second point to the first */
    double length;    /* m, once closed */
    double stiffness; /* N/m of one that holds, of an elastic N; 0: the fabric's, see above */
    double speed;     /* m/s of closing */
    /* In half a cloth: the part of its strength that its image has. 1: all, this one is only counted; 0.5: it is in the plane. */
    double image_share;
} Link;

/* All links of a cloth. */
typedef struct LinkSet {
    int count;
    Link *links;
    uint8_t *state; /* per link: a LinkState */
    double *rest;   /* m: r in the present substep */
    Vec3 *offset;   /* m: o of buttons that close, in the present substep */
    /* Of the fabrics that each link joins: stretch stiffness, N/m, and bending stiffness, N m. */
    double *stretch, *bend;
    const Mesh *mesh; /* that they are of, with all its parts */
} LinkSet;

typedef struct LinkLaw {
    Law law; /* of the links between two points of the cloth */
    const LinkSet *set;
    int *link; /* per element: its number in the set */
} LinkLaw;

extern const LawKind link_kind;

/* The set must stay; null: no links. */
StatusCode link_law_build(const LinkSet *set, Store *store, Law **law, Status *status);

/* N/m of a link in its present state. */
double link_stiffness(const LinkSet *set, int number);

/* What the set keeps of the fabrics, from the materials of the parts. */
void link_set_fabrics(LinkSet *set, const Material *materials);

/* A point of the cloth: side 0 or 1 of a link. */
static inline Vec3 link_point(const Link *link, int side, const Vec3 *x) {
    const int *v = link->vertices + 2 * side;
    const double *w = link->weights + 2 * side;
    Vec3 first = vec3_scale(w[0], x[v[0]]);
    return w[1] > 0 ? vec3_madd(first, w[1], x[v[1]]) : first;
}

/* The direction from the cloth below a button to that above, of length 1; s: from its second point to its first now. */
static inline Vec3 button_over(const Link *link, Vec3 s, const Vec3 *x) {
    const int *v = link->facing;
    Vec3 fallback = vec3_unit_or(s, vec3(0, 0, 1));
    return vec3_normal_or(vec3_sub(x[v[1]], x[v[0]]), vec3_sub(x[v[2]], x[v[0]]), fallback);
}

/* o for a substep of so many seconds: towards the button's place, and over what lies on the way. */
static inline Vec3 button_offset(const Link *link, Vec3 s, Vec3 over, double seconds) {
    Vec3 along = vec3_madd(s, -vec3_dot(s, over), over);
    double height = link->length + BUTTON_SLOPE * vec3_length(along);
    Vec3 way = vec3_sub(vec3_scale(height, over), s);
    double length = vec3_length(way), most = link->speed * seconds;
    return vec3_madd(s, length > most ? most / length : 1.0, way);
}

/* Whether a link is drawn to a place, not only to a length. */
static inline bool link_has_place(const LinkSet *set, int number) {
    return set->links[number].use == LINK_BUTTON && set->state[number] == LINK_CLOSES;
}

/* How near a link is to where it shall be when it begins to hold, m: a button is over the cloth by then. */
static inline double link_near(const Link *link) {
    return link->use == LINK_BUTTON && link->length > 0 ? fmin(LINK_NEAR, link->length) : LINK_NEAR;
}

/* Whether a substep ends with nothing left of its stretch below r. */
static inline bool link_only_pulls(const Link *link, LinkState state) {
    return link->use == LINK_ELASTIC || state == LINK_CLOSES;
}

/* r for a substep of so many seconds from where the link is so long. */
static inline double link_rest(const Link *link, double length, double seconds) {
    return link->use == LINK_ELASTIC ? link->length
                                     : fmax(length - link->speed * seconds, link->length);
}

/* --- bending across seams --------------------------------------------------------------------- */

/* Bending across closed seams: hinges between the faces on both sides, as if these were one mesh.
 * A hinge lies between two stitches that follow each other along the seam: its edge goes from the middle of the one's two
 * points to that of the other's, and its opposite corners are those of the two faces. R and lambda are those of
 * bending.h, for cloth that wants to lie flat. It resists once both stitches hold (link.h). */

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
