/* Elements on straight paths: a tree of four lanes against all pairs, with adjacent elements passed over; separations along an axis against those in
 * double precision, distances likewise, and normal cones against many samples of the path. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "contact/self/impact.h"
#include "contact/self/pair_ccd.h"
#include "geometry/distance.h"
#include "geometry/swept_gaps.h"
#include "meshes.h"

#define MOST 3000

static int corners[MOST][3];
static Vec3 rest[3 * MOST], x[3 * MOST], z[3 * MOST];
static uint8_t moved[3 * MOST], seen[MOST][MOST];

typedef struct Count {
    int twice, calls;
    int most; /* pairs that it has enough of; 0: never */
} Count;

static bool note(void *context, int element, int *others, int count) {
    Count *noted = context;
    for (int i = 0; i < count; ++i) {
        int low = element < others[i] ? element : others[i];
        int high = element < others[i] ? others[i] : element;
        noted->twice += low == high || seen[low][high];
        seen[low][high] = 1;
        ++noted->calls;
    }
    return noted->most == 0 || noted->calls < noted->most;
}

static Box box_at(int e, const Vec3 *at, double margin) {
    return box_grown(box_of_listed(at, corners[e], 3), margin);
}

/* Some axis has one before the other at both ends. */
static bool part(int e, int f, double margin) {
    Box a = box_at(e, x, margin), b = box_at(f, x, margin);
    Box c = box_at(e, z, margin), d = box_at(f, z, margin);
    bool apart = false;
    for (int axis = 0; axis < 3; ++axis) {
        apart |= vec3_along(a.low, axis) > vec3_along(b.high, axis) &&
                 vec3_along(c.low, axis) > vec3_along(d.high, axis);
        apart |= vec3_along(b.low, axis) > vec3_along(a.high, axis) &&
                 vec3_along(d.low, axis) > vec3_along(c.high, axis);
    }
    return apart;
}

static bool is_finite_element(int e) {
    bool finite = true;
    for (int k = 0; k < 3; ++k) {
        finite &= vec3_is_finite(x[corners[e][k]]) && vec3_is_finite(z[corners[e][k]]);
    }
    return finite;
}

static bool is_awake(int e) {
    return moved[corners[e][0]] || moved[corners[e][1]] || moved[corners[e][2]];
}

/* What no axis parts must be reported, once; what is parted by more than rounding takes must not. */
static int check_pairs(const SweptTree *tree, double margin) {
    Count noted = {0};
    int missing = 0, wrong = 0;
    memset(seen, 0, sizeof seen);
    for (int s = 0; s < swept_tree_slices(tree); ++s) {
        swept_tree_visit(tree, s, note, &noted);
    }
    Count few = {.most = 1}; /* of every slice the first call, and no more */
    for (int s = 0; s < swept_tree_slices(tree); ++s) {
        int before = few.calls;
        swept_tree_visit(tree, s, note, &few);
        CHECK(few.calls - before <= SWEPT_BATCH);
    }
    CHECK(few.calls <= noted.calls && (few.calls > 0) == (noted.calls > 0));
    for (int e = 0; e < tree->count; ++e) {
        for (int f = e + 1; f < tree->count; ++f) {
            bool may = is_finite_element(e) && is_finite_element(f) && (is_awake(e) || is_awake(f));
            missing += may && !part(e, f, margin) && !seen[e][f];
            wrong += seen[e][f] && (!may || part(e, f, margin + 1e-5));
        }
    }
    CHECK_INT(missing, 0);
    CHECK_INT(wrong, 0);
    CHECK_INT(noted.twice, 0);
    return noted.calls;
}

static void place(int count, double spread, double size) {
    for (int e = 0; e < count; ++e) {
        Vec3 at = random_vector(spread), way = random_vector(0.2);
        for (int k = 0; k < 3; ++k) {
            int v = 3 * e + k;
            corners[e][k] = v;
            rest[v] = x[v] = vec3_add(at, random_vector(size));
            z[v] = vec3_add(vec3_add(x[v], way), random_vector(0.3 * size));
        }
        if (e % 7 == 0) { /* a rope, and one that hangs on another */
            corners[e][2] = corners[e][1];
            corners[e][0] = e > 0 ? corners[e - 1][0] : corners[e][0];
        }
    }
    memset(moved, 1, sizeof moved);
}

static void check_tree(int count, double size) {
    Store store = {0};
    Status status;
    SweptTree tree;
    Pool *pool = pool_create(2);
    place(count, 1, size);
    CHECK_INT(
        swept_tree_build(&tree, count, (const int(*)[3])corners, 3 * count, rest, &store, &status),
        STATUS_OK);
    swept_tree_place(&tree, NULL, x, z, 0.003);
    int calls = check_pairs(&tree, 0.003);
    CHECK(count < 300 || calls > count / 10);
    for (int round = 0; round < 3; ++round) {
        for (int v = 0; v < 3 * count; ++v) {
            moved[v] = random_below(20) == 0;
            z[v] = moved[v] ? vec3_add(z[v], random_vector(0.1)) : z[v];
        }
        swept_tree_move(&tree, pool, z, moved);
        check_pairs(&tree, 0.003);
    }
    memset(moved, 1, sizeof moved);
    for (int v = 0; v < count; v += 50) {
        x[v].y = v % 100 ? NAN : x[v].y;
        z[v].x = v % 100 ? z[v].x : INFINITY;
    }
    swept_tree_place(&tree, pool, x, z, 0);
    check_pairs(&tree, 0);
    pool_destroy(pool);
    store_release(&store);
}

/* Along the mean line of the middles, in double precision. */
static void check_rooms(double far) {
    enum { COUNT = 400 };
    Store store = {0};
    Status status;
    SweptTree tree;
    place(COUNT, 0.1, 0.02);
    for (int v = 0; v < 3 * COUNT;
         ++v) { /* a long way off on both sides, so that rounding counts */
        Vec3 shift = vec3(v / 24 % 2 ? far : -far, 0, 0);
        x[v] = vec3_add(rest[v - v % 3], vec3_add(shift, random_vector(0.02)));
        z[v] = vec3_add(x[v], random_vector(0.01));
    }
    CHECK_INT(
        swept_tree_build(&tree, COUNT, (const int(*)[3])corners, 3 * COUNT, rest, &store, &status),
        STATUS_OK);
    swept_tree_place(&tree, NULL, x, z, 0);
    for (int e = 0; e + 4 < COUNT; ++e) {
        SweptSeparations separations;
        int others[SWEPT_LANES] = {e + 1, e + 2, e + 4, e + 1};
        swept_tree_separations(&tree, e, others, &separations);
        for (int lane = 0; lane < SWEPT_LANES; ++lane) {
            const int *a = corners[e], *b = corners[others[lane]];
            Vec3 axis = {0, 0, 0};
            for (int k = 0; k < 3; ++k) {
                axis = vec3_add(axis,
                                vec3_sub(vec3_add(x[a[k]], z[a[k]]), vec3_add(x[b[k]], z[b[k]])));
            }
            axis = vec3_unit_or(axis, vec3(0, 0, 0));
            for (int time = 0; time < 2; ++time) {
                const Vec3 *at = time ? z : x;
                double room = INFINITY, lost = (double)separations.lost[lane];
                for (int i = 0; i < 9; ++i) {
                    double one = vec3_dot(axis, vec3_sub(at[a[i / 3]], at[b[i % 3]]));
                    float got = separations.first[time][i / 3][lane] -
                                separations.second[time][i % 3][lane];
                    room = one < room ? one : room;
                    CHECK_NEAR(got, one, lost + 1e-4 * fabs(one));
                }
                CHECK_BELOW(separations.separation[time][lane], room + 1e-5 * fabs(room));
                CHECK_BELOW(room - 3 * lost - 1e-4 * fabs(room),
                            separations.separation[time][lane]);
            }
        }
    }
    store_release(&store);
}

/* --- adjacent elements ------------------------------------------------------------------------ */

/* By how many rings two elements are apart: 1 if they share a vertex, 2 if a third shares one with each, else 3. */
static int rings_between(int e, int f, int count) {
    int joined = 3;
    for (int i = 0; i < 9; ++i) {
        joined = corners[e][i / 3] == corners[f][i % 3] ? 1 : joined;
    }
    for (int g = 0; g < count && joined == 3; ++g) {
        if (g != e && g != f && rings_between(e, g, 0) == 1 && rings_between(f, g, 0) == 1) {
            joined = 2;
        }
    }
    return joined;
}

static bool is_marked(int e, const uint8_t *vertices) {
    return vertices[corners[e][0]] && vertices[corners[e][1]] && vertices[corners[e][2]];
}

/* Of a small sheet all pairs are found but for adjacent ones that have settled. */
static void check_adjacency(int rings) {
    enum { SIDE = 9, COUNT = 2 * SIDE * SIDE, VERTICES = (SIDE + 1) * (SIDE + 1) };
    Store store = {0};
    Status status;
    SweptTree tree;
    Count noted = {0};
    Pool *pool = pool_create(2);
    uint8_t marked[VERTICES];
    for (int v = 0; v < VERTICES; ++v) {
        rest[v] = x[v] = z[v] = vec3(v % (SIDE + 1), v / (SIDE + 1), 0);
        marked[v] = random_below(6) > 0;
    }
    for (int e = 0; e < COUNT; ++e) {
        int v = e / 2 % SIDE + e / 2 / SIDE * (SIDE + 1), across = v + SIDE + 2;
        corners[e][0] = v;
        corners[e][1] = e % 2 ? across : v + 1;
        corners[e][2] = e % 2 ? across - 1 : across;
    }
    CHECK_INT(
        swept_tree_build(&tree, COUNT, (const int(*)[3])corners, VERTICES, rest, &store, &status),
        STATUS_OK);
    swept_tree_place(&tree, pool, x, z, SIDE);
    swept_tree_settle(&tree, pool, rings, marked);
    memset(seen, 0, sizeof seen);
    for (int s = 0; s < swept_tree_slices(&tree); ++s) {
        swept_tree_visit(&tree, s, note, &noted);
    }
    int wrong = 0, passed = 0;
    for (int e = 0; e < COUNT; ++e) {
        for (int f = e + 1; f < COUNT; ++f) {
            int between = rings_between(e, f, COUNT);
            bool first = is_marked(e, marked), second = is_marked(f, marked);
            bool pass = (between == 1 && rings >= 1 && (first || second)) ||
                        (between <= 2 && rings >= 2 && first && second);
            wrong += pass == seen[e][f];
            passed += pass;
        }
    }
    CHECK_INT(wrong, 0);
    CHECK_INT(noted.twice, 0);
    CHECK(rings == 0 ? passed == 0 : passed > 200 * rings);
    pool_destroy(pool);
    store_release(&store);
}

/* --- distances -------------------------------------------------------------------------------- */

/* Four places of a kind: any, a needle, edges or corners nearly in line or parallel, and a rope. */
static void place_four(int kind, Vec3 *at) {
    Vec3 shift = random_vector(1);
    for (int k = 0; k < 4; ++k) {
        at[k] = vec3_add(shift, random_vector(0.02));
    }
    double little = pow(10, -1 - (int)random_below(8));
    Vec3 along = vec3_sub(at[1], at[0]);
    if (kind == 1) {
        at[3] =
            vec3_add(vec3_madd(at[1], 0.7, vec3_sub(at[2], at[1])), random_vector(0.02 * little));
    } else if (kind == 2) {
        at[3] = vec3_add(vec3_add(at[2], along), random_vector(0.02 * little));
    } else if (kind == 3) {
        at[3] = at[2];
    }
}

/* Never more than the true distance, never less than the true motion, and of neither much off. */
static void check_gaps(void) {
    enum { ROUNDS = 20000 };
    static SweptSpot spots[4 * LANES];
    int off = 0;
    for (int round = 0; round < ROUNDS; ++round) {
        FourPairs four;
        int kind = round % 4;
        for (int i = 0; i < 4 * LANES; ++i) {
            four.vertices[i / 4][i % 4] = i;
        }
        for (int lane = 0; lane < LANES; ++lane) {
            place_four(kind, x + 4 * lane);
        }
        for (int i = 0; i < 4 * LANES; ++i) {
            z[i] = vec3_add(x[i], random_vector(0.01));
            for (int axis = 0; axis < 3; ++axis) {
                spots[i].at[0][axis] = (float)vec3_along(x[i], axis);
                spots[i].at[1][axis] = (float)vec3_along(z[i], axis);
            }
        }
        Four of_vertices = vertex_distances(&four, spots->at[0], 8);
        Four of_edges = edge_distances(&four, spots->at[0], 8);
        for (int split = 1; split <= 2; ++split) {
            Four motions = motions_past(&four, spots, split);
            for (int lane = 0; lane < LANES; ++lane) {
                const Vec3 *at = x + 4 * lane, *to = z + 4 * lane;
                double got = (double)(split == 1 ? of_vertices : of_edges)[lane], most = 0;
                double distance = split == 1 ? closest_on_triangle(at[0], at + 1).distance
                                             : closest_of_segments(at, at + 2).distance;
                for (int i = 0; i < split; ++i) {
                    for (int j = split; j < 4; ++j) {
                        most = fmax(most,
                                    vec3_distance(vec3_sub(to[i], at[i]), vec3_sub(to[j], at[j])));
                    }
                }
                CHECK_BELOW(got, distance + 1e-12);
                CHECK_BELOW(most, (double)motions[lane] + 1e-12);
                CHECK_BELOW((double)motions[lane], most + 1e-5);
                off += kind != 1 && got < distance - 1e-5;
                CHECK_BELOW(distance - 1e-3, got);
            }
        }
    }
    CHECK(off < ROUNDS / 500); /* some of the random ones are needles, too */
}

/* --- normal cones ----------------------------------------------------------------------------- */

/* Whether any two triangles around a vertex go through each other at one of many looks on the way. */
static bool cone_meets(const NormalCones *cones, int v) {
    const Skin *skin = cones->skin;
    bool meets = false;
    for (int look = 0; look <= 30; ++look) {
        for (int i = cones->start[v]; i < cones->start[v + 1]; ++i) {
            for (int j = cones->start[v]; j < cones->start[v + 1]; ++j) {
                const int *b = skin->triangles[cones->corners[j].triangle];
                int from = cones->corners[i].from, to = cones->corners[i].to;
                Vec3 edge[2], face[3];
                bool shares = false;
                for (int k = 0; k < 3; ++k) {
                    Vec3 way = vec3_sub(z[b[k]], x[b[k]]);
                    face[k] = vec3_madd(x[b[k]], look / 30.0, way);
                    shares |= b[k] == from || b[k] == to;
                }
                edge[0] = vec3_madd(x[from], look / 30.0, vec3_sub(z[from], x[from]));
                edge[1] = vec3_madd(x[to], look / 30.0, vec3_sub(z[to], x[to]));
                meets |= !shares && edge_meets_triangle(edge, face);
            }
        }
    }
    return meets;
}

static void check_cones(void) {
    Store store = {0};
    Status status;
    Mesh mesh;
    Skin skin;
    NormalCones cones;
    TestMesh *grid = mesh_grid(GRID_ALTERNATING, 20, 20, 0.2);
    Pool *pool = pool_create(2);
    CHECK(mesh_build(&grid->polygons, MESH_WHOLE, &(MeshOptions){.pattern = PATTERN_MESH}, &store,
                     &mesh, &status) >= 0);
    CHECK_INT(skin_build(&skin, &mesh, SKIN_OWN_CUTS, &store, &status), STATUS_OK);
    CHECK_INT(normal_cones_build(&cones, &skin, &store, &status), STATUS_OK);
    int reported = 0, meeting = 0, wrong = 0;
    for (int round = 0; round < 40; ++round) {
        double size = round == 0 ? 0.0 : 0.0005 * round;
        for (int v = 0; v < skin.vertex_count; ++v) {
            x[v] = vec3_add(skin.rest[v], random_vector(size));
            z[v] = vec3_add(skin.rest[v], random_vector(size));
        }
        normal_cones_find(&cones, pool, x, z);
        for (int v = 0; v < skin.vertex_count; ++v) {
            bool border = v % 20 == 0 || v % 20 == 19 || v < 20 || v >= 380;
            bool meets = cone_meets(&cones, v);
            CHECK(!(border && cones.in_order[v]) && (size > 0 || border || cones.in_order[v]));
            reported += cones.in_order[v];
            meeting += meets;
            wrong += meets && cones.in_order[v];
        }
    }
    CHECK_INT(wrong, 0);
    CHECK(reported > 3000 && meeting > 500);
    x[210].x = NAN;
    normal_cones_find(&cones, pool, x, z);
    CHECK_INT(cones.in_order[210] + cones.in_order[211], 0);
    pool_destroy(pool);
    store_release(&store);
    mesh_free(grid);
}

int main(void) {
    random_start(5);
    static const int counts[] = {0, 1, 3, 4, 5, 17, 65, 300, 1025, MOST};
    for (int i = 0; i < (int)(sizeof counts / sizeof *counts); ++i) {
        check_tree(counts[i], counts[i] > 100 ? 0.03 : 0.3);
    }
    check_rooms(0);
    check_rooms(5);
    for (int rings = 0; rings <= SWEPT_RINGS; ++rings) {
        check_adjacency(rings);
    }
    check_gaps();
    check_cones();
    return check_result();
}
