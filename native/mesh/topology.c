/* From polygons to triangles, edges and hinges.
 * Sides are collected as records and sorted; edges and hinges are runs of equal keys. Sorting keeps
 * the result independent of any hash, so the same mesh always gives the same numbering. */
#include <stdlib.h>

#include "base/sort.h"
#include "mesh/adjacency.h"
#include "mesh/mesh.h"
#include "mesh/polygon.h"

/* --- material coordinates ------------------------------------------------------------------------ */

/* Where each corner of a triangle lies in the flat cloth, in metres. Either the UV map is the sewing pattern itself, or each
 * triangle of the rest mesh is laid flat on its own: isometric, so that the rest shape is unstretched, with the warp along
 * the UV map's u where there is one, else along an axis, upright where the triangle stands, along y where it lies. */

/* Triangles thinner than this (height over longest side) have no area worth inverting. */
#define THINNEST 1e-6
/* Lying rather than standing: the normal within 25 degrees of the vertical. */
#define LYING 0.9

/* Direction in the triangle's plane in which u grows and v does not, or zero. */
static Vec3 direction_of_u(const Vec3 *x, const float *const uv[3]) {
    double du1 = uv[1][0] - uv[0][0], dv1 = uv[1][1] - uv[0][1];
    double du2 = uv[2][0] - uv[0][0], dv2 = uv[2][1] - uv[0][1];
    double determinant = du1 * dv2 - du2 * dv1;
    double size = (fabs(du1) + fabs(dv1)) * (fabs(du2) + fabs(dv2));
    if (!(fabs(determinant) > THINNEST * size) || !isfinite(determinant)) {
        return vec3(0, 0, 0);
    }
    Vec3 along =
        vec3_sub(vec3_scale(dv2, vec3_sub(x[1], x[0])), vec3_scale(dv1, vec3_sub(x[2], x[0])));
    return vec3_scale(determinant > 0 ? 1.0 : -1.0, along);
}

/* Unit warp direction in the triangle with unit normal n. */
static Vec3 warp_direction(const Vec3 *x, const float *const uv[3], Vec3 n) {
    Vec3 warp = uv[0] ? direction_of_u(x, uv) : vec3(0, 0, 0);
    if (!(vec3_dot(warp, warp) > 0)) {
        Vec3 axis = fabs(n.z) > LYING ? vec3(0, 1, 0) : vec3(0, 0, 1);
        warp = vec3_madd(axis, -vec3_dot(axis, n), n);
    }
    double length = vec3_length(warp);
    return length > 0 ? vec3_scale(1.0 / length, warp) : vec3(1, 0, 0);
}

static void lay_rest_triangle(const Vec3 *x, const float *const uv[3], Triangle *triangle) {
    Vec3 n = vec3_normal_or(vec3_sub(x[1], x[0]), vec3_sub(x[2], x[0]), vec3(0, 0, 1));
    Vec3 warp = warp_direction(x, uv, n);
    Vec3 weft = vec3_cross(n, warp);
    for (int c = 0; c < 3; ++c) {
        Vec3 d = vec3_sub(x[c], x[0]);
        triangle->material[c][0] = vec3_dot(d, warp);
        triangle->material[c][1] = vec3_dot(d, weft);
    }
}

static void lay_pattern_triangle(const float *const uv[3], double scale, Triangle *triangle) {
    for (int c = 0; c < 3; ++c) {
        triangle->material[c][0] = scale * uv[c][0];
        triangle->material[c][1] = scale * uv[c][1];
    }
}

static void measure_triangle(Triangle *triangle) {
    double longest = 0;
    for (int c = 0; c < 3; ++c) {
        const double *p = triangle->material[c], *q = triangle->material[(c + 1) % 3];
        longest = fmax(longest, plane_length(q[0] - p[0], q[1] - p[1]));
    }
    const double(*m)[2] = triangle->material;
    double twice =
        (m[1][0] - m[0][0]) * (m[2][1] - m[0][1]) - (m[2][0] - m[0][0]) * (m[1][1] - m[0][1]);
    triangle->area = fabs(twice) > THINNEST * longest * longest ? 0.5 * fabs(twice) : 0.0;
}

/* Lays every triangle flat: fills `material` and `area`. `corners` are the positions of its corners in the list of all
 * polygon corners. */
static void lay_triangles(const PolygonMesh *polygons, const MeshOptions *options, Mesh *mesh,
                          const int (*corners)[3]) {
    for (int t = 0; t < mesh->triangle_count; ++t) {
        Triangle *triangle = &mesh->triangles[t];
        const float *uv[3] = {NULL, NULL, NULL};
        Vec3 x[3];
        for (int c = 0; c < 3; ++c) {
            x[c] = mesh->rest[triangle->vertices[c]];
            if (polygons->corner_uvs) {
                uv[c] = polygons->corner_uvs + 2 * (int64_t)corners[t][c];
            }
        }
        if (options->pattern == PATTERN_UV) {
            lay_pattern_triangle(uv, options->uv_scale, triangle);
        } else {
            lay_rest_triangle(x, uv, triangle);
        }
        measure_triangle(triangle);
    }
}

/* --- edges and hinges ---------------------------------------------------------------------------- */

/* Shares of a face's area that its springs stand for: see Edge.share. */
#define TRIANGLE_SIDE_SHARE (8.0 / 9.0)
#define QUAD_SIDE_SHARE 0.5
/* Springs of slivers are no stiffer than this many sheets. */
#define LARGEST_SHARE 1e3

/* A spring of a face, or a rope, before those of one side become an edge. */
typedef struct SideSpring {
    Side side;
    int opposite; /* vertex opposite in its triangle, -1 where it is no triangle's side */
    int triangle; /* likewise */
    EdgeKind kind;
    double length, area; /* m; m^2 of cloth the spring stands for */
    double braced;       /* m^2: likewise, of what diagonals do for it */
} SideSpring;

typedef struct Builder {
    const PolygonMesh *polygons;
    const MeshOptions *options;
    Mesh *mesh;
    int (*corners)[3];   /* per triangle, in the list of all corners */
    int *first_corner;   /* per face */
    int *first_triangle; /* per face, with one more at the end */
    uint8_t *left_out;   /* per face */
    SideSpring *sides;
    int side_count;
    Store scratch;
} Builder;

/* Cuts every face that is not left out. */
static StatusCode cut_faces(Builder *builder, Status *status) {
    const PolygonMesh *polygons = builder->polygons;
    int largest = 0;
    for (int f = 0; f < polygons->face_count; ++f) {
        largest = polygons->face_sizes[f] > largest ? polygons->face_sizes[f] : largest;
    }
    Vec3 *points = STORE_ARRAY(&builder->scratch, Vec3, largest);
    int *ring = STORE_ARRAY(&builder->scratch, int, largest);
    int(*cut)[3] = store_take(&builder->scratch, (size_t)largest, sizeof *cut);
    if (builder->scratch.failed) {
        return status_no_memory(status, "cutting polygons");
    }
    Vec3 centre = polygon_centre(polygons);
    centre.x = builder->mesh->halved ? 0.0 : centre.x; /* of the whole: its cuts are the same */
    int made = 0;
    for (int f = 0; f < polygons->face_count; ++f) {
        builder->first_triangle[f] = made;
        if (builder->left_out[f]) {
            continue;
        }
        int size = polygons->face_sizes[f], first = builder->first_corner[f];
        for (int c = 0; c < size; ++c) {
            points[c] = polygon_position(polygons, polygons->face_vertices[first + c]);
        }
        polygon_cut(points, size, centre, ring, cut);
        for (int t = 0; t < size - 2; ++t, ++made) {
            Triangle *triangle = &builder->mesh->triangles[made];
            triangle->face = f;
            for (int c = 0; c < 3; ++c) {
                builder->corners[made][c] = first + cut[t][c];
                triangle->vertices[c] = polygons->face_vertices[first + cut[t][c]];
            }
        }
    }
    builder->first_triangle[polygons->face_count] = made;
    return STATUS_OK;
}

/* Rest distance of two corners of one face: in the pattern, or in space. */
static double corner_distance(const Builder *builder, int p, int q) {
    if (builder->options->pattern == PATTERN_UV) {
        const float *uv = builder->polygons->corner_uvs;
        double du = uv[2 * (int64_t)p] - uv[2 * (int64_t)q];
        double dv = uv[2 * (int64_t)p + 1] - uv[2 * (int64_t)q + 1];
        return builder->options->uv_scale * plane_length(du, dv);
    }
    const int32_t *vertices = builder->polygons->face_vertices;
    return vec3_distance(builder->mesh->rest[vertices[p]], builder->mesh->rest[vertices[q]]);
}

/* A spring without an area yet, of the side whose ends are the corners p and q. */
static SideSpring *add_side(Builder *builder, int p, int q, EdgeKind kind, int triangle,
                            int opposite) {
    const int32_t *vertices = builder->polygons->face_vertices;
    int at = builder->side_count++;
    builder->sides[at] = (SideSpring){.side = side_between(vertices[p], vertices[q], at),
                                      .opposite = opposite,
                                      .triangle = triangle,
                                      .kind = kind,
                                      .length = corner_distance(builder, p, q)};
    return &builder->sides[at];
}

/* A spring of length l with this area has the constant l^2 / 2A. In a rectangle a x b, A = ab, two such diagonals make
 * the shear modulus 1; and stretched along a they pull like two sides of a with l = a, which those must not do again. */
static double braced_area(double length, double quad_area) {
    double square = length * length;
    return quad_area > 0 ? square * square / (2.0 * quad_area) : 0.0;
}

/* The sides of one triangle of a face; the cut through a quad is one of its diagonals. */
static void add_triangle_sides(Builder *builder, int t, bool is_quad, double quad_area) {
    const int *corner = builder->corners[t];
    const Triangle *triangle = &builder->mesh->triangles[t];
    for (int c = 0; c < 3; ++c) {
        int p = corner[c], q = corner[(c + 1) % 3];
        EdgeKind kind = is_quad && abs(p - q) == 2 ? EDGE_SHEAR : EDGE_CLOTH;
        SideSpring *side = add_side(builder, p, q, kind, t, triangle->vertices[(c + 2) % 3]);
        if (kind == EDGE_SHEAR) { /* both triangles bring the diagonal, so each brings half of it */
            side->area = 0.5 * braced_area(side->length, quad_area);
        } else if (is_quad) {
            side->area = QUAD_SIDE_SHARE * quad_area;
            side->braced = braced_area(side->length, quad_area);
        } else {
            side->area = TRIANGLE_SIDE_SHARE * triangle->area;
        }
    }
}

static void add_face_sides(Builder *builder, int f) {
    int begin = builder->first_triangle[f], end = builder->first_triangle[f + 1];
    bool is_quad = builder->polygons->face_sizes[f] == 4;
    double area = 0;
    for (int t = begin; t < end; ++t) {
        area += builder->mesh->triangles[t].area;
    }
    for (int t = begin; t < end; ++t) {
        add_triangle_sides(builder, t, is_quad, area);
    }
    if (is_quad && end > begin) {
        /* the diagonal that the cut did not take */
        int first = builder->first_corner[f];
        int cut_has_02 = 0;
        for (int c = 0; c < 3; ++c) {
            int p = builder->corners[begin][c] - first,
                q = builder->corners[begin][(c + 1) % 3] - first;
            cut_has_02 |= (p == 0 && q == 2) || (p == 2 && q == 0);
        }
        SideSpring *side =
            add_side(builder, first + cut_has_02, first + cut_has_02 + 2, EDGE_SHEAR, -1, -1);
        side->area = braced_area(side->length, area);
    }
}

static void add_ropes(Builder *builder) {
    for (int e = 0; e < builder->polygons->edge_count; ++e) {
        int a = builder->polygons->edges[2 * e], b = builder->polygons->edges[2 * e + 1];
        if (a == b) {
            continue;
        }
        double length = vec3_distance(builder->mesh->rest[a], builder->mesh->rest[b]);
        int at = builder->side_count++;
        builder->sides[at] = (SideSpring){.side = side_between(a, b, at),
                                          .opposite = -1,
                                          .triangle = -1,
                                          .kind = EDGE_ROPE,
                                          .length = length};
    }
}

/* One edge from a run of sides with the same two vertices. */
static Edge merge_sides(const Mesh *mesh, const SideSpring *sides, int count) {
    Edge edge = {.a = sides[0].side.a, .b = sides[0].side.b, .kind = sides[0].kind};
    double length = 0, area = 0, braced = 0;
    for (int s = 0; s < count; ++s) {
        length += sides[s].length / count;
        area += sides[s].area;
        braced += sides[s].braced;
        edge.kind = sides[s].kind < edge.kind ? sides[s].kind : edge.kind;
    }
    edge.rest_length = length;
    if (edge.kind == EDGE_ROPE) {
        edge.share = mesh_share(mesh, edge.a, edge.b) * (length > VEC3_TINY ? 1.0 / length : 1.0);
    } else {
        /* a side of nothing but flat triangles still holds its ends together */
        double share = area > 0 && length > VEC3_TINY ? area / (length * length) : 1.0;
        edge.share = share < LARGEST_SHARE ? share : LARGEST_SHARE;
        edge.braced = length > VEC3_TINY ? braced / (length * length) : 0.0;
    }
    return edge;
}

static Hinge hinge_between(const SideSpring *first, const SideSpring *second) {
    return (Hinge){.i = first->opposite,
                   .j = second->opposite,
                   .k = first->side.a,
                   .l = first->side.b,
                   .triangles = {first->triangle, second->triangle}};
}

/* Hinges of one run: triangles around the edge, taken in turn. Counts only when `out` is null. */
static int make_hinges(const Mesh *mesh, const SideSpring *sides, int count, Hinge *out) {
    int made = 0, last = -1;
    for (int s = 0; s < count; ++s) {
        int t = sides[s].triangle;
        if (t < 0 || mesh->triangles[t].area <= 0) {
            continue;
        }
        if (last >= 0 && sides[last].opposite != sides[s].opposite) {
            if (out) {
                out[made] = hinge_between(&sides[last], &sides[s]);
            }
            ++made;
        }
        last = s;
    }
    return made;
}

/* The hinge of one run across the mirror plane, if its edge is a rim there. Returns how many, as above. */
static bool make_crossing(const Mesh *mesh, const SideSpring *sides, int count, Hinge *out) {
    int only = -1, triangles = 0;
    if (sides[0].side.a < mesh->plane_from || sides[0].side.b < mesh->plane_from) {
        return false;
    }
    for (int s = 0; s < count; ++s) {
        int t = sides[s].triangle;
        if (t >= 0 && mesh->triangles[t].area > 0) {
            only = s;
            ++triangles;
        }
    }
    if (triangles != 1) {
        return false;
    }
    if (out) {
        *out = hinge_between(&sides[only], &sides[only]);
    }
    return true;
}

/* Makes the mesh's edges and hinges; only counts them as long as there is no memory for them. */
static void merge_all(Builder *builder) {
    Mesh *mesh = builder->mesh;
    const SideSpring *sides = builder->sides;
    mesh->edge_count = mesh->hinge_count = 0;
    for (int s = 0, run; s < builder->side_count; s += run) {
        run = side_run(sides, sizeof *sides, builder->side_count, s);
        if (mesh->edges) {
            mesh->edges[mesh->edge_count] = merge_sides(mesh, sides + s, run);
        }
        ++mesh->edge_count;
        Hinge *out = mesh->hinges ? mesh->hinges + mesh->hinge_count : NULL;
        mesh->hinge_count += make_hinges(mesh, sides + s, run, out);
    }
    mesh->crossing_from = mesh->hinge_count;
    for (int s = 0, run; s < builder->side_count; s += run) {
        run = side_run(sides, sizeof *sides, builder->side_count, s);
        Hinge *out = mesh->hinges ? mesh->hinges + mesh->hinge_count : NULL;
        mesh->hinge_count += make_crossing(mesh, sides + s, run, out);
    }
}

static StatusCode build_edges(Builder *builder, Store *store, Status *status) {
    Mesh *mesh = builder->mesh;
    const PolygonMesh *polygons = builder->polygons;
    size_t most = 3 * (size_t)mesh->triangle_count + (size_t)polygons->face_count +
                  (size_t)polygons->edge_count;
    builder->sides = STORE_ARRAY(&builder->scratch, SideSpring, most);
    if (builder->scratch.failed) {
        return status_no_memory(status, "the list of edges");
    }
    for (int f = 0; f < polygons->face_count; ++f) {
        add_face_sides(builder, f);
    }
    add_ropes(builder);
    if (!sort_records(builder->sides, (size_t)builder->side_count, sizeof(SideSpring),
                      mesh->vertex_count, side_compare)) {
        return status_no_memory(status, "the list of edges");
    }
    merge_all(builder);
    mesh->edges = STORE_ARRAY(store, Edge, mesh->edge_count);
    mesh->hinges = STORE_ARRAY(store, Hinge, mesh->hinge_count);
    if (store->failed) {
        return status_no_memory(status, "edges and hinges");
    }
    merge_all(builder);
    for (int e = 0; e < mesh->edge_count; ++e) {
        mesh->rope_count += mesh->edges[e].kind == EDGE_ROPE;
    }
    return STATUS_OK;
}

/* Components are counted over vertices that belong to something. */
static StatusCode count_components(Mesh *mesh, Store *scratch, Status *status) {
    int *parent = STORE_ARRAY(scratch, int, mesh->vertex_count);
    if (scratch->failed) {
        return status_no_memory(status, "components");
    }
    for (int v = 0; v < mesh->vertex_count; ++v) {
        parent[v] = v;
        mesh->isolated[v] = 1;
    }
    for (int e = 0; e < mesh->edge_count; ++e) {
        components_join(parent, mesh->edges[e].a, mesh->edges[e].b);
        mesh->isolated[mesh->edges[e].a] = mesh->isolated[mesh->edges[e].b] = 0;
    }
    for (int v = 0; v < mesh->vertex_count; ++v) {
        mesh->component_count += parent[v] == v && !mesh->isolated[v];
    }
    return STATUS_OK;
}

static StatusCode allocate(Builder *builder, Store *store, Status *status) {
    const PolygonMesh *polygons = builder->polygons;
    Mesh *mesh = builder->mesh;
    mesh->vertex_count = polygons->vertex_count;
    builder->first_corner = STORE_ARRAY(&builder->scratch, int, polygons->face_count);
    builder->first_triangle = STORE_ARRAY(&builder->scratch, int, polygons->face_count + 1);
    builder->left_out = STORE_ARRAY(&builder->scratch, uint8_t, polygons->face_count);
    if (builder->scratch.failed || !check_faces_left_out(polygons, builder->left_out)) {
        return status_no_memory(status, "faces");
    }
    int corner = 0;
    for (int f = 0; f < polygons->face_count; ++f) {
        builder->first_corner[f] = corner;
        corner += polygons->face_sizes[f];
        mesh->triangle_count += builder->left_out[f] ? 0 : polygons->face_sizes[f] - 2;
    }
    builder->corners =
        store_take(&builder->scratch, (size_t)mesh->triangle_count, sizeof *builder->corners);
    mesh->rest = STORE_ARRAY(store, Vec3, mesh->vertex_count);
    mesh->isolated = STORE_ARRAY(store, uint8_t, mesh->vertex_count);
    mesh->part = STORE_ARRAY(store, uint8_t, mesh->vertex_count);
    mesh->triangles = STORE_ARRAY(store, Triangle, mesh->triangle_count);
    if (builder->scratch.failed || store->failed) {
        return status_no_memory(status, "triangles");
    }
    for (int v = 0; v < mesh->vertex_count; ++v) {
        mesh->rest[v] = polygon_position(polygons, v);
        mesh->part[v] = polygons->vertex_parts ? (uint8_t)polygons->vertex_parts[v] : 0;
    }
    return STATUS_OK;
}

StatusCode mesh_build(const PolygonMesh *polygons, int plane_from, const MeshOptions *options,
                      Store *store, Mesh *mesh, Status *status) {
    bool halved = plane_from != MESH_WHOLE;
    *mesh = (Mesh){.halved = halved, .plane_from = halved ? plane_from : polygons->vertex_count};
    Builder builder = {.polygons = polygons, .options = options, .mesh = mesh};
    StatusCode code = allocate(&builder, store, status);
    code = code ? code : cut_faces(&builder, status);
    if (code == STATUS_OK) {
        lay_triangles(polygons, options, mesh, (const int(*)[3])builder.corners);
        code = build_edges(&builder, store, status);
    }
    code = code ? code : count_components(mesh, &builder.scratch, status);
    store_release(&builder.scratch);
    return code;
}
