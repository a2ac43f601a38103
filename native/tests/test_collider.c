/* The collider: what is closed, which way is out, the nearest point and its sign against formulas and
 * against a walk over all triangles, solids that overlap, motion, threads. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "contact/body/collider.h"

#define MOST 40000

/* --- bodies ----------------------------------------------------------------------------------- */

typedef struct Body {
    Vec3 x[MOST];
    int triangles[3 * MOST];
    int vertex_count, triangle_count;
    Store store;
    Collider collider;
} Body;

static Body *body_new(void) { return calloc(1, sizeof(Body)); }

static void body_free(Body *body) {
    store_release(&body->store);
    free(body);
}

static int add_vertex(Body *body, Vec3 x) {
    body->x[body->vertex_count] = x;
    return body->vertex_count++;
}

static void add_triangle(Body *body, int a, int b, int c) {
    int *t = body->triangles + 3 * body->triangle_count++;
    t[0] = a;
    t[1] = b;
    t[2] = c;
}

static void add_quad(Body *body, int a, int b, int c, int d) {
    add_triangle(body, a, b, c);
    add_triangle(body, a, c, d);
}

/* The quads next to the poles have two equal corners, as meshes from a modeller may. */
static void add_sphere(Body *body, Vec3 centre, double radius, int n) {
    int top = add_vertex(body, vec3_madd(centre, radius, vec3(0, 0, 1)));
    int bottom = add_vertex(body, vec3_madd(centre, radius, vec3(0, 0, -1)));
    int first = body->vertex_count;
    for (int i = 1; i < n; ++i) {
        for (int j = 0; j < 2 * n; ++j) {
            double u = M_PI * i / n, v = M_PI * j / n;
            Vec3 out = vec3(sin(u) * cos(v), sin(u) * sin(v), cos(u));
            add_vertex(body, vec3_madd(centre, radius, out));
        }
    }
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < 2 * n; ++j) {
            int above = first + (i - 1) * 2 * n, below = above + 2 * n, next = (j + 1) % (2 * n);
            int a = i ? above + j : top, d = i ? above + next : top;
            int b = i < n - 1 ? below + j : bottom, c = i < n - 1 ? below + next : bottom;
            add_quad(body, a, b, c, d);
        }
    }
}

static void add_cube(Body *body) {
    int v = body->vertex_count;
    for (int i = 0; i < 8; ++i) {
        add_vertex(body, vec3(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1));
    }
    add_quad(body, v + 0, v + 2, v + 3, v + 1);
    add_quad(body, v + 4, v + 5, v + 7, v + 6);
    add_quad(body, v + 0, v + 1, v + 5, v + 4);
    add_quad(body, v + 2, v + 6, v + 7, v + 3);
    add_quad(body, v + 0, v + 4, v + 6, v + 2);
    add_quad(body, v + 1, v + 3, v + 7, v + 5);
}

/* n by n cells of the square from -1 to 1, facing up. */
static void add_plane(Body *body, int n) {
    int v = body->vertex_count;
    for (int i = 0; i <= n; ++i) {
        for (int j = 0; j <= n; ++j) {
            add_vertex(body, vec3(2.0 * j / n - 1, 2.0 * i / n - 1, 0));
        }
    }
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            int at = v + i * (n + 1) + j;
            add_quad(body, at, at + 1, at + n + 2, at + n + 1);
        }
    }
}

static StatusCode build(Body *body, Status *status) {
    ColliderDefinition definition = {.vertex_count = body->vertex_count,
                                     .triangle_count = body->triangle_count,
                                     .positions = body->x,
                                     .triangles = body->triangles,
                                     .thickness = 0.003,
                                     .friction = 0.4,
                                     .margin = 0.01};
    return collider_build(&body->collider, &definition, &body->store, status);
}

/* Numbers that are below 0 or none are refused by name. */
static void check_numbers(void) {
    static const char *const names[3] = {"thickness", "friction", "margin"};
    Body *body = body_new();
    add_vertex(body, vec3(0, 0, 0));
    add_vertex(body, vec3(1, 0, 0));
    add_vertex(body, vec3(0, 1, 0));
    add_triangle(body, 0, 1, 2);
    for (int i = 0; i < 6; ++i) {
        Status status = {0};
        double numbers[3] = {0.003, 0.4, 0.01};
        numbers[i / 2] = i % 2 ? NAN : -0.1;
        ColliderDefinition definition = {.vertex_count = 3,
                                         .triangle_count = 1,
                                         .positions = body->x,
                                         .triangles = body->triangles,
                                         .thickness = numbers[0],
                                         .friction = numbers[1],
                                         .margin = numbers[2]};
        CHECK_INT(collider_build(&body->collider, &definition, &body->store, &status),
                  STATUS_ERROR_ARGUMENT);
        CHECK(strstr(status.message, names[i / 2]) != NULL);
    }
    body_free(body);
}

static void check_built(Body *body, int parts, int solids, int turned, int skipped) {
    Status status;
    CHECK_INT(build(body, &status), STATUS_OK);
    int count = 0;
    for (int p = 0; p < body->collider.part_count; ++p) {
        count += body->collider.parts[p].solid;
    }
    CHECK_INT(body->collider.part_count, parts);
    CHECK_INT(count, solids);
    CHECK_INT(body->collider.turned, turned);
    CHECK_INT(body->collider.skipped, skipped);
    CHECK_INT(body->collider.triangle_count, body->triangle_count - skipped);
}

static void turn_around(Body *body) {
    for (int t = 0; t < body->triangle_count; ++t) {
        int *c = body->triangles + 3 * t, kept = c[1];
        c[1] = c[2];
        c[2] = kept;
    }
}

/* --- what is closed --------------------------------------------------------------------------- */

static void check_kinds(void) {
    Status status;
    Body *body = body_new();
    add_sphere(body, vec3(0, 0, 0), 1, 8);
    check_built(body, 1, 1, 0, 32);
    turn_around(body);
    check_built(body, 1, 1, 1, 32);
    int hole = body->triangle_count / 2; /* a sphere with a hole is solid all the same */
    body->triangles[3 * hole] = body->triangles[3 * hole + 1];
    check_built(body, 1, 1, 1, 33);
    body_free(body);

    body = body_new();
    add_cube(body);
    turn_around(body);
    add_sphere(body, vec3(9, 0, 0), 1, 6);
    add_plane(body, 4);
    check_built(body, 3, 2, 1, 24);
    int *one = body->triangles + 3; /* a face of the cube the wrong way round */
    int kept = one[0];
    one[0] = one[1];
    one[1] = kept;
    check_built(body, 3, 1, 0, 24);
    body->triangles[5] = body->vertex_count;
    CHECK_INT(build(body, &status), STATUS_ERROR_MESH);
    body->triangles[5] = 0;
    body->x[3].y = NAN;
    CHECK_INT(build(body, &status), STATUS_ERROR_ARGUMENT);
    body_free(body);

    body = body_new(); /* two triangles back to back: closed, but nothing inside */
    for (int i = 0; i < 3; ++i) {
        add_vertex(body, random_vector(1));
    }
    add_triangle(body, 0, 1, 2);
    add_triangle(body, 0, 2, 1);
    check_built(body, 1, 0, 0, 0);
    CHECK_INT(body->collider.parts[0].closed, 1);
    body_free(body);

    body = body_new(); /* nothing at all */
    check_built(body, 0, 0, 0, 0);
    Hit hit;
    CHECK(!collider_closest(&body->collider, vec3(0, 0, 0), INFINITY, &hit));
    CHECK_INT(collider_solids_around(&body->collider, vec3(0, 0, 0)), 0);
    body_free(body);
}

/* A sphere that lacks all above `height`: what is left of it at z = height is its opening. */
static void check_cut_sphere(double height, int solid) {
    Body *body = body_new();
    add_sphere(body, vec3(0, 0, 0), 1, 24);
    int kept = 0;
    for (int t = 0; t < body->triangle_count; ++t) {
        const int *c = body->triangles + 3 * t;
        double top = fmax(body->x[c[0]].z, fmax(body->x[c[1]].z, body->x[c[2]].z));
        for (int k = 0; top <= height && k < 3; ++k) {
            body->triangles[3 * kept + k] = c[k];
        }
        kept += top <= height;
    }
    body->triangle_count = kept;
    Status status;
    CHECK_INT(build(body, &status), STATUS_OK);
    CHECK_INT(body->collider.parts[0].solid, solid);
    CHECK_INT(body->collider.parts[0].closed, 0);
    for (int round = 0; solid && round < 1000; ++round) {
        Vec3 p = random_vector(1.3);
        Hit hit;
        CHECK(collider_closest(&body->collider, p, 10, &hit));
        if (!hit.boundary && fabs(vec3_length(p) - 1) > 0.02) {
            CHECK_INT(hit.signed_distance < 0, vec3_length(p) < 1);
        }
    }
    body_free(body);
}

static void check_vessels(void) {
    check_cut_sphere(0.98, 1); /* a neck */
    check_cut_sphere(0.1, 0);  /* a bowl */
}

/* --- nearest point and sign ------------------------------------------------------------------- */

/* The distance to all triangles in turn; also that what the hit says of itself is so. */
static void check_hit(const Collider *collider, Vec3 p, const Hit *hit) {
    double best = INFINITY;
    for (int t = 0; t < collider->triangle_count; ++t) {
        const int *c = collider->corners[t];
        const Vec3 *x = collider->at[1];
        Vec3 corners[3] = {x[c[0]], x[c[1]], x[c[2]]};
        double distance = closest_on_triangle(p, corners).distance;
        best = distance < best ? distance : best;
    }
    CHECK_NEAR(hit->distance, best, 0);
    CHECK_NEAR(vec3_distance(p, hit->point), best, 1e-12);
    CHECK_NEAR(fabs(hit->signed_distance), best, 0);
    CHECK_NEAR(vec3_length(hit->normal), 1, 1e-9);
    Vec3 point = vec3(0, 0, 0);
    for (int c = 0; c < 3; ++c) {
        CHECK_INT(hit->vertices[c], collider->corners[hit->triangle][c]);
        point = vec3_madd(point, hit->weights[c], collider->at[1][hit->vertices[c]]);
    }
    CHECK_BELOW(vec3_distance(point, hit->point), 1e-12);
    CHECK_INT(hit->solid, collider->parts[hit->part].solid);
}

static void check_sphere(int inside_out) {
    Body *body = body_new();
    Status status;
    add_sphere(body, vec3(0.2, 0.1, -0.3), 1, 24);
    if (inside_out) {
        turn_around(body);
    }
    CHECK_INT(build(body, &status), STATUS_OK);
    for (int round = 0; round < 1500; ++round) {
        Vec3 p = random_vector(2);
        if (round % 3 == 0) { /* the ray of the count goes through a vertex */
            Vec3 vertex = body->x[random_below(body->vertex_count)];
            p = vec3(p.x, vertex.y, vertex.z);
        }
        double wanted = vec3_distance(p, vec3(0.2, 0.1, -0.3)) - 1, sagitta = 0.015;
        Hit hit;
        int is_hit = collider_closest(&body->collider, p, 0.3, &hit);
        CHECK(is_hit == (fabs(wanted) < 0.3) || fabs(fabs(wanted) - 0.3) < sagitta);
        CHECK(collider_closest(&body->collider, p, INFINITY, &hit));
        check_hit(&body->collider, p, &hit);
        CHECK_NEAR(hit.signed_distance, wanted, sagitta);
        CHECK_INT(hit.boundary, 0);
        CHECK(vec3_dot(hit.normal, vec3_sub(hit.point, vec3(0.2, 0.1, -0.3))) > 0.9);
        if (fabs(wanted) > sagitta) {
            CHECK_INT(collider_solids_around(&body->collider, p), wanted < 0);
        }
    }
    body_free(body);
}

static double cube_distance(Vec3 p) {
    double x = fabs(p.x) - 1, y = fabs(p.y) - 1, z = fabs(p.z) - 1;
    double most = x > y ? x : y;
    most = z > most ? z : most;
    Vec3 outside = vec3(x > 0 ? x : 0, y > 0 ? y : 0, z > 0 ? z : 0);
    return most < 0 ? most : vec3_length(outside);
}

static void check_cube(void) {
    Body *body = body_new();
    Status status;
    int seen[7] = {0};
    add_cube(body);
    CHECK_INT(build(body, &status), STATUS_OK);
    for (int round = 0; round < 20000; ++round) {
        Vec3 p = random_vector(round % 2 ? 2 : 1.05);
        if (round % 10 == 0) { /* on the rays and planes of symmetry, along diagonals */
            p = vec3(round % 20 ? p.x : 0, p.x, round % 30 ? p.x : -p.x);
        }
        Hit hit;
        CHECK(collider_closest(&body->collider, p, 10, &hit));
        CHECK_NEAR(hit.signed_distance, cube_distance(p), 1e-12);
        CHECK_NEAR(hit.thickness + hit.friction, 0.403, 1e-12);
        ++seen[hit.feature];
        CHECK_INT(collider_solids_around(&body->collider, p), cube_distance(p) < 0);
        if (round % 20 == 0) {
            check_hit(&body->collider, p, &hit);
        }
    }
    CHECK(seen[0] > 5000 && seen[1] > 100 && seen[2] + seen[3] > 100);
    CHECK(seen[4] > 100 && seen[5] > 50 && seen[6] > 50);
    body_free(body);
}

/* A sphere with spikes and pits. Seen from the middle each direction meets the surface once: a point is
 * inside if the surface there is further out. */
static int star_contains(const Body *body, Vec3 p) {
    const Collider *collider = &body->collider;
    for (int t = 0; t < collider->triangle_count; ++t) {
        const int *c = collider->corners[t];
        Vec3 a = body->x[c[0]], b = body->x[c[1]], d = body->x[c[2]];
        double u = vec3_dot(p, vec3_cross(b, d)), v = vec3_dot(p, vec3_cross(d, a));
        double w = vec3_dot(p, vec3_cross(a, b)), whole = vec3_dot(a, vec3_cross(b, d));
        if (u >= 0 && v >= 0 && w >= 0 && whole > 0) {
            return u + v + w < whole;
        }
    }
    return -1;
}

static void check_star(int inside_out) {
    Body *body = body_new();
    Status status;
    int seen[7] = {0}, inside = 0;
    add_sphere(body, vec3(0, 0, 0), 1, 8);
    for (int v = 0; v < body->vertex_count; ++v) {
        body->x[v] = vec3_scale(random_between(0.3, 2), body->x[v]);
    }
    if (inside_out) {
        turn_around(body);
    }
    CHECK_INT(build(body, &status), STATUS_OK);
    CHECK_INT(body->collider.parts[0].solid, 1);
    for (int round = 0; round < 8000; ++round) {
        Vec3 p = random_vector(1.5);
        Hit hit;
        int contains = star_contains(body, p);
        CHECK(contains >= 0);
        CHECK(collider_closest(&body->collider, p, 10, &hit));
        check_hit(&body->collider, p, &hit);
        CHECK_INT(hit.signed_distance < 0, contains);
        CHECK_INT(collider_solids_around(&body->collider, p), contains);
        ++seen[hit.feature];
        inside += contains;
    }
    CHECK(inside > 500 && seen[0] > 500 && seen[1] + seen[2] + seen[3] > 500);
    CHECK(seen[4] + seen[5] + seen[6] > 200);
    body_free(body);
}

static void check_sheet(void) {
    Body *body = body_new();
    Status status;
    add_plane(body, 7);
    CHECK_INT(build(body, &status), STATUS_OK);
    for (int round = 0; round < 3000; ++round) {
        Vec3 p = random_vector(2);
        double x = fabs(p.x) > 1 ? fabs(p.x) - 1 : 0, y = fabs(p.y) > 1 ? fabs(p.y) - 1 : 0;
        Hit hit;
        CHECK(collider_closest(&body->collider, p, 10, &hit));
        CHECK_NEAR(hit.signed_distance, vec3_length(vec3(x, y, p.z)), 1e-12);
        CHECK_INT(hit.solid, 0);
        CHECK_INT(hit.boundary, x > 0 || y > 0);
        CHECK_NEAR(hit.normal.z, 1, 1e-12);
        CHECK_INT(collider_solids_around(&body->collider, p), 0);
    }
    body_free(body);
}

/* --- solids that overlap ---------------------------------------------------------------------- */

static void check_union(void) {
    Body *body = body_new();
    Status status;
    const Vec3 centres[3] = {{-0.6, 0, 0}, {0.6, 0, 0}, {0, 0, 0.1}};
    const double radii[3] = {1, 1, 0.2};
    int hidden = 0;
    for (int s = 0; s < 3; ++s) {
        add_sphere(body, centres[s], radii[s], 24);
    }
    CHECK_INT(build(body, &status), STATUS_OK);
    CHECK_INT(body->collider.part_count, 3);
    for (int round = 0; round < 4000; ++round) {
        Vec3 p = random_vector(round % 2 ? 2 : 0.5);
        double away[3], reach = random_between(0.05, 1), sagitta = 0.012;
        int around = 0, within = 0, unclear = 0;
        for (int s = 0; s < 3; ++s) {
            away[s] = vec3_distance(p, centres[s]) - radii[s];
            around += away[s] < 0;
            within += fabs(away[s]) < reach;
            unclear |= fabs(away[s]) < sagitta || fabs(fabs(away[s]) - reach) < sagitta;
        }
        if (unclear) {
            continue;
        }
        Hit hits[3], nearest;
        int count = collider_closest_parts(&body->collider, p, reach, 3, hits);
        CHECK_INT(count, within);
        CHECK_INT(collider_solids_around(&body->collider, p), around);
        for (int i = 0; i < count; ++i) {
            CHECK_NEAR(hits[i].signed_distance, away[hits[i].part], sagitta);
            CHECK(i == 0 || hits[i].distance >= hits[i - 1].distance);
            CHECK(i == 0 || hits[i].part != hits[i - 1].part);
        }
        CHECK_INT(collider_closest(&body->collider, p, reach, &nearest), count > 0);
        if (count > 0) {
            CHECK(nearest.triangle == hits[0].triangle && nearest.distance == hits[0].distance);
            hidden += nearest.signed_distance > 0 && around > 0;
            Hit first[1];
            CHECK_INT(collider_closest_parts(&body->collider, p, reach, 1, first), count);
            CHECK(first[0].triangle == hits[0].triangle);
        }
    }
    CHECK(hidden > 50); /* outside of the nearest part, but inside another */
    body_free(body);
}

static bool same_hit(const Hit *a, const Hit *b) {
    return a->triangle == b->triangle && a->distance == b->distance &&
           a->signed_distance == b->signed_distance &&
           memcmp(&a->point, &b->point, sizeof a->point) == 0;
}

/* Any guess, and a list for as long as it tells, give what a search without them gives. On the cube's diagonals and
 * edges several triangles are the nearest. */
static void check_shortcuts(Body *body, double size, int ties) {
    Status status;
    CHECK_INT(build(body, &status), STATUS_OK);
    const Collider *collider = &body->collider;
    int reported = 0, unreported = 0, none = 0;
    for (int round = 0; round < 20000; ++round) {
        Vec3 p = random_vector(size), q = random_vector(round % 3 ? 5e-4 : 3e-3);
        if (ties && round % 2) {
            p = vec3(p.x, p.x, round % 4 > 1 ? p.x : p.z);
            q = vec3(q.x, q.x, round % 4 > 1 ? q.x : q.z);
        }
        Hit wanted, hits[3];
        int guess = random_below(collider->triangle_count + 1) - 1;
        double guessed = guess < 0 ? INFINITY : collider_distance(collider, p, guess);
        double reach = random_between(0, size), moved = vec3_length(q);
        int count = collider_closest(collider, p, reach, &wanted);
        CHECK_INT(collider_closest_from(collider, p, reach, guess, guessed, 3, hits), count);
        CHECK(!count || same_hit(&wanted, hits));
        Shortlist list;
        CHECK_INT(collider_list(collider, p, reach, guess, guessed, &list, hits), count);
        CHECK(!count || same_hit(&wanted, hits));
        q = vec3_add(p, q);
        count = collider_closest(collider, q, reach, &wanted);
        int listed = collider_closest_listed(collider, q, reach, moved, &list, hits);
        CHECK(listed < 0 || listed == count);
        CHECK(listed <= 0 || same_hit(&wanted, hits));
        reported += listed > 0;
        none += listed == 0;
        unreported += listed < 0;
    }
    CHECK(reported > 2000 && none > 2000 && unreported > 500);
    body_free(body);
}

/* A guess of one part says nothing about the others. */
static void check_guess_among_parts(void) {
    Body *body = body_new();
    Status status;
    add_sphere(body, vec3(-0.6, 0, 0), 1, 12);
    add_sphere(body, vec3(0.6, 0, 0), 1, 12);
    CHECK_INT(build(body, &status), STATUS_OK);
    for (int round = 0; round < 2000; ++round) {
        Vec3 p = random_vector(2);
        int guess = random_below(body->collider.triangle_count);
        double guessed = collider_distance(&body->collider, p, guess);
        Hit wanted[2], hits[2];
        int count = collider_closest_parts(&body->collider, p, 0.7, 2, wanted);
        CHECK_INT(collider_closest_from(&body->collider, p, 0.7, guess, guessed, 2, hits), count);
        for (int i = 0; i < count; ++i) {
            CHECK(same_hit(&wanted[i], &hits[i]));
        }
    }
    body_free(body);
}

/* Where nothing may face a point, nothing does nearby. */
static void check_may_face(void) {
    Body *body = body_new();
    Status status;
    add_sphere(body, vec3(0, 0, 0), 0.02, 12);
    CHECK_INT(build(body, &status), STATUS_OK);
    int alone = 0, faced = 0;
    for (int round = 0; round < 20000; ++round) {
        Vec3 p = random_vector(0.05), facing = vec3_unit_or(random_vector(1), vec3(0, 0, 1));
        Hit hit;
        if (collider_may_face(&body->collider, p, 0.02, 1e-3, facing, 0.15)) {
            faced += collider_closest_against(&body->collider, p, 0.02, facing, &hit);
            continue;
        }
        ++alone;
        Vec3 q = vec3_madd(p, 1e-3, vec3_unit_or(random_vector(1), vec3(0, 0, 1)));
        Vec3 turned = vec3_unit_or(vec3_add(facing, random_vector(0.08)), facing);
        if (vec3_distance(turned, facing) < 0.15) {
            CHECK(!collider_closest_against(&body->collider, q, 0.02, turned, &hit));
        }
        CHECK(!collider_closest_against(&body->collider, p, 0.02, facing, &hit));
    }
    CHECK(alone > 2000 && faced > 2000);
    body_free(body);
}

static void check_all_shortcuts(void) {
    Body *ball = body_new(), *cube = body_new();
    add_sphere(ball, vec3(0, 0, 0), 0.05, 16);
    check_shortcuts(ball, 0.08, 0);
    add_cube(cube);
    check_shortcuts(cube, 2.5, 1);
    check_guess_among_parts();
    check_may_face();
}

/* --- motion ----------------------------------------------------------------------------------- */

static bool count_visits(void *context, int triangle) {
    int *visits = context;
    ++visits[triangle];
    return false;
}

/* `unfolds`: from one place, where nothing can be said to turn. */
static void check_motion(bool unfolds) {
    Body *body = body_new();
    Status status;
    add_sphere(body, vec3(0, 0, 0), 1, 10);
    add_plane(body, 5);
    CHECK_INT(build(body, &status), STATUS_OK);
    Collider *collider = &body->collider;
    Vec3 *end = calloc(MOST, sizeof *end), *start = calloc(MOST, sizeof *start);
    for (int v = 0; v < body->vertex_count; ++v) { /* grows, moves, trembles */
        end[v] =
            vec3_add(vec3_add(vec3_scale(1.5, body->x[v]), vec3(1, 2, 3)), random_vector(0.02));
        start[v] = unfolds ? vec3(0.5, 0, 0) : body->x[v];
    }
    collider_set_frame(collider, start, end);
    for (int step = 0; step < 4; ++step) {
        double t0 = 0.25 * step, t1 = t0 + 0.25;
        collider_move(collider, NULL, t0, t1);
        for (int round = 0; round < 300; ++round) {
            Vec3 p = vec3_madd(random_vector(2.5), t1, vec3(1, 2, 3));
            Hit hit;
            CHECK(collider_closest(collider, p, INFINITY, &hit));
            check_hit(collider, p, &hit);
            Vec3 moved = vec3(0, 0, 0);
            for (int c = 0; c < 3; ++c) {
                int v = hit.vertices[c];
                moved = vec3_madd(moved, 0.25 * hit.weights[c], vec3_sub(end[v], start[v]));
            }
            CHECK_BELOW(vec3_distance(moved, hit.displacement), 1e-14);
        }
        /* whatever a triangle touches on its way is visited */
        for (int t = 0; t < collider->triangle_count; ++t) {
            double a = random_between(0, 1), b = random_between(0, 1 - a);
            double when = random_between(t0, t1), w[3] = {a, b, 1 - a - b};
            Vec3 p = vec3(0, 0, 0.0099);
            for (int c = 0; c < 3; ++c) {
                int v = collider->corners[t][c];
                Vec3 x = vec3_add(vec3_scale(1 - when, start[v]), vec3_scale(when, end[v]));
                p = vec3_madd(p, w[c], x);
            }
            static int visits[MOST];
            memset(visits, 0, sizeof visits);
            Box box = {p, p};
            collider_visit(collider, &box, count_visits, visits);
            CHECK_INT(visits[t], 1);
        }
    }
    CHECK(memcmp(collider->at[1], end, (size_t)body->vertex_count * sizeof *end) == 0);
    free(start);
    free(end);
    body_free(body);
}

static double count_offers(void *context, int element, double reach) {
    *(int *)context += element >= 0;
    return reach;
}

/* From a place that is not finite nothing is near, and the walk over the surface stays where it is. */
static void check_nowhere(void) {
    Body *body = body_new();
    Status status;
    add_sphere(body, vec3(0, 0, 0), 1, 10);
    CHECK_INT(build(body, &status), STATUS_OK);
    for (int round = 0; round < 6; ++round) {
        double bad = round % 2 ? INFINITY : NAN;
        Vec3 p = vec3(round / 2 == 0 ? bad : 0, round / 2 == 1 ? bad : 0, round / 2 == 2 ? bad : 0);
        Hit hit;
        CHECK(!collider_closest(&body->collider, p, INFINITY, &hit));
        collider_follow(&body->collider, p, 7 * round, &hit);
        CHECK_INT(hit.triangle, 7 * round);
        CHECK(!(fabs(hit.signed_distance) < 1));
        int offers = 0;
        wide_bvh_search(&body->collider.parts[0].near, p, INFINITY, count_offers, &offers);
        CHECK_INT(offers, 0);
    }
    body_free(body);
}

static void check_threads(void) {
    Body *bodies[2];
    Status status;
    for (int k = 0; k < 2; ++k) {
        Body *body = bodies[k] = body_new();
        random_start(31);
        add_sphere(body, vec3(0, 0, 0), 1, 70);
        CHECK_INT(build(body, &status), STATUS_OK);
        CHECK(body->collider.triangle_count > 8 * 1024);
        Vec3 *end = calloc(MOST, sizeof *end);
        for (int v = 0; v < body->vertex_count; ++v) {
            end[v] = vec3_add(body->x[v], random_vector(0.01));
        }
        Pool *pool = pool_create(k + 1);
        collider_set_frame(&body->collider, body->x, end);
        collider_move(&body->collider, pool, 0.25, 0.75);
        pool_destroy(pool);
        free(end);
    }
    const Collider *a = &bodies[0]->collider, *b = &bodies[1]->collider;
    size_t vertices = (size_t)a->vertex_count * sizeof(Vec3);
    size_t quads = (size_t)a->parts[0].near.inner * sizeof(WideBvhQuad);
    CHECK(memcmp(a->at[0], b->at[0], vertices) == 0);
    CHECK(memcmp(a->at[1], b->at[1], vertices) == 0);
    CHECK(memcmp(a->face_normals, b->face_normals, (size_t)a->triangle_count * sizeof(Vec3)) == 0);
    CHECK(memcmp(a->parts[0].near.quads, b->parts[0].near.quads, quads) == 0);
    body_free(bodies[0]);
    body_free(bodies[1]);
}

int main(void) {
    random_start(9);
    check_numbers();
    check_kinds();
    check_vessels();
    check_sphere(0);
    check_sphere(1);
    check_cube();
    check_star(0);
    check_star(1);
    check_sheet();
    check_union();
    check_all_shortcuts();
    check_motion(false);
    check_motion(true);
    check_nowhere();
    check_threads();
    return check_result();
}
