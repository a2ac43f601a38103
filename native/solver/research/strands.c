/* Filling in the numbers of tiles at a place, and the diagonal blocks. */
#include "solver/research/strands.h"

#include <string.h>

typedef struct StrandWork {
    const Strands *strands;
    double scale;
    const Vec3 *x;
    int first; /* rope of the layer */
} StrandWork;

/* --- numbers -------------------------------------------------------------------------------------- */

/* Of a slot, the first one; those of one slot are TILE_LANES apart. */
static double *numbers_of(const Strands *strands, const Tile *tile, int row, int column) {
    int group = column / TILE_LANES * TILE_LANES;
    return tile_numbers(strands, tile, row) + group * tile_kinds(tile) + column % TILE_LANES;
}

static int first_number(int direction) { return direction == ROW ? 0 : COLUMN_NUMBERS; }

static void set_block(double *numbers, int kind, const Block *block) {
    for (int k = 0; k < 9; ++k) {
        numbers[TILE_LANES * (kind + k)] = block->m[k];
    }
}

static const int upper[6] = {0, 1, 2, 4, 5, 8};

static void set_symmetric(double *numbers, int kind, const Block *block) {
    for (int k = 0; k < 6; ++k) {
        numbers[TILE_LANES * (kind + k)] = block->m[upper[k]];
    }
}

static void add_symmetric(double *numbers, int kind, double scale, const Block *block) {
    for (int k = 0; k < 6; ++k) {
        numbers[TILE_LANES * (kind + k)] += scale * block->m[upper[k]];
    }
}

/* Adds a symmetric block. */
static void add_stored(const double *numbers, int kind, Block *to) {
    static const int place[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5};
    for (int k = 0; k < 9; ++k) {
        to->m[k] += numbers[TILE_LANES * (kind + place[k])];
    }
}

/* Adds a block and its transpose. */
static void add_both_ways(const double *numbers, int kind, double scale, Block *to) {
    for (int k = 0; k < 9; ++k) {
        int turned = k % 3 * 3 + k / 3;
        to->m[k] +=
            scale * (numbers[TILE_LANES * (kind + k)] + numbers[TILE_LANES * (kind + turned)]);
    }
}

/* --- links and joints ----------------------------------------------------------------------------- */

static void refresh_link(const StrandWork *work, int e, int slot, int step, double *numbers) {
    const EdgeLaw *edges = work->strands->links;
    const int *vertices = work->strands->vertices;
    Vec3 d = vec3_sub(work->x[vertices[slot + step]], work->x[vertices[slot]]);
    double length = vec3_length(d), slope, sideways;
    double stiffness = work->scale * edges->stiffness[e];
    Block block = {{0}};
    if (response_curve(edges->response, length, edges->rest_length[e], &slope, &sideways)) {
        block_add_diagonal(&block, stiffness * sideways);
        block_add_outer(&block, stiffness * (slope - sideways) / (length * length), d, d);
    }
    set_symmetric(numbers, LINK_A, &block);
}

/* With s = b d' - a d and t = c (d + d') of the links before and behind it, (p, q) of JointHessian are
 * (b e' - a e, c (e + e')). `before` and `numbers` are those of these links. */
static void refresh_joint(const StrandWork *work, int e, int slot, int step, double *before,
                          double *numbers) {
    const JointLaw *joints = work->strands->joints;
    bool turned = law_vertices(&joints->law, e)[0] != work->strands->vertices[slot - step];
    const double *weights = law_weights(&joints->law, 0, e);
    double a = weights[turned ? 2 : 0], b = weights[turned ? 0 : 2];
    double c = law_weights(&joints->law, 1, e)[2], scale = work->scale;
    JointHessian hessian = joint_hessian_at(joints, e, work->x);
    joint_clamp(&hessian);
    Vec3 s = hessian.s, t = vec3_scale(turned ? -1.0 : 1.0, hessian.t);
    Block by_s = {{0}}, by_t = {{0}}, by_both = {{0}}, across = {{0}};
    block_add_diagonal(&by_s, scale * hessian.round);
    block_add_outer(&by_s, scale * hessian.ss, s, s);
    block_add_diagonal(&by_t, scale * hessian.stretch);
    block_add_outer(&by_t, scale * hessian.tt, t, t);
    block_add_outer(&by_both, scale * hessian.st, s, t);
    block_add_outer(&by_both, scale * hessian.st, t, s);
    add_symmetric(before, LINK_A, a * a, &by_s);
    add_symmetric(before, LINK_A, c * c, &by_t);
    add_symmetric(before, LINK_A, -a * c, &by_both);
    add_symmetric(numbers, LINK_A, b * b, &by_s);
    add_symmetric(numbers, LINK_A, c * c, &by_t);
    add_symmetric(numbers, LINK_A, b * c, &by_both);
    block_add(&across, -a * b, &by_s);
    block_add(&across, c * c, &by_t);
    block_add_outer(&across, scale * b * c * hessian.st, s, t);
    block_add_outer(&across, -scale * a * c * hessian.st, t, s);
    set_block(numbers, LINK_B, &across);
}

/* Across the mirror plane s = -w d and t = c d of the one link there is, whose numbers these are. */
static void refresh_folded(const StrandWork *work, int e, double *numbers) {
    const JointLaw *joints = work->strands->joints;
    double w = law_weights(&joints->law, 0, e)[0], c = law_weights(&joints->law, 1, e)[1];
    JointHessian hessian = joint_hessian_at(joints, e, work->x);
    joint_clamp(&hessian);
    LawHessian by = joint_blocks(&hessian, work->scale);
    Block by_both = {{0}};
    block_add_outer(&by_both, work->scale * hessian.st, hessian.s, hessian.t);
    block_add_outer(&by_both, work->scale * hessian.st, hessian.t, hessian.s);
    add_symmetric(numbers, LINK_A, w * w, &by.uu);
    add_symmetric(numbers, LINK_A, c * c, &by.vv);
    add_symmetric(numbers, LINK_A, -w * c, &by_both);
}

/* Links first: joints add to them. */
static void refresh_direction(const StrandWork *work, const Tile *tile, int direction) {
    const Strands *strands = work->strands;
    int step = direction == ROW ? 1 : TILE_STRIDE, kind = TILE_LANES * first_number(direction);
    for (int s = 0; s < 2 * tile_all_rows(tile) * TILE_STRIDE; ++s) {
        bool joints = s >= tile_all_rows(tile) * TILE_STRIDE;
        int row = s / TILE_STRIDE % tile_all_rows(tile), column = s % TILE_STRIDE;
        int slot = tile->slot + row * TILE_STRIDE + column;
        double *numbers = numbers_of(strands, tile, row, column) + kind;
        if (!joints && strands->link[direction][slot] >= 0) {
            refresh_link(work, strands->link[direction][slot], slot, step, numbers);
        } else if (joints && strands->joint[direction][slot] >= 0) {
            double *before = direction == ROW ? numbers_of(strands, tile, row, column - 1)
                                              : numbers_of(strands, tile, row - 1, column);
            int e = strands->joint[direction][slot];
            if (strands->joints->folded[e]) {
                bool begins = strands->link[direction][slot] >= 0; /* its thread does, there */
                refresh_folded(work, e, begins ? numbers : before + kind);
            } else {
                refresh_joint(work, e, slot, step, before + kind, numbers);
            }
        }
    }
}

/* --- cells ---------------------------------------------------------------------------------------- */

/* As a tile's rows and columns see it, which go along u and v or against them, or the other way round. */
static CellHessian hessian_along(const StrandWork *work, int e, int slot, double weights[2]) {
    const CellLaw *cells = work->strands->cells;
    const int *vertices = law_vertices(&cells->law, e);
    int corner = 0;
    while (corner < 3 && vertices[corner] != work->strands->vertices[slot]) {
        ++corner;
    }
    CellHessian hessian = cell_hessian_at(cells, e, work->x);
    weights[0] = (corner == 1 || corner == 2 ? -1.0 : 1.0) * law_weights(&cells->law, 0, e)[1];
    weights[1] = (corner >= 2 ? -1.0 : 1.0) * law_weights(&cells->law, 1, e)[2];
    if (work->strands->row_kind == THREAD_WEFT) {
        CellHessian other = hessian;
        hessian.u = other.v;
        hessian.v = other.u;
        hessian.across[0] = other.across[2];
        hessian.across[2] = other.across[0];
        double along = weights[0];
        weights[0] = weights[1];
        weights[1] = along;
    }
    return hessian;
}

static void refresh_cell(const StrandWork *work, int e, int slot, double *numbers) {
    double weights[2], scale = work->scale;
    CellHessian hessian = hessian_along(work, e, slot, weights);
    double along = weights[0], up = weights[1];
    double uu = vec3_dot(hessian.u, hessian.u), uv = vec3_dot(hessian.u, hessian.v);
    double vv = vec3_dot(hessian.v, hessian.v), keep = 4.0 * scale * hessian.keep;
    double shear = scale * hessian.shear;
    Vec3 grown_u = vec3_scale(along, vec3_madd(vec3_scale(vv, hessian.u), -uv, hessian.v));
    Vec3 grown_v = vec3_scale(up, vec3_madd(vec3_scale(uu, hessian.v), -uv, hessian.u));
    Vec3 skew_u = vec3_scale(along, hessian.v), skew_v = vec3_scale(up, hessian.u);
    Block first = {{0}}, mixed = {{0}}, last = {{0}};
    block_add_outer(&first, keep, grown_u, grown_u);
    block_add_outer(&first, shear, skew_u, skew_u);
    block_add_outer(&first, scale * along * along * hessian.across[0], hessian.n, hessian.n);
    block_add_outer(&mixed, keep, grown_u, grown_v);
    block_add_outer(&mixed, shear, skew_u, skew_v);
    block_add_outer(&mixed, scale * along * up * hessian.across[1], hessian.n, hessian.n);
    block_add_outer(&last, keep, grown_v, grown_v);
    block_add_outer(&last, shear, skew_v, skew_v);
    block_add_outer(&last, scale * up * up * hessian.across[2], hessian.n, hessian.n);
    set_symmetric(numbers, CELL_C, &first);
    set_block(numbers, CELL_D, &mixed);
    set_symmetric(numbers, CELL_E, &last);
}

static void refresh_cells(const StrandWork *work, const Tile *tile) {
    const Strands *strands = work->strands;
    for (int s = 0; s < tile_all_rows(tile) * TILE_STRIDE; ++s) {
        int cell = strands->cell[tile->slot + s];
        if (cell >= 0) {
            refresh_cell(work, cell, tile->slot + s,
                         numbers_of(strands, tile, s / TILE_STRIDE, s % TILE_STRIDE));
        }
    }
}

/* --- diagonal blocks ------------------------------------------------------------------------------ */

/* A vertex is the end of one link and the begin of the next, and a corner of four cells. */
static void add_diagonal(const Strands *strands, const Tile *tile, int row, int column, Block *to) {
    for (int direction = 0; direction < (tile->rope ? 1 : DIRECTIONS); ++direction) {
        int kind = TILE_LANES * first_number(direction);
        const double *own = numbers_of(strands, tile, row, column) + kind;
        const double *before = direction == ROW ? numbers_of(strands, tile, row, column - 1)
                                                : numbers_of(strands, tile, row - 1, column);
        add_stored(own, LINK_A, to);
        add_stored(before + kind, LINK_A, to);
        add_both_ways(own, LINK_B, -1.0, to);
    }
    for (int k = 0; k < 4 && !tile->rope; ++k) {
        const double *cell = numbers_of(strands, tile, row - k / 2, column - k % 2);
        add_stored(cell, CELL_C, to);
        add_stored(cell, CELL_E, to);
        add_both_ways(cell, CELL_D, k % 2 == k / 2 ? 1.0 : -1.0, to);
    }
}

/* --- tiles ---------------------------------------------------------------------------------------- */

static void refresh_tile(const StrandWork *work, const Tile *tile) {
    const Strands *strands = work->strands;
    refresh_direction(work, tile, ROW);
    if (!tile->rope) {
        refresh_direction(work, tile, COLUMN);
        refresh_cells(work, tile);
    }
    for (int s = 0; s < tile_all_rows(tile) * TILE_STRIDE; ++s) {
        int vertex = strands->own_vertices[tile->slot + s];
        if (vertex >= 0) {
            add_diagonal(strands, tile, s / TILE_STRIDE, s % TILE_STRIDE,
                         &strands->diagonal[vertex]);
        }
    }
}

static void refresh_cloth(void *context, int begin, int end) {
    const StrandWork *work = context;
    for (int t = begin; t < end; ++t) {
        refresh_tile(work, &work->strands->tiles[t]);
    }
}

static void refresh_ropes(void *context, int begin, int end) {
    const StrandWork *work = context;
    const int *start = work->strands->rope_start + work->first;
    for (int t = start[begin]; t < start[end]; ++t) {
        refresh_tile(work, &work->strands->tiles[t]);
    }
}

void strands_run(const Strands *strands, Pool *pool, PoolTask cloth, PoolTask ropes, void *context,
                 int *first) {
    pool_each(pool, strands->cloth_tiles, cloth, context);
    for (int l = 0; l < strands->ropes.count; ++l) {
        *first = strands->ropes.start[l];
        pool_each(pool, strands->ropes.start[l + 1] - *first, ropes, context);
    }
}

void strands_refresh(Strands *strands, Pool *pool, double scale, const Vec3 *x) {
    StrandWork work = {.strands = strands, .scale = scale, .x = x};
    memset(strands->diagonal, 0, (size_t)strands->vertex_count * sizeof *strands->diagonal);
    strands_run(strands, pool, refresh_cloth, refresh_ropes, &work, &work.first);
}
