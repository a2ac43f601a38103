/* Building the laws of curvature: an element for each vertex, its forms and its rest shape; and by how much hinges must
 * resist to stand in for it. */
#include <stdlib.h>
#include <string.h>

#include "laws/curvature.h"

/* Rest curvatures below this part of 1 / spacing count as flat: float32 input. */
#define FLAT 2e-5
/* Tangents of the rest shape whose normal is shorter than this part of them are no surface. */
#define NO_SURFACE 1e-3
/* Nor is one that a metre of the chart leads less far along than this, m: cloth that is folded flat upon itself. Where
 * float32 input still tells both sides of a fold apart, a metre leads farther. */
#define NO_TANGENT 1e-5
/* How much of a row hinges may leave out, and how often a chart grows until they do not. */
#define LEFT_OUT 1e-3
#define GROWTHS 2
/* Conjugate gradients end when so little is left of the gradient, squared: half a mesh and a whole one are to agree. */
#define LEAST_GRADIENT 1e-28
/* Warps of a ring whose mean is shorter than this cancel out. */
#define NO_GRAIN 1e-6

typedef struct Weights {
    double row[FIT_ROWS][FIT_WIDTH];
} Weights;

/* An element before it is put into its law. */
typedef struct Built {
    bool made, curved, crossing;
    int count;
    int vertices[FIT_WIDTH];
    Weights weights; /* if it crosses the plane: along y and z */
    double share[3][FORM_NUMBERS];
    double rest[3];
    Grain grain;
} Built;

/* A list that grows. */
typedef struct StandIns {
    StandIn *list;
    size_t count, room;
    bool failed;
} StandIns;

typedef struct Builder {
    const Mesh *mesh;
    const CurvatureOptions *options;
    BendingLaw *hinges;
    int *element; /* per hinge of the mesh: its element, -1: none */
    uint8_t *usable;
    ChartMaker maker;
    Built *built;        /* per vertex */
    Weights *across;     /* likewise, along x, of elements that cross the plane; null without one */
    StandIns *stand_ins; /* per chunk of vertices, which any thread may have worked on */
    Store scratch;
} Builder;

/* --- forms -------------------------------------------------------------------------------------- */

static void add_square(double by, const double row[3], double *form) {
    form[0] += by * row[0] * row[0];
    form[1] += by * row[1] * row[1];
    form[2] += by * row[2] * row[2];
    form[3] += by * row[0] * row[1];
    form[4] += by * row[0] * row[2];
    form[5] += by * row[1] * row[2];
}

/* Unit warp of a triangle in the chart: what its own u axis is there. */
static bool warp_in_chart(const Chart *chart, const ChartTriangle *own, const Triangle *triangle,
                          double *warp) {
    const double(*m)[2] = triangle->material;
    const double *p0 = chart->vertices[own->corner[0]].place;
    const double *p1 = chart->vertices[own->corner[1]].place;
    const double *p2 = chart->vertices[own->corner[2]].place;
    double v1 = m[1][1] - m[0][1], v2 = m[2][1] - m[0][1];
    double turn = (m[1][0] - m[0][0]) * v2 - (m[2][0] - m[0][0]) * v1 > 0 ? 1.0 : -1.0;
    double u = turn * (v2 * (p1[0] - p0[0]) - v1 * (p2[0] - p0[0]));
    double v = turn * (v2 * (p1[1] - p0[1]) - v1 * (p2[1] - p0[1]));
    double length = plane_length(u, v);
    warp[0] = u / length;
    warp[1] = v / length;
    return length > 0;
}

/* The mean axis of a ring's warps, by the doubled angles' sums: an axis has no sign. Warps that cancel out have the
 * chart's first axis. */
static void set_grain(double doubled_cosine, double doubled_sine, double area, Grain *grain) {
    double length = plane_length(doubled_cosine, doubled_sine);
    double cosine = length > NO_GRAIN * area ? doubled_cosine / length : 1.0;
    double sine = length > NO_GRAIN * area ? doubled_sine / length : 0.0;
    double large = sqrt(0.5 * (1 + fabs(cosine))), small = 0.5 * sine / large;
    *grain = (Grain){
        .cosine = cosine >= 0 ? large : small, .sine = cosine >= 0 ? small : large, .area = area};
}

/* The curvatures along warp d and weft n are d'Hd, n'Hn and d'Hn. Of an element in the mirror plane half counts: the
 * other half is its image's. */
static bool set_forms(const Mesh *mesh, const Chart *chart, Built *built) {
    bool in_plane = false;
    double doubled_cosine = 0, doubled_sine = 0, whole = 0;
    for (int t = 0; t < chart->ring; ++t) {
        in_plane = in_plane || chart->triangles[t].image;
    }
    for (int t = 0; t < chart->ring; ++t) {
        const ChartTriangle *own = &chart->triangles[t];
        const Triangle *triangle = &mesh->triangles[own->triangle];
        double warp[2], area = (in_plane ? 0.5 : 1.0) * triangle->area / 3.0;
        if (!warp_in_chart(chart, own, triangle, warp)) {
            return false;
        }
        double c = warp[0], s = warp[1];
        add_square(area, (const double[3]){c * c, s * s, 2 * c * s}, built->share[0]);
        add_square(area, (const double[3]){s * s, c * c, -2 * c * s}, built->share[1]);
        add_square(2 * area, (const double[3]){-c * s, c * s, c * c - s * s}, built->share[2]);
        doubled_cosine += area * (c * c - s * s);
        doubled_sine += 2 * area * c * s;
        whole += area;
    }
    set_grain(doubled_cosine, doubled_sine, whole, &built->grain);
    return true;
}

/* --- rest shape --------------------------------------------------------------------------------- */

static Vec3 at_rest(const Mesh *mesh, const ChartVertex *vertex) {
    Vec3 x = mesh->rest[vertex->vertex];
    return vertex->image ? vec3(-x.x, x.y, x.z) : x;
}

/* Takes the part of the rest curvature along the tangents out of a row; returns the part along the normal. */
static double take_out_tangents(CurvatureFit *fit, int row, Vec3 s, Vec3 b, Vec3 c, Vec3 normal) {
    double bb = vec3_dot(b, b), bc = vec3_dot(b, c), cc = vec3_dot(c, c);
    double sb = vec3_dot(s, b), sc = vec3_dot(s, c), determinant = bb * cc - bc * bc;
    double along_b = (cc * sb - bc * sc) / determinant;
    double along_c = (bb * sc - bc * sb) / determinant;
    for (int i = 0; i < fit->count; ++i) {
        fit->weights[row][i] -=
            along_b * fit->weights[FIT_TANGENT_U][i] + along_c * fit->weights[FIT_TANGENT_V][i];
    }
    return vec3_dot(s, normal);
}

/* False where the rest shape is no surface. */
static bool set_rest(const Mesh *mesh, const Chart *chart, CurvatureFit *fit, Built *built) {
    Vec3 s[FIT_ROWS] = {{0, 0, 0}}, middle = at_rest(mesh, &chart->vertices[0]);
    double largest = 0;
    for (int r = 0; r < FIT_ROWS; ++r) {
        for (int i = 0; i < fit->count; ++i) {
            Vec3 x = vec3_sub(at_rest(mesh, &chart->vertices[fit->vertices[i]]), middle);
            s[r] = vec3_madd(s[r], fit->weights[r][i], x);
        }
        largest = r < CURVATURES ? fmax(largest, vec3_length(s[r])) : largest;
    }
    if (!(largest * fit->spacing > FLAT)) {
        return true;
    }
    Vec3 b = s[FIT_TANGENT_U], c = s[FIT_TANGENT_V], normal = vec3_cross(b, c);
    double length = vec3_length(normal), along_u = vec3_length(b), along_v = vec3_length(c);
    if (!(fmin(along_u, along_v) > NO_TANGENT) || !(length > NO_SURFACE * along_u * along_v)) {
        return false;
    }
    built->curved = true;
    for (int r = 0; r < CURVATURES; ++r) {
        built->rest[r] = take_out_tangents(fit, r, s[r], b, c, vec3_scale(1.0 / length, normal));
    }
    return true;
}

/* --- hinges that stand in ------------------------------------------------------------------------ */

/* The rows of a chart's hinges: the weights alpha of bending.h, drawn in the chart. Times `size` where stiff hinges are
 * to be preferred. */
typedef struct Span {
    int count, vertex_count;
    const ChartHinge *hinges[CHART_HINGES];
    double alpha[CHART_HINGES][4];
    double size[CHART_HINGES];
} Span;

static bool draw_hinge(const Chart *chart, const ChartHinge *hinge, double *alpha) {
    const double *i = chart->vertices[hinge->corner[0]].place;
    const double *j = chart->vertices[hinge->corner[1]].place;
    const double *k = chart->vertices[hinge->corner[2]].place;
    const double *l = chart->vertices[hinge->corner[3]].place;
    double eu = l[0] - k[0], ev = l[1] - k[1], squared = eu * eu + ev * ev;
    double above = eu * (i[1] - k[1]) - ev * (i[0] - k[0]);
    double below = eu * (j[1] - k[1]) - ev * (j[0] - k[0]);
    if (!(above * below < 0) || !(squared > 0)) {
        return false;
    }
    alpha[0] = fabs(below) / (fabs(above) + fabs(below));
    alpha[1] = 1 - alpha[0];
    double crossing = (eu * (alpha[0] * i[0] + alpha[1] * j[0] - k[0]) +
                       ev * (alpha[0] * i[1] + alpha[1] * j[1] - k[1])) /
                      squared;
    alpha[2] = crossing - 1;
    alpha[3] = -crossing;
    return true;
}

static void draw_span(const Builder *builder, const Chart *chart, Span *span) {
    span->count = 0;
    span->vertex_count = chart->vertex_count;
    for (int h = 0; h < chart->hinge_count; ++h) {
        const ChartHinge *hinge = &chart->hinges[h];
        double *alpha = span->alpha[span->count];
        if (!draw_hinge(chart, hinge, alpha)) {
            continue;
        }
        bool halved =
            hinge->hinge >= builder->mesh->crossing_from; /* it has half of its stiffness */
        double shape = builder->hinges->shape[builder->element[hinge->hinge]];
        double size = sqrt(halved ? 2 * shape : shape);
        for (int c = 0; c < 4; ++c) {
            alpha[c] *= size;
        }
        span->size[span->count] = size;
        span->hinges[span->count++] = hinge;
    }
}

/* Vectors have a number for each row of curvature here. */

/* out = A in, with the hinges' rows as columns of A; and out = A' in. */
static void times_hinges(const Span *span, const Vec3 *in, Vec3 *out) {
    memset(out, 0, (size_t)span->vertex_count * sizeof *out);
    for (int h = 0; h < span->count; ++h) {
        for (int c = 0; c < 4; ++c) {
            Vec3 *to = &out[span->hinges[h]->corner[c]];
            *to = vec3_madd(*to, span->alpha[h][c], in[h]);
        }
    }
}

static void times_transposed(const Span *span, const Vec3 *in, Vec3 *out) {
    for (int h = 0; h < span->count; ++h) {
        out[h] = vec3(0, 0, 0);
        for (int c = 0; c < 4; ++c) {
            out[h] = vec3_madd(out[h], span->alpha[h][c], in[span->hinges[h]->corner[c]]);
        }
    }
}

static Vec3 products(Vec3 a, Vec3 b) { return vec3(a.x * b.x, a.y * b.y, a.z * b.z); }

/* a / b where `on` is positive, else 0. */
static Vec3 ratios(Vec3 a, Vec3 b, Vec3 on) {
    return vec3(on.x > 0 ? a.x / b.x : 0.0, on.y > 0 ? a.y / b.y : 0.0, on.z > 0 ? a.z / b.z : 0.0);
}

/* to += part times `by`, row by row. */
static void add_parts(int count, Vec3 part, const Vec3 *by, Vec3 *to) {
    for (int i = 0; i < count; ++i) {
        to[i] = vec3_add(to[i], products(part, by[i]));
    }
}

static Vec3 sum_squares(int count, const Vec3 *in) {
    Vec3 sum = vec3(0, 0, 0);
    for (int i = 0; i < count; ++i) {
        sum = vec3_add(sum, products(in[i], in[i]));
    }
    return sum;
}

/* The rows as sums of hinges with the least squares of coefficients: conjugate gradients, from zero, all rows side by
 * side. `rows` become what is left of them; returns the largest part that is. */
static double solve_rows(const Span *span, Vec3 *rows, Vec3 *coefficients) {
    Vec3 gradient[CHART_HINGES], direction[CHART_HINGES], product[CHART_VERTICES];
    Vec3 whole = sum_squares(span->vertex_count, rows);
    memset(coefficients, 0, (size_t)span->count * sizeof *coefficients);
    times_transposed(span, rows, gradient);
    memcpy(direction, gradient, (size_t)span->count * sizeof *gradient);
    Vec3 squared = sum_squares(span->count, gradient), start = squared;
    for (int step = 0; step < 2 * span->count; ++step) {
        Vec3 on = vec3_madd(squared, -LEAST_GRADIENT, start), before = squared;
        if (!(on.x > 0 || on.y > 0 || on.z > 0)) {
            break;
        }
        times_hinges(span, direction, product);
        Vec3 part = ratios(squared, sum_squares(span->vertex_count, product), on);
        add_parts(span->count, part, direction, coefficients);
        add_parts(span->vertex_count, vec3_scale(-1.0, part), product, rows);
        times_transposed(span, rows, gradient);
        squared = sum_squares(span->count, gradient);
        add_parts(span->count, ratios(squared, before, part), direction, gradient);
        memcpy(direction, gradient, (size_t)span->count * sizeof *gradient);
    }
    Vec3 left = ratios(sum_squares(span->vertex_count, rows), whole, whole);
    return sqrt(fmax(left.x, fmax(left.y, left.z)));
}

static void add_stand_in(StandIns *to, const StandIn *stand_in) {
    if (to->count == to->room) {
        to->room = 2 * to->room + 1024;
        to->list = scratch_grow(to->list, to->room, sizeof *to->list, &to->failed);
    }
    if (!to->failed) {
        to->list[to->count++] = *stand_in;
    }
}

/* With rows w_r = sum_h c_rh alpha_h and a form M the element's matrix is alpha' G alpha, G = c'M c. A diagonal that has
 * the sums of |G|'s rows is G from above; that of a sum of forms is at most the sum of theirs. */
static void add_stand_ins(const Builder *builder, int vertex, const Span *span, const Vec3 *c,
                          StandIns *to) {
    const Built *built = &builder->built[vertex];
    for (int h = 0; h < span->count; ++h) {
        StandIn stand_in = {.hinge = builder->element[span->hinges[h]->hinge], .vertex = vertex};
        for (int f = 0; f < 3; ++f) {
            Vec3 by = curvature_times_form(built->share[f], c[h]);
            for (int g = 0; g < span->count; ++g) {
                stand_in.share[f] += fabs(vec3_dot(by, c[g]));
            }
        }
        add_stand_in(to, &stand_in);
    }
}

/* False where hinges cannot. */
static bool find_coefficients(const Builder *builder, Chart *chart, const CurvatureFit *fit,
                              Span *span, Vec3 *c) {
    Vec3 rows[CHART_VERTICES];
    for (int growth = 0; growth <= GROWTHS; ++growth) {
        if (growth > 0 && chart_grow(&builder->maker, chart) <= 0) {
            return false;
        }
        draw_span(builder, chart, span);
        memset(rows, 0, sizeof rows);
        for (int i = 0; i < fit->count; ++i) {
            rows[fit->vertices[i]] =
                vec3(fit->weights[CURVATURE_UU][i], fit->weights[CURVATURE_VV][i],
                     fit->weights[CURVATURE_UV][i]);
        }
        if (solve_rows(span, rows, c) < LEFT_OUT) {
            for (int h = 0; h < span->count; ++h) {
                c[h] = vec3_scale(span->size[h], c[h]);
            }
            return true;
        }
    }
    return false;
}

/* --- elements ----------------------------------------------------------------------------------- */

/* The vertices of a fit, a vertex and its image in one. */
static void set_weights(const Chart *chart, const CurvatureFit *fit, Built *built,
                        Weights *across) {
    for (int i = 0; i < fit->count; ++i) {
        const ChartVertex *vertex = &chart->vertices[fit->vertices[i]];
        int at = 0;
        while (at < built->count && built->vertices[at] != vertex->vertex) {
            ++at;
        }
        if (at == built->count) {
            built->vertices[built->count++] = vertex->vertex;
        }
        built->crossing = built->crossing || vertex->image;
        for (int r = 0; r < FIT_ROWS; ++r) {
            double weight = fit->weights[r][i];
            built->weights.row[r][at] += weight;
            if (across) {
                across->row[r][at] += vertex->image ? -weight : weight;
            }
        }
    }
}

static void build_element(const Builder *builder, int vertex, StandIns *stand_ins) {
    Chart chart;
    CurvatureFit fit;
    Span span;
    Vec3 coefficients[CHART_HINGES];
    Built *built = &builder->built[vertex];
    if (!chart_begin(&builder->maker, vertex, &chart) || !set_forms(builder->mesh, &chart, built) ||
        !curvature_fit(&builder->maker, &chart, &fit) ||
        !find_coefficients(builder, &chart, &fit, &span, coefficients) ||
        (builder->options->keep_folds && !set_rest(builder->mesh, &chart, &fit, built))) {
        return;
    }
    built->made = true;
    built->curved = built->curved || builder->options->memory;
    set_weights(&chart, &fit, built, builder->across ? &builder->across[vertex] : NULL);
    add_stand_ins(builder, vertex, &span, coefficients, stand_ins);
}

static void build_chunk(void *context, int begin, int end) {
    const Builder *builder = context;
    for (int v = begin; v < end; ++v) {
        build_element(builder, v, &builder->stand_ins[pool_chunk_at(begin)]);
    }
}

/* Which element of the law each hinge of the mesh is: they are in the same order. */
static void match_hinges(Builder *builder) {
    const Mesh *mesh = builder->mesh;
    const Law *law = &builder->hinges->law;
    for (int h = 0, e = 0; h < mesh->hinge_count; ++h) {
        const Hinge *hinge = &mesh->hinges[h];
        const int *vertices = law_vertices(law, e);
        bool same = e < law->count && vertices[0] == hinge->i && vertices[1] == hinge->j &&
                    vertices[2] == hinge->k && vertices[3] == hinge->l;
        builder->usable[h] = same;
        builder->element[h] = same ? e++ : -1;
    }
}

/* --- laws --------------------------------------------------------------------------------------- */

static void put(CurvatureLaw *to, const Built *built, int vertex, const Weights *weights) {
    Law *law = &to->law;
    int e = law->count++;
    for (int c = 0; c < law->width; ++c) {
        law->vertices[law->width * e + c] = c < built->count ? built->vertices[c] : vertex;
        for (int r = 0; r < law->rows; ++r) {
            law->weights[r][law->width * e + c] = c < built->count ? weights->row[r][c] : 0.0;
        }
    }
    law->corners[e] = built->count;
    to->middle[e] = vertex;
    memcpy(to->share + 3 * FORM_NUMBERS * e, built->share, sizeof built->share);
    if (to->rest) {
        memcpy(to->rest + 3 * e, built->rest, sizeof built->rest);
    }
    if (to->grain) {
        to->grain[e] = built->grain;
    }
}

static const LawKind *kind_of(const Builder *builder, bool curved) {
    return builder->options->moments ? (curved ? &curved_moment_kind : &moment_kind)
           : curved                  ? &curved_kind
                                     : &curvature_kind;
}

static CurvatureLaw *take_law(const Builder *builder, bool curved, Store *store) {
    const Mesh *mesh = builder->mesh;
    CurvatureLaw *own = STORE_ARRAY(store, CurvatureLaw, 1);
    int count = 0, width = 1, rows = curved ? FIT_ROWS : CURVATURES;
    for (int v = 0; builder->built && v < mesh->vertex_count; ++v) {
        const Built *built = &builder->built[v];
        if (built->made && built->curved == curved) {
            count += 1 + built->crossing;
            width = built->count > width ? built->count : width;
        }
    }
    if (!own || !law_take(&own->law, kind_of(builder, curved), count, width, rows, store)) {
        return NULL;
    }
    own->law.beyond_matrix = true;
    own->share = STORE_ARRAY(store, double, 3 * FORM_NUMBERS * count);
    own->form = STORE_ARRAY(store, double, FORM_NUMBERS *count);
    own->rest = curved ? STORE_ARRAY(store, double, 3 * count) : NULL;
    own->law.corners = STORE_ARRAY(store, int, count);
    own->middle = STORE_ARRAY(store, int, count);
    if (builder->options->moments) {
        own->grain = STORE_ARRAY(store, Grain, count);
        own->area = STORE_ARRAY(store, double, count);
        own->curves = STORE_ARRAY(store, MomentCurve, MOMENT_CURVES);
    }
    if (builder->options->memory && curved) {
        own->friction = STORE_ARRAY(store, double, MOMENT_CURVES + 1);
        own->law.memory = builder->options->memory;
    }
    return store->failed ? NULL : own;
}

static Law *fill_law(const Builder *builder, bool curved, Store *store) {
    CurvatureLaw *own = take_law(builder, curved, store);
    if (!own) {
        return NULL;
    }
    for (int crossing = 0; builder->built && crossing < 2; ++crossing) {
        own->pairs_from = own->law.count;
        for (int v = 0; v < builder->mesh->vertex_count; ++v) {
            const Built *built = &builder->built[v];
            if (!built->made || built->curved != curved || built->crossing != crossing) {
                continue;
            }
            put(own, built, v, &built->weights);
            if (crossing) {
                put(own, built, v, &builder->across[v]);
            }
        }
    }
    return &own->law;
}

/* Hinges resist for each vertex of their edge that has no element; for the others they stand in. */
static bool share_out(Builder *builder, Store *store) {
    BendingLaw *hinges = builder->hinges;
    int count = hinges->law.count;
    hinges->part = STORE_ARRAY(store, double, count);
    hinges->law.own = STORE_ARRAY(store, double, count);
    hinges->law.smooth = STORE_ARRAY(store, double, count);
    size_t stand_ins = 0;
    bool failed = false;
    for (int c = 0; c < pool_chunks(builder->mesh->vertex_count); ++c) {
        stand_ins += builder->stand_ins[c].count;
        failed = failed || builder->stand_ins[c].failed;
    }
    hinges->stand_ins = STORE_ARRAY(store, StandIn, stand_ins);
    if (store->failed || failed) {
        return false;
    }
    for (int h = 0; h < count; ++h) {
        const int *vertices = law_vertices(&hinges->law, h);
        hinges->part[h] =
            0.5 * (!builder->built[vertices[2]].made + !builder->built[vertices[3]].made);
    }
    for (int c = 0; c < pool_chunks(builder->mesh->vertex_count); ++c) {
        for (size_t s = 0; s < builder->stand_ins[c].count; ++s) { /* maybe none, and no list */
            hinges->stand_ins[hinges->stand_in_count++] = builder->stand_ins[c].list[s];
        }
    }
    return true;
}

static StatusCode build_elements(Builder *builder, Pool *pool, Store *store, Status *status) {
    const Mesh *mesh = builder->mesh;
    Store *scratch = &builder->scratch;
    builder->element = STORE_ARRAY(scratch, int, mesh->hinge_count);
    builder->usable = STORE_ARRAY(scratch, uint8_t, mesh->hinge_count);
    builder->built = STORE_ARRAY(scratch, Built, mesh->vertex_count);
    builder->stand_ins = STORE_ARRAY(scratch, StandIns, pool_chunks(mesh->vertex_count));
    builder->across = mesh->halved ? STORE_ARRAY(scratch, Weights, mesh->vertex_count) : NULL;
    if (scratch->failed) {
        return status_no_memory(status, curvature_kind.name);
    }
    match_hinges(builder);
    if (!chart_maker_build(&builder->maker, mesh, builder->usable, scratch)) {
        return status_no_memory(status, curvature_kind.name);
    }
    pool_run(pool, mesh->vertex_count, build_chunk, builder);
    return share_out(builder, store) ? STATUS_OK : status_no_memory(status, curvature_kind.name);
}

StatusCode curvature_laws_build(const Mesh *mesh, const CurvatureOptions *options,
                                BendingLaw *hinges, Pool *pool, Store *store, Law **flat,
                                Law **curved, Status *status) {
    Builder builder = {.mesh = mesh, .options = options, .hinges = hinges};
    StatusCode code = options->wanted ? build_elements(&builder, pool, store, status) : STATUS_OK;
    if (code == STATUS_OK) {
        *flat = fill_law(&builder, false, store);
        *curved = fill_law(&builder, true, store);
        code = *flat && *curved ? STATUS_OK : status_no_memory(status, curvature_kind.name);
    }
    for (int c = 0; builder.stand_ins && c < pool_chunks(mesh->vertex_count); ++c) {
        free(builder.stand_ins[c].list);
    }
    store_release(&builder.scratch);
    return code;
}
