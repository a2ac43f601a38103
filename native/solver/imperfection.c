/* The field, and where cloth is compressed. */
#include "solver/imperfection.h"

#include <math.h>
#include <stdlib.h>

#include "geometry/box.h"
#include "mesh/adjacency.h"

/* The largest displacement, over a vertex's shortest edge. */
#define LARGEST 1e-3
/* Warp or weft shorter than at rest by the first part begin to count as compressed, and do so fully from the second on.
 * Cloth that lies, hangs or is sheared stays below. */
#define BEGINS_AT 0.0025
#define FULL_AT 0.01
/* Twice the area of a triangle, squared, m^4, below which it has no direction. */
#define NO_AREA 1e-60

/* Wave lengths, in mean edges of the component: what folds takes from few cells to several tens. No two have a small
 * common multiple. */
static const double WAVES[] = {5.0, 8.3, 13.9, 23.1, 38.3};
#define WAVE_COUNT ((int)(sizeof WAVES / sizeof *WAVES))

#define PI 3.14159265358979323846

/* A connected part of the mesh. */
typedef struct Component {
    Box box;       /* at rest, m */
    double length; /* of its edges, m */
    double count;  /* of them; those within the mirror plane are half another's */
    bool halved;   /* it goes on beyond the mirror plane */
} Component;

static void measure_components(const System *system, const int *component, int count,
                               Component *list) {
    const Mesh *mesh = system->mesh;
    for (int k = 0; k < count; ++k) {
        list[k].box = box_empty();
    }
    for (int v = 0; v < mesh->vertex_count; ++v) {
        Component *own = &list[component[v]];
        own->box = box_with_point(own->box, mesh->rest[v]);
        own->halved = own->halved || v >= system->rail_from;
    }
    for (int e = 0; e < mesh->edge_count; ++e) {
        const Edge *edge = &mesh->edges[e];
        double share = mesh_share(mesh, edge->a, edge->b);
        list[component[edge->a]].length += share * edge->rest_length;
        list[component[edge->a]].count += share;
    }
}

/* Between -1 and 1, of a place in mean edges from the component's middle; even in x. */
static double field_at(Vec3 place) {
    double sum = 0;
    for (int w = 0; w < WAVE_COUNT; ++w) {
        double turn = 2 * PI / WAVES[w];
        sum += cos(turn * place.x) + sin(turn * place.y + 1.0 + w) + sin(turn * place.z + 2.0 - w);
    }
    return sum / (3 * WAVE_COUNT);
}

static void fill_field(Imperfection *imperfection, const int *component, const Component *list) {
    const Mesh *mesh = imperfection->system->mesh;
    for (int v = 0; v < mesh->vertex_count; ++v) {
        imperfection->field[v] = INFINITY;
    }
    for (int e = 0; e < mesh->edge_count; ++e) { /* the shortest edge of each vertex */
        const Edge *edge = &mesh->edges[e];
        double *a = &imperfection->field[edge->a], *b = &imperfection->field[edge->b];
        *a = fmin(*a, edge->rest_length);
        *b = fmin(*b, edge->rest_length);
    }
    for (int v = 0; v < mesh->vertex_count; ++v) {
        const Component *own = &list[component[v]];
        Vec3 middle = vec3_scale(0.5, vec3_add(own->box.low, own->box.high));
        middle.x = own->halved ? 0.0 : middle.x;
        Vec3 place = vec3_sub(mesh->rest[v], middle);
        double edge = own->length > 0 ? own->length / own->count : 0.0;
        imperfection->field[v] =
            edge > 0 ? LARGEST * imperfection->field[v] * field_at(vec3_scale(1 / edge, place))
                     : 0.0;
    }
}

static void fill_axes(const Mesh *mesh, double (*axes)[4]) {
    for (int t = 0; t < mesh->triangle_count; ++t) {
        const double(*at)[2] = mesh->triangles[t].material;
        double u1 = at[1][0] - at[0][0], v1 = at[1][1] - at[0][1];
        double u2 = at[2][0] - at[0][0], v2 = at[2][1] - at[0][1];
        double twice = u1 * v2 - u2 * v1, over = mesh->triangles[t].area > 0 ? 1 / twice : 0.0;
        axes[t][0] = over * v2;
        axes[t][1] = -over * v1;
        axes[t][2] = -over * u2;
        axes[t][3] = over * u1;
    }
}

/* Which triangles each piece of the cloth has. Returns false without memory. */
static bool list_by_piece(Imperfection *imperfection, Store *store) {
    const System *system = imperfection->system;
    int count = system->mesh->triangle_count;
    int *owner = SCRATCH_ARRAY(int, count);
    for (int t = 0; owner && t < count; ++t) {
        owner[t] = system->piece[system->mesh->triangles[t].vertices[0]];
    }
    if (owner) {
        piece_items_build(&imperfection->items, system->piece_count, count, owner,
                          pool_chunk_size(), store);
    }
    free(owner);
    return owner && !store->failed;
}

StatusCode imperfection_build(Imperfection *imperfection, const System *system, Store *store,
                              Status *status) {
    const Mesh *mesh = system->mesh;
    imperfection->system = system;
    imperfection->field = STORE_ARRAY(store, double, mesh->vertex_count);
    imperfection->axes =
        store_take(store, (size_t)mesh->triangle_count, sizeof *imperfection->axes);
    imperfection->compressed = STORE_ARRAY(store, Vec3, mesh->triangle_count);
    imperfection->twice_area = STORE_ARRAY(store, double, mesh->triangle_count);
    int *component = SCRATCH_ARRAY(int, mesh->vertex_count);
    Component *list = SCRATCH_ARRAY(Component, mesh->vertex_count);
    bool taken = !store->failed && component && list;
    if (taken) {
        measure_components(system, component, components_find(mesh, component), list);
        fill_field(imperfection, component, list);
        fill_axes(mesh, imperfection->axes);
    }
    free(component);
    free(list);
    taken = taken && (system->piece_count < 2 || list_by_piece(imperfection, store));
    return taken ? STATUS_OK : status_no_memory(status, "the substep");
}

typedef struct ImperfectionWork {
    Imperfection *imperfection;
    const Vec3 *x;
    Vec3 *z;
} ImperfectionWork;

/* How much of the imperfection cloth has whose shorter axis, of warp and weft, has this length over that at rest:
 * 0 to 1, smooth at both ends. */
static double compressed_part(double stretch) {
    double part = (1.0 - stretch - BEGINS_AT) / (FULL_AT - BEGINS_AT);
    part = part < 1 ? part : 1.0;
    return part > 0 ? part * part * (3 - 2 * part) : 0.0;
}

static double compress_triangles(void *context, int begin, int end) {
    const ImperfectionWork *work = context;
    Imperfection *imperfection = work->imperfection;
    const System *system = imperfection->system;
    int any = 0;
    for (int t = begin; t < end; ++t) {
        const int *corners = system->mesh->triangles[t].vertices;
        const double *axis = imperfection->axes[t];
        Vec3 side = vec3_sub(work->x[corners[1]], work->x[corners[0]]);
        Vec3 other = vec3_sub(work->x[corners[2]], work->x[corners[0]]);
        Vec3 u = vec3_madd(vec3_scale(axis[0], side), axis[1], other);
        Vec3 v = vec3_madd(vec3_scale(axis[2], side), axis[3], other);
        double shorter = sqrt(fmin(vec3_dot(u, u), vec3_dot(v, v)));
        Vec3 across = vec3_cross(side, other);
        double size = system->resized ? scale_mean(system->maps[MAP_SIZE], corners, 3) : 1.0;
        double part = system->mesh->triangles[t].area > 0 ? compressed_part(shorter / size) : 0.0;
        imperfection->compressed[t] = vec3_scale(part, across);
        imperfection->twice_area[t] = vec3_length(across);
        any |= part > 0;
    }
    return any;
}

static void move_vertices(void *context, int begin, int end) {
    const ImperfectionWork *work = context;
    const Imperfection *imperfection = work->imperfection;
    const System *system = imperfection->system;
    const AirModel *air = &system->air; /* has the triangles of each vertex */
    for (int i = begin; i < end; ++i) {
        Vec3 sum = vec3(0, 0, 0);
        double area = 0;
        for (int p = air->start[i]; p < air->start[i + 1]; ++p) {
            sum = vec3_add(sum, imperfection->compressed[air->triangle[p]]);
            area += imperfection->twice_area[air->triangle[p]];
        }
        if (area * area > NO_AREA && !system->held[i]) {
            Vec3 offset = vec3_scale(imperfection->field[i] / area, sum);
            work->z[i] = vec3_add(work->z[i], system_on_rails(system, i, offset));
        }
    }
}

bool imperfection_add(Imperfection *imperfection, const Vec3 *x, Vec3 *z) {
    const System *system = imperfection->system;
    ImperfectionWork work = {imperfection, x, z};
    const PieceItems *items = &imperfection->items;
    int runs =
        system->awake ? piece_items_choose(items, system->awake_count, system->awake_pieces) : 0;
    double any =
        system->awake
            ? pool_sum_over(system->pool, runs, items->chosen, compress_triangles, &work)
            : pool_sum(system->pool, system->mesh->triangle_count, compress_triangles, &work);
    if (any == 0) {
        return false;
    }
    system_run(system, move_vertices, &work);
    return true;
}
