/* Area and shear of cells: energy, tensions, second derivatives. */
#include "laws/cell.h"

#include "laws/clamp.h"

StatusCode cell_law_build(const Weave *weave, Store *store, Law **law, Status *status) {
    int count = weave ? weave->cell_count : 0;
    CellLaw *cells = STORE_ARRAY(store, CellLaw, 1);
    if (!cells || !law_take(&cells->law, &cell_kind, count, 4, 2, store)) {
        return status_no_memory(status, cell_kind.name);
    }
    cells->cells = weave ? weave->cells : NULL;
    cells->square = STORE_ARRAY(store, double, count);
    cells->skew = STORE_ARRAY(store, double, count);
    cells->keep = STORE_ARRAY(store, double, count);
    cells->shear = STORE_ARRAY(store, double, count);
    if (store->failed) {
        return status_no_memory(status, cell_kind.name);
    }
    static const double along[4] = {-0.5, 0.5, 0.5, -0.5}, up[4] = {-0.5, -0.5, 0.5, 0.5};
    for (int e = 0; e < count; ++e) {
        const WeaveCell *cell = &weave->cells[e];
        const double *metric = cell->metric;
        double product = metric[0] * metric[2], scale = sqrt(fmax(product, 0.0));
        bool lies = cell->area > 0 && product > 0 && metric[1] * metric[1] < product;
        for (int c = 0; c < 4; ++c) {
            cells->law.vertices[4 * e + c] = cell->vertices[c];
            cells->law.weights[0][4 * e + c] = lies ? along[c] / sqrt(metric[0]) : 0.0;
            cells->law.weights[1][4 * e + c] = lies ? up[c] / sqrt(metric[2]) : 0.0;
        }
        cells->skew[e] = lies ? metric[1] / scale : 0.0;
        cells->square[e] = lies ? 1.0 - cells->skew[e] * cells->skew[e] : 1.0;
        ++cells->law.count;
    }
    cells->law.unbounded = count > 0;
    *law = &cells->law;
    return STATUS_OK;
}

static void set_material(Law *law, const Material *material, const Scales *scales) {
    CellLaw *cells = (CellLaw *)law;
    for (int e = 0; e < law->count; ++e) {
        double scale = cells->cells[e].area * scale_mean(scales->stretch, law_vertices(law, e), 4);
        double square = cells->square[e];
        cells->keep[e] = scale * material->area_stiffness / (square * square);
        cells->shear[e] = scale * material->shear;
        law->bound[2 * e] = law->bound[2 * e + 1] = 4.0 * cells->keep[e] + cells->shear[e];
    }
}

/* |u|^2, u.v, |v|^2, and by how much g and u.v exceed their rest. */
typedef struct CellState {
    Vec3 u, v;
    double uu, uv, vv, grown, skewed;
} CellState;

static CellState state_at(const CellLaw *cells, int e, const Vec3 *x) {
    CellState now = {.u = law_measure(&cells->law, 0, e, x),
                     .v = law_measure(&cells->law, 1, e, x)};
    now.uu = vec3_dot(now.u, now.u);
    now.uv = vec3_dot(now.u, now.v);
    now.vv = vec3_dot(now.v, now.v);
    now.grown = now.uu * now.vv - now.uv * now.uv - cells->square[e];
    now.skewed = now.uv - cells->skew[e];
    return now;
}

static double evaluate(const Law *law, int e, const Guess *guess, Vec3 *tension) {
    const CellLaw *cells = cell_law(law);
    CellState now = state_at(cells, e, guess->z);
    double pressure = 2.0 * cells->keep[e] * now.grown, shearing = cells->shear[e] * now.skewed;
    tension[0] =
        vec3_madd(vec3_scale(-pressure * now.vv, now.u), pressure * now.uv - shearing, now.v);
    tension[1] =
        vec3_madd(vec3_scale(-pressure * now.uu, now.v), pressure * now.uv - shearing, now.u);
    return 0.5 *
           (cells->keep[e] * now.grown * now.grown + cells->shear[e] * now.skewed * now.skewed);
}

CellCurve cell_curve_at(const CellLaw *cells, int e, const Vec3 *x) {
    CellState now = state_at(cells, e, x);
    double pressure = 2.0 * cells->keep[e] * now.grown;
    CellCurve curve = {.u = now.u,
                       .v = now.v,
                       .n = vec3_normal_or(now.u, now.v, vec3(0, 0, 0)),
                       .keep = cells->keep[e],
                       .shear = cells->shear[e]};
    curve.across[0] = pressure * now.vv;
    curve.across[1] = cells->shear[e] * now.skewed - pressure * now.uv;
    curve.across[2] = pressure * now.uu;
    clamp_symmetric(curve.across);
    return curve;
}

/* What g and u.v have in the second derivative. */
static void set_products(const CellCurve *cell, double scale, LawCurve *curve) {
    double uu = vec3_dot(cell->u, cell->u), uv = vec3_dot(cell->u, cell->v);
    double vv = vec3_dot(cell->v, cell->v), keep = 4.0 * scale * cell->keep;
    Vec3 p = vec3_madd(vec3_scale(vv, cell->u), -uv, cell->v);
    Vec3 q = vec3_madd(vec3_scale(uu, cell->v), -uv, cell->u);
    *curve = (LawCurve){0};
    block_add_outer(&curve->uu, keep, p, p);
    block_add_outer(&curve->uv, keep, p, q);
    block_add_outer(&curve->vv, keep, q, q);
    block_add_outer(&curve->uu, scale * cell->shear, cell->v, cell->v);
    block_add_outer(&curve->uv, scale * cell->shear, cell->v, cell->u);
    block_add_outer(&curve->vv, scale * cell->shear, cell->u, cell->u);
}

static bool curve(const Law *law, int e, const Vec3 *x, double scale, LawCurve *curve) {
    CellCurve cell = cell_curve_at(cell_law(law), e, x);
    set_products(&cell, scale, curve);
    block_add_outer(&curve->uu, scale * cell.across[0], cell.n, cell.n);
    block_add_outer(&curve->uv, scale * cell.across[1], cell.n, cell.n);
    block_add_outer(&curve->vv, scale * cell.across[2], cell.n, cell.n);
    return true;
}

const LawKind cell_kind = {.name = "cells",
                           .set_material = set_material,
                           .evaluate = evaluate,
                           .curve = curve,
                           .in_surface = law_all_in_surface};
