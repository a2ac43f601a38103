/* Area and shear of cells: energy, tensions, second derivatives. */
#include "laws/research/woven.h"

#include <math.h>
#include <stdlib.h>

/* The positive part of m = [m0 m1; m1 m2]: without its negative eigenvalue, if it has one, or both. It is what is left of a
 * second derivative where stress would make it indefinite. */
static void clamp_symmetric(double m[3]) {
    double middle = 0.5 * (m[0] + m[2]), half = 0.5 * (m[0] - m[2]);
    double reach = sqrt(half * half + m[1] * m[1]), least = middle - reach, most = middle + reach;
    if (least >= 0) {
        return;
    }
    double part = most > 0 ? most / (most - least) : 0.0;
    m[0] = part * (m[0] - least);
    m[1] = part * m[1];
    m[2] = part * (m[2] - least);
}

/* --- cells ------------------------------------------------------------------------------------ */

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

CellHessian cell_hessian_at(const CellLaw *cells, int e, const Vec3 *x) {
    CellState now = state_at(cells, e, x);
    double pressure = 2.0 * cells->keep[e] * now.grown;
    CellHessian hessian = {.u = now.u,
                           .v = now.v,
                           .n = vec3_normal_or(now.u, now.v, vec3(0, 0, 0)),
                           .keep = cells->keep[e],
                           .shear = cells->shear[e]};
    hessian.across[0] = pressure * now.vv;
    hessian.across[1] = cells->shear[e] * now.skewed - pressure * now.uv;
    hessian.across[2] = pressure * now.uu;
    clamp_symmetric(hessian.across);
    return hessian;
}

/* What g and u.v have in the second derivative. */
static void set_products(const CellHessian *cell, double scale, LawHessian *hessian) {
    double uu = vec3_dot(cell->u, cell->u), uv = vec3_dot(cell->u, cell->v);
    double vv = vec3_dot(cell->v, cell->v), keep = 4.0 * scale * cell->keep;
    Vec3 p = vec3_madd(vec3_scale(vv, cell->u), -uv, cell->v);
    Vec3 q = vec3_madd(vec3_scale(uu, cell->v), -uv, cell->u);
    *hessian = (LawHessian){0};
    block_add_outer(&hessian->uu, keep, p, p);
    block_add_outer(&hessian->uv, keep, p, q);
    block_add_outer(&hessian->vv, keep, q, q);
    block_add_outer(&hessian->uu, scale * cell->shear, cell->v, cell->v);
    block_add_outer(&hessian->uv, scale * cell->shear, cell->v, cell->u);
    block_add_outer(&hessian->vv, scale * cell->shear, cell->u, cell->u);
}

static bool hessian(const Law *law, int e, const Vec3 *x, double scale, LawHessian *hessian) {
    CellHessian cell = cell_hessian_at(cell_law(law), e, x);
    set_products(&cell, scale, hessian);
    block_add_outer(&hessian->uu, scale * cell.across[0], cell.n, cell.n);
    block_add_outer(&hessian->uv, scale * cell.across[1], cell.n, cell.n);
    block_add_outer(&hessian->vv, scale * cell.across[2], cell.n, cell.n);
    return true;
}

const LawKind cell_kind = {.name = "cells",
                           .set_material = set_material,
                           .evaluate = evaluate,
                           .hessian = hessian,
                           .in_surface = law_all_in_surface};

/* --- joints: the curvature of threads ------------------------------------------------------------ */

/* Turns at rest below this (rad) are rounding: the caller's positions are floats. */
#define STRAIGHT 1e-3

/* The end of its thread that goes on beyond the mirror plane there: 0 or 1; -1: none does. */
static int folded_end(const Thread *thread, int at) {
    return at == 0 && thread->crosses[0]                   ? 0
           : at == thread->count - 1 && thread->crosses[1] ? 1
                                                           : -1;
}

static bool bends(const Thread *thread, int at) {
    return thread->closed || (at > 0 && at < thread->count - 1) || folded_end(thread, at) >= 0;
}

/* Slots of the vertices before and behind one; across the mirror plane that is the same. */
static void neighbours(const Thread *thread, int at, int *before, int *behind) {
    int end = folded_end(thread, at);
    *before = thread->first + (at > 0 ? at - 1 : thread->count - 1);
    *behind = thread->first + (at < thread->count - 1 ? at + 1 : 0);
    *before = end == 0 ? *behind : *before;
    *behind = end == 1 ? *before : *behind;
}

static void set_weights(Law *law, int e, double a, double b) {
    double *s = law->weights[0] + 3 * e, *t = law->weights[1] + 3 * e;
    double whole = a + b;
    s[0] = 2.0 / (whole * a);
    s[2] = 2.0 / (whole * b);
    s[1] = -s[0] - s[2];
    t[0] = -1.0 / whole;
    t[1] = 0.0;
    t[2] = 1.0 / whole;
}

/* Across the mirror plane: both links are one. */
static void set_folded_weights(Law *law, int e, double a) {
    double *s = law->weights[0] + 3 * e, *t = law->weights[1] + 3 * e;
    s[0] = 2.0 / (a * a);
    s[1] = -s[0];
    t[0] = -1.0 / a;
    t[1] = 1.0 / a;
    s[2] = t[2] = 0.0;
}

/* s and t at x. */
static void measure(const JointLaw *joints, int e, const Vec3 *x, Vec3 *s, Vec3 *t) {
    *s = law_measure(&joints->law, 0, e, x);
    *t = law_measure(&joints->law, 1, e, x);
    if (joints->folded[e]) {
        s->x = t->y = t->z = 0.0;
    }
}

/* Sums of face normals, by area: for what lies in the cloth. In the mirror plane with those of the image. */
static void sum_normals(const Mesh *mesh, Vec3 *normals) {
    for (int t = 0; t < mesh->triangle_count; ++t) {
        const int *v = mesh->triangles[t].vertices;
        Vec3 normal = vec3_cross(vec3_sub(mesh->rest[v[1]], mesh->rest[v[0]]),
                                 vec3_sub(mesh->rest[v[2]], mesh->rest[v[0]]));
        for (int c = 0; c < 3; ++c) {
            normals[v[c]] = vec3_add(normals[v[c]], normal);
        }
    }
    for (int v = mesh->plane_from; v < mesh->vertex_count; ++v) {
        normals[v].x = 0.0;
    }
}

/* By how much cloth or rope it stands for: of what lies in the mirror plane or crosses it half is the half's. */
static double size_of(const JointLaw *joints, const Mesh *mesh, const int *vertices, double a,
                      double b, bool rope, bool folded) {
    double part = folded ? 0.5 : mesh_share(mesh, vertices[0], vertices[1]);
    return rope ? part * 0.5 * (a + b) : joints->weave->area[vertices[1]];
}

/* The curvature at rest. */
static double rest_curvature(const JointLaw *joints, const Mesh *mesh, int e, double length,
                             bool keep_folds, const Vec3 *normals) {
    Vec3 s, t;
    measure(joints, e, mesh->rest, &s, &t);
    if (!keep_folds) {
        Vec3 n = vec3_unit_or(normals[law_vertices(&joints->law, e)[1]], vec3(0, 0, 0));
        s = joints->kind[e] == THREAD_ROPE ? vec3(0, 0, 0) : vec3_madd(s, -vec3_dot(s, n), n);
    }
    double along = vec3_length(t), bent = along > VEC3_TINY ? vec3_length(s) / along : 0.0;
    return bent * length > STRAIGHT ? bent : 0.0;
}

static void add_joint(JointLaw *joints, const Mesh *mesh, const Thread *thread, int at,
                      bool keep_folds, const Vec3 *normals) {
    const Weave *weave = joints->weave;
    int before, behind, e = joints->law.count, slot = thread->first + at;
    int end = folded_end(thread, at);
    neighbours(thread, at, &before, &behind);
    double a = mesh->edges[weave->edges[end == 0 ? slot : before]].rest_length;
    double b = mesh->edges[weave->edges[end == 1 ? before : slot]].rest_length;
    int *vertices = joints->law.vertices + 3 * e;
    vertices[0] = weave->vertices[before];
    vertices[1] = weave->vertices[slot];
    vertices[2] = weave->vertices[behind];
    if (a <= VEC3_TINY || b <= VEC3_TINY) {
        return; /* links without length have no direction */
    }
    ++joints->law.count;
    if (end >= 0) {
        set_folded_weights(&joints->law, e, a);
    } else {
        set_weights(&joints->law, e, a, b);
    }
    joints->folded[e] = end >= 0;
    joints->slot[e] = slot;
    joints->kind[e] = thread->kind;
    joints->size[e] = size_of(joints, mesh, vertices, a, b, thread->kind == THREAD_ROPE, end >= 0);
    joints->curvature[e] = rest_curvature(joints, mesh, e, 0.5 * (a + b), keep_folds, normals);
}

StatusCode joint_law_build(const Mesh *mesh, const Weave *weave, bool keep_folds, Store *store,
                           Law **law, Status *status) {
    int most = 0;
    for (int t = 0; weave && t < weave->thread_count; ++t) {
        most += weave->threads[t].count;
    }
    JointLaw *joints = STORE_ARRAY(store, JointLaw, 1);
    Vec3 *normals = SCRATCH_ARRAY(Vec3, mesh->vertex_count);
    if (!joints || !normals || !law_take(&joints->law, &joint_kind, most, 3, 2, store)) {
        free(normals);
        return status_no_memory(status, joint_kind.name);
    }
    joints->weave = weave;
    joints->folded = STORE_ARRAY(store, uint8_t, most);
    joints->slot = STORE_ARRAY(store, int, most);
    joints->kind = STORE_ARRAY(store, ThreadKind, most);
    joints->size = STORE_ARRAY(store, double, most);
    joints->curvature = STORE_ARRAY(store, double, most);
    joints->stiffness = STORE_ARRAY(store, double, most);
    sum_normals(mesh, normals);
    for (int t = 0; !store->failed && weave && t < weave->thread_count; ++t) {
        for (int at = 0; at < weave->threads[t].count; ++at) {
            if (bends(&weave->threads[t], at)) {
                add_joint(joints, mesh, &weave->threads[t], at, keep_folds, normals);
            }
        }
    }
    free(normals);
    joints->law.crossing_from = joints->law.count;
    joints->law.unbounded = joints->law.count > 0;
    *law = &joints->law;
    return store->failed ? status_no_memory(status, joint_kind.name) : STATUS_OK;
}

static void joint_set_material(Law *law, const Material *material, const Scales *scales) {
    JointLaw *joints = (JointLaw *)law;
    const double stiffness[] = {[THREAD_WARP] = material->bend,
                                [THREAD_WEFT] = material->bend * material->bend_weft,
                                [THREAD_ROPE] = material->rope_bend};
    for (int e = 0; e < law->count; ++e) {
        joints->stiffness[e] = stiffness[joints->kind[e]] * joints->size[e] *
                               scale_mean(scales->bend, law_vertices(law, e), 3);
        law->bound[2 * e] = joints->stiffness[e];
        law->bound[2 * e + 1] = 0.0;
    }
}

static double joint_evaluate(const Law *law, int e, const Guess *guess, Vec3 *tension) {
    const JointLaw *joints = joint_law(law);
    Vec3 s, t;
    measure(joints, e, guess->z, &s, &t);
    double bent = vec3_length(s), along = vec3_length(t);
    tension[0] = tension[1] = vec3(0, 0, 0);
    if (along <= VEC3_TINY) {
        return 0.0;
    }
    double kappa = bent / along, excess = kappa - joints->curvature[e];
    double moment = joints->stiffness[e] * excess;
    if (joints->curvature[e] == 0.0) {
        tension[0] = vec3_scale(-joints->stiffness[e] / (along * along), s);
    } else if (bent > VEC3_TINY) {
        tension[0] = vec3_scale(-moment / (along * bent), s);
    }
    tension[1] = vec3_scale(moment * kappa / (along * along), t);
    return 0.5 * moment * excess;
}

/* E as a function of |s| and |t|: across s and t its second derivatives are E_s/|s| and E_t/|t|. */
JointHessian joint_hessian_at(const JointLaw *joints, int e, const Vec3 *x) {
    JointHessian hessian = {.folded = joints->folded[e]};
    measure(joints, e, x, &hessian.s, &hessian.t);
    double bent = vec3_length(hessian.s), along = vec3_length(hessian.t);
    if (along <= VEC3_TINY) {
        return hessian;
    }
    double kappa = bent / along, rest = joints->curvature[e];
    double unit = joints->stiffness[e] / (along * along);
    double both[3] = {unit, -unit * (2.0 * kappa - rest),
                      unit * kappa * (3.0 * kappa - 2.0 * rest)};
    bool turned = bent > VEC3_TINY; /* else s has no direction */
    hessian.round = rest == 0.0 ? unit : turned ? unit * (kappa - rest) / kappa : 0.0;
    hessian.stretch = -unit * (kappa - rest) * kappa;
    hessian.ss = turned ? (both[0] - hessian.round) / (bent * bent) : 0.0;
    hessian.st = turned ? both[1] / (bent * along) : 0.0;
    hessian.tt = (both[2] - hessian.stretch) / (along * along);
    return hessian;
}

void joint_clamp(JointHessian *hessian) {
    double bent = vec3_length(hessian->s), along = vec3_length(hessian->t);
    if (along <= VEC3_TINY) {
        return;
    }
    bool turned = bent > VEC3_TINY;
    double both[3] = {hessian->ss * bent * bent + hessian->round, hessian->st * bent * along,
                      hessian->tt * along * along + hessian->stretch};
    clamp_symmetric(both);
    hessian->round = fmax(hessian->round, 0.0);
    hessian->stretch = fmax(hessian->stretch, 0.0);
    hessian->ss = turned ? (both[0] - hessian->round) / (bent * bent) : 0.0;
    hessian->st = turned ? both[1] / (bent * along) : 0.0;
    hessian->tt = (both[2] - hessian->stretch) / (along * along);
}

/* Round, but only along the axes that a vector has. */
static void add_round(Block *block, double scale, bool x, bool yz) {
    block->m[0] += x ? scale : 0.0;
    block->m[4] += yz ? scale : 0.0;
    block->m[8] += yz ? scale : 0.0;
}

LawHessian joint_blocks(const JointHessian *hessian, double scale) {
    LawHessian blocks = {0};
    add_round(&blocks.uu, scale * hessian->round, !hessian->folded, true);
    block_add_outer(&blocks.uu, scale * hessian->ss, hessian->s, hessian->s);
    block_add_outer(&blocks.uv, scale * hessian->st, hessian->s, hessian->t);
    add_round(&blocks.vv, scale * hessian->stretch, true, !hessian->folded);
    block_add_outer(&blocks.vv, scale * hessian->tt, hessian->t, hessian->t);
    return blocks;
}

static bool joint_hessian(const Law *law, int e, const Vec3 *x, double scale, LawHessian *hessian) {
    JointHessian joint = joint_hessian_at(joint_law(law), e, x);
    joint_clamp(&joint);
    *hessian = joint_blocks(&joint, scale);
    return true;
}

const LawKind joint_kind = {.name = "bends of threads",
                            .set_material = joint_set_material,
                            .evaluate = joint_evaluate,
                            .hessian = joint_hessian};
