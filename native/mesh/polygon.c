/* The cut of a face decides how it folds. The rules depend on shape and place, not on vertex numbers, so that a symmetric
 * mesh gets symmetric cuts. */
#include "mesh/polygon.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/sort.h"
#include "mesh/adjacency.h"

/* Lengths that agree to this relative tolerance count as equal: float32 input, squared. */
#define EQUAL 1e-5
/* Above this size any good ear is taken, not the best: keeps the cut quadratic. */
#define BEST_EAR_LIMIT 64

Vec3 polygon_centre(const PolygonMesh *mesh) {
    if (mesh->cut_centre) {
        return vec3(mesh->cut_centre[0], mesh->cut_centre[1], mesh->cut_centre[2]);
    }
    float low[3], high[3];
    for (int c = 0; c < 3; ++c) {
        low[c] = high[c] = mesh->positions[c];
    }
    for (int64_t i = 3; i < 3 * (int64_t)mesh->vertex_count; ++i) {
        float value = mesh->positions[i];
        low[i % 3] = value < low[i % 3] ? value : low[i % 3];
        high[i % 3] = value > high[i % 3] ? value : high[i % 3];
    }
    return vec3(0.5 * (low[0] + (double)high[0]), 0.5 * (low[1] + (double)high[1]),
                0.5 * (low[2] + (double)high[2]));
}

double polygon_mean_side(const PolygonMesh *mesh) {
    const int32_t *ring = mesh->face_vertices;
    double sum = 0;
    int count = 0;
    for (int f = 0; f < mesh->face_count; ring += mesh->face_sizes[f++]) {
        for (int c = 0, size = mesh->face_sizes[f]; c < size; ++c, ++count) {
            sum += vec3_distance(polygon_position(mesh, ring[c]),
                                 polygon_position(mesh, ring[(c + 1) % size]));
        }
    }
    return count > 0 ? sum / count : 0;
}

static int count_corners(const PolygonMesh *mesh) {
    int corners = 0;
    for (int f = 0; f < mesh->face_count; ++f) {
        corners += mesh->face_sizes[f];
    }
    return corners;
}

Vec3 polygon_normal(const Vec3 *points, int count) {
    Vec3 sum = vec3(0, 0, 0);
    for (int i = 1; i + 1 < count; ++i) {
        Vec3 cross = vec3_cross(vec3_sub(points[i], points[0]), vec3_sub(points[i + 1], points[0]));
        sum = vec3_add(sum, cross);
    }
    return sum;
}

static double corner_area(const Vec3 *points, int a, int b, int c, Vec3 normal) {
    Vec3 cross = vec3_cross(vec3_sub(points[b], points[a]), vec3_sub(points[c], points[a]));
    return vec3_dot(cross, normal);
}

static double squared_distance(Vec3 a, Vec3 b) {
    Vec3 d = vec3_sub(a, b);
    return vec3_dot(d, d);
}

/* Is the top corner of a quad one of the diagonal 0-2? The highest, of equally high ones the furthest along y, of those
 * the furthest from the centre, all to a squared length of `equal`: its image in a plane across x is the image's. */
static bool first_has_top(const Vec3 *p, Vec3 centre, double equal) {
    int top = 0;
    for (int c = 1; c < 4; ++c) {
        double higher = p[c].z - p[top].z, further = p[c].y - p[top].y;
        double outer = squared_distance(p[c], centre) - squared_distance(p[top], centre);
        bool ahead = higher * higher > equal     ? higher > 0
                     : further * further > equal ? further > 0
                                                 : outer > equal;
        top = ahead ? c : top;
    }
    return top % 2 == 0;
}

/* Does diagonal 0-2 win over 1-3? */
static bool quad_takes_first_diagonal(const Vec3 *p, Vec3 centre) {
    Vec3 normal = polygon_normal(p, 4);
    double tiny = -1e-9 * vec3_dot(normal, normal);
    bool first_inside =
        corner_area(p, 0, 1, 2, normal) > tiny && corner_area(p, 0, 2, 3, normal) > tiny;
    bool second_inside =
        corner_area(p, 1, 2, 3, normal) > tiny && corner_area(p, 1, 3, 0, normal) > tiny;
    if (first_inside != second_inside) {
        return first_inside;
    }
    double first = squared_distance(p[0], p[2]);
    double second = squared_distance(p[1], p[3]);
    if (fabs(first - second) > EQUAL * (first + second)) {
        return first < second;
    }
    double far_first = fmax(squared_distance(p[0], centre), squared_distance(p[2], centre));
    double far_second = fmax(squared_distance(p[1], centre), squared_distance(p[3], centre));
    if (fabs(far_first - far_second) > EQUAL * (first + second)) {
        return far_first > far_second;
    }
    return first_has_top(p, centre, EQUAL * (first + second));
}

static bool point_in_triangle(const Vec3 *points, int p, int a, int b, int c, Vec3 normal) {
    return corner_area(points, a, b, p, normal) >= 0 && corner_area(points, b, c, p, normal) >= 0 &&
           corner_area(points, c, a, p, normal) >= 0;
}

/* Is corner `at` of the remaining ring an ear: convex, with no other corner inside? */
static bool is_ear(const Vec3 *points, const int *ring, int size, int at, Vec3 normal) {
    int a = ring[(at + size - 1) % size], b = ring[at], c = ring[(at + 1) % size];
    if (corner_area(points, a, b, c, normal) <= 0) {
        return false;
    }
    for (int i = 0; i < size; ++i) {
        int p = ring[i];
        if (p != a && p != b && p != c && point_in_triangle(points, p, a, b, c, normal)) {
            return false;
        }
    }
    return true;
}

/* The ear with the shortest cut; of equal ones the farthest from the centre, as with quads. */
static int best_ear(const Vec3 *points, const int *ring, int size, Vec3 normal, Vec3 centre) {
    int best = -1;
    double best_length = 0, best_far = 0;
    for (int i = 0; i < size; ++i) {
        if (!is_ear(points, ring, size, i, normal)) {
            continue;
        }
        double length =
            squared_distance(points[ring[(i + size - 1) % size]], points[ring[(i + 1) % size]]);
        double far = squared_distance(points[ring[i]], centre);
        bool shorter = best < 0 || length < best_length * (1 - EQUAL);
        bool equal = best >= 0 && fabs(length - best_length) <= EQUAL * best_length;
        if (shorter || (equal && far > best_far + EQUAL * length)) {
            best = i;
            best_length = length;
            best_far = far;
            if (size > BEST_EAR_LIMIT) {
                return best;
            }
        }
    }
    return best < 0 ? 0 : best; /* a twisted polygon has no ear: cut anywhere */
}

static void cut_by_ears(const Vec3 *points, int count, Vec3 centre, int *ring, int (*out)[3]) {
    Vec3 normal = polygon_normal(points, count);
    for (int i = 0; i < count; ++i) {
        ring[i] = i;
    }
    int size = count, made = 0;
    while (size > 3) {
        int ear = best_ear(points, ring, size, normal, centre);
        out[made][0] = ring[(ear + size - 1) % size];
        out[made][1] = ring[ear];
        out[made++][2] = ring[(ear + 1) % size];
        --size;
        memmove(ring + ear, ring + ear + 1, (size_t)(size - ear) * sizeof *ring);
    }
    memcpy(out[made], ring, sizeof out[made]);
}

void polygon_cut(const Vec3 *points, int count, Vec3 centre, int *scratch, int (*triangles)[3]) {
    static const int triangle[3] = {0, 1, 2};
    static const int first_diagonal[2][3] = {{0, 1, 2}, {0, 2, 3}};
    static const int second_diagonal[2][3] = {{0, 1, 3}, {1, 2, 3}};
    if (count == 3) {
        memcpy(triangles, triangle, sizeof triangle);
    } else if (count == 4) {
        bool first = quad_takes_first_diagonal(points, centre);
        memcpy(triangles, first ? first_diagonal : second_diagonal, sizeof first_diagonal);
    } else {
        cut_by_ears(points, count, centre, scratch, triangles);
    }
}

/* --- defects ---------------------------------------------------------------------------------- */

/* Defects are found by sorting, never by comparing all with all, so that large meshes take no long time. */

/* Height over longest side below which a face is called a sliver, and below which it has no area. */
#define SLIVER 0.02
#define NO_AREA 1e-6

typedef struct Search {
    const PolygonMesh *mesh;
    CheckReport *report;
    Finding *findings;
    int capacity, found;
    bool edge_first; /* the first finding with an index out of range is a loose edge */
} Search;

static void add(Search *search, DefectKind kind, int element, int a, int b) {
    if (search->found < search->capacity) {
        search->findings[search->found] = (Finding){kind, element, {a, b}};
    }
    ++search->found;
    ++search->report->defects[kind];
}

static void check_index(Search *search, int element, int vertex) {
    if (vertex < 0 || vertex >= search->mesh->vertex_count) {
        add(search, DEFECT_INDEX_RANGE, element, vertex, -1);
    }
}

static void find_bad_numbers(Search *search) {
    const PolygonMesh *mesh = search->mesh;
    for (int v = 0; v < mesh->vertex_count; ++v) {
        if (!vec3_is_within_reach(polygon_position(mesh, v))) {
            add(search, DEFECT_NOT_FINITE, v, v, -1);
        }
    }
    int64_t corner = 0;
    for (int f = 0; f < mesh->face_count; ++f) {
        for (int c = 0; c < mesh->face_sizes[f]; ++c, ++corner) {
            check_index(search, f, mesh->face_vertices[corner]);
        }
    }
    search->edge_first = search->report->defects[DEFECT_INDEX_RANGE] == 0;
    for (int end = 0; end < 2 * mesh->edge_count; ++end) {
        check_index(search, end / 2, mesh->edges[end]);
    }
}

/* --- faces ------------------------------------------------------------------------------------ */

typedef struct FaceKey {
    int lowest;   /* of its vertices */
    uint64_t key; /* of the sorted vertices; equal keys are compared in full */
    int face, first;
} FaceKey;

static int compare_faces(const void *left, const void *right) {
    const FaceKey *p = left, *q = right;
    int lowest = (p->lowest > q->lowest) - (p->lowest < q->lowest);
    int key = (p->key > q->key) - (p->key < q->key);
    int face = (p->face > q->face) - (p->face < q->face);
    return lowest ? lowest : key ? key : face;
}

/* What check_faces_left_out() marks a face by. */
enum { NAMES_TWICE = 1, REPEATS_FACE = 2 };

/* Sorted copies of every face's vertices, in place of the originals, and their keys. */
static void key_faces(const PolygonMesh *mesh, int32_t *sorted, FaceKey *keys, uint8_t *marks) {
    int first = 0;
    for (int f = 0; f < mesh->face_count; ++f) {
        int size = mesh->face_sizes[f];
        memcpy(sorted + first, mesh->face_vertices + first, (size_t)size * sizeof *sorted);
        sort_ints(sorted + first, size);
        uint64_t key = 1469598103934665603u;
        for (int c = 0; c < size; ++c) {
            key = (key ^ (uint64_t)(uint32_t)sorted[first + c]) * 1099511628211u;
            bool again = c > 0 && sorted[first + c] == sorted[first + c - 1];
            marks[f] |= again ? NAMES_TWICE : 0;
        }
        keys[f] = (FaceKey){
            .lowest = size > 0 ? sorted[first] : 0, .key = key, .face = f, .first = first};
        first += size;
    }
}

static bool same_vertices(const PolygonMesh *mesh, const int32_t *sorted, FaceKey p, FaceKey q) {
    int size = mesh->face_sizes[p.face];
    return p.key == q.key && size == mesh->face_sizes[q.face] &&
           memcmp(sorted + p.first, sorted + q.first, (size_t)size * sizeof *sorted) == 0;
}

bool check_faces_left_out(const PolygonMesh *mesh, uint8_t *left_out) {
    Store scratch = {0};
    int32_t *sorted = STORE_ARRAY(&scratch, int32_t, count_corners(mesh));
    FaceKey *keys = STORE_ARRAY(&scratch, FaceKey, mesh->face_count);
    bool done = !scratch.failed;
    if (done) {
        memset(left_out, 0, (size_t)mesh->face_count);
        key_faces(mesh, sorted, keys, left_out);
        done = sort_records(keys, (size_t)mesh->face_count, sizeof *keys, mesh->vertex_count,
                            compare_faces);
    }
    for (int f = 1; f < mesh->face_count && done; ++f) {
        if (same_vertices(mesh, sorted, keys[f - 1], keys[f])) {
            left_out[keys[f].face] |= REPEATS_FACE;
        }
    }
    store_release(&scratch);
    return done;
}

static void judge_shape(Search *search, int f, int first) {
    const PolygonMesh *mesh = search->mesh;
    int size = mesh->face_sizes[f];
    Vec3 origin = polygon_position(mesh, mesh->face_vertices[first]);
    Vec3 sum = vec3(0, 0, 0);
    double longest = 0;
    for (int c = 0; c < size; ++c) {
        Vec3 p = polygon_position(mesh, mesh->face_vertices[first + c]);
        Vec3 q = polygon_position(mesh, mesh->face_vertices[first + (c + 1) % size]);
        sum = vec3_add(sum, vec3_cross(vec3_sub(p, origin), vec3_sub(q, origin)));
        longest = fmax(longest, vec3_distance(p, q));
    }
    double twice_area = vec3_length(sum);
    search->report->area += 0.5 * twice_area;
    int vertex = mesh->face_vertices[first];
    if (!(twice_area > NO_AREA * longest * longest)) {
        add(search, DEFECT_ZERO_AREA, f, vertex, -1);
    } else if (twice_area < SLIVER * longest * longest) {
        add(search, DEFECT_SLIVER, f, vertex, -1);
    }
}

static void find_bad_faces(Search *search, const uint8_t *marks) {
    const PolygonMesh *mesh = search->mesh;
    for (int f = 0, first = 0; f < mesh->face_count; first += mesh->face_sizes[f], ++f) {
        int vertex = mesh->face_vertices[first];
        search->report->triangle_count += mesh->face_sizes[f] == 3;
        search->report->quad_count += mesh->face_sizes[f] == 4;
        if (marks[f] & NAMES_TWICE) {
            add(search, DEFECT_REPEATED_VERTEX, f, vertex, -1);
        } else if (marks[f] & REPEATS_FACE) {
            add(search, DEFECT_DUPLICATE_FACE, f, vertex, -1);
        } else {
            judge_shape(search, f, first);
        }
    }
    for (int e = 0; e < mesh->edge_count; ++e) {
        if (mesh->edges[2 * e] == mesh->edges[2 * e + 1]) {
            add(search, DEFECT_REPEATED_VERTEX, e, mesh->edges[2 * e], mesh->edges[2 * e]);
            ++search->report->repeated_edges;
        }
    }
}

static void find_bad_uvs(Search *search) {
    const PolygonMesh *mesh = search->mesh;
    for (int f = 0, first = 0; mesh->corner_uvs && f < mesh->face_count;
         first += mesh->face_sizes[f], ++f) {
        for (int c = 0; c < 2 * mesh->face_sizes[f]; ++c) {
            if (!isfinite(mesh->corner_uvs[2 * (int64_t)first + c])) {
                add(search, DEFECT_BAD_UV, f, mesh->face_vertices[first + c / 2], -1);
                break;
            }
        }
    }
}

/* --- edges ------------------------------------------------------------------------------------ */

typedef struct CheckSide {
    Side side;
    bool loose; /* of no face */
} CheckSide;

static int collect_sides(const PolygonMesh *mesh, CheckSide *sides, const uint8_t *left_out) {
    int count = 0;
    for (int f = 0, first = 0; f < mesh->face_count; first += mesh->face_sizes[f], ++f) {
        for (int c = 0; c < mesh->face_sizes[f] && !left_out[f]; ++c) {
            int p = mesh->face_vertices[first + c];
            int q = mesh->face_vertices[first + (c + 1) % mesh->face_sizes[f]];
            sides[count] = (CheckSide){side_between(p, q, count), false};
            ++count;
        }
    }
    for (int e = 0; e < mesh->edge_count; ++e) {
        int p = mesh->edges[2 * e], q = mesh->edges[2 * e + 1];
        if (p != q) {
            sides[count] = (CheckSide){side_between(p, q, count), true};
            ++count;
        }
    }
    return count;
}

static void judge_edge(Search *search, const CheckSide *sides, int count) {
    CheckReport *report = search->report;
    int faces = 0, forward = 0;
    for (int s = 0; s < count; ++s) {
        faces += !sides[s].loose;
        forward += !sides[s].loose && !sides[s].side.reversed;
    }
    int a = sides[0].side.a, b = sides[0].side.b;
    report->boundary_edge_count += faces == 1;
    if (faces > 2) {
        add(search, DEFECT_NON_MANIFOLD, report->edge_count, a, b);
    } else if (faces == 2 && forward != 1) {
        add(search, DEFECT_FLIPPED, report->edge_count, a, b);
    }
    double length =
        vec3_distance(polygon_position(search->mesh, a), polygon_position(search->mesh, b));
    report->longest_edge = fmax(report->longest_edge, length);
    report->shortest_edge = report->edge_count ? fmin(report->shortest_edge, length) : length;
    ++report->edge_count;
}

static void find_isolated(Search *search, const CheckSide *sides, int count, int *parent,
                          uint8_t *used) {
    int vertex_count = search->mesh->vertex_count;
    for (int v = 0; v < vertex_count; ++v) {
        parent[v] = v;
    }
    for (int s = 0; s < count; ++s) {
        used[sides[s].side.a] = used[sides[s].side.b] = 1;
        components_join(parent, sides[s].side.a, sides[s].side.b);
    }
    for (int v = 0; v < vertex_count; ++v) {
        if (!used[v]) {
            add(search, DEFECT_ISOLATED, v, v, -1);
        } else {
            search->report->component_count += parent[v] == v;
        }
    }
}

static bool find_bad_edges(Search *search, const uint8_t *left_out, Store *scratch) {
    const PolygonMesh *mesh = search->mesh;
    CheckSide *sides = STORE_ARRAY(scratch, CheckSide, count_corners(mesh) + mesh->edge_count);
    int *parent = STORE_ARRAY(scratch, int, mesh->vertex_count);
    uint8_t *used = STORE_ARRAY(scratch, uint8_t, mesh->vertex_count);
    if (scratch->failed) {
        return false;
    }
    int count = collect_sides(mesh, sides, left_out);
    find_isolated(search, sides, count, parent, used);
    if (!sort_records(sides, (size_t)count, sizeof *sides, mesh->vertex_count, side_compare)) {
        return false;
    }
    for (int s = 0, run; s < count; s += run) {
        run = side_run(sides, sizeof *sides, count, s);
        judge_edge(search, sides + s, run);
    }
    return true;
}

/* --- vertices --------------------------------------------------------------------------------- */

typedef struct Place {
    float at[3];
    int vertex;
} Place;

/* By the coordinates alone. */
static int compare_coordinates(const float p[3], const float q[3]) {
    int axis = 0;
    while (axis < 2 && p[axis] == q[axis]) {
        ++axis;
    }
    return (p[axis] > q[axis]) - (p[axis] < q[axis]);
}

static int compare_places(const void *left, const void *right) {
    const Place *p = left, *q = right;
    int order = compare_coordinates(p->at, q->at);
    return order ? order : (p->vertex > q->vertex) - (p->vertex < q->vertex);
}

static bool find_doubled(Search *search, Store *scratch) {
    const PolygonMesh *mesh = search->mesh;
    Place *places = STORE_ARRAY(scratch, Place, mesh->vertex_count);
    if (scratch->failed) {
        return false;
    }
    for (int v = 0; v < mesh->vertex_count; ++v) {
        const float *p = mesh->positions + 3 * (int64_t)v;
        places[v] = (Place){.at = {p[0], p[1], p[2]}, .vertex = v};
    }
    qsort(places, (size_t)mesh->vertex_count, sizeof *places, compare_places);
    for (int v = 1; v < mesh->vertex_count; ++v) {
        if (compare_coordinates(places[v].at, places[v - 1].at) == 0) {
            add(search, DEFECT_DOUBLED_VERTEX, places[v].vertex, places[v].vertex,
                places[v - 1].vertex);
        }
    }
    return true;
}

static const char *const warning_words[DEFECT_KINDS] = {
    [DEFECT_REPEATED_VERTEX] = "naming a vertex twice (left out)",
    [DEFECT_ZERO_AREA] = "without area",
    [DEFECT_SLIVER] = "as thin as a sliver",
    [DEFECT_DUPLICATE_FACE] = "given twice (left out)",
    [DEFECT_ISOLATED] = "belonging to nothing (held in place)",
    [DEFECT_NON_MANIFOLD] = "shared by three or more faces",
    [DEFECT_FLIPPED] = "between faces that face opposite ways",
    [DEFECT_BAD_UV] = "with a texture coordinate that is not finite (not used)",
};

static const char *const element_words[DEFECT_KINDS] = {
    [DEFECT_REPEATED_VERTEX] = "face", [DEFECT_ZERO_AREA] = "face",    [DEFECT_SLIVER] = "face",
    [DEFECT_DUPLICATE_FACE] = "face",  [DEFECT_NON_MANIFOLD] = "edge", [DEFECT_FLIPPED] = "edge",
    [DEFECT_BAD_UV] = "face",
};

static const char *element_word(const CheckReport *report, int kind) {
    if (kind != DEFECT_REPEATED_VERTEX || report->repeated_edges == 0) {
        return element_words[kind];
    }
    return report->repeated_edges == report->defects[kind] ? "loose edge" : "element";
}

/* "3 faces without area; 1 vertex belonging to nothing (held in place)". Doubled vertices are
 * common at seams and on purpose: reported, not warned about. */
static StatusCode summarise(const CheckReport *report, Status *status) {
    status_clear(status);
    for (int kind = DEFECT_REPEATED_VERTEX; kind < DEFECT_KINDS; ++kind) {
        int count = report->defects[kind];
        if (count == 0 || kind == DEFECT_DOUBLED_VERTEX) {
            continue;
        }
        status_next(status, STATUS_WARNING_MESH);
        status_append(status, "%s", status->sentence == 0 ? "the mesh has " : "");
        if (kind == DEFECT_ISOLATED) {
            status_append(status, "%d %s", count, count == 1 ? "vertex" : "vertices");
        } else {
            status_append(status, "%d %s%s", count, element_word(report, kind),
                          count == 1 ? "" : "s");
        }
        status_append(status, " %s", warning_words[kind]);
        Detail *detail = status_detail(status, DETAIL_DEFECT);
        detail->defect = kind;
        detail->count = count;
    }
    return status->code;
}

static StatusCode refuse(const Search *search, Status *status) {
    const Finding *first = &search->findings[0];
    int bad_numbers = search->report->defects[DEFECT_NOT_FINITE];
    if (bad_numbers) {
        status_set(
            status, STATUS_ERROR_MESH,
            "vertex %d has a coordinate that is not a finite number within %g m of the origin "
            "(%d such vertices)",
            first->element, VEC3_FARTHEST, bad_numbers);
        status_name_element(status, DETAIL_DEFECT, ELEMENT_VERTEX, first->element);
        status->details[0].defect = DEFECT_NOT_FINITE;
        status->details[0].count = bad_numbers;
        return status->code;
    }
    status_set(status, STATUS_ERROR_MESH, "%s %d names vertex %d, but the mesh has %d vertices",
               search->edge_first ? "loose edge" : "face", first->element, first->vertices[0],
               search->mesh->vertex_count);
    Detail *detail = status_detail(status, DETAIL_DEFECT);
    detail->defect = DEFECT_INDEX_RANGE;
    detail->element = search->edge_first ? ELEMENT_EDGE : ELEMENT_FACE;
    detail->elements[0] = first->element;
    detail->count = search->report->defects[DEFECT_INDEX_RANGE];
    detail->value = first->vertices[0];
    detail->limit = search->mesh->vertex_count - 1;
    return status->code;
}

/* Everything that needs indices in range. False without memory. */
static bool find_bad_elements(Search *search, Store *scratch) {
    uint8_t *marks = STORE_ARRAY(scratch, uint8_t, search->mesh->face_count);
    if (scratch->failed || !check_faces_left_out(search->mesh, marks)) {
        return false;
    }
    find_bad_uvs(search);
    find_bad_faces(search, marks);
    return find_bad_edges(search, marks, scratch) && find_doubled(search, scratch);
}

bool check_can_be_read(const PolygonMesh *mesh) {
    CheckReport report = {0};
    Search search = {.mesh = mesh, .report = &report};
    if (mesh->vertex_count < 1 || mesh->face_count + mesh->edge_count < 1) {
        return false;
    }
    find_bad_numbers(&search);
    return search.found == 0;
}

StatusCode mesh_check(const PolygonMesh *mesh, CheckReport *report, Finding *findings, int capacity,
                      int *found, Status *status) {
    Finding first;
    memset(report, 0, sizeof *report);
    Search search = {.mesh = mesh, .report = report, .findings = findings, .capacity = capacity};
    if (capacity < 1) {
        search.findings = &first; /* the message needs one */
        search.capacity = 1;
    }
    find_bad_numbers(&search);
    *found = search.found;
    if (search.found > 0) {
        return refuse(&search, status);
    }
    Store scratch = {0};
    bool done = find_bad_elements(&search, &scratch);
    store_release(&scratch);
    if (!done) {
        return status_no_memory(status, "checking the mesh");
    }
    *found = search.found;
    if (report->edge_count == 0) {
        status_set(status, STATUS_ERROR_MESH, "the mesh has no face and no edge to simulate");
        return status_name_count(status, DETAIL_EMPTY, 0);
    }
    return summarise(report, status);
}

/* --- whether they enclose a space ------------------------------------------------------------- */

static bool is_of_part(const PolygonMesh *polygons, int vertex, int part) {
    return polygons->vertex_parts ? polygons->vertex_parts[vertex] == part : part == 0;
}

static int list_sides(const PolygonMesh *polygons, int part, Side *sides) {
    const int32_t *ring = polygons->face_vertices;
    int count = 0;
    for (int f = 0; f < polygons->face_count; ring += polygons->face_sizes[f++]) {
        int size = polygons->face_sizes[f];
        for (int c = 0; c < size && is_of_part(polygons, ring[0], part); ++c) {
            sides[count] = side_between(ring[c], ring[(c + 1) % size], count);
            ++count;
        }
    }
    return count;
}

static StatusCode refuse_open(const Side *side, int faces, Status *status) {
    const char *why = faces == 1   ? "the surface ends there"
                      : faces == 2 ? "its two faces point to different sides of the surface"
                                   : "more than two faces meet there";
    status_set(status, STATUS_ERROR_MESH,
               "pressure needs a closed surface, but at the edge between vertices %d and %d %s",
               side->a, side->b, why);
    status_name_argument(status, DETAIL_CONFLICT, "pressure", faces, 2);
    return status_of_element(status, ELEMENT_VERTEX, side->a);
}

StatusCode mesh_check_closed(const PolygonMesh *polygons, int part, Status *status) {
    Side *sides = SCRATCH_ARRAY(Side, count_corners(polygons));
    if (!sides) {
        return status_no_memory(status, "sides of faces");
    }
    int count = list_sides(polygons, part, sides);
    bool sorted =
        sort_records(sides, (size_t)count, sizeof *sides, polygons->vertex_count, side_compare);
    StatusCode code = sorted ? STATUS_OK : status_no_memory(status, "sides of faces");
    for (int s = 0, run; s < count && code == STATUS_OK; s += run) {
        run = side_run(sides, sizeof *sides, count, s);
        if (run != 2 || sides[s].reversed == sides[s + 1].reversed) {
            code = refuse_open(&sides[s], run, status);
        }
    }
    free(sides);
    if (code == STATUS_OK && count == 0) {
        status_set(status, STATUS_ERROR_MESH,
                   "pressure needs a closed surface, but there is no face");
        code = status_name_argument(status, DETAIL_CONFLICT, "pressure", 0, 0);
    }
    return code;
}

/* --- refusals --------------------------------------------------------------------------------- */

/* Places are reported with their coordinates, so that a user finds them in his modelling program. */

static Vec3 mean_of(const PolygonMesh *mesh, const int32_t *vertices, int count) {
    Vec3 sum = vec3(0, 0, 0);
    for (int c = 0; c < count; ++c) {
        sum = vec3_add(sum, polygon_position(mesh, vertices[c]));
    }
    return vec3_scale(1.0 / count, sum);
}

static Vec3 place_of(const PolygonMesh *mesh, DetailElement kind, int element) {
    if (kind == ELEMENT_VERTEX) {
        return polygon_position(mesh, element);
    }
    if (kind == ELEMENT_EDGE) {
        return mean_of(mesh, mesh->edges + 2 * (int64_t)element, 2);
    }
    int64_t corner = 0;
    for (int f = 0; f < element; ++f) {
        corner += mesh->face_sizes[f];
    }
    return mean_of(mesh, mesh->face_vertices + corner, mesh->face_sizes[element]);
}

StatusCode refusal_status(const Refusal *refusal, DetailCode code, DetailElement kind,
                          const PolygonMesh *mesh, const char *one, const char *many,
                          Status *status) {
    static const char *const names[] = {
        [ELEMENT_VERTEX] = "vertex", [ELEMENT_FACE] = "face", [ELEMENT_EDGE] = "loose edge"};
    if (refusal->count == 0) {
        return STATUS_OK;
    }
    status_set(status, STATUS_ERROR_MESH, "%d %s:", refusal->count,
               refusal->count == 1 ? one : many);
    for (int i = 0; i < refusal->listed; ++i) {
        Vec3 p = place_of(mesh, kind, refusal->first[i]);
        status_append(status, "%s %s %d at (%.4g, %.4g, %.4g)", i > 0 ? "," : "", names[kind],
                      refusal->first[i], p.x, p.y, p.z);
    }
    if (refusal->count > refusal->listed) {
        status_append(status, ", ...");
    }
    Detail *detail = status_detail(status, code);
    detail->element = kind;
    detail->count = refusal->count;
    for (int i = 0; i < refusal->listed; ++i) {
        detail->elements[i] = refusal->first[i];
    }
    return status->code;
}
