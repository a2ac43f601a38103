/* Which vertices are next but one, how far apart they want to be, and the functions of the springs between them. */
#include "laws/research/bend_spring.h"

#include <math.h>
#include <stdlib.h>

#include "base/sort.h"
#include "laws/moment.h"
#include "laws/response.h"
#include "mesh/adjacency.h"

/* --- which vertices ----------------------------------------------------------------------------- */

/* A spring over the side k-l, before those of the same two vertices become one. */
typedef struct Span {
    Side side; /* the two vertices; of an image twice the same */
    double length;
} Span;

typedef struct SpanList {
    const Mesh *mesh;
    bool keep_folds;
    Span *spans; /* null: they are only counted */
    int count;
} SpanList;

/* The corners of a quad that was cut in two, in turn; false if the face is no quad. */
static bool quad_ring(const Mesh *mesh, int triangle, int ring[4]) {
    int face = mesh->triangles[triangle].face;
    int first =
        triangle > 0 && mesh->triangles[triangle - 1].face == face ? triangle - 1 : triangle;
    bool two = first + 1 < mesh->triangle_count && mesh->triangles[first + 1].face == face;
    bool more = (first > 0 && mesh->triangles[first - 1].face == face) ||
                (first + 2 < mesh->triangle_count && mesh->triangles[first + 2].face == face);
    if (!two || more) {
        return false;
    }
    const int *p = mesh->triangles[first].vertices, *q = mesh->triangles[first + 1].vertices;
    for (int c = 0; c < 3; ++c) { /* p[c] is the corner that the other triangle has not */
        if (p[c] != q[0] && p[c] != q[1] && p[c] != q[2]) {
            ring[0] = p[c];
            ring[1] = p[(c + 1) % 3];
            ring[3] = p[(c + 2) % 3];
        }
    }
    for (int c = 0; c < 3; ++c) {
        if (q[c] != ring[1] && q[c] != ring[3]) {
            ring[2] = q[c];
        }
    }
    return true;
}

/* The corner of a ring that is beside `of`, and is not `other`. */
static int ring_beside(const int ring[4], int of, int other) {
    int at = 0;
    while (at < 3 && ring[at] != of) {
        ++at;
    }
    int next = ring[(at + 1) % 4], before = ring[(at + 3) % 4];
    return next == other ? before : next;
}

/* Rest length of an edge of the mesh, m. Every two corners of a triangle or quad have one. */
static double edge_length(const Mesh *mesh, int a, int b) {
    int edge = mesh_edge_between(mesh, a, b);
    return edge < mesh->edge_count ? mesh->edges[edge].rest_length : 0.0;
}

/* Where a corner is beside the side k-l when its face is laid flat: along the side, and off it, m. */
static void lay_flat(const Mesh *mesh, int k, int l, int corner, double place[2]) {
    double side = edge_length(mesh, k, l), from_k = edge_length(mesh, k, corner);
    double from_l = edge_length(mesh, l, corner);
    place[0] =
        side > VEC3_TINY ? (side * side + from_k * from_k - from_l * from_l) / (2 * side) : 0;
    place[1] = sqrt(fmax(from_k * from_k - place[0] * place[0], 0.0));
}

/* The spring from i to j over the side k-l; with j < 0 to the image of i. */
static void add_span(SpanList *list, int k, int l, int i, int j) {
    const Mesh *mesh = list->mesh;
    int at = list->count++;
    if (!list->spans) {
        return;
    }
    double p[2], q[2], length;
    if (list->keep_folds) {
        length = j < 0 ? 2 * fabs(mesh->rest[i].x) : vec3_distance(mesh->rest[i], mesh->rest[j]);
    } else {
        lay_flat(mesh, k, l, i, p);
        lay_flat(mesh, k, l, j < 0 ? i : j, q);
        length = plane_length(p[0] - q[0], p[1] + q[1]);
    }
    list->spans[at] = (Span){.side = side_between(i, j < 0 ? i : j, at), .length = length};
}

static void span_hinge(SpanList *list, int h) {
    const Mesh *mesh = list->mesh;
    const Hinge *hinge = &mesh->hinges[h];
    bool crosses = h >= mesh->crossing_from;
    int ring[2][4], k = hinge->k, l = hinge->l;
    bool first = quad_ring(mesh, hinge->triangles[0], ring[0]);
    bool second = quad_ring(mesh, hinge->triangles[1], ring[1]);
    bool within = !crosses && mesh->triangles[hinge->triangles[0]].face ==
                                  mesh->triangles[hinge->triangles[1]].face;
    if (first && within) {
        return; /* the cut of a quad, whose diagonals are edges */
    }
    if (!first || !second) {
        add_span(list, k, l, hinge->i, crosses ? -1 : hinge->j);
        return;
    }
    add_span(list, k, l, ring_beside(ring[0], k, l), crosses ? -1 : ring_beside(ring[1], k, l));
    add_span(list, k, l, ring_beside(ring[0], l, k), crosses ? -1 : ring_beside(ring[1], l, k));
}

/* --- building ----------------------------------------------------------------------------------- */

static int images_last(const void *left, const void *right) {
    const Span *p = left, *q = right;
    int image = (p->side.a == p->side.b) - (q->side.a == q->side.b);
    return image ? image : side_compare(left, right);
}

static void list_spans(SpanList *list) {
    list->count = 0;
    for (int h = 0; h < list->mesh->hinge_count; ++h) {
        span_hinge(list, h);
    }
}

/* Each two vertices once. */
static bool is_new(const SpanList *list, int at) {
    const Span *span = &list->spans[at];
    return span->length > VEC3_TINY &&
           (at == 0 || !side_is_same(&span->side, &list->spans[at - 1].side));
}

static BendSpringLaw *take_law(int count, Store *store) {
    BendSpringLaw *springs = STORE_ARRAY(store, BendSpringLaw, 1);
    if (!springs || !law_take(&springs->law, &bend_spring_kind, count, 2, 1, store)) {
        return NULL;
    }
    springs->rest_length = STORE_ARRAY(store, double, count);
    springs->stiffness = STORE_ARRAY(store, double, count);
    springs->part = STORE_ARRAY(store, double, count);
    springs->law.weak = true;
    springs->image_from = count;
    return store->failed ? NULL : springs;
}

static void add_springs(BendSpringLaw *springs, const SpanList *list) {
    Law *law = &springs->law;
    for (int s = 0; s < list->count; ++s) {
        if (!is_new(list, s)) {
            continue;
        }
        int at = law->count++, a = list->spans[s].side.a, b = list->spans[s].side.b;
        bool image = a == b;
        springs->image_from = image && at < springs->image_from ? at : springs->image_from;
        law->vertices[2 * at] = a;
        law->vertices[2 * at + 1] = b;
        law->weights[0][2 * at] = -1.0;
        law->weights[0][2 * at + 1] = image ? -1.0 : 1.0; /* the vertex moves both of its ends */
        springs->rest_length[at] = list->spans[s].length;
        springs->part[at] = image ? 0.5 : mesh_share(list->mesh, a, b);
    }
}

StatusCode bend_spring_law_build(const Mesh *mesh, bool wanted, bool keep_folds, Store *store,
                                 Law **law, Status *status) {
    SpanList list = {.mesh = mesh, .keep_folds = keep_folds};
    int count = 0;
    if (wanted) {
        list_spans(&list);
        list.spans = SCRATCH_ARRAY(Span, list.count);
        if (!list.spans) {
            return status_no_memory(status, bend_spring_kind.name);
        }
        list_spans(&list);
        qsort(list.spans, (size_t)list.count, sizeof(Span), images_last);
    }
    for (int s = 0; s < list.count; ++s) {
        count += is_new(&list, s);
    }
    BendSpringLaw *springs = take_law(count, store);
    if (springs) {
        add_springs(springs, &list);
        *law = &springs->law;
    }
    free(list.spans);
    return springs ? STATUS_OK : status_no_memory(status, bend_spring_kind.name);
}

/* --- the functions of the law ------------------------------------------------------------------- */

static const BendSpringLaw *bend_spring_law(const Law *law) { return (const BendSpringLaw *)law; }

static void set_material(Law *law, const Material *material, const Scales *scales) {
    BendSpringLaw *springs = (BendSpringLaw *)law;
    const BendNumbers numbers = moment_bound(material);
    double mean = 0.5 * numbers.bend * (1 + numbers.weft);
    for (int e = 0; e < law->count; ++e) {
        double rest = springs->rest_length[e];
        double scale = scale_mean(scales->bend, law_vertices(law, e), 2);
        springs->stiffness[e] = springs->part[e] * scale * 36.0 * mean / (rest * rest);
        law->bound[e] = springs->stiffness[e];
    }
}

/* From one end to the other. */
static Vec3 span_vector(const Law *law, int e, const Vec3 *x) {
    Vec3 a = x[law->vertices[2 * e]], b = x[law->vertices[2 * e + 1]];
    return e < bend_spring_law(law)->image_from ? vec3_sub(b, a) : vec3(-2 * a.x, 0, 0);
}

static double evaluate(const Law *law, int e, const Guess *guess, Vec3 *tension) {
    const BendSpringLaw *springs = bend_spring_law(law);
    Vec3 span = span_vector(law, e, guess->z);
    double length = vec3_length(span), excess = length - springs->rest_length[e];
    double pull = length > VEC3_TINY ? -springs->stiffness[e] * excess / length : 0.0;
    *tension = vec3_scale(pull, span);
    return 0.5 * springs->stiffness[e] * excess * excess;
}

static bool hessian(const Law *law, int e, const Vec3 *x, double scale, LawHessian *hessian) {
    const BendSpringLaw *springs = bend_spring_law(law);
    Block block;
    if (!response_block(&response_linear, span_vector(law, e, x), springs->rest_length[e],
                        &block)) {
        return false;
    }
    *hessian = (LawHessian){0};
    if (e < springs->image_from) {
        block_add(&hessian->uu, scale * springs->stiffness[e], &block);
    } else { /* it is along x whatever the vertex does */
        hessian->uu.m[0] = scale * springs->stiffness[e];
    }
    return true;
}

/* Stiffness times squared length: what they add up to in a patch does not depend on how it is meshed. */
static double size(const Law *law, int e) { return bend_spring_law(law)->part[e]; }

static int family(const Law *law, int e) {
    (void)law;
    (void)e;
    return 0;
}

const LawKind bend_spring_kind = {.name = "bending springs",
                                  .set_material = set_material,
                                  .evaluate = evaluate,
                                  .hessian = hessian,
                                  .sampling = LAW_SAMPLE_SEEDS,
                                  .size = size,
                                  .family = family};
