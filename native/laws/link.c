/* The law of links: its elements, its pull and its second derivative. */
#include "laws/link.h"

#include <math.h>
#include <string.h>

#include "laws/bending.h"
#include "laws/response.h"
#include "mesh/adjacency.h"

static const LinkLaw *link_law(const Law *law) { return (const LinkLaw *)law; }

/* Corners with a weight come first, those of the second point with a negative one. */
static void add_link(LinkLaw *links, int number) {
    const Link *link = &links->set->links[number];
    Law *law = &links->law;
    int e = law->count++, corners = 0;
    int *vertices = law->vertices + LINK_POINTS * e;
    double *weights = law->weights[0] + LINK_POINTS * e;
    for (int c = 0; c < LINK_POINTS; ++c) {
        if (link->weights[c] > 0) {
            vertices[corners] = link->vertices[c];
            weights[corners++] = c < 2 ? link->weights[c] : -link->weights[c];
        }
    }
    for (int c = corners; c < LINK_POINTS; ++c) {
        vertices[c] = vertices[0];
    }
    law->corners[e] = corners;
    links->link[e] = number;
}

StatusCode link_law_build(const LinkSet *set, Store *store, Law **law, Status *status) {
    LinkLaw *links = STORE_ARRAY(store, LinkLaw, 1);
    int most = set ? set->count : 0;
    if (!links || !law_take(&links->law, &link_kind, most, LINK_POINTS, 1, store)) {
        return status_no_memory(status, link_kind.name);
    }
    links->set = set;
    links->link = STORE_ARRAY(store, int, most);
    links->law.corners = STORE_ARRAY(store, int, most);
    if (store->failed) {
        return status_no_memory(status, link_kind.name);
    }
    for (int number = 0; number < most; ++number) {
        if (set->links[number].body < 0 && set->links[number].image_share < 1) {
            add_link(links, number);
        }
    }
    links->law.crossing_from = links->law.count;
    *law = &links->law;
    return STATUS_OK;
}

double link_stiffness(const LinkSet *set, int number) {
    const Link *link = &set->links[number];
    if (set->state[number] == LINK_RELEASED) {
        return 0.0;
    }
    double fabric = set->stretch[number], own = 1.0 - link->image_share;
    if (link->use == LINK_ELASTIC) {
        return own * link->stiffness / link->length;
    }
    double holding = link->stiffness > 0 ? link->stiffness : LINK_HOLDING * fabric;
    return own *
           (set->state[number] == LINK_CLOSES ? fmin(LINK_CLOSING * fabric, holding) : holding);
}

/* Those at both ends in equal shares; of a tack to a body that of its vertex. */
void link_set_fabrics(LinkSet *set, const Material *materials) {
    for (int l = 0; l < set->count; ++l) {
        const Link *link = &set->links[l];
        set->stretch[l] = set->bend[l] = 0;
        for (int side = 0; side < 2; ++side) {
            int vertex = link->vertices[link->body < 0 ? 2 * side : 0];
            const Material *material = &materials[set->mesh->part[vertex]];
            const BendNumbers numbers = moment_bound(material);
            set->stretch[l] += 0.25 * (material->stretch_warp + material->stretch_weft);
            set->bend[l] += 0.25 * numbers.bend * (1 + numbers.weft);
        }
    }
}

/* The fabrics are those of all parts, so the set has them: link_set_fabrics(). */
static void set_material(Law *law, const Material *material, const Scales *scales) {
    const LinkLaw *links = link_law(law);
    (void)material;
    (void)scales;
    for (int e = 0; e < law->count; ++e) {
        law->bound[e] = link_stiffness(links->set, links->link[e]);
    }
}

static const Response *response_of(const LinkSet *set, int number) {
    return link_only_pulls(&set->links[number], (LinkState)set->state[number])
               ? &response_tension_only
               : &response_linear;
}

static double evaluate(const Law *law, int e, const Guess *guess, Vec3 *tension) {
    const LinkSet *set = link_law(law)->set;
    int number = link_law(law)->link[e];
    double k = law->bound[e], rest = set->rest[number];
    Vec3 s = law_measure(law, 0, e, guess->z);
    if (link_has_place(set, number)) {
        Vec3 away = vec3_sub(s, set->offset[number]);
        *tension = vec3_scale(-k, away);
        return 0.5 * k * vec3_dot(away, away);
    }
    double length = vec3_length(s), excess = length - rest;
    if (excess < 0 && link_only_pulls(&set->links[number], (LinkState)set->state[number])) {
        *tension = vec3(0, 0, 0);
        return 0.0;
    }
    Vec3 before = law_measure(law, 0, e, guess->present);
    Vec3 direction =
        length > VEC3_TINY ? vec3_scale(1.0 / length, s) : vec3_unit_or(before, vec3(0, 0, 1));
    *tension = rest > 0 ? vec3_scale(-k * excess, direction) : vec3_scale(-k, s);
    return 0.5 * k * excess * excess;
}

static bool hessian(const Law *law, int e, const Vec3 *x, double scale, LawHessian *hessian) {
    const LinkSet *set = link_law(law)->set;
    int number = link_law(law)->link[e];
    Block block = {{0}};
    *hessian = (LawHessian){0};
    if (link_has_place(set, number) || !(set->rest[number] > 0)) {
        block_add_diagonal(&block, 1.0);
    } else if (!response_block(response_of(set, number), law_measure(law, 0, e, x),
                               set->rest[number], &block)) {
        return false;
    }
    block_add(&hessian->uu, scale * law->bound[e], &block);
    return law->bound[e] > 0;
}

const LawKind link_kind = {
    .name = "links", .set_material = set_material, .evaluate = evaluate, .hessian = hessian};

/* --- bending across seams: hinges from stitches in any order, and their law -------------------- */

/* At most this many stitches on one edge of the border count. */
#define EDGE_STITCHES 32
/* Triangles lower than this part of the seam's piece are too thin to bend about it. */
#define THINNEST 1e-4
/* Parts of an edge that are one place. */
#define SAME 1e-6

/* One side of a link on an edge of the border. */
typedef struct Stitch {
    int link, side;
    double t; /* 0 at the edge's first vertex, 1 at its second */
} Stitch;

/* An edge that one triangle has alone, and that triangle's third corner. */
typedef struct Border {
    int v, w, opposite;
    const Triangle *triangle;
} Border;

typedef struct Search {
    const Mesh *mesh;
    const LinkSet *set;
    int *triangle_start, *triangles; /* per vertex: the triangles that have it */
    int *stitch_start, *stitches;    /* per vertex: 2 link + side of the stitches that rest on it */
    SeamLaw *seams;                  /* null: they are only counted */
    int count;
} Search;

/* --- lists ------------------------------------------------------------------------------------ */

/* Whether point `c` of all links is one of a stitch, and has a weight. */
static bool rests_there(const LinkSet *set, int c) {
    const Link *link = &set->links[c / LINK_POINTS];
    return link->use == LINK_SEAM && link->body < 0 && link->image_share < 1 &&
           link->weights[c % LINK_POINTS] > 0;
}

static void list_stitches(Search *search) {
    const LinkSet *set = search->set;
    int *start = search->stitch_start, corners = LINK_POINTS * set->count;
    for (int c = 0; c < corners; ++c) {
        if (rests_there(set, c)) {
            ++start[set->links[c / LINK_POINTS].vertices[c % LINK_POINTS] + 1];
        }
    }
    lists_begin(start, search->mesh->vertex_count);
    for (int c = 0; c < corners; ++c) {
        if (rests_there(set, c)) {
            search->stitches[start[set->links[c / LINK_POINTS].vertices[c % LINK_POINTS]]++] =
                c / 2;
        }
    }
    lists_rewind(start, search->mesh->vertex_count);
}

/* --- edges of the border ---------------------------------------------------------------------- */

static int corner_of(const Triangle *triangle, int vertex) {
    for (int c = 0; c < 3; ++c) {
        if (triangle->vertices[c] == vertex) {
            return c;
        }
    }
    return -1;
}

/* Whether v and w are an edge of just one triangle. */
static bool find_border(const Search *search, int v, int w, Border *border) {
    int found = 0;
    for (int i = search->triangle_start[v]; i < search->triangle_start[v + 1]; ++i) {
        const Triangle *triangle = &search->mesh->triangles[search->triangles[i]];
        int a = corner_of(triangle, v), b = corner_of(triangle, w);
        if (b >= 0) {
            *border = (Border){v, w, triangle->vertices[3 - a - b], triangle};
            ++found;
        }
    }
    return found == 1;
}

/* Where one side of a link lies on the edge v-w; false if it does not. */
static bool place_on(const Link *link, int side, int v, int w, double *t) {
    const int *at = link->vertices + 2 * side;
    const double *weight = link->weights + 2 * side;
    *t = 0;
    for (int c = 0; c < 2; ++c) {
        if (weight[c] > 0 && at[c] != v && at[c] != w) {
            return false;
        }
        *t += weight[c] > 0 && at[c] == w ? weight[c] : 0.0;
    }
    return true;
}

static int collect_stitches(const Search *search, int v, int w, Stitch *stitches) {
    int count = 0;
    const int ends[2] = {v, w};
    for (int end = 0; end < 2; ++end) {
        int from = search->stitch_start[ends[end]], to = search->stitch_start[ends[end] + 1];
        for (int i = from; i < to && count < EDGE_STITCHES; ++i) {
            Stitch stitch = {.link = search->stitches[i] / 2, .side = search->stitches[i] % 2};
            bool lies = place_on(&search->set->links[stitch.link], stitch.side, v, w, &stitch.t);
            /* what lies between the ends is in both lists */
            if (lies && (end == 0 || stitch.t >= 1.0)) {
                stitches[count++] = stitch;
            }
        }
    }
    return count;
}

/* --- hinges ----------------------------------------------------------------------------------- */

/* The edge of the border that the other sides of two stitches lie on. */
static bool find_other(const Search *search, const Stitch *p, const Stitch *q, Border *other) {
    int vertices[2] = {-1, -1}, count = 0;
    const Stitch *both[2] = {p, q};
    for (int s = 0; s < 2; ++s) {
        const Link *link = &search->set->links[both[s]->link];
        int side = 1 - both[s]->side;
        for (int c = 2 * side; c < 2 * side + 2; ++c) {
            bool known = link->vertices[c] == vertices[0] || link->vertices[c] == vertices[1];
            if (link->weights[c] > 0 && !known) {
                if (count == 2) {
                    return false;
                }
                vertices[count++] = link->vertices[c];
            }
        }
    }
    int v = vertices[0], w = vertices[1];
    return count == 2 && find_border(search, v < w ? v : w, v < w ? w : v, other);
}

static double measure_side(const Border *border, const double t[2], double *along, double *height) {
    return flat_hinge_side(border->triangle, border->v, border->w, border->opposite, t[0], t[1],
                           along, height);
}

static bool lay_flat(const Border *sides[2], double t[2][2], FlatHinge *flat) {
    double one = measure_side(sides[0], t[0], &flat->along_i, &flat->height_i);
    double two = measure_side(sides[1], t[1], &flat->along_j, &flat->height_j);
    flat->length = 0.5 * (one + two);
    return one > VEC3_TINY && two > VEC3_TINY &&
           fmin(flat->height_i, flat->height_j) > THINNEST * flat->length;
}

/* The ends of the piece are the middles of what each stitch joins. */
static void set_weights(const double alpha[4], double t[2][2], double *weights) {
    for (int side = 0; side < 2; ++side) {
        for (int end = 0; end < 2; ++end) {
            double half = 0.5 * alpha[2 + end];
            weights[3 * side] += half * (1.0 - t[side][end]);
            weights[3 * side + 1] += half * t[side][end];
        }
        weights[3 * side + 2] = alpha[side];
    }
}

static void add_hinge(Search *search, const Border *sides[2], double t[2][2], int p, int q) {
    FlatHinge flat;
    if (!lay_flat(sides, t, &flat)) {
        return;
    }
    SeamLaw *seams = search->seams;
    int e = search->count++;
    if (!seams) {
        return;
    }
    double alpha[4], area = 0;
    flat_hinge_weights(&flat, alpha);
    set_weights(alpha, t, seams->law.weights[0] + SEAM_WIDTH * e);
    for (int side = 0; side < 2; ++side) {
        const int corners[3] = {sides[side]->v, sides[side]->w, sides[side]->opposite};
        memcpy(seams->law.vertices + SEAM_WIDTH * e + 3 * side, corners, sizeof corners);
        area += fabs(t[side][1] - t[side][0]) * sides[side]->triangle->area / 3.0;
    }
    seams->shape[e] = area / flat_hinge_mean_square(&flat, alpha);
    seams->stitches[e][0] = p;
    seams->stitches[e][1] = q;
    seams->law.count = search->count;
}

/* Whether another stitch of the same set is between two. */
static bool is_between(const Search *search, const Stitch *stitches, int count, const Stitch *p,
                       const Stitch *q) {
    int set = search->set->links[p->link].set;
    bool found = false;
    for (int i = 0; i < count; ++i) {
        found |= search->set->links[stitches[i].link].set == set && stitches[i].t > p->t + SAME &&
                 stitches[i].t < q->t - SAME;
    }
    return found;
}

/* A hinge for each two stitches that follow each other on an edge; of the edges on both sides the one with the smaller
 * vertices adds it. */
static void search_edge(Search *search, const Border *border) {
    Stitch stitches[EDGE_STITCHES];
    int count = collect_stitches(search, border->v, border->w, stitches);
    for (int i = 0; i < count * count; ++i) {
        const Stitch *p = &stitches[i / count], *q = &stitches[i % count];
        const Link *first = &search->set->links[p->link], *second = &search->set->links[q->link];
        Border other;
        if (q->t < p->t + SAME || first->set != second->set ||
            is_between(search, stitches, count, p, q) || !find_other(search, p, q, &other) ||
            other.v < border->v || (other.v == border->v && other.w <= border->w)) {
            continue;
        }
        double t[2][2] = {{p->t, q->t}, {0, 0}};
        place_on(first, 1 - p->side, other.v, other.w, &t[1][0]);
        place_on(second, 1 - q->side, other.v, other.w, &t[1][1]);
        add_hinge(search, (const Border *[2]){border, &other}, t, p->link, q->link);
    }
}

static void search_edges(Search *search) {
    search->count = 0;
    for (int t = 0; t < search->mesh->triangle_count; ++t) {
        const int *corners = search->mesh->triangles[t].vertices;
        for (int c = 0; c < 3; ++c) {
            int a = corners[c], b = corners[(c + 1) % 3];
            Border border;
            if (find_border(search, a < b ? a : b, a < b ? b : a, &border)) {
                search_edge(search, &border);
            }
        }
    }
}

static bool take_law(SeamLaw *seams, int count, Store *store) {
    if (!law_take(&seams->law, &seam_kind, count, SEAM_WIDTH, 1, store)) {
        return false;
    }
    seams->stitches = store_take(store, (size_t)count, sizeof *seams->stitches);
    seams->shape = STORE_ARRAY(store, double, count);
    return !store->failed;
}

StatusCode seam_law_build(const LinkSet *set, Store *store, Law **law, Status *status) {
    SeamLaw *seams = STORE_ARRAY(store, SeamLaw, 1);
    const Mesh *mesh = set ? set->mesh : NULL;
    Search search = {.mesh = mesh, .set = set};
    Store scratch = {0};
    bool wanted = set && set->count > 0;
    if (wanted) {
        search.triangle_start = STORE_ARRAY(&scratch, int, mesh->vertex_count + 1);
        search.triangles = STORE_ARRAY(&scratch, int, 3 * mesh->triangle_count);
        search.stitch_start = STORE_ARRAY(&scratch, int, mesh->vertex_count + 1);
        search.stitches = STORE_ARRAY(&scratch, int, LINK_POINTS * set->count);
    }
    bool taken = seams && !scratch.failed;
    if (wanted && taken) {
        mesh_list_triangles(mesh, search.triangle_start, search.triangles);
        list_stitches(&search);
        search_edges(&search);
    }
    taken = taken && take_law(seams, search.count, store);
    if (wanted && taken) {
        search.seams = seams;
        search_edges(&search);
    }
    store_release(&scratch);
    if (!taken) {
        return status_no_memory(status, seam_kind.name);
    }
    seams->set = set;
    *law = &seams->law;
    return STATUS_OK;
}

/* --- the law ---------------------------------------------------------------------------------- */

static void seam_set_material(Law *law, const Material *material, const Scales *scales) {
    const SeamLaw *seams = (const SeamLaw *)law;
    (void)material; /* as of links */
    for (int e = 0; e < law->count; ++e) {
        int first = seams->stitches[e][0], second = seams->stitches[e][1];
        bool holds =
            seams->set->state[first] == LINK_HOLDS && seams->set->state[second] == LINK_HOLDS;
        double mean = 0.5 * (seams->set->bend[first] + seams->set->bend[second]);
        double scale = scale_mean(scales->bend, law_vertices(law, e), SEAM_WIDTH);
        law->bound[e] = holds ? mean * scale * seams->shape[e] : 0.0;
    }
}

static double seam_evaluate(const Law *law, int e, const Guess *guess, Vec3 *tension) {
    Vec3 gap = law_measure(law, 0, e, guess->z);
    *tension = vec3_scale(-law->bound[e], gap);
    return 0.5 * law->bound[e] * vec3_dot(gap, gap);
}

const LawKind seam_kind = {
    .name = "hinges of seams", .set_material = seam_set_material, .evaluate = seam_evaluate};
