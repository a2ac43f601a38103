/* Cells, the Laplacian on them, and levelling what is left between them. */
#include "solver/coarse/smoother.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linear/ordering.h"

/* Vertices of a patch from which on they are joined to cells. */
#define CELLS_FROM 3000
/* Iterations that level the steps from cell to cell: each goes some part of the way to the mean of the neighbours. Waves of
 * which the mean takes between LEAST and MOST of their height are lowered evenly, Chebyshev's way. */
#define LEVELLING 20
#define LEVELLING_LEAST 0.03
#define LEVELLING_MOST 2.0
_Static_assert(LEVELLING % 2 == 0, "the iterations end in the array that they began in");

/* The edges that carry, by their ends; whatever is gathered of them is in this order. */
typedef struct Links {
    int count;
    int *ends;           /* vertices, two each */
    double *conductance; /* without a unit: width over length */
    double *length;      /* m */
    double width;        /* a rope counts as a ribbon as wide as the mesh's edges are long, m */
} Links;

/* Not the other diagonal of a quad, nor what the system's matrix leaves apart. */
static bool is_wanted(const System *system, const Edge *edge) {
    const Matrix *pattern = &system->stiffness;
    int slot = matrix_slot(pattern, edge->a, edge->b);
    return edge->kind != EDGE_SHEAR && pattern->column[slot] == edge->b;
}

static void list_links(const System *system, Links *links) {
    const Mesh *mesh = system->mesh;
    for (int e = 0; e < mesh->edge_count; ++e) {
        links->width += mesh->edges[e].rest_length / mesh->edge_count;
    }
    for (int e = 0; e < mesh->edge_count; ++e) {
        const Edge *edge = &mesh->edges[e];
        if (is_wanted(system, edge)) {
            int at = links->count++;
            links->ends[2 * at] = edge->a;
            links->ends[2 * at + 1] = edge->b;
            links->length[at] = edge->rest_length;
            links->conductance[at] =
                edge->kind == EDGE_ROPE ? links->width * edge->share : edge->share;
        }
    }
}

static void measure_areas(Smoother *smoother, double width) {
    const System *system = smoother->system;
    double *area = smoother->area, total = 0;
    for (int e = 0; e < system->mesh->edge_count; ++e) {
        const Edge *edge = &system->mesh->edges[e];
        double rope = edge->kind == EDGE_ROPE ? 0.5 * width * edge->rest_length : 0.0;
        area[edge->a] += rope;
        area[edge->b] += rope;
    }
    for (int v = 0; v < system->vertex_count; ++v) {
        area[v] += system->area[v];
        total += area[v];
    }
    double least = total > 0 ? 1e-6 * total / system->vertex_count : 1.0;
    for (int v = 0; v < system->vertex_count; ++v) {
        area[v] = area[v] > least ? area[v] : least;
    }
}

/* --- cells ------------------------------------------------------------------------------------ */

/* The graph of the vertices, with the part that each link has of all that its vertex has. */
static StatusCode build_graph(Smoother *smoother, const Links *links, Status *status) {
    Matrix *graph = &smoother->graph;
    const Stencils pairs = {links->count, 2, links->ends};
    StatusCode code =
        matrix_pattern(smoother->system->vertex_count, &pairs, 1, &smoother->store, graph, status);
    if (code != STATUS_OK) {
        return code;
    }
    for (int k = 0; k < links->count; ++k) {
        const int *end = links->ends + 2 * k;
        matrix_add(graph, end[0], end[1], links->conductance[k]);
        matrix_add(graph, end[1], end[0], links->conductance[k]);
    }
    for (int v = 0; v < graph->size; ++v) {
        double sum = 0;
        for (int p = graph->start[v]; p < graph->start[v + 1]; ++p) {
            sum += graph->value[p];
        }
        for (int p = graph->start[v]; p < graph->start[v + 1]; ++p) {
            graph->value[p] = sum > 0 ? graph->value[p] / sum : graph->column[p] == v;
        }
    }
    return STATUS_OK;
}

/* Are a vertex and its neighbours, all of which its row of the graph has, free? */
static bool is_free_around(const Matrix *graph, const int *cell, int v) {
    bool is_free = true;
    for (int p = graph->start[v]; p < graph->start[v + 1]; ++p) {
        is_free &= cell[graph->column[p]] < 0;
    }
    return is_free;
}

/* The cell that a vertex hangs on most. */
static int nearest_cell(const Matrix *graph, const int *cell, int v) {
    double most = -1;
    int nearest = 0;
    for (int p = graph->start[v]; p < graph->start[v + 1]; ++p) {
        if (cell[graph->column[p]] >= 0 && graph->value[p] > most) {
            most = graph->value[p];
            nearest = cell[graph->column[p]];
        }
    }
    return nearest;
}

/* A vertex and its neighbours become a cell where all are free. What is left has a neighbour in such a cell. */
static int join_cells(const Matrix *graph, int *cell) {
    int count = 0;
    memset(cell, -1, (size_t)graph->size * sizeof *cell);
    for (int v = 0; v < graph->size; ++v) {
        if (is_free_around(graph, cell, v)) {
            for (int p = graph->start[v]; p < graph->start[v + 1]; ++p) {
                cell[graph->column[p]] = count;
            }
            ++count;
        }
    }
    /* below -1 until all have chosen, so that none joins one that has just joined */
    for (int v = 0; v < graph->size; ++v) {
        cell[v] = cell[v] < 0 ? -2 - nearest_cell(graph, cell, v) : cell[v];
    }
    for (int v = 0; v < graph->size; ++v) {
        cell[v] = cell[v] < 0 ? -2 - cell[v] : cell[v];
    }
    return count;
}

/* Areas and middles of the cells. */
static void measure_cells(Smoother *smoother, Vec3 *middle) {
    const Vec3 *rest = smoother->system->mesh->rest;
    for (int v = 0; v < smoother->system->vertex_count; ++v) {
        int c = smoother->cell[v];
        smoother->cell_area[c] += smoother->area[v];
        middle[c] = vec3_madd(middle[c], smoother->area[v], rest[v]);
    }
    for (int c = 0; c < smoother->cell_count; ++c) {
        middle[c] = vec3_scale(1.0 / smoother->cell_area[c], middle[c]);
    }
}

/* Turns the links into those between cells. As many meters wide as all links together that they come from, and as long
 * as it is from one cell's middle to the other's; then so scaled that an even slope costs what it does in the mesh. */
static void coarsen_links(const Smoother *smoother, const Vec3 *middle, Links *links) {
    double fine = 0, coarse = 0;
    int count = 0;
    for (int k = 0; k < links->count; ++k) {
        int a = smoother->cell[links->ends[2 * k]], b = smoother->cell[links->ends[2 * k + 1]];
        double width = links->conductance[k] * links->length[k];
        fine += width * links->length[k];
        if (a == b) {
            continue;
        }
        double apart = vec3_distance(middle[a], middle[b]);
        apart = apart > links->length[k] ? apart : links->length[k];
        coarse += width * apart;
        links->ends[2 * count] = a;
        links->ends[2 * count + 1] = b;
        /* seams between vertices in one place have no width, but lead all the same */
        links->conductance[count++] = width > 0 ? width / apart : links->conductance[k];
    }
    links->count = count;
    for (int k = 0; k < count && coarse > 0; ++k) {
        links->conductance[k] *= fine / coarse;
    }
}

/* --- building --------------------------------------------------------------------------------- */

/* The cells' matrix, L so far, and its order. */
static StatusCode build_matrix(Smoother *smoother, const Links *links, const Vec3 *middle,
                               Status *status) {
    Matrix *matrix = &smoother->matrix;
    const Stencils pairs = {links->count, 2, links->ends};
    StatusCode code =
        matrix_pattern(smoother->cell_count, &pairs, 1, &smoother->store, matrix, status);
    if (code != STATUS_OK) {
        return code;
    }
    matrix->place = middle;
    for (int k = 0; k < links->count; ++k) {
        int a = links->ends[2 * k], b = links->ends[2 * k + 1];
        matrix_add(matrix, a, b, -links->conductance[k]);
        matrix_add(matrix, b, a, -links->conductance[k]);
        matrix_add(matrix, a, a, links->conductance[k]);
        matrix_add(matrix, b, b, links->conductance[k]);
    }
    /* it is factored once: METIS would take longer than it saves */
    Ordering ordering = dissection_suits(matrix) ? ORDERING_AUTO : ORDERING_AMD;
    smoother->factor = factor_create(matrix, NULL, ordering, PRECISION_AUTO, status);
    return smoother->factor ? STATUS_OK : status->code;
}

static StatusCode build_cells(Smoother *smoother, Links *links, Status *status) {
    int vertices = smoother->system->vertex_count;
    Store *store = &smoother->store;
    StatusCode code = build_graph(smoother, links, status);
    smoother->cell = STORE_ARRAY(store, int, vertices);
    smoother->other = STORE_ARRAY(store, Vec3, vertices);
    if (code != STATUS_OK || store->failed) {
        return status_no_memory(status, "the coarse level");
    }
    smoother->cell_count = join_cells(&smoother->graph, smoother->cell);
    smoother->cell_area = STORE_ARRAY(store, double, smoother->cell_count);
    smoother->cell_field = STORE_ARRAY(store, Vec3, smoother->cell_count);
    Vec3 *middle = STORE_ARRAY(store, Vec3, smoother->cell_count);
    if (store->failed) {
        return status_no_memory(status, "the coarse level");
    }
    measure_cells(smoother, middle);
    coarsen_links(smoother, middle, links);
    return build_matrix(smoother, links, middle, status);
}

StatusCode smoother_build(Smoother *smoother, const System *system, int patch_vertices,
                          Status *status) {
    *smoother = (Smoother){.system = system, .cell_count = system->vertex_count};
    int edges = system->mesh->edge_count;
    Store scratch = {0};
    Links links = {.ends = STORE_ARRAY(&scratch, int, 2 * edges),
                   .conductance = STORE_ARRAY(&scratch, double, edges),
                   .length = STORE_ARRAY(&scratch, double, edges)};
    smoother->area = STORE_ARRAY(&smoother->store, double, system->vertex_count);
    StatusCode code = STATUS_OK;
    if (smoother->store.failed || scratch.failed) {
        code = status_no_memory(status, "the coarse level");
    } else {
        list_links(system, &links);
        measure_areas(smoother, links.width);
        smoother->cell_area = smoother->area;
        code = patch_vertices >= CELLS_FROM
                   ? build_cells(smoother, &links, status)
                   : build_matrix(smoother, &links, system->mesh->rest, status);
    }
    store_release(&scratch);
    return code;
}

void smoother_release(Smoother *smoother) {
    factor_destroy(smoother->factor);
    store_release(&smoother->store);
    *smoother = (Smoother){0};
}

/* The share of each cell is that of its vertices. `scaled` has zeros for each. */
static void scale_rows(Smoother *smoother, const Shares *shares, const double *length,
                       uint8_t *scaled) {
    Matrix *matrix = &smoother->matrix;
    for (int v = 0; v < smoother->system->vertex_count; ++v) {
        int c = smoother->cell ? smoother->cell[v] : v;
        double own = length[shares_of(shares, v)];
        for (int p = matrix->start[c]; p < matrix->start[c + 1] && !scaled[c]; ++p) {
            matrix->value[p] *= own * own;
        }
        scaled[c] = 1;
    }
}

StatusCode smoother_set(Smoother *smoother, const Shares *shares, const double *length,
                        Status *status) {
    Matrix *matrix = &smoother->matrix;
    uint8_t *none = SCRATCH_ARRAY(uint8_t, matrix->size);
    if (!none) {
        return status_no_memory(status, "the coarse level");
    }
    scale_rows(smoother, shares, length, none);
    memset(none, 0, (size_t)matrix->size * sizeof *none);
    for (int c = 0; c < matrix->size; ++c) {
        matrix_add(matrix, c, c, smoother->cell_area[c]);
    }
    factor_use_pool(smoother->factor, smoother->system->pool);
    StatusCode code = factor_compute(smoother->factor, none, status);
    free(none);
    return code;
}

/* --- smoothing -------------------------------------------------------------------------------- */

typedef struct SmoothWork {
    const Smoother *smoother;
    const Vec3 *from;
    Vec3 *to;
    double part; /* of the way to the mean */
} SmoothWork;

static void weigh_cells(void *context, int begin, int end) {
    const SmoothWork *work = context;
    for (int c = begin; c < end; ++c) {
        work->to[c] = vec3_scale(work->smoother->cell_area[c], work->to[c]);
    }
}

static void solve_cells(const Smoother *smoother, int times, Vec3 *field) {
    SmoothWork work = {.smoother = smoother, .to = field};
    Pool *pool = smoother->system->pool;
    for (int i = 0; i < times; ++i) {
        pool_run(pool, smoother->cell_count, weigh_cells, &work);
        solve_apply(factor_solve(smoother->factor), pool, field, field);
    }
}

static void copy_from_cells(void *context, int begin, int end) {
    const SmoothWork *work = context;
    for (int v = begin; v < end; ++v) {
        work->to[v] = work->from[work->smoother->cell[v]];
    }
}

static void level_vertices(void *context, int begin, int end) {
    const SmoothWork *work = context;
    const Matrix *graph = &work->smoother->graph;
    for (int v = begin; v < end; ++v) {
        Vec3 mean = vec3(0, 0, 0);
        for (int p = graph->start[v]; p < graph->start[v + 1]; ++p) {
            mean = vec3_madd(mean, graph->value[p], work->from[graph->column[p]]);
        }
        work->to[v] = vec3_madd(work->from[v], work->part, vec3_sub(mean, work->from[v]));
    }
}

/* Long and short steps by turns, so that no wave grows much in between. */
static double levelling_part(int iteration) {
    const double pi = 3.14159265358979323846;
    int turn = iteration % 2 ? LEVELLING - 1 - iteration / 2 : iteration / 2;
    double wave = cos(pi * (turn + 0.5) / LEVELLING);
    return 2.0 / (LEVELLING_MOST + LEVELLING_LEAST + (LEVELLING_MOST - LEVELLING_LEAST) * wave);
}

void smoother_apply(const Smoother *smoother, int times, Vec3 *field) {
    Pool *pool = smoother->system->pool;
    int vertices = smoother->system->vertex_count;
    Vec3 *mean = smoother->cell_field;
    if (!smoother->cell) {
        solve_cells(smoother, times, field);
        return;
    }
    memset(mean, 0, (size_t)smoother->cell_count * sizeof *mean);
    for (int v = 0; v < vertices; ++v) {
        int c = smoother->cell[v];
        mean[c] = vec3_madd(mean[c], smoother->area[v] / smoother->cell_area[c], field[v]);
    }
    solve_cells(smoother, times, mean);
    SmoothWork work = {.smoother = smoother, .from = mean, .to = field};
    pool_run(pool, vertices, copy_from_cells, &work);
    for (int iteration = 0; iteration < LEVELLING; ++iteration) {
        work.from = iteration % 2 ? smoother->other : field;
        work.to = iteration % 2 ? field : smoother->other;
        work.part = levelling_part(iteration);
        pool_run(pool, vertices, level_vertices, &work);
    }
}
