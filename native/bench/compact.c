/* The product with woven cloth's second derivative: along its threads (solver/research/strands.h) against an assembled matrix
 * of 3 x 3 blocks in rows, for square sheets of SIDE x SIDE vertices that are folded and stretched.
 * Prints one line for each: vertices, blocks per vertex, milliseconds of the matrix and of the threads, by how much both
 * products differ, and bytes that each reads of its numbers. They take turns; times are the least of ROUNDS.
 * Usage: compact THREADS ROUNDS SIDE... */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/machine.h"
#include "common/sheet.h"
#include "solver/research/strands.h"

/* Products in a row, as conjugate gradients make them: what fits into the caches stays there. */
#define ROW 10
#define SCALE (1.0 / (48 * 48)) /* s^2: of a substep */

typedef struct Woven {
    Store store;
    Mesh mesh;
    Weave weave;
    Pool *pool;
    System system;
    Strands strands;
    BlockMatrix blocks;
    double *own;
    Vec3 *v, *by_matrix, *by_threads;
} Woven;

static StatusCode weave_sheet(Woven *woven, int side, Status *status) {
    PolygonMesh polygons;
    const MeshOptions options = {.pattern = PATTERN_MESH};
    StatusCode code = quads_lay(side, 1.0f / (float)(side - 1), &woven->store, &polygons, status);
    if (code == STATUS_OK) {
        code = mesh_build(&polygons, MESH_WHOLE, &options, &woven->store, &woven->mesh, status);
    }
    return code == STATUS_OK
               ? weave_build(&polygons, &woven->mesh, &woven->store, &woven->weave, status)
               : code;
}

static StatusCode build(Woven *woven, Status *status) {
    const SystemOptions options = {.model = MODEL_WOVEN, .weave = &woven->weave};
    System *system = &woven->system;
    StatusCode code =
        system_build(system, &woven->mesh, &options, woven->pool, &woven->store, status);
    if (code != STATUS_OK) {
        return code;
    }
    system->materials[0] = (Material){.density = 0.2,
                                      .stretch_warp = 2300,
                                      .stretch_weft = 2300,
                                      .shear = 300,
                                      .area_stiffness = 30,
                                      .bend = 2e-5,
                                      .bend_weft = 1,
                                      .pin_stiffness = 2000};
    system_refresh_material(system);
    int count = system->vertex_count, entries = system->stiffness.start[count];
    woven->blocks = (BlockMatrix){&system->stiffness, STORE_ARRAY(&woven->store, Block, entries)};
    woven->own = STORE_ARRAY(&woven->store, double, count);
    woven->v = STORE_ARRAY(&woven->store, Vec3, count);
    woven->by_matrix = STORE_ARRAY(&woven->store, Vec3, count);
    woven->by_threads = STORE_ARRAY(&woven->store, Vec3, count);
    code = strands_build(&woven->strands, system, &woven->weave, &woven->store, status);
    for (int l = 0; code == STATUS_OK && l < system->laws.count; ++l) {
        code = law_find_slots(system->laws.list[l], &woven->blocks, &woven->store, status);
    }
    return woven->store.failed ? status_no_memory(status, "the products") : code;
}

/* Both second derivatives of the sheet in folds. */
static void fold(Woven *woven) {
    System *system = &woven->system;
    Vec3 *x = woven->by_matrix; /* for a moment */
    for (int i = 0; i < system->vertex_count; ++i) {
        Vec3 rest = woven->mesh.rest[i];
        x[i] = vec3(1.01 * rest.x, 0.97 * rest.y, 0.1 * sin(9 * rest.x) * cos(7 * rest.y));
        woven->v[i] = vec3(sin(1.1 * i), cos(1.7 * i), sin(2.3 * i));
        woven->own[i] = system->mass[i];
        block_add_diagonal(&woven->blocks.block[matrix_slot(woven->blocks.pattern, i, i)],
                           system->mass[i]);
    }
    for (int l = 0; l < system->laws.count; ++l) {
        law_add_hessian(system->laws.list[l], x, SCALE, &woven->blocks);
    }
    strands_refresh(&woven->strands, woven->pool, SCALE, x);
}

static void multiply_rows(void *context, int begin, int end) {
    Woven *woven = context;
    for (int i = begin; i < end; ++i) {
        woven->by_matrix[i] = block_matrix_row(&woven->blocks, i, woven->v);
    }
}

static double largest_difference(const Woven *woven) {
    double apart = 0, size = 0;
    for (int i = 0; i < woven->system.vertex_count; ++i) {
        double off = vec3_distance(woven->by_matrix[i], woven->by_threads[i]);
        apart = off > apart ? off : apart;
        double length = vec3_length(woven->by_matrix[i]);
        size = length > size ? length : size;
    }
    return apart / size;
}

/* What a product reads of numbers and indices, bytes: of the cloth, rows and columns next to a tile's own, too. */
static size_t strands_bytes(const Strands *strands) {
    size_t bytes = 0;
    for (int t = 0; t < strands->tile_count; ++t) {
        const Tile *tile = &strands->tiles[t];
        size_t rows = (size_t)tile->rows, columns = (size_t)tile->columns + 2 * TILE_MARGIN;
        size_t numbers = LINK_NUMBERS * rows, slots = (size_t)tile_all_rows(tile) + rows;
        if (!tile->rope) {
            numbers += (COLUMN_NUMBERS - CELL_C) * (rows + 1) + LINK_NUMBERS * (rows + 2);
        }
        bytes += columns * (numbers * sizeof(double) + slots * sizeof(int));
    }
    return bytes;
}

static void measure(Woven *woven, int rounds) {
    int count = woven->system.vertex_count, entries = woven->system.stiffness.start[count];
    double matrix = INFINITY, threads = INFINITY;
    for (int round = 0; round < rounds; ++round) {
        for (int product = 0; product < ROW; ++product) {
            double begin = timing_now();
            pool_run(woven->pool, count, multiply_rows, woven);
            matrix = fmin(matrix, timing_now() - begin);
        }
        for (int product = 0; product < ROW; ++product) {
            double begin = timing_now();
            strands_multiply(&woven->strands, woven->pool, woven->own, woven->v, woven->by_threads);
            threads = fmin(threads, timing_now() - begin);
        }
    }
    printf("%d %.3f %.4f %.4f %.1e %zu %zu\n", count, (double)entries / count, 1e3 * matrix,
           1e3 * threads, largest_difference(woven),
           (size_t)entries * (sizeof(Block) + sizeof(int)), strands_bytes(&woven->strands));
}

int main(int argc, char **argv) {
    int cpus = argc > 3 ? atoi(argv[1]) : 0, rounds = argc > 3 ? atoi(argv[2]) : 0;
    if (cpus < 1 || rounds < 1) {
        fprintf(stderr, "usage: compact THREADS ROUNDS SIDE...\n");
        return 2;
    }
    for (int a = 3; a < argc; ++a) {
        Status status = {0};
        Woven woven = {.pool = pool_create(cpus)};
        bool built = woven.pool && weave_sheet(&woven, atoi(argv[a]), &status) == STATUS_OK &&
                     build(&woven, &status) == STATUS_OK;
        if (built) {
            fold(&woven);
            measure(&woven, rounds);
        } else {
            fprintf(stderr, "compact: %s\n", status.message);
        }
        pool_destroy(woven.pool);
        store_release(&woven.store);
        if (!built) {
            return 1;
        }
    }
    return 0;
}
