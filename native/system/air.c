/* The wind's force on each triangle, two triangles at a time. */
#include "system/air.h"

#include <math.h>
#include <stdint.h>

#include "mesh/adjacency.h"

/* Twice the area of a triangle, squared, m^4, below which it has no direction. */
#define NO_AREA 1e-60
/* Drag of the square law at most, over mass per area and h. At 1 a substep would take all of the wind that a triangle
 * feels; an error of its speed is turned round and halved at 3/4. */
#define MOST_DRAG 0.75
/* Keeps the drag of air at rest from being 0/0, m/s. */
#define NO_SPEED 1e-100

#define INLINE static inline __attribute__((always_inline))

/* The same number of a group's triangles. */
typedef double Lanes __attribute__((vector_size(8 * AIR_GROUP), may_alias, aligned(8)));
typedef int64_t Marks __attribute__((vector_size(8 * AIR_GROUP)));

typedef struct Lanes3 {
    Lanes x, y, z;
} Lanes3;

static void list_triangles(AirModel *model, const Mesh *mesh) {
    for (int t = 0; t < mesh->triangle_count; ++t) {
        const Triangle *triangle = &mesh->triangles[t];
        int *corner = model->vertices + 3 * (t - t % AIR_GROUP) + t % AIR_GROUP;
        model->third[t] = triangle->area / 3.0;
        for (int c = 0; c < 3; ++c) {
            corner[c * AIR_GROUP] = triangle->vertices[c];
        }
    }
    mesh_list_triangles(mesh, model->start, model->triangle);
}

StatusCode air_model_build(AirModel *model, const Mesh *mesh, Store *store, Status *status) {
    model->group_count = (mesh->triangle_count + AIR_GROUP - 1) / AIR_GROUP;
    int room = model->group_count * AIR_GROUP;
    model->vertices = STORE_ARRAY(store, int, 3 * room);
    model->third = STORE_ARRAY(store, double, room);
    model->density = STORE_ARRAY(store, double, room);
    model->push = STORE_ARRAY(store, Vec3, room);
    model->start = STORE_ARRAY(store, int, mesh->vertex_count + 1);
    model->triangle = STORE_ARRAY(store, int, 3 * room);
    if (store->failed) {
        return status_no_memory(status, "the wind");
    }
    list_triangles(model, mesh);
    return STATUS_OK;
}

INLINE Lanes3 sub3(Lanes3 a, Lanes3 b) { return (Lanes3){a.x - b.x, a.y - b.y, a.z - b.z}; }
INLINE Lanes3 add3(Lanes3 a, Lanes3 b) { return (Lanes3){a.x + b.x, a.y + b.y, a.z + b.z}; }
INLINE Lanes dot3(Lanes3 a, Lanes3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
INLINE Lanes3 cross3(Lanes3 a, Lanes3 b) {
    return (Lanes3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

INLINE Lanes3 fetch(const Vec3 *from, const int *corner) {
    const Vec3 *p = &from[corner[0]], *q = &from[corner[1]];
    Lanes a = *(const Lanes *)p, b = *(const Lanes *)q; /* x and y of each */
    return (Lanes3){__builtin_shufflevector(a, b, 0, 2), __builtin_shufflevector(a, b, 1, 3),
                    (Lanes){p->z, q->z}};
}

void air_model_set_masses(AirModel *model, const double *mass, const double *area) {
    for (int t = 0; t < AIR_GROUP * model->group_count; ++t) {
        const int *corner = model->vertices + 3 * (t - t % AIR_GROUP) + t % AIR_GROUP;
        double least = INFINITY;
        for (int c = 0; c < 3; ++c) {
            int v = corner[c * AIR_GROUP];
            least = area[v] > 0 ? fmin(least, mass[v] / area[v]) : least;
        }
        model->density[t] = isfinite(least) ? least : 0.0;
    }
}

double wind_bound(const Wind *wind) {
    return wind->law == DRAG_LINEAR ? fmax(wind->normal_drag, wind->tangent_drag) : 0.0;
}

typedef struct AirWork {
    const AirModel *model;
    const Wind *wind;
    const Vec3 *gusts;
    bool blows;
    double h;
    const Vec3 *x, *v;
} AirWork;

INLINE Lanes smaller(Lanes a, Lanes b) {
    Marks less = a < b;
    return (Lanes)(((Marks)a & less) | ((Marks)b & ~less));
}

INLINE Lanes root(Lanes a) { return (Lanes){sqrt(a[0]), sqrt(a[1])}; }

/* Drag of a part of the wind with the square law, N s/m^3, from the square of its speed. */
INLINE Lanes square_drag(double drag, Lanes speed2, Lanes most) {
    return smaller(drag * root(speed2), most);
}

/* Rayleigh's drag of a plate across, N s/m^3, from the squares of the speeds across it and along it. */
INLINE Lanes plate_drag(double drag, Lanes normal2, Lanes along2, Lanes most) {
    Lanes square = normal2 + along2;
    Lanes divisor = 4.0 * root(square) + M_PI * root(normal2) + NO_SPEED;
    return smaller(drag * (4.0 + M_PI) * square / divisor, most);
}

INLINE void push_group(const AirWork *work, int g) {
    const AirModel *model = work->model;
    const int *corner = model->vertices + 3 * AIR_GROUP * g, *next = corner + AIR_GROUP,
              *last = next + AIR_GROUP;
    Lanes3 origin = fetch(work->x, corner), speed = fetch(work->v, corner);
    Lanes3 n = cross3(sub3(fetch(work->x, next), origin), sub3(fetch(work->x, last), origin));
    speed = add3(speed, add3(fetch(work->v, next), fetch(work->v, last)));
    Vec3 blown = work->wind->velocity;
    const double mean = 1.0 / 3.0;
    Lanes3 air = {blown.x + (Lanes){0}, blown.y + (Lanes){0}, blown.z + (Lanes){0}};
    if (work->gusts) {
        Lanes3 sum = add3(fetch(work->gusts, next), fetch(work->gusts, last));
        sum = add3(fetch(work->gusts, corner), sum);
        air = add3(air, (Lanes3){mean * sum.x, mean * sum.y, mean * sum.z});
    }
    Lanes3 wind = {air.x - mean * speed.x, air.y - mean * speed.y, air.z - mean * speed.z};
    Lanes square = dot3(n, n), third = *(const Lanes *)(model->third + AIR_GROUP * g);
    Lanes across = (Lanes)((Marks)(dot3(wind, n) / square) & (square > NO_AREA));
    double normal_drag = work->wind->normal_drag, tangent_drag = work->wind->tangent_drag;
    Lanes along = third * tangent_drag, difference = third * (normal_drag - tangent_drag);
    if (work->wind->law == DRAG_SQUARE) {
        Lanes density = *(const Lanes *)(model->density + AIR_GROUP * g);
        Lanes most = MOST_DRAG * density / work->h;
        Lanes normal2 = across * across * square, tangent2 = dot3(wind, wind) - normal2;
        tangent2 = (Lanes)((Marks)tangent2 & (tangent2 > 0.0));
        along = third * square_drag(tangent_drag, tangent2, most);
        difference = work->blows
                         ? plate_drag(normal_drag, normal2, smaller(tangent2, dot3(air, air)), most)
                         : square_drag(normal_drag, normal2, most);
        difference = third * difference - along;
    }
    across *= difference;
    Lanes x = along * wind.x + across * n.x, y = along * wind.y + across * n.y;
    Lanes z = along * wind.z + across * n.z;
    Lanes *push = (Lanes *)(model->push + AIR_GROUP * g); /* x, y, z, x, y, z */
    push[0] = __builtin_shufflevector(x, y, 0, 2);
    push[1] = __builtin_shufflevector(z, x, 0, 3);
    push[2] = __builtin_shufflevector(y, z, 1, 3);
}

static void push_groups(void *context, int begin, int end) {
    for (int g = begin; g < end; ++g) {
        push_group(context, g);
    }
}

void air_model_push(AirModel *model, Pool *pool, const Wind *wind, const Vec3 *gusts, double h,
                    const Vec3 *x, const Vec3 *v) {
    bool blows = gusts || vec3_dot(wind->velocity, wind->velocity) > 0;
    AirWork work = {model, wind, gusts, blows, h, x, v};
    pool_run(pool, model->group_count, push_groups, &work);
}
