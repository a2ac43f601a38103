/* Laying triangles flat around a vertex, and others around these. */
#include "mesh/chart.h"

#include "mesh/adjacency.h"

/* Triangles around a vertex at most. */
#define MOST_AROUND 32
#define RIM (-1)
#define SHARED (-2) /* by more than one hinge */

static int corner_of(const Triangle *triangle, int vertex) {
    return triangle->vertices[0] == vertex ? 0 : triangle->vertices[1] == vertex ? 1 : 2;
}

/* --- adjacency ----------------------------------------------------------------------------------- */

static void note_hinge(ChartMaker *maker, int triangle, int opposite, int hinge) {
    int *slot = &maker->across[triangle][corner_of(&maker->mesh->triangles[triangle], opposite)];
    *slot = *slot == RIM ? hinge : SHARED;
}

bool chart_maker_build(ChartMaker *maker, const Mesh *mesh, const uint8_t *usable, Store *scratch) {
    *maker = (ChartMaker){
        .mesh = mesh,
        .across = store_take(scratch, (size_t)mesh->triangle_count, sizeof *maker->across),
        .start = STORE_ARRAY(scratch, int, mesh->vertex_count + 1),
        .triangles = STORE_ARRAY(scratch, int, 3 * mesh->triangle_count)};
    if (scratch->failed) {
        return false;
    }
    for (int t = 0; t < mesh->triangle_count; ++t) {
        maker->across[t][0] = maker->across[t][1] = maker->across[t][2] = RIM;
    }
    for (int h = 0; h < mesh->hinge_count; ++h) {
        const Hinge *hinge = &mesh->hinges[h];
        note_hinge(maker, hinge->triangles[0], hinge->i, h);
        if (hinge->triangles[0] != hinge->triangles[1]) {
            note_hinge(maker, hinge->triangles[1], hinge->j, h);
        }
    }
    for (int c = 0; c < 3 * mesh->triangle_count; ++c) {
        int *slot = &maker->across[c / 3][c % 3];
        *slot = *slot < 0 || !usable[*slot] ? RIM : *slot;
    }
    mesh_list_triangles(mesh, maker->start, maker->triangles);
    return true;
}

/* A triangle across a side of another one. */
typedef struct Crossing {
    int triangle, hinge;
    bool image;
    bool first; /* the other one is the hinge's first */
    int apex;   /* its corner opposite to the side */
} Crossing;

/* Across the side opposite to a corner; false at a rim. */
static bool step_across(const ChartMaker *maker, int triangle, bool image, int corner,
                        Crossing *to) {
    int h = maker->across[triangle][corner];
    if (h < 0) {
        return false;
    }
    const Hinge *over = &maker->mesh->hinges[h];
    bool first = over->triangles[0] == triangle;
    int next = over->triangles[first ? 1 : 0];
    *to = (Crossing){.triangle = next,
                     .hinge = h,
                     .image = image != (h >= maker->mesh->crossing_from),
                     .first = first,
                     .apex = corner_of(&maker->mesh->triangles[next], first ? over->j : over->i)};
    /* where three triangles meet only the outer ones know their hinge */
    return maker->across[next][to->apex] == h;
}

/* --- triangles in the plane --------------------------------------------------------------------- */

static double side_length(const Triangle *triangle, int c, int d) {
    return plane_length(triangle->material[d][0] - triangle->material[c][0],
                        triangle->material[d][1] - triangle->material[c][1]);
}

/* Angle of a triangle at one of its corners. */
static double corner_angle(const Triangle *triangle, int c) {
    const double *p = triangle->material[c], *q = triangle->material[(c + 1) % 3];
    const double *r = triangle->material[(c + 2) % 3];
    double au = q[0] - p[0], av = q[1] - p[1], bu = r[0] - p[0], bv = r[1] - p[1];
    return atan2(fabs(au * bv - av * bu), au * bu + av * bv);
}

static int find_vertex(const Chart *chart, int vertex, bool image) {
    for (int i = 0; i < chart->vertex_count; ++i) {
        if (chart->vertices[i].vertex == vertex && chart->vertices[i].image == image) {
            return i;
        }
    }
    return -1;
}

/* Vertices in the mirror plane are their own images. */
static int take_vertex(const Mesh *mesh, Chart *chart, int vertex, bool image) {
    image = image && vertex < mesh->plane_from;
    int at = find_vertex(chart, vertex, image);
    if (at < 0 && chart->vertex_count < CHART_VERTICES) {
        at = chart->vertex_count++;
        chart->vertices[at] =
            (ChartVertex){.vertex = vertex, .image = image, .generation = chart->generation};
    }
    return at;
}

static int find_triangle(const Chart *chart, int triangle, bool image) {
    for (int t = 0; t < chart->triangle_count; ++t) {
        if (chart->triangles[t].triangle == triangle && chart->triangles[t].image == image) {
            return t;
        }
    }
    return -1;
}

/* Where it stands in the chart's list, or -1: no room. */
static int add_triangle(const Mesh *mesh, Chart *chart, int triangle, bool image) {
    if (chart->triangle_count == CHART_TRIANGLES) {
        return -1;
    }
    ChartTriangle *own = &chart->triangles[chart->triangle_count];
    *own = (ChartTriangle){.triangle = triangle, .image = image};
    for (int c = 0; c < 3; ++c) {
        own->corner[c] = take_vertex(mesh, chart, mesh->triangles[triangle].vertices[c], image);
        if (own->corner[c] < 0) {
            return -1;
        }
    }
    return chart->triangle_count++;
}

/* The hinges between a triangle and those before it in the list. */
static bool note_hinges(const ChartMaker *maker, Chart *chart, int at) {
    const ChartTriangle *own = &chart->triangles[at];
    for (int c = 0; c < 3; ++c) {
        Crossing to;
        if (!step_across(maker, own->triangle, own->image, c, &to)) {
            continue;
        }
        int other = find_triangle(chart, to.triangle, to.image);
        if (other < 0 || other > at) {
            continue;
        }
        if (chart->hinge_count == CHART_HINGES) {
            return false;
        }
        const Hinge *over = &maker->mesh->hinges[to.hinge];
        const Triangle *triangle = &maker->mesh->triangles[own->triangle];
        int facing = chart->triangles[other].corner[to.apex];
        chart->hinges[chart->hinge_count++] = (ChartHinge){
            .hinge = to.hinge,
            .corner = {to.first ? own->corner[c] : facing, to.first ? facing : own->corner[c],
                       own->corner[corner_of(triangle, over->k)],
                       own->corner[corner_of(triangle, over->l)]}};
    }
    return true;
}

/* --- around the middle -------------------------------------------------------------------------- */

/* A triangle of the fan, entered over the side from the middle to `from`, left over that to `to`: corners. */
typedef struct Spoke {
    int triangle;
    bool image;
    int from, to;
} Spoke;

static bool next_spoke(const ChartMaker *maker, int middle, const Spoke *spoke, Spoke *next) {
    Crossing to;
    if (!step_across(maker, spoke->triangle, spoke->image, spoke->from, &to)) {
        return false;
    }
    const Triangle *own = &maker->mesh->triangles[spoke->triangle];
    const Triangle *other = &maker->mesh->triangles[to.triangle];
    int from = corner_of(other, own->vertices[spoke->to]);
    *next = (Spoke){to.triangle, to.image, from, 3 - from - corner_of(other, middle)};
    return true;
}

static bool same_spoke(const Spoke *a, const Spoke *b) {
    return a->triangle == b->triangle && a->image == b->image;
}

/* Walks around the middle, from a rim if there is one. Returns how many triangles; -1: no fan, or too many. */
static int walk_around(const ChartMaker *maker, int middle, Spoke *spokes, bool *closed) {
    int first = maker->start[middle], own = maker->start[middle + 1] - first, count = 0;
    if (own == 0 || own > MOST_AROUND) {
        return -1;
    }
    int triangle = maker->triangles[first],
        c = corner_of(&maker->mesh->triangles[triangle], middle);
    Spoke start = {triangle, false, (c + 1) % 3, (c + 2) % 3}, spoke = start, next;
    *closed = false;
    for (int step = 0; step < 2 * MOST_AROUND && next_spoke(maker, middle, &spoke, &next); ++step) {
        spoke = next;
        if (same_spoke(&spoke, &start)) {
            *closed = true;
            break;
        }
    }
    if (!*closed) { /* from the rim that was reached back to the other one */
        int turned = spoke.from;
        spoke.from = spoke.to;
        spoke.to = turned;
    }
    start = spoke;
    int seen = 0;
    do {
        if (count == MOST_AROUND) {
            return -1;
        }
        seen += !spoke.image;
        spokes[count++] = spoke;
        if (!next_spoke(maker, middle, &spoke, &next)) {
            break;
        }
        spoke = next;
    } while (!same_spoke(&spoke, &start));
    return seen == own ? count : -1;
}

/* A side has two triangles, whose lengths differ where the pattern has a seam. */
static void place_polar(ChartVertex *vertex, double length, double angle) {
    double part = 1.0 / ++vertex->seen;
    vertex->place[0] += part * (length * cos(angle) - vertex->place[0]);
    vertex->place[1] += part * (length * sin(angle) - vertex->place[1]);
}

bool chart_begin(const ChartMaker *maker, int vertex, Chart *chart) {
    const Mesh *mesh = maker->mesh;
    Spoke spokes[MOST_AROUND];
    bool closed;
    chart->vertex_count = chart->triangle_count = chart->hinge_count = chart->generation = 0;
    int count = walk_around(maker, vertex, spokes, &closed);
    if (count < 0) {
        return false;
    }
    double full = 2 * acos(-1.0), sum = 0, angle = 0;
    for (int s = 0; s < count; ++s) {
        const Triangle *triangle = &mesh->triangles[spokes[s].triangle];
        sum += corner_angle(triangle, 3 - spokes[s].from - spokes[s].to);
    }
    double scale = closed || sum > full ? full / sum : 1.0;
    take_vertex(mesh, chart, vertex, false);
    chart->generation = 1;
    for (int s = 0; s < count; ++s) {
        const Spoke *spoke = &spokes[s];
        const Triangle *triangle = &mesh->triangles[spoke->triangle];
        int middle = 3 - spoke->from - spoke->to;
        int at = add_triangle(mesh, chart, spoke->triangle, spoke->image);
        if (at < 0 || !note_hinges(maker, chart, at)) {
            return false;
        }
        const int *corner = chart->triangles[at].corner;
        place_polar(&chart->vertices[corner[spoke->from]],
                    side_length(triangle, middle, spoke->from), angle);
        angle += scale * corner_angle(triangle, middle);
        place_polar(&chart->vertices[corner[spoke->to]], side_length(triangle, middle, spoke->to),
                    angle);
    }
    chart->ring = count;
    return true;
}

/* --- further out -------------------------------------------------------------------------------- */

/* Puts a triangle onto a side of one that lies already, on the other side of it. `apex` is its corner there. */
static void place_apex(const Mesh *mesh, Chart *chart, const ChartTriangle *own, int apex,
                       const ChartTriangle *lying, int opposite) {
    const Triangle *triangle = &mesh->triangles[own->triangle];
    ChartVertex *vertex = &chart->vertices[own->corner[apex]];
    if (vertex->generation < chart->generation) {
        return;
    }
    int k = (apex + 1) % 3, l = (apex + 2) % 3;
    const double *a = chart->vertices[own->corner[k]].place;
    const double *b = chart->vertices[own->corner[l]].place;
    const double *facing = chart->vertices[lying->corner[opposite]].place;
    double side = side_length(triangle, k, l), eu = b[0] - a[0], ev = b[1] - a[1];
    const double *p = triangle->material[apex], *q = triangle->material[k];
    const double *r = triangle->material[l];
    double du = p[0] - q[0], dv = p[1] - q[1], su = r[0] - q[0], sv = r[1] - q[1];
    double along = (du * su + dv * sv) / (side * side);
    double height = fabs(su * dv - sv * du) / (side * side);
    double turn = eu * (facing[1] - a[1]) - ev * (facing[0] - a[0]) > 0 ? -1.0 : 1.0;
    double part = 1.0 / ++vertex->seen;
    vertex->place[0] += part * (a[0] + along * eu - turn * height * ev - vertex->place[0]);
    vertex->place[1] += part * (a[1] + along * ev + turn * height * eu - vertex->place[1]);
}

int chart_grow(const ChartMaker *maker, Chart *chart) {
    const Mesh *mesh = maker->mesh;
    int before = chart->triangle_count;
    ++chart->generation;
    for (int t = 0; t < before; ++t) {
        for (int c = 0; c < 3; ++c) {
            const ChartTriangle *lying = &chart->triangles[t];
            Crossing to;
            if (!step_across(maker, lying->triangle, lying->image, c, &to)) {
                continue;
            }
            int at = find_triangle(chart, to.triangle, to.image);
            if (at >= 0 && at < before) {
                continue;
            }
            if (at < 0) {
                at = add_triangle(mesh, chart, to.triangle, to.image);
                if (at < 0 || !note_hinges(maker, chart, at)) {
                    return -1;
                }
            }
            place_apex(mesh, chart, &chart->triangles[at], to.apex, &chart->triangles[t], c);
        }
    }
    return chart->triangle_count - before;
}
