/* The tree is sorted once, by the positions as they are; seen from another plane only its boxes change. */
#include "mirror/symmetry/mirror_plane.h"

#include <stdlib.h>

#include "base/rotation.h"
#include "mesh/adjacency.h"

static Box box_of_all(const Places *places) {
    Box all = box_of_points(places->at, places->count);
    for (int v = 0; v < places->count; ++v) {
        places->boxes[v] = (Box){places->at[v], places->at[v]};
    }
    return all;
}

int places_build(Places *places, const Vec3 *positions, int count, Store *store) {
    Status status = {0};
    *places = (Places){.count = count,
                       .at = STORE_ARRAY(store, Vec3, count),
                       .boxes = STORE_ARRAY(store, Box, count)};
    if (store->failed) {
        return -1;
    }
    for (int v = 0; v < count; ++v) {
        places->boxes[v] = (Box){positions[v], positions[v]};
    }
    return wide_bvh_build(&places->tree, count, places->boxes, store, &status) ? -1 : 0;
}

void places_set(Places *places, const Vec3 *positions, MirrorPlane plane, double reach) {
    Vec3 first, second;
    mirror_plane_directions(plane, &first, &second);
    for (int v = 0; v < places->count; ++v) {
        Vec3 from = vec3_sub(positions[v], plane.point);
        places->at[v] =
            vec3(vec3_dot(from, first), vec3_dot(from, second), vec3_dot(from, plane.normal));
    }
    places->reach = reach;
    Box all = box_of_all(places);
    wide_bvh_refit(&places->tree, NULL, &all, places->boxes);
}

typedef struct Look {
    const Places *places;
    Vec3 at;
    Image *images;
    int count, most;
} Look;

static bool is_before(Image a, Image b) {
    return a.distance != b.distance ? a.distance < b.distance : a.vertex < b.vertex;
}

/* Which are kept does not depend on the order in which they are offered. */
static double offer_vertex(void *context, int vertex, double reach) {
    Look *look = context;
    const Places *places = look->places;
    Image image = {vertex, sqrt(squared_image_distance(look->at, places->at[vertex]))};
    bool full = look->count == look->most;
    if (!(image.distance <= places->reach) ||
        (full && !is_before(image, look->images[look->most - 1]))) {
        return reach;
    }
    int place = full ? look->most - 1 : look->count++;
    for (; place > 0 && is_before(image, look->images[place - 1]); --place) {
        look->images[place] = look->images[place - 1];
    }
    look->images[place] = image;
    return look->count == look->most ? look->images[look->most - 1].distance : reach;
}

int places_images(const Places *places, int vertex, int most, Image *images) {
    Vec3 at = places->at[vertex];
    Look look = {.places = places,
                 .at = at,
                 .images = images,
                 .most = most < MOST_IMAGES ? most : MOST_IMAGES};
    wide_bvh_search(&places->tree, vec3(at.x, at.y, -at.z), places->reach, offer_vertex, &look);
    return look.count;
}

/* --- neighbours ------------------------------------------------------------------------------- */

/* Links are sorted both ways, so each vertex's neighbours lie together and ascend. */

/* From a vertex to a neighbour. */
typedef int Link[2];

static void add_both(Link *links, int *count, int a, int b) {
    if (a != b) {
        links[*count][0] = links[*count + 1][1] = a;
        links[*count][1] = links[*count + 1][0] = b;
        *count += 2;
    }
}

static int collect(const PolygonMesh *mesh, Link *links) {
    int count = 0;
    const int32_t *corner = mesh->face_vertices;
    for (int f = 0; f < mesh->face_count; ++f) {
        int size = mesh->face_sizes[f];
        for (int c = 0; c < size; ++c) {
            add_both(links, &count, corner[c], corner[(c + 1) % size]);
        }
        corner += size;
    }
    for (int e = 0; e < mesh->edge_count; ++e) {
        add_both(links, &count, mesh->edges[2 * e], mesh->edges[2 * e + 1]);
    }
    return count;
}

int neighbours_build(const PolygonMesh *mesh, Store *store, Neighbours *neighbours) {
    int64_t sides = mesh->edge_count;
    for (int f = 0; f < mesh->face_count; ++f) {
        sides += mesh->face_sizes[f];
    }
    Link *links = STORE_ARRAY(store, Link, 2 * sides);
    neighbours->first = STORE_ARRAY(store, int, mesh->vertex_count + (int64_t)1);
    neighbours->list = STORE_ARRAY(store, int, 2 * sides);
    if (store->failed) {
        return -1;
    }
    int count = collect(mesh, links), kept = 0;
    qsort(links, (size_t)count, sizeof *links, side_compare_ends);
    for (int i = 0; i < count; ++i) {
        if (i == 0 || side_compare_ends(links[i], links[i - 1]) != 0) {
            neighbours->list[kept++] = links[i][1];
            ++neighbours->first[links[i][0] + 1];
        }
    }
    for (int v = 0; v < mesh->vertex_count; ++v) {
        neighbours->first[v + 1] += neighbours->first[v];
    }
    return 0;
}

int neighbours_are(const Neighbours *neighbours, int a, int b) {
    int begin = neighbours->first[a], end = neighbours->first[a + 1];
    while (begin < end) {
        int middle = begin + (end - begin) / 2;
        if (neighbours->list[middle] < b) {
            begin = middle + 1;
        } else {
            end = middle;
        }
    }
    return begin < neighbours->first[a + 1] && neighbours->list[begin] == b;
}

/* --- the search for one ----------------------------------------------------------------------- */

/* A few planes are likely and each costs a pass over the mesh, so they are tried in turn rather than voted for. */

/* A fit begins with partners this many mean edges apart, and narrows down to the tolerance. */
#define FIRST_REACH 0.5
#define NARROWING_ROUNDS 5
#define FINAL_ROUNDS 2
/* The first rounds look at so many vertices at most: enough to tell a plane. */
#define ENOUGH 4000
/* Two planes bring together equally many: the fitted one is taken if it halves a mean distance that is more
 * than float32 rounding, which is this times the size. */
#define ROUNDING 1e-6

/* Vertices look alike if the lengths of their edges agree to this share of the size. */
#define ALIKE 1e-6
#define PLANES_BETWEEN 12
#define MOST_PLANES (10 + PLANES_BETWEEN)

typedef struct Trial {
    MirrorPlane plane;
    int score;
    double rms; /* m */
} Trial;

typedef struct PlaneSearch {
    Places *places;
    const Vec3 *positions;
    int (*pairs)[2];
    double tolerance, mean_edge, size;
} PlaneSearch;

MirrorPlane plane_fit(const Vec3 *positions, const int (*pairs)[2], int count, double size,
                      MirrorPlane otherwise) {
    if (count < 3) {
        return otherwise;
    }
    Vec3 mean = vec3(0, 0, 0), axis[3];
    for (int i = 0; i < count; ++i) {
        mean = vec3_add(mean, vec3_add(positions[pairs[i][0]], positions[pairs[i][1]]));
    }
    mean = vec3_scale(0.5 / count, mean);
    /* |a - R b|^2 = |a - b|^2 + 4 (n.a)(n.b) from the mean: the normal n is the axis of least n.(sum a b) n */
    double m[3][3] = {{0}}, spread[3];
    for (int i = 0; i < count; ++i) {
        Vec3 p = vec3_scale(1 / size, vec3_sub(positions[pairs[i][0]], mean));
        Vec3 q = vec3_scale(1 / size, vec3_sub(positions[pairs[i][1]], mean));
        const double a[3] = {p.x, p.y, p.z}, b[3] = {q.x, q.y, q.z};
        for (int k = 0; k < 9; ++k) {
            m[k / 3][k % 3] += 0.5 * (a[k / 3] * b[k % 3] + b[k / 3] * a[k % 3]);
        }
    }
    principal_axes(m, axis, spread);
    Vec3 n = vec3_unit_or(axis[2], otherwise.normal);
    return (MirrorPlane){mean, vec3_dot(n, otherwise.normal) < 0 ? vec3_scale(-1, n) : n};
}

/* Those of every `stride`-th vertex with the vertex nearest to its image. */
static int collect_pairs(const PlaneSearch *search, int stride) {
    Image image;
    int count = 0;
    for (int v = 0; v < search->places->count; v += stride) {
        if (places_images(search->places, v, 1, &image) > 0) {
            search->pairs[count][0] = v;
            search->pairs[count++][1] = image.vertex;
        }
    }
    return count;
}

static MirrorPlane refine(const PlaneSearch *search, MirrorPlane plane) {
    double first = FIRST_REACH * search->mean_edge, reach = first;
    double narrower = pow(search->tolerance / first, 1.0 / NARROWING_ROUNDS);
    int narrowing = first > search->tolerance ? NARROWING_ROUNDS : 0;
    int stride = search->places->count / ENOUGH + 1;
    for (int round = 0; round < narrowing + FINAL_ROUNDS; ++round) {
        bool last = round >= narrowing;
        places_set(search->places, search->positions, plane, last ? search->tolerance : reach);
        int count = collect_pairs(search, last ? 1 : stride);
        plane = plane_fit(search->positions, (const int(*)[2])search->pairs, count, search->size,
                          plane);
        reach *= narrower;
    }
    return plane;
}

/* How many vertices have a vertex at their image. Those on the plane count at most as much as the others: else a
 * flat sheet would be mirrored in its own plane. */
static Trial judge(const PlaneSearch *search, MirrorPlane plane) {
    Image image;
    int across = 0, on = 0;
    double sum = 0;
    places_set(search->places, search->positions, plane, search->tolerance);
    for (int v = 0; v < search->places->count; ++v) {
        if (places_images(search->places, v, 1, &image) > 0) {
            double own = 2 * fabs(search->places->at[v].z);
            bool is_on = own <= image.distance + ROUNDING * search->size;
            on += is_on;
            across += !is_on;
            sum += image.distance * image.distance;
        }
    }
    double rms = across + on > 0 ? sqrt(sum / (across + on)) : 0;
    return (Trial){plane, across + (on < across ? on : across), rms};
}

static Trial judge_and_refine(const PlaneSearch *search, MirrorPlane plane) {
    Trial as_is = judge(search, plane), fitted = judge(search, refine(search, plane));
    int as_many = fitted.score == as_is.score && as_is.rms > ROUNDING * search->size &&
                  fitted.rms < 0.5 * as_is.rms;
    return fitted.score > as_is.score || as_many ? fitted : as_is;
}

static int list_planes(const PlaneSearch *search, MirrorPlane *planes) {
    const Vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const Vec3 *positions = search->positions;
    int n = search->places->count, count = 0;
    Box box = box_of_points(positions, n);
    Vec3 mean = vec3(0, 0, 0), principal[3];
    for (int v = 0; v < n; ++v) {
        mean = vec3_madd(mean, 1.0 / n, positions[v]);
    }
    double m[3][3] = {{0}}, spread[3];
    for (int v = 0; v < n; ++v) {
        Vec3 p = vec3_scale(1 / search->size, vec3_sub(positions[v], mean));
        const double a[3] = {p.x, p.y, p.z};
        for (int k = 0; k < 9; ++k) {
            m[k / 3][k % 3] += a[k / 3] * a[k % 3];
        }
    }
    principal_axes(m, principal, spread);
    Vec3 middle = vec3_scale(0.5, vec3_add(box.low, box.high));
    planes[count++] = (MirrorPlane){vec3(0, 0, 0), axes[0]};
    for (int c = 0; c < 3; ++c) {
        planes[count++] = (MirrorPlane){mean, axes[c]};
        planes[count++] = (MirrorPlane){middle, axes[c]};
    }
    for (int c = 0; c < 3; ++c) {
        planes[count++] = (MirrorPlane){mean, vec3_unit_or(principal[c], axes[c])};
    }
    return count;
}

/* The normal's largest coordinate is positive: one plane, one name. */
static MirrorPlane facing_forward(MirrorPlane plane) {
    Vec3 n = plane.normal;
    double largest = fabs(n.x) >= fabs(n.y) ? n.x : n.y;
    largest = fabs(largest) >= fabs(n.z) ? largest : n.z;
    plane.normal = largest < 0 ? vec3_scale(-1, n) : n;
    return plane;
}

/* --- planes between vertices that look alike -------------------------------------------------- */

/* Mirror images have edges of the same lengths. On an irregular mesh hardly anything else has. */
typedef struct PlaneLook {
    double edges; /* m: sum of their lengths */
    int vertex;
} PlaneLook;

static int compare_looks(const void *left, const void *right) {
    const PlaneLook *p = left, *q = right;
    if (p->edges != q->edges) {
        return p->edges < q->edges ? -1 : 1;
    }
    return (p->vertex > q->vertex) - (p->vertex < q->vertex);
}

static void sort_looks(const PlaneSearch *search, const Neighbours *neighbours, PlaneLook *looks) {
    for (int v = 0; v < search->places->count; ++v) {
        looks[v] = (PlaneLook){0, v};
        for (int k = neighbours->first[v]; k < neighbours->first[v + 1]; ++k) {
            looks[v].edges +=
                vec3_distance(search->positions[v], search->positions[neighbours->list[k]]);
        }
    }
    qsort(looks, (size_t)search->places->count, sizeof *looks, compare_looks);
}

/* Adds planes between neighbours in that order, evenly chosen among those that agree. */
static int list_planes_between(const PlaneSearch *search, const PlaneLook *looks,
                               MirrorPlane *planes, int count) {
    int agreeing = 0;
    for (int k = 0; k + 1 < search->places->count; ++k) {
        Vec3 a = search->positions[looks[k].vertex], b = search->positions[looks[k + 1].vertex];
        double difference = looks[k + 1].edges - looks[k].edges;
        if (difference <= ALIKE * search->size && vec3_distance(a, b) > search->mean_edge) {
            search->pairs[agreeing][0] = looks[k].vertex;
            search->pairs[agreeing++][1] = looks[k + 1].vertex;
        }
    }
    int taken = agreeing < PLANES_BETWEEN ? agreeing : PLANES_BETWEEN;
    for (int i = 0; i < taken; ++i) {
        const int *pair = search->pairs[(int64_t)i * agreeing / taken];
        Vec3 a = search->positions[pair[0]], b = search->positions[pair[1]];
        Vec3 across = vec3_scale(1 / vec3_distance(a, b), vec3_sub(a, b));
        planes[count++] = (MirrorPlane){vec3_scale(0.5, vec3_add(a, b)), across};
    }
    return count;
}

int plane_search(Places *places, int (*pairs)[2], const Vec3 *positions,
                 const Neighbours *neighbours, double tolerance, double mean_edge, double size,
                 MirrorPlane *plane) {
    PlaneSearch search = {.places = places,
                          .positions = positions,
                          .pairs = pairs,
                          .tolerance = tolerance,
                          .mean_edge = mean_edge,
                          .size = size};
    MirrorPlane planes[MOST_PLANES];
    PlaneLook *looks = SCRATCH_ARRAY(PlaneLook, places->count);
    if (!looks) {
        return -1;
    }
    sort_looks(&search, neighbours, looks);
    int count = list_planes_between(&search, looks, planes, list_planes(&search, planes));
    free(looks);
    Trial best = {planes[0], -1, 0};
    for (int p = 0; p < count && best.score < places->count; ++p) {
        Trial trial = judge_and_refine(&search, planes[p]);
        best = trial.score > best.score ? trial : best;
    }
    *plane = facing_forward(best.plane);
    return 0;
}
