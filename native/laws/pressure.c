/* Finding closed surfaces, and the law of the air in them. */
#include "laws/pressure.h"

#include <math.h>
#include <string.h>

#include "base/sort.h"
#include "mesh/adjacency.h"

/* A surface of so little volume for its area to the power 3/2 is flat: float32 input. */
#define FLAT 1e-7

bool pressure_is_given(const Material *material) {
    return material->pressure != 0 || material->volume_stiffness > 0;
}

/* Six times the volume between a triangle and the origin. */
static double six_volumes(const int *vertices, const Vec3 *x) {
    return vec3_dot(x[vertices[0]], vec3_cross(x[vertices[1]], x[vertices[2]]));
}

static double twice_area(const int *vertices, const Vec3 *x) {
    Vec3 a = x[vertices[0]];
    return vec3_length(vec3_cross(vec3_sub(x[vertices[1]], a), vec3_sub(x[vertices[2]], a)));
}

/* --- which surfaces are closed ------------------------------------------------------------------ */

typedef struct Finder {
    const Mesh *mesh;
    int *parent;   /* per vertex: union-find over components */
    uint8_t *open; /* per vertex that stands for one */
    double *six;   /* likewise: six times its volume, m^3; 0: it is flat */
    double *twice; /* likewise: twice its area, m^2 */
    int *number;   /* likewise: its chamber, -1 for none */
    Side *sides;
    Store store;
} Finder;

static bool take_finder(Finder *finder) {
    int vertices = finder->mesh->vertex_count;
    Store *store = &finder->store;
    finder->parent = STORE_ARRAY(store, int, vertices);
    finder->open = STORE_ARRAY(store, uint8_t, vertices);
    finder->six = STORE_ARRAY(store, double, vertices);
    finder->twice = STORE_ARRAY(store, double, vertices);
    finder->number = STORE_ARRAY(store, int, vertices);
    finder->sides = STORE_ARRAY(store, Side, 3 * finder->mesh->triangle_count);
    return !store->failed;
}

/* Two triangles go along a side in opposite directions; in the mirror plane of half a mesh one is enough. */
static bool is_closed_at(const Mesh *mesh, const Side *sides, int count) {
    bool in_plane = mesh->halved && sides->a >= mesh->plane_from && sides->b >= mesh->plane_from;
    return (count == 2 && sides[0].reversed != sides[1].reversed) || (count == 1 && in_plane);
}

/* False without memory. */
static bool find_components(Finder *finder) {
    const Mesh *mesh = finder->mesh;
    int count = 0;
    for (int v = 0; v < mesh->vertex_count; ++v) {
        finder->parent[v] = v;
    }
    for (int t = 0; t < mesh->triangle_count; ++t) {
        const int *corners = mesh->triangles[t].vertices;
        for (int c = 0; c < 3; ++c) {
            int a = corners[c], b = corners[(c + 1) % 3];
            components_join(finder->parent, a, b);
            finder->sides[count] = side_between(a, b, count);
            ++count;
        }
    }
    if (!sort_records(finder->sides, (size_t)count, sizeof *finder->sides, mesh->vertex_count,
                      side_compare)) {
        return false;
    }
    for (int s = 0, run; s < count; s += run) {
        run = side_run(finder->sides, sizeof *finder->sides, count, s);
        if (!is_closed_at(mesh, &finder->sides[s], run)) {
            finder->open[components_root(finder->parent, finder->sides[s].a)] = 1;
        }
    }
    for (int t = 0; t < mesh->triangle_count; ++t) {
        const int *corners = mesh->triangles[t].vertices;
        int root = components_root(finder->parent, corners[0]);
        finder->six[root] += six_volumes(corners, mesh->rest);
        finder->twice[root] += twice_area(corners, mesh->rest);
    }
    for (int v = 0; v < mesh->vertex_count; ++v) {
        double least = 6 * FLAT * pow(0.5 * finder->twice[v], 1.5);
        finder->six[v] = fabs(finder->six[v]) > least ? finder->six[v] : 0.0;
    }
    return true;
}

static int component_of(const Finder *finder, int t) {
    return components_root(finder->parent, finder->mesh->triangles[t].vertices[0]);
}

/* Chambers are numbered in the order of their first triangles. Returns how many triangles they have. */
static int number_chambers(Finder *finder, int *chamber_count) {
    const Mesh *mesh = finder->mesh;
    int triangles = 0;
    *chamber_count = 0;
    for (int v = 0; v < mesh->vertex_count; ++v) {
        finder->number[v] = -1;
    }
    for (int t = 0; t < mesh->triangle_count; ++t) {
        int root = component_of(finder, t);
        bool closed = !finder->open[root];
        if (closed && finder->number[root] < 0) {
            finder->number[root] = (*chamber_count)++;
        }
        triangles += closed;
    }
    return triangles;
}

/* --- building ----------------------------------------------------------------------------------- */

static PressureLaw *take_law(int count, int chamber_count, Store *store) {
    PressureLaw *pressure = STORE_ARRAY(store, PressureLaw, 1);
    if (!pressure || !law_take(&pressure->law, &pressure_kind, count, 3, 3, store)) {
        return NULL;
    }
    pressure->chamber_count = chamber_count;
    pressure->chambers = STORE_ARRAY(store, Chamber, chamber_count);
    pressure->chamber_of = STORE_ARRAY(store, int, count);
    pressure->law.unbounded = count > 0;
    return store->failed ? NULL : pressure;
}

static void add_triangle(PressureLaw *pressure, const int *corners, bool inward, int chamber) {
    Law *law = &pressure->law;
    int at = law->count++, *vertices = law->vertices + 3 * at;
    vertices[0] = corners[0];
    vertices[1] = corners[inward ? 2 : 1];
    vertices[2] = corners[inward ? 1 : 2];
    for (int r = 0; r < 3; ++r) {
        law->weights[r][3 * at + r] = 1.0;
    }
    pressure->chamber_of[at] = chamber;
}

static void fill_law(PressureLaw *pressure, const Finder *finder) {
    for (int k = 0; k < pressure->chamber_count; ++k) {
        Chamber *chamber = &pressure->chambers[k];
        chamber->from = pressure->law.count;
        for (int t = 0; t < finder->mesh->triangle_count; ++t) {
            double six = finder->six[component_of(finder, t)];
            if (finder->number[component_of(finder, t)] == k) {
                chamber->rest_volume = fabs(six) / 6.0;
                add_triangle(pressure, finder->mesh->triangles[t].vertices, six < 0, k);
            }
        }
        chamber->count = pressure->law.count - chamber->from;
    }
    pressure->law.crossing_from = pressure->law.count;
}

StatusCode pressure_law_build(const Mesh *mesh, bool wanted, Store *store, Law **law,
                              Status *status) {
    Finder finder = {.mesh = mesh};
    int count = 0, chamber_count = 0;
    bool ready = !wanted || (take_finder(&finder) && find_components(&finder));
    if (ready && wanted) {
        count = number_chambers(&finder, &chamber_count);
    }
    PressureLaw *pressure = ready ? take_law(count, chamber_count, store) : NULL;
    if (pressure && wanted) {
        fill_law(pressure, &finder);
    }
    store_release(&finder.store);
    *law = pressure ? &pressure->law : NULL;
    return pressure ? STATUS_OK : status_no_memory(status, pressure_kind.name);
}

/* --- the law ------------------------------------------------------------------------------------ */

static void set_material(Law *law, const Material *material, const Scales *scales) {
    PressureLaw *pressure = (PressureLaw *)law;
    double factor = scales->whole[law->part];
    pressure->given = factor * material->pressure;
    pressure->stiffness = factor * material->volume_stiffness;
}

/* By how much a pressure falls when the volume grows, Pa/m^3. */
static double slope_of(const PressureLaw *pressure, const Chamber *chamber) {
    return chamber->rest_volume > 0 ? pressure->stiffness / chamber->rest_volume : 0.0;
}

typedef struct VolumeWork {
    const Law *law;
    int from;
    const Vec3 *x;
} VolumeWork;

static double sum_volumes(void *context, int begin, int end) {
    const VolumeWork *work = context;
    double sum = 0;
    for (int e = work->from + begin; e < work->from + end; ++e) {
        sum += six_volumes(law_vertices(work->law, e), work->x);
    }
    return sum;
}

static void prepare(const Law *law, Pool *pool, const Vec3 *x) {
    const PressureLaw *pressure = (const PressureLaw *)law;
    for (int k = 0; k < pressure->chamber_count; ++k) {
        Chamber *chamber = &pressure->chambers[k];
        VolumeWork work = {law, chamber->from, x};
        chamber->volume = pool_sum(pool, chamber->count, sum_volumes, &work) / 6.0;
        double grown = chamber->volume - chamber->rest_volume;
        double slope = slope_of(pressure, chamber);
        chamber->pressure = pressure->given - slope * grown;
        chamber->energy =
            (0.5 * slope * grown * grown - pressure->given * chamber->volume) / chamber->count;
    }
}

static double evaluate(const Law *law, int e, const Guess *guess, Vec3 *tension) {
    const PressureLaw *pressure = (const PressureLaw *)law;
    const Chamber *chamber = &pressure->chambers[pressure->chamber_of[e]];
    const int *vertices = law_vertices(law, e);
    double sixth = chamber->pressure / 6.0;
    for (int c = 0; c < 3; ++c) {
        Vec3 next = guess->z[vertices[(c + 1) % 3]], last = guess->z[vertices[(c + 2) % 3]];
        tension[c] = vec3_scale(sixth, vec3_cross(next, last));
    }
    return chamber->energy;
}

const LawKind pressure_kind = {.name = "chambers of air",
                               .set_material = set_material,
                               .evaluate = evaluate,
                               .prepare = prepare};

bool pressure_has_volumes(Law *const *laws, int law_count, int part) {
    bool all = true;
    for (int l = 0; l < law_count; ++l) {
        const PressureLaw *pressure = (const PressureLaw *)laws[l];
        bool own = laws[l]->kind == &pressure_kind && laws[l]->part == part;
        for (int k = 0; own && k < pressure->chamber_count; ++k) {
            all = all && pressure->chambers[k].rest_volume > 0;
        }
    }
    return all;
}

/* --- what volumes resist with ------------------------------------------------------------------- */

StatusCode volumes_build(Volumes *volumes, Law *const *laws, int law_count, int vertex_count,
                         Store *store, Status *status) {
    for (int l = 0; l < law_count; ++l) {
        volumes->count +=
            laws[l]->kind == &pressure_kind ? ((const PressureLaw *)laws[l])->chamber_count : 0;
    }
    if (volumes->count == 0) {
        return STATUS_OK;
    }
    volumes->chamber = STORE_ARRAY(store, int, vertex_count);
    volumes->gradient = STORE_ARRAY(store, Vec3, vertex_count);
    volumes->slope = STORE_ARRAY(store, double, volumes->count);
    return store->failed ? status_no_memory(status, "chambers of air") : STATUS_OK;
}

/* `first`: of the chambers of this law. */
static void add_gradients(const Volumes *volumes, const PressureLaw *pressure, int first,
                          const Vec3 *x) {
    for (int e = 0; e < pressure->law.count; ++e) {
        const int *vertices = law_vertices(&pressure->law, e);
        for (int c = 0; c < 3; ++c) {
            Vec3 next = x[vertices[(c + 1) % 3]], last = x[vertices[(c + 2) % 3]];
            Vec3 *to = &volumes->gradient[vertices[c]];
            *to = vec3_madd(*to, 1.0 / 6.0, vec3_cross(next, last));
            volumes->chamber[vertices[c]] = first + pressure->chamber_of[e];
        }
    }
}

bool volumes_update(const Volumes *volumes, Law *const *laws, int law_count, int vertex_count,
                    const Vec3 *x) {
    bool stiff = false;
    int first = 0;
    if (volumes->count == 0) {
        return false;
    }
    memset(volumes->gradient, 0, (size_t)vertex_count * sizeof *volumes->gradient);
    for (int v = 0; v < vertex_count; ++v) {
        volumes->chamber[v] = -1;
    }
    for (int l = 0; l < law_count; ++l) {
        const PressureLaw *pressure = (const PressureLaw *)laws[l];
        if (laws[l]->kind != &pressure_kind) {
            continue;
        }
        add_gradients(volumes, pressure, first, x);
        for (int k = 0; k < pressure->chamber_count; ++k) {
            volumes->slope[first + k] = slope_of(pressure, &pressure->chambers[k]);
            stiff = stiff || pressure->stiffness > 0;
        }
        first += pressure->chamber_count;
    }
    return stiff;
}
