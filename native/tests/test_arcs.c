/* Bodies that turn between two frames keep their shape on the way; those that hardly do go straight, to the bit. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rotation.h"
#include "check.h"
#include "contact/body/collider.h"

#define ALONG 24 /* quads of the bar's sides */
#define AROUND 8
#define VERTICES ((ALONG + 1) * AROUND)
#define TRIANGLES (2 * ALONG * AROUND)
#define LENGTH 0.6 /* m */
#define RADIUS 0.04
#define PI 3.14159265358979323846

typedef struct Bar {
    Store store;
    Collider collider;
    Vec3 x[VERTICES];
    int triangles[3 * TRIANGLES];
} Bar;

/* A tube along x, with open ends. */
static Bar *bar_new(void) {
    Bar *bar = calloc(1, sizeof *bar);
    Status status = {0};
    int *t = bar->triangles;
    for (int i = 0; i <= ALONG; ++i) {
        for (int k = 0; k < AROUND; ++k) {
            double angle = 2 * PI * k / AROUND;
            bar->x[AROUND * i + k] =
                vec3(LENGTH * i / ALONG, RADIUS * cos(angle), RADIUS * sin(angle));
        }
    }
    for (int i = 0; i < ALONG; ++i) {
        for (int k = 0; k < AROUND; ++k) {
            int a = AROUND * i + k, b = AROUND * i + (k + 1) % AROUND;
            const int corners[6] = {a, a + AROUND, b, b, a + AROUND, b + AROUND};
            memcpy(t, corners, sizeof corners);
            t += 6;
        }
    }
    ColliderDefinition definition = {.vertex_count = VERTICES,
                                     .triangle_count = TRIANGLES,
                                     .positions = bar->x,
                                     .triangles = bar->triangles,
                                     .thickness = 0.004};
    CHECK_INT(collider_build(&bar->collider, &definition, &bar->store, &status), STATUS_OK);
    return bar;
}

static void bar_free(Bar *bar) {
    store_release(&bar->store);
    free(bar);
}

/* Around a place by an angle, with a way along. */
static Vec3 turned(Vec3 x, Vec3 middle, Vec3 axis, double angle, Vec3 way) {
    Vec3 turn = vec3_scale(sin(0.5 * angle), axis), arm = vec3_sub(x, middle);
    Vec3 side = vec3_cross(turn, arm);
    double cosine = cos(0.5 * angle);
    Vec3 there = vec3_madd(vec3_madd(arm, 2 * cosine, side), 2, vec3_cross(turn, side));
    return vec3_add(vec3_add(middle, there), way);
}

/* How much the distances of vertices differ from those at the start, at most, m. */
static double bent(const Bar *bar, const Vec3 *at) {
    double most = 0;
    for (int v = 0; v < VERTICES; ++v) {
        for (int w = 0; w < v; w += 7) {
            double there = vec3_distance(at[v], at[w]), here = vec3_distance(bar->x[v], bar->x[w]);
            most = fmax(most, fabs(there - here));
        }
    }
    return most;
}

/* The bar goes there in a frame; returns how much it is bent on its way. */
static double lead(Bar *bar, Pool *pool, const Vec3 *end) {
    double most = 0;
    Collider *collider = &bar->collider;
    collider_set_frame(collider, bar->x, end);
    collider_find_arcs(collider, pool);
    for (int s = 0; s < 8; ++s) {
        collider_move(collider, pool, s / 8.0, (s + 1) / 8.0);
        most = fmax(most, bent(bar, collider->at[1]));
    }
    collider_move(collider, pool, 0, 1);
    CHECK(memcmp(collider->at[0], bar->x, sizeof bar->x) == 0);
    CHECK(memcmp(collider->at[1], end, sizeof bar->x) == 0);
    return most;
}

/* By one radian and by half a turn, around an end and around itself, and while it goes along. */
static void check_rigid(Pool *pool) {
    static const double angles[] = {0.05, 1.0, 2.5, PI};
    static const Vec3 axes[] = {{0, 0, 1}, {0.6, 0.8, 0}, {1, 0, 0}, {0.6, -0.64, 0.48}};
    for (int k = 0; k < 16; ++k) {
        Bar *bar = bar_new();
        Vec3 end[VERTICES], axis = axes[k / 4], way = k % 2 ? vec3(0.1, 0.2, -0.3) : vec3(0, 0, 0);
        double angle = angles[k % 4];
        for (int v = 0; v < VERTICES; ++v) {
            end[v] = turned(bar->x[v], vec3(0, 0, 0), axis, angle, way);
        }
        CHECK_BELOW(lead(bar, pool, end), 1e-5); /* what is hardly bent is straight */
        /* halfway it is where half of the turn leads */
        collider_move(&bar->collider, pool, 0, 0.5);
        double along = vec3_dot(way, axis);
        for (int v = 0; v < VERTICES && k % 2 == 0; ++v) {
            Vec3 half =
                turned(bar->x[v], vec3(0, 0, 0), axis, 0.5 * angle, vec3_scale(0.5 * along, axis));
            Vec3 other = turned(bar->x[v], vec3(0, 0, 0), axis, 0.5 * angle - PI, vec3(0, 0, 0));
            Vec3 at = bar->collider.at[1][v]; /* half a turn may go either way round */
            bool back = angle == PI && vec3_distance(at, half) > 1e-6;
            CHECK_BELOW(vec3_distance(at, back ? other : half), 5.1e-6);
        }
        bar_free(bar);
    }
}

/* An elbow: half of the bar turns, and nothing is torn between. */
static void check_bend(void) {
    Bar *bar = bar_new();
    Vec3 end[VERTICES];
    for (int v = 0; v < VERTICES; ++v) {
        double part = fmin(fmax((bar->x[v].x - 0.4 * LENGTH) / (0.2 * LENGTH), 0), 1);
        end[v] = turned(bar->x[v], vec3(0.5 * LENGTH, 0, 0), vec3(0, 0, 1), part, vec3(0, 0, 0));
    }
    CHECK_BELOW(lead(bar, NULL, end), LENGTH);
    collider_move(&bar->collider, NULL, 0, 0.5);
    const Vec3 *at = bar->collider.at[1];
    double arc = 0, chord = 0;
    for (int v = 0; v + AROUND < VERTICES; ++v) {
        double here = vec3_distance(bar->x[v], bar->x[v + AROUND]);
        Vec3 half[2] = {vec3_scale(0.5, vec3_add(bar->x[v], end[v])),
                        vec3_scale(0.5, vec3_add(bar->x[v + AROUND], end[v + AROUND]))};
        if (bar->x[v].x >= 0.6 * LENGTH) {
            arc = fmax(arc, fabs(vec3_distance(at[v], at[v + AROUND]) / here - 1));
            chord = fmax(chord, fabs(vec3_distance(half[0], half[1]) / here - 1));
        }
    }
    CHECK(arc < 0.25 * chord);
    bar_free(bar);
}

/* Slow turns, and ways without one, change nothing of what straight ways give. */
static void check_straight(void) {
    for (int k = 0; k < 4; ++k) {
        Bar *bar = bar_new();
        Collider *collider = &bar->collider;
        Vec3 end[VERTICES];
        double angle = k == 0 ? 0.005 : k == 1 ? 1e-3 : 0;
        for (int v = 0; v < VERTICES; ++v) {
            end[v] = turned(bar->x[v], vec3(0, 0, 0), vec3(0, 0, 1), angle,
                            vec3(0, k == 2 ? 0.5 : 0, 0));
        }
        lead(bar, NULL, end);
        CHECK(!collider->arcs.any);
        collider_move(collider, NULL, 0.25, 0.5);
        for (int v = 0; v < VERTICES; ++v) {
            Vec3 way = vec3_sub(end[v], bar->x[v]), at = vec3_madd(bar->x[v], 0.5, way);
            CHECK(memcmp(&at, &collider->at[1][v], sizeof at) == 0);
        }
        bar_free(bar);
    }
}

static void check_rotation(void) {
    static const Vec3 flat[4] = {{0, 0, 0}, {1, 0, 0}, {0, 2, 0}, {1, 1, 0}};
    static const int list[4] = {0, 1, 2, 3};
    for (int k = 1; k < 12; ++k) {
        Vec3 axis = vec3_unit_or(vec3(1, 0.3 * k, -0.2), vec3(1, 0, 0)), end[4];
        double angle = PI * k / 12;
        for (int v = 0; v < 4; ++v) {
            end[v] = turned(flat[v], vec3(3, 2, 1), axis, angle, vec3(1, 2, 3));
        }
        Vec3 found = points_rotation(4, list, flat, end);
        CHECK_BELOW(vec3_distance(found, vec3_scale(angle, axis)), 1e-9);
    }
    static const Vec3 line[3] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}};
    CHECK_BELOW(vec3_length(points_rotation(3, list, line, line)), 1e-30);
    CHECK_BELOW(vec3_length(points_rotation(0, list, line, line)), 1e-30);
}

int main(void) {
    Pool *pool = pool_create(2);
    check_rotation();
    check_rigid(NULL);
    check_rigid(pool);
    check_bend();
    check_straight();
    pool_destroy(pool);
    return check_result();
}
