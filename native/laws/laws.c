/* The list of laws. A new law is a line in build_one(). */
#include "laws/laws.h"

#include "base/lists.h"
#include "laws/bending.h"
#include "laws/curvature.h"
#include "laws/edge.h"
#include "laws/membrane.h"
#include "laws/pressure.h"
#include "laws/research/bend_spring.h"
#include "laws/research/woven.h"

const unsigned model_can[] = {[MODEL_EDGE] = MODEL_EDGE_CAN,
                              [MODEL_TRIANGLE] = MODEL_TRIANGLE_CAN,
                              [MODEL_MEMBRANE] = MODEL_MEMBRANE_CAN,
                              [MODEL_WOVEN] = MODEL_WOVEN_CAN};

/* --- rows: for each vertex those that it has a weight in ----------------------------------------- */

/* Corners that only fill an element up have no weight. */
static bool has_weight(const Law *law, int row, int corner) {
    return !law->beyond_matrix || law->weights[row][corner] != 0;
}

/* Again, where laws have other weights than before; none becomes zero, or is it no more. */
void laws_fill_rows(Laws *laws) {
    Rows *rows = &laws->rows;
    for (int l = 0; l < laws->count; ++l) {
        const Law *law = laws->list[l];
        for (int r = 0; r < law->rows; ++r) {
            for (int c = 0; c < law->count * law->width; ++c) {
                if (has_weight(law, r, c)) {
                    int at = rows->start[law->vertices[c]]++;
                    rows->row[at] = law->first_row + r + c / law->width * law->rows;
                    rows->weight[at] = law->weights[r][c];
                    rows->corner[at] = (uint8_t)(c % law->width);
                }
            }
        }
    }
    lists_rewind(rows->start, rows->vertex_count);
}

/* How many rows each vertex has a weight in, one place after it. */
static void count_rows(const Laws *laws, int *start) {
    for (int l = 0; l < laws->count; ++l) {
        const Law *law = laws->list[l];
        for (int r = 0; r < law->rows; ++r) {
            for (int c = 0; c < law->count * law->width; ++c) {
                start[law->vertices[c] + 1] += has_weight(law, r, c);
            }
        }
    }
}

/* Lays out the gather for all laws of a cloth, whose rows come one after the other. */
static StatusCode rows_build(Laws *laws, int vertex_count, int row_count, int last_row,
                             Store *store, Status *status) {
    Rows *rows = &laws->rows;
    rows->count = row_count;
    rows->vertex_count = vertex_count;
    rows->tension = STORE_ARRAY(store, Vec3, row_count);
    rows->start = STORE_ARRAY(store, int, vertex_count + 1);
    rows->last = STORE_ARRAY(store, int, vertex_count);
    rows->last_row = last_row;
    if (store->failed) {
        return status_no_memory(status, "the tensions");
    }
    count_rows(laws, rows->start);
    int total = lists_begin(rows->start, vertex_count);
    rows->row = STORE_ARRAY(store, int, total);
    rows->weight = STORE_ARRAY(store, double, total);
    rows->corner = STORE_ARRAY(store, uint8_t, total);
    if (store->failed) {
        return status_no_memory(status, "the tensions");
    }
    laws_fill_rows(laws);
    for (int v = 0; v < vertex_count; ++v) {
        rows->last[v] = rows->start[v];
        while (rows->last[v] < rows->start[v + 1] && rows->row[rows->last[v]] < last_row) {
            ++rows->last[v];
        }
    }
    return STATUS_OK;
}

/* The order is that in which rows are summed up at a vertex: own laws, part after part, then those from elsewhere, then
 * those of curvature, again part after part. */
enum {
    LAW_EDGES,
    LAW_TRIANGLES,
    LAW_MEMBRANES,
    LAW_CELLS,
    LAW_JOINTS,
    LAW_BENDING,
    LAW_BEND_SPRINGS,
    LAW_PRESSURE,
    LAWS_OWN
};
enum { LAW_LINKS, LAW_SEAMS, LAWS_BETWEEN };
enum { LAW_FLAT, LAW_CURVED, LAWS_CURVATURE };

_Static_assert(LAWS_OWN + LAWS_CURVATURE == LAWS_OF_PART, "laws of a part");

static int links_from(const SystemOptions *options) {
    return LAWS_OWN * system_part_count(options);
}

static int extras_from(const SystemOptions *options) { return links_from(options) + LAWS_BETWEEN; }

static int curvature_from(const SystemOptions *options) {
    return extras_from(options) + options->extra_count;
}

int laws_wanted(const SystemOptions *options) {
    return curvature_from(options) + LAWS_CURVATURE * system_part_count(options);
}

static StatusCode build_own(int at, const Mesh *mesh, const SystemOptions *options,
                            const PartOptions *part, Store *store, Law **law, Status *status) {
    bool triangles = part->model == MODEL_TRIANGLE;
    bool edges = part->model == MODEL_EDGE, woven = part->model == MODEL_WOVEN;
    bool sprung = options->bending == BENDING_SPRINGS;
    EdgeChoice choice = edges ? EDGES_ALL : woven ? EDGES_WOVEN : EDGES_BESIDE;
    const Weave *weave = woven ? options->weave : NULL;
    const Response *response = options->tension_only ? &response_tension_only : &response_linear;
    switch (at) {
    case LAW_EDGES:
        /* ropes, and sides of triangles without area, are springs of their length beside sheets */
        return edge_law_build(mesh, choice, weave, response, edges ? options->measure : STRAIN_AUTO,
                              store, law, status);
    case LAW_TRIANGLES:
        return triangle_law_build(mesh, triangles, response, options->shear_axes,
                                  options->shear_energy, store, law, status);
    case LAW_MEMBRANES:
        return membrane_law_build(mesh, part->model == MODEL_MEMBRANE, options->measure, store, law,
                                  status);
    case LAW_CELLS:
        return cell_law_build(weave, store, law, status);
    case LAW_JOINTS:
        return joint_law_build(mesh, weave, options->keep_folds, store, law, status);
    case LAW_BENDING:
        return bending_law_build(mesh, !woven && !sprung, options->keep_folds,
                                 part->moments || part->memory, store, law, status);
    case LAW_BEND_SPRINGS:
        return bend_spring_law_build(mesh, !woven && sprung, options->keep_folds, store, law,
                                     status);
    default:
        return pressure_law_build(mesh, part->air, store, law, status);
    }
}

static StatusCode build_one(Laws *laws, int at, const Mesh *meshes, const SystemOptions *options,
                            Store *store, Status *status) {
    int between = at - links_from(options), extra = between - LAWS_BETWEEN, number = at / LAWS_OWN;
    if (between == LAW_LINKS) {
        return link_law_build(options->links, store, &laws->list[at], status);
    }
    if (between == LAW_SEAMS) {
        return seam_law_build(options->links, store, &laws->list[at], status);
    }
    if (extra >= 0) {
        const ExtraLaw *own = &options->extra[extra];
        return own->build(meshes, own->context, store, &laws->list[at], status);
    }
    PartOptions part = system_part(options, number);
    StatusCode code =
        build_own(at % LAWS_OWN, &meshes[number], options, &part, store, &laws->list[at], status);
    if (laws->list[at]) {
        laws->list[at]->part = number;
    }
    return code;
}

/* The room that others have for it: see law.h. */
static bool law_fits(const Law *law) {
    int rows = law->kind->hessian ? LAW_HESSIAN_ROWS : LAW_ROWS;
    int width = law->kind->hessian ? LAW_HESSIAN_WIDTH : LAW_WIDTH;
    bool crosses = law->crossing_from < law->count;
    return law->rows >= 1 && law->rows <= rows && law->width >= 1 && law->width <= width &&
           law_wide_numbers(law) <= LAW_WIDE_NUMBERS && (law->bound || law->kind->stiffness) &&
           (!crosses || (law->rows == 1 && law->bound));
}

static StatusCode refuse_law(const Law *law, int at, Status *status) {
    bool curved = law->kind->hessian != NULL;
    return status_set(
        status, STATUS_ERROR_ARGUMENT,
        "law %d has %d rows, %d vertices an element and %d numbers of a wide kernel, but %d, "
        "%d and %d fit%s; it needs bounds or a stiffness, and one row and bounds where it crosses "
        "a "
        "mirror plane",
        at, law->rows, law->width, law_wide_numbers(law), curved ? LAW_HESSIAN_ROWS : LAW_ROWS,
        curved ? LAW_HESSIAN_WIDTH : LAW_WIDTH, LAW_WIDE_NUMBERS,
        curved ? " a law with a Hessian" : "");
}

StatusCode laws_build_one(Laws *laws, int at, const Mesh *meshes, const SystemOptions *options,
                          Store *store, Status *status) {
    if (at >= curvature_from(options)) {
        return STATUS_OK;
    }
    StatusCode code = build_one(laws, at, meshes, options, store, status);
    if (code >= 0 && !laws->list[at]) {
        return status_set(status, STATUS_ERROR_ARGUMENT, "law %d was not built", at);
    }
    if (code >= 0 && !law_fits(laws->list[at])) {
        return refuse_law(laws->list[at], at, status);
    }
    bool unsaid = code < 0 && status->code >= 0;
    return unsaid ? status_set(status, code, "law %d could not be built", at) : code;
}

/* What all parts that remember folds share; null where none does. */
static Vec3 *take_memory(const SystemOptions *options, int vertex_count, Store *store) {
    bool wanted = false;
    for (int p = 0; p < system_part_count(options); ++p) {
        wanted = wanted || system_part(options, p).memory;
    }
    return wanted ? STORE_ARRAY(store, Vec3, vertex_count) : NULL;
}

/* Drops laws without elements. The first part keeps all of its laws: laws_find() finds each kind there. */
static void drop_empty(Laws *laws) {
    int kept = 0;
    for (int l = 0; l < laws->count; ++l) {
        const Law *law = laws->list[l];
        if (law->part == 0 || law->count > 0 || law->skipped > 0) {
            laws->list[kept++] = laws->list[l];
        }
    }
    laws->count = kept;
}

StatusCode laws_build_curvature(Laws *laws, const Mesh *meshes, const SystemOptions *options,
                                Pool *pool, Store *store, Status *status) {
    Vec3 *memory = take_memory(options, meshes->vertex_count, store);
    if (store->failed) {
        return status_no_memory(status, "what folds remember");
    }
    StatusCode code = STATUS_OK;
    for (int p = 0; p < system_part_count(options) && code == STATUS_OK; ++p) {
        Law **curvature = laws->list + curvature_from(options) + LAWS_CURVATURE * p;
        const PartOptions part = system_part(options, p);
        const CurvatureOptions wanted = {.wanted = options->bending == BENDING_CURVATURE &&
                                                   part.model != MODEL_WOVEN,
                                         .keep_folds = options->keep_folds,
                                         .moments = part.moments || part.memory,
                                         .memory = part.memory ? memory : NULL};
        code = curvature_laws_build(&meshes[p], &wanted,
                                    (BendingLaw *)laws->list[LAWS_OWN * p + LAW_BENDING], pool,
                                    store, &curvature[LAW_FLAT], &curvature[LAW_CURVED], status);
        for (int l = 0; l < LAWS_CURVATURE && code == STATUS_OK; ++l) {
            curvature[l]->part = p;
        }
    }
    if (code == STATUS_OK) {
        drop_empty(laws);
    }
    return code;
}

StatusCode laws_build_rows(Laws *laws, int vertex_count, Store *store, Status *status) {
    int row_count = 0, last_row = -1;
    for (int l = 0; l < laws->count; ++l) {
        Law *law = laws->list[l];
        law->first_row = row_count;
        last_row = law->beyond_matrix && last_row < 0 ? row_count : last_row;
        row_count += law->rows * law->count;
        laws->rows_only = laws->rows_only || law->rows_only;
        laws->unbounded = laws->unbounded || law->unbounded;
        laws->has_convention = laws->has_convention || law->has_convention;
    }
    StatusCode code = rows_build(laws, vertex_count, row_count, last_row < 0 ? row_count : last_row,
                                 store, status);
    for (int l = 0; code == STATUS_OK && l < laws->count; ++l) {
        laws->list[l]->tension = laws->rows.tension + laws->list[l]->first_row;
    }
    return code;
}

const Law *laws_find(const Laws *laws, const LawKind *kind) {
    for (int l = 0; l < laws->count; ++l) {
        if (laws->list[l]->kind == kind) {
            return laws->list[l];
        }
    }
    return NULL;
}

int laws_count_elements(const Laws *laws, const LawKind *kind, int *skipped) {
    int count = 0;
    *skipped = 0;
    for (int l = 0; l < laws->count; ++l) {
        const Law *law = laws->list[l];
        count += law->kind == kind ? law->count : 0;
        *skipped += law->kind == kind ? law->skipped : 0;
    }
    return count;
}

void laws_set_material(Laws *laws, const Material *materials, const Scales *scales) {
    for (int l = 0; l < laws->count; ++l) {
        Law *law = laws->list[l];
        law->kind->set_material(law, &materials[law->part], scales);
    }
}

double laws_local_step(Laws *laws, Pool *pool, const Guess *guess) {
    double energy = 0;
    for (int l = 0; l < laws->count; ++l) {
        energy += law_local_step(laws->list[l], pool, guess);
    }
    return energy;
}

void laws_conventional_step(Laws *laws, Pool *pool, const Vec3 *x) {
    for (int l = 0; l < laws->count; ++l) {
        law_conventional_step(laws->list[l], pool, x);
    }
}

void laws_hessian_product_beyond(Laws *laws, Pool *pool, const Vec3 *x, const Vec3 *d) {
    for (int l = 0; l < laws->count; ++l) {
        if (laws->list[l]->beyond_matrix) {
            law_hessian_product(laws->list[l], pool, x, d);
        }
    }
}

double laws_energy(const Laws *laws, Pool *pool, const Vec3 *x, const double *by) {
    double energy = 0;
    for (int l = 0; l < laws->count; ++l) {
        energy += (by ? by[laws->list[l]->part] : 1.0) * law_energy(laws->list[l], pool, x);
    }
    return energy;
}

Vec3 *laws_memory(const Laws *laws) {
    for (int l = 0; l < laws->count; ++l) {
        if (laws->list[l]->memory) {
            return laws->list[l]->memory;
        }
    }
    return NULL;
}

void laws_remember(Laws *laws, Pool *pool, const Vec3 *x) {
    for (int l = 0; l < laws->count; ++l) {
        law_remember(laws->list[l], pool, x);
    }
}

void laws_mark_crossing(const Laws *laws, uint8_t *marks) {
    for (int l = 0; l < laws->count; ++l) {
        const Law *law = laws->list[l];
        for (int e = law->crossing_from; e < law->count; ++e) {
            marks[law_vertices(law, e)[0]] = 1;
        }
    }
}

/* The first two corners of such an element are one vertex and its image: along x their weights cancel, in the matrix
 * they add up. */
void laws_across(const Laws *laws, LawStiffness which, double *across) {
    for (int l = 0; l < laws->count; ++l) {
        const Law *law = laws->list[l];
        for (int e = law->crossing_from; e < law->count; ++e) {
            const double *weights = law_weights(law, 0, e);
            double both = weights[0] + weights[1];
            across[law_vertices(law, e)[0]] += law_bounds(law, which)[e] * both * both;
        }
    }
}
