/* Tolerances are shares of the mesh's own size and edges: a doll's shirt and a tent are judged alike. */
#include "mirror/symmetry/symmetry.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "mesh/polygon.h"
#include "mirror/symmetry/mirror_plane.h"

/* --- faces and loose edges -------------------------------------------------------------------- */

/* Faces are compared as sorted sets of vertices; cuts as well, since one diagonal that differs makes two different
 * cloths. */

/* A face, or behind the last face a loose edge. */
typedef struct Element {
    const int32_t *set; /* its vertices, ascending */
    int size, index;
} Element;

typedef struct Matching {
    const PolygonMesh *mesh;
    const int32_t *partners;
    int largest;     /* corners of a face */
    int *first;      /* per face: its first corner */
    int32_t *sets;   /* vertices of all elements, ascending within each */
    Element *sorted; /* what is simulated, by size and vertices */
    int count;
    int32_t *image;    /* room for one element */
    Vec3 *points;      /* room for one face */
    int *ring;         /* likewise */
    int (*cuts[2])[3]; /* likewise, of two faces: vertices of triangles, ascending */
    uint8_t *face_left_out;
} Matching;

static int compare_vertices(const void *left, const void *right) {
    int32_t p = *(const int32_t *)left, q = *(const int32_t *)right;
    return (p > q) - (p < q);
}

static int compare_sets(const Element *p, const Element *q) {
    if (p->size != q->size) {
        return p->size < q->size ? -1 : 1;
    }
    for (int c = 0; c < p->size; ++c) {
        if (p->set[c] != q->set[c]) {
            return p->set[c] < q->set[c] ? -1 : 1;
        }
    }
    return 0;
}

static int compare_elements(const void *left, const void *right) {
    const Element *p = left, *q = right;
    int order = compare_sets(p, q);
    return order ? order : (p->index > q->index) - (p->index < q->index);
}

static int compare_triples(const void *left, const void *right) {
    const int *p = left, *q = right;
    for (int c = 0; c < 3; ++c) {
        if (p[c] != q[c]) {
            return p[c] < q[c] ? -1 : 1;
        }
    }
    return 0;
}

/* --- the list --------------------------------------------------------------------------------- */

static void add_element(Matching *matching, int32_t *set, const int32_t *vertices, int size,
                        int index) {
    memcpy(set, vertices, (size_t)size * sizeof *set);
    qsort(set, (size_t)size, sizeof *set, compare_vertices);
    matching->sorted[matching->count++] = (Element){set, size, index};
}

static void list_elements(Matching *matching) {
    const PolygonMesh *mesh = matching->mesh;
    int corner = 0;
    for (int f = 0; f < mesh->face_count; ++f) {
        int size = mesh->face_sizes[f];
        matching->first[f] = corner;
        if (!matching->face_left_out[f]) {
            add_element(matching, matching->sets + corner, mesh->face_vertices + corner, size, f);
        }
        corner += size;
    }
    for (int e = 0; e < mesh->edge_count; ++e, corner += 2) {
        const int32_t *edge = mesh->edges + 2 * (int64_t)e;
        if (edge[0] != edge[1]) {
            add_element(matching, matching->sets + corner, edge, 2, mesh->face_count + e);
        }
    }
    qsort(matching->sorted, (size_t)matching->count, sizeof *matching->sorted, compare_elements);
}

/* The index of the element with these vertices, ascending, or -1. */
static int find_element(const Matching *matching, const int32_t *set, int size) {
    Element wanted = {set, size, 0};
    int begin = 0, end = matching->count;
    while (begin < end) {
        int middle = begin + (end - begin) / 2;
        if (compare_sets(&matching->sorted[middle], &wanted) < 0) {
            begin = middle + 1;
        } else {
            end = middle;
        }
    }
    bool found = begin < matching->count && compare_sets(&matching->sorted[begin], &wanted) == 0;
    return found ? matching->sorted[begin].index : -1;
}

/* --- images ----------------------------------------------------------------------------------- */

/* Does the image of face f run around the same corners in the same order as face g, either way? */
static int rings_agree(const Matching *matching, int f, int g) {
    const int32_t *from = matching->mesh->face_vertices + matching->first[f];
    const int32_t *to = matching->mesh->face_vertices + matching->first[g];
    int size = matching->mesh->face_sizes[f], start = 0;
    while (to[start] != matching->partners[from[0]]) {
        ++start; /* it is there: the vertices are the same */
    }
    int forward = 1, backward = 1;
    for (int c = 0; c < size; ++c) {
        int32_t image = matching->partners[from[c]];
        forward &= to[(start + c) % size] == image;
        backward &= to[(start + size - c) % size] == image;
    }
    return forward || backward;
}

static int image_of(const Matching *matching, const Element *element) {
    for (int c = 0; c < element->size; ++c) {
        matching->image[c] = matching->partners[element->set[c]];
        if (matching->image[c] < 0) {
            return -1;
        }
    }
    qsort(matching->image, (size_t)element->size, sizeof *matching->image, compare_vertices);
    int found = find_element(matching, matching->image, element->size);
    bool is_face = element->index < matching->mesh->face_count;
    return found >= 0 && is_face && !rings_agree(matching, element->index, found) ? -1 : found;
}

/* --- cuts ------------------------------------------------------------------------------------- */

/* The triangles of a face as mesh_build() cuts it, of its vertices or of their partners. */
static void cut_face(const Matching *matching, int f, int mirrored, Vec3 centre, int (*cut)[3]) {
    const int32_t *vertices = matching->mesh->face_vertices + matching->first[f];
    int size = matching->mesh->face_sizes[f];
    for (int c = 0; c < size; ++c) {
        matching->points[c] = polygon_position(matching->mesh, vertices[c]);
    }
    polygon_cut(matching->points, size, centre, matching->ring, cut);
    for (int t = 0; t < size - 2; ++t) {
        for (int c = 0; c < 3; ++c) {
            int v = vertices[cut[t][c]];
            cut[t][c] = mirrored ? matching->partners[v] : v;
        }
        qsort(cut[t], 3, sizeof cut[t][0], compare_vertices);
    }
    qsort(cut, (size_t)(size - 2), sizeof *cut, compare_triples);
}

static void compare_cuts(const Matching *matching, const int32_t *face_partners,
                         ElementReport *report) {
    Vec3 centre = polygon_centre(matching->mesh);
    for (int f = 0; f < matching->mesh->face_count; ++f) {
        int g = face_partners[f], size = matching->mesh->face_sizes[f];
        if (g < f || size == 3) {
            continue; /* without image, or seen from the other side */
        }
        cut_face(matching, f, 1, centre, matching->cuts[0]);
        cut_face(matching, g, 0, centre, matching->cuts[1]);
        size_t bytes = (size_t)(size - 2) * sizeof *matching->cuts[0];
        if (memcmp(matching->cuts[0], matching->cuts[1], bytes) != 0) {
            report->differing_cuts += f == g ? 1 : 2;
            report->crossing_cuts += f == g;
            report->first_cut = report->first_cut < 0 ? f : report->first_cut;
        }
    }
}

/* --- all of it -------------------------------------------------------------------------------- */

static int take_memory(Matching *matching, Store *store) {
    const PolygonMesh *mesh = matching->mesh;
    int64_t corners = 2 * (int64_t)mesh->edge_count;
    int largest = 2;
    for (int f = 0; f < mesh->face_count; ++f) {
        corners += mesh->face_sizes[f];
        largest = mesh->face_sizes[f] > largest ? mesh->face_sizes[f] : largest;
    }
    matching->first = STORE_ARRAY(store, int, mesh->face_count);
    matching->sets = STORE_ARRAY(store, int32_t, corners);
    matching->sorted = STORE_ARRAY(store, Element, mesh->face_count + (int64_t)mesh->edge_count);
    matching->image = STORE_ARRAY(store, int32_t, largest);
    matching->points = STORE_ARRAY(store, Vec3, largest);
    matching->ring = STORE_ARRAY(store, int, largest);
    matching->cuts[0] = store_take(store, (size_t)largest, sizeof *matching->cuts[0]);
    matching->cuts[1] = store_take(store, (size_t)largest, sizeof *matching->cuts[1]);
    matching->face_left_out = STORE_ARRAY(store, uint8_t, mesh->face_count);
    return store->failed || !check_faces_left_out(mesh, matching->face_left_out) ? -1 : 0;
}

/* `face_partners` gets the image of each face, -1 for none, FACE_LEFT_OUT for those that are not counted. */
static StatusCode match_elements(const PolygonMesh *mesh, const int32_t *partners,
                                 int32_t *face_partners, ElementReport *report, Status *status) {
    Store store = {0};
    Matching matching = {.mesh = mesh, .partners = partners};
    memset(report, 0, sizeof *report);
    report->first_cut = -1;
    bool failed = take_memory(&matching, &store) != 0;
    if (!failed) {
        list_elements(&matching);
        for (int f = 0; f < mesh->face_count; ++f) {
            face_partners[f] = FACE_LEFT_OUT;
        }
        for (int e = 0; e < matching.count; ++e) {
            const Element *element = &matching.sorted[e];
            int image = image_of(&matching, element), is_face = element->index < mesh->face_count;
            if (is_face) {
                face_partners[element->index] = image;
            }
            report->faces_without += is_face && image < 0;
            report->edges_without += !is_face && image < 0;
        }
        compare_cuts(&matching, face_partners, report);
    }
    store_release(&store);
    return failed ? status_no_memory(status, "matching faces") : STATUS_OK;
}

/* --- vertices --------------------------------------------------------------------------------- */

/* From the clear cases to the others: each pair that is found tells its neighbours which candidates fit. */

/* So many neighbours are compared where nothing but the look of two places can decide. */
#define NEIGHBOURS_COMPARED 32

typedef struct Pairing {
    const Places *places;
    const Neighbours *neighbours;
    int32_t *partners;
    Image *candidates;
    int *first, *last; /* per vertex: its candidates are first up to before last */
    int *asked;        /* per vertex: how often a neighbour found its partner */
    int *queue;        /* vertices with a partner, in the order they found it */
    int queued, done;
} Pairing;

/* --- candidates ------------------------------------------------------------------------------- */

/* All within the tolerance. Returns -1 without memory. */
static int collect_candidates(Pairing *pairing) {
    int used = 0, room = 0;
    bool failed = false;
    for (int v = 0; v < pairing->places->count; ++v) {
        if (room - used < MOST_IMAGES) {
            room += room / 2 + 4 * MOST_IMAGES;
            pairing->candidates =
                scratch_grow(pairing->candidates, (size_t)room, sizeof(Image), &failed);
            if (failed) {
                return -1;
            }
        }
        pairing->first[v] = used;
        used += places_images(pairing->places, v, MOST_IMAGES, pairing->candidates + used);
        pairing->last[v] = used;
    }
    return 0;
}

static double nearest_distance(const Pairing *pairing, int v) {
    return pairing->candidates[pairing->first[v]].distance;
}

/* Keeps those that are as good as the nearest, for both of the two. `kept` is per vertex. */
static void drop_farther_candidates(Pairing *pairing, double same_place, int *kept) {
    for (int v = 0; v < pairing->places->count; ++v) {
        kept[v] = pairing->first[v];
    }
    for (int v = 0; v < pairing->places->count; ++v) {
        for (int c = pairing->first[v]; c < pairing->last[v]; ++c) {
            Image image = pairing->candidates[c];
            /* the nearest always stays in front, where the others look for its distance */
            double own = nearest_distance(pairing, v);
            double its = pairing->first[image.vertex] < pairing->last[image.vertex]
                             ? nearest_distance(pairing, image.vertex)
                             : 0;
            double bound = (own < its ? own : its) + same_place;
            if (c == pairing->first[v] || image.distance <= bound) {
                pairing->candidates[kept[v]++] = image;
            }
        }
    }
    for (int v = 0; v < pairing->places->count; ++v) {
        pairing->last[v] = kept[v];
    }
}

/* --- choice ----------------------------------------------------------------------------------- */

static void join(Pairing *pairing, int a, int b) {
    pairing->partners[a] = b;
    pairing->partners[b] = a;
    pairing->queue[pairing->queued++] = a;
    if (a != b) {
        pairing->queue[pairing->queued++] = b;
    }
}

/* How many neighbours of a have a partner that is a neighbour of b. */
static int agreement(const Pairing *pairing, int a, int b) {
    const Neighbours *all = pairing->neighbours;
    int count = 0;
    for (int k = all->first[a]; k < all->first[a + 1]; ++k) {
        int partner = pairing->partners[all->list[k]];
        count += partner >= 0 && neighbours_are(all, b, partner);
    }
    return count;
}

/* How many neighbours of a have a neighbour of b at their image. */
static int likeness(const Pairing *pairing, int a, int b) {
    const Neighbours *all = pairing->neighbours;
    const Vec3 *at = pairing->places->at;
    double reach = pairing->places->reach;
    int score = 0, count_a = neighbours_count(all, a);
    count_a = count_a < NEIGHBOURS_COMPARED ? count_a : NEIGHBOURS_COMPARED;
    for (int k = all->first[a]; k < all->first[a] + count_a; ++k) {
        int found = 0;
        for (int l = all->first[b]; l < all->first[b + 1] && !found; ++l) {
            found = squared_image_distance(at[all->list[k]], at[all->list[l]]) <= reach * reach;
        }
        score += found;
    }
    return score;
}

/* The best candidate that is still free, or -1; `decisive` says whether it is better than the second. Without
 * `by_look` agreement alone counts, and none without any is taken. */
static int best_candidate(const Pairing *pairing, int v, int by_look, int *decisive) {
    int best = -1, best_agreement = 0, best_likeness = 0;
    *decisive = 0;
    for (int c = pairing->first[v]; c < pairing->last[v]; ++c) {
        int other = pairing->candidates[c].vertex;
        if (pairing->partners[other] >= 0) {
            continue;
        }
        int agree = agreement(pairing, v, other);
        int alike = by_look ? likeness(pairing, v, other) : 0;
        if (!by_look && agree == 0) {
            continue;
        }
        int order = agree != best_agreement ? agree - best_agreement : alike - best_likeness;
        if (best < 0 || order > 0) {
            best = other;
            best_agreement = agree;
            best_likeness = alike;
            *decisive = 1;
        } else if (order == 0) {
            *decisive = 0;
        }
    }
    return best;
}

/* Asks the neighbours of everyone who found a partner. At the 1st, 2nd, 4th, 8th... time only: else a hub of
 * many spokes would ask for ever. */
static void spread(Pairing *pairing) {
    const Neighbours *all = pairing->neighbours;
    while (pairing->done < pairing->queued) {
        int from = pairing->queue[pairing->done++];
        for (int k = all->first[from]; k < all->first[from + 1]; ++k) {
            int v = all->list[k], decisive;
            if (pairing->partners[v] >= 0 || pairing->first[v] == pairing->last[v]) {
                continue;
            }
            int times = ++pairing->asked[v];
            if ((times & (times - 1)) == 0) {
                int other = best_candidate(pairing, v, 0, &decisive);
                if (other >= 0 && decisive) {
                    join(pairing, v, other);
                }
            }
        }
    }
}

static void pair_the_clear(Pairing *pairing) {
    for (int v = 0; v < pairing->places->count; ++v) {
        if (pairing->last[v] - pairing->first[v] != 1 || pairing->partners[v] >= 0) {
            continue;
        }
        int other = pairing->candidates[pairing->first[v]].vertex;
        bool alone = pairing->last[other] - pairing->first[other] == 1;
        if (alone && pairing->candidates[pairing->first[other]].vertex == v) {
            join(pairing, v, other);
        }
    }
    spread(pairing);
}

/* What neighbours could not tell: first where one candidate looks best, then the nearest. */
static void pair_the_rest(Pairing *pairing) {
    for (int any = 0; any <= 1; ++any) {
        for (int v = 0; v < pairing->places->count; ++v) {
            int decisive;
            int other = pairing->partners[v] < 0 ? best_candidate(pairing, v, 1, &decisive) : -1;
            if (other >= 0 && (any || decisive)) {
                join(pairing, v, other);
                spread(pairing);
            }
        }
    }
}

/* Fills `partners`: the partner of each vertex, itself on the plane, -1 for none; a partner's partner is the
 * vertex itself. `places` are set, with the tolerance as their reach. Distances that differ by less than
 * `same_place` (m) do not decide. */
static StatusCode pair_vertices(const Places *places, const Neighbours *neighbours,
                                double same_place, int32_t *partners, Status *status) {
    Store store = {0};
    int count = places->count;
    Pairing pairing = {.places = places,
                       .neighbours = neighbours,
                       .partners = partners,
                       .first = STORE_ARRAY(&store, int, count),
                       .last = STORE_ARRAY(&store, int, count),
                       .asked = STORE_ARRAY(&store, int, count),
                       .queue = STORE_ARRAY(&store, int, count)};
    bool failed = store.failed || collect_candidates(&pairing) != 0;
    if (!failed) {
        for (int v = 0; v < count; ++v) {
            partners[v] = -1;
        }
        drop_farther_candidates(&pairing, same_place, pairing.queue); /* not in use yet */
        pair_the_clear(&pairing);
        pair_the_rest(&pairing);
    }
    free(pairing.candidates);
    store_release(&store);
    return failed ? status_no_memory(status, "pairing vertices") : STATUS_OK;
}

/* The tolerance where none is given, of the diagonal of the box: a tenth of a millimetre on a garment of a metre.
 * A thousand times the rounding of float32, and a hundredth of the edges a garment is modelled with. */
#define TOLERANCE 1e-4
/* But at most this share of the mean edge: a finer mesh must not pair neighbours. */
#define SHARE_OF_EDGE 0.25
/* Vertices whose distances differ by less than this share of the diagonal are in one place. */
#define SAME_PLACE 1e-5

typedef struct Finder {
    const PolygonMesh *mesh;
    Store store;
    Vec3 *positions;
    Neighbours neighbours;
    Places places;
    int (*pairs)[2];
    int32_t *partners, *face_partners;
    double size, mean_edge; /* m: diagonal of the box; mean length of a side */
} Finder;

static StatusCode prepare(Finder *finder, Status *status) {
    Store *store = &finder->store;
    const PolygonMesh *mesh = finder->mesh;
    finder->positions = STORE_ARRAY(store, Vec3, mesh->vertex_count);
    finder->pairs = store_take(store, (size_t)mesh->vertex_count, sizeof *finder->pairs);
    if (!finder->partners) {
        finder->partners = STORE_ARRAY(store, int32_t, mesh->vertex_count);
    }
    if (!finder->face_partners) {
        finder->face_partners = STORE_ARRAY(store, int32_t, mesh->face_count);
    }
    bool failed = neighbours_build(mesh, store, &finder->neighbours) != 0;
    for (int v = 0; v < mesh->vertex_count && !failed; ++v) {
        finder->positions[v] = polygon_position(mesh, v);
    }
    failed = failed || places_build(&finder->places, finder->positions, mesh->vertex_count, store);
    return failed ? status_no_memory(status, "looking for symmetry") : STATUS_OK;
}

static StatusCode measure(Finder *finder, Status *status) {
    const PolygonMesh *mesh = finder->mesh;
    const Neighbours *neighbours = &finder->neighbours;
    double sum = 0;
    Vec3 centre = polygon_centre(mesh), reach = vec3(0, 0, 0);
    for (int v = 0; v < mesh->vertex_count; ++v) {
        Vec3 d = vec3_sub(finder->positions[v], centre);
        reach = vec3(fabs(d.x) > reach.x ? fabs(d.x) : reach.x,
                     fabs(d.y) > reach.y ? fabs(d.y) : reach.y,
                     fabs(d.z) > reach.z ? fabs(d.z) : reach.z);
    }
    for (int v = 0; v < mesh->vertex_count; ++v) {
        for (int k = neighbours->first[v]; k < neighbours->first[v + 1]; ++k) {
            sum += vec3_distance(finder->positions[v], finder->positions[neighbours->list[k]]);
        }
    }
    finder->size = 2 * vec3_length(reach);
    int links = neighbours->first[mesh->vertex_count];
    finder->mean_edge = links > 0 ? sum / links : 0;
    if (finder->mean_edge > 0) {
        return STATUS_OK;
    }
    status_set(status, STATUS_ERROR_MESH,
               "the mesh has no size: the ends of every edge are in one place");
    return status_name_count(status, DETAIL_NO_SIZE, mesh->vertex_count);
}

static StatusCode choose_tolerance(const Finder *finder, const SymmetryOptions *options,
                                   double *tolerance, Status *status) {
    if (options->tolerance == 0) {
        double share = SHARE_OF_EDGE * finder->mean_edge;
        *tolerance = TOLERANCE * finder->size < share ? TOLERANCE * finder->size : share;
        return STATUS_OK;
    }
    *tolerance = options->tolerance;
    if (options->tolerance > 0 && options->tolerance <= finder->mean_edge) {
        return STATUS_OK;
    }
    status_set(status, STATUS_ERROR_ARGUMENT,
               "tolerance is %g m, but must be 0, to have it chosen, or more and at most the mean "
               "length of the mesh's edges, %g m",
               options->tolerance, finder->mean_edge);
    return status_name_argument(status, DETAIL_RANGE, "tolerance", options->tolerance,
                                options->tolerance > 0 ? finder->mean_edge : 0);
}

static StatusCode choose_plane(Finder *finder, const SymmetryOptions *options, double tolerance,
                               MirrorPlane *plane, Status *status) {
    if (options->find) {
        return plane_search(&finder->places, finder->pairs, finder->positions, &finder->neighbours,
                            tolerance, finder->mean_edge, finder->size, plane) != 0
                   ? status_no_memory(status, "looking for a plane of symmetry")
                   : STATUS_OK;
    }
    Vec3 p = options->plane.point, n = options->plane.normal;
    double length = vec3_length(n);
    if (!vec3_is_finite(p) || !isfinite(length) || !(length > VEC3_TINY)) {
        status_set(status, STATUS_ERROR_ARGUMENT,
                   "the plane has the point (%g, %g, %g) and the normal (%g, %g, %g), but "
                   "both must be finite and the normal not zero",
                   p.x, p.y, p.z, n.x, n.y, n.z);
        return status_name_argument(status, DETAIL_RANGE, vec3_is_finite(p) ? "normal" : "point",
                                    length, 0);
    }
    *plane = (MirrorPlane){p, vec3_scale(1 / length, n)};
    return STATUS_OK;
}

static void count_pairs(const Finder *finder, Symmetry *symmetry) {
    double sum = 0;
    for (int v = 0; v < finder->mesh->vertex_count; ++v) {
        int partner = finder->partners[v];
        if (partner < 0) {
            ++symmetry->unpaired;
            continue;
        }
        symmetry->paired += partner != v;
        symmetry->on_plane += partner == v;
        double squared = squared_image_distance(finder->places.at[v], finder->places.at[partner]);
        symmetry->largest = sqrt(squared) > symmetry->largest ? sqrt(squared) : symmetry->largest;
        sum += squared;
    }
    int with_partner = symmetry->paired + symmetry->on_plane;
    symmetry->rms = with_partner > 0 ? sqrt(sum / with_partner) : 0;
}

static StatusCode find(Finder *finder, const SymmetryOptions *options, Symmetry *symmetry,
                       Status *status) {
    if (prepare(finder, status) != STATUS_OK || measure(finder, status) != STATUS_OK ||
        choose_tolerance(finder, options, &symmetry->tolerance, status) != STATUS_OK ||
        choose_plane(finder, options, symmetry->tolerance, &symmetry->plane, status) != STATUS_OK) {
        return status->code;
    }
    places_set(&finder->places, finder->positions, symmetry->plane, symmetry->tolerance);
    if (pair_vertices(&finder->places, &finder->neighbours, SAME_PLACE * finder->size,
                      finder->partners, status) != STATUS_OK) {
        return status->code;
    }
    count_pairs(finder, symmetry);
    return match_elements(finder->mesh, finder->partners, finder->face_partners,
                          &symmetry->elements, status);
}

StatusCode symmetry_find(const PolygonMesh *mesh, const SymmetryOptions *options,
                         Symmetry *symmetry, int32_t *partners, int32_t *face_partners,
                         Status *status) {
    CheckReport report;
    int found;
    *symmetry = (Symmetry){0};
    if (mesh_check(mesh, &report, NULL, 0, &found, status) < 0) {
        return status->code;
    }
    status_clear(status); /* defects that can be simulated are not asked about here */
    Finder finder = {.mesh = mesh, .partners = partners, .face_partners = face_partners};
    StatusCode code = find(&finder, options, symmetry, status);
    store_release(&finder.store);
    return code;
}
