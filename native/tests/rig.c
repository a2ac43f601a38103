/* Building a mechanical system for tests, and dense algebra to judge it by. */
#include "rig.h"

#include <stdio.h>
#include <stdlib.h>

#include "check.h"

Material rig_material(void) {
    return (Material){.density = 0.2,
                      .stretch_warp = 900,
                      .stretch_weft = 600,
                      .shear = 250,
                      .bend = 0.01,
                      .bend_weft = 1,
                      .bend_twist = 1,
                      .rope_density = 0.02,
                      .rope_stretch = 70,
                      .area_stiffness = 150,
                      .rope_bend = 0.003,
                      .damping = 0.7,
                      .stiffness_damping = 0.002,
                      .air_drag = 0.3,
                      .pin_stiffness = 2000};
}

void rig_open(Rig *rig, const TestMesh *mesh, const SystemOptions *options,
              const Material *material) {
    rig_open_half(rig, mesh, MESH_WHOLE, options, material);
}

void rig_open_half(Rig *rig, const TestMesh *mesh, int plane_from, const SystemOptions *options,
                   const Material *material) {
    *rig = (Rig){.pool = pool_create(1)};
    StatusCode code =
        mesh_build(&mesh->polygons, plane_from, &(MeshOptions){.pattern = PATTERN_MESH},
                   &rig->store, &rig->mesh, &rig->status);
    SystemOptions woven = *options;
    if (code == STATUS_OK && options->model == MODEL_WOVEN) {
        woven.weave = &rig->weave;
        code = weave_build(&mesh->polygons, &rig->mesh, &rig->store, &rig->weave, &rig->status);
    }
    if (code == STATUS_OK) {
        code = system_build(&rig->system, &rig->mesh, &woven, rig->pool, &rig->store, &rig->status);
    }
    if (code != STATUS_OK || !rig->pool) {
        printf("the test's mesh was refused: %s\n", rig->status.message);
        exit(2);
    }
    rig->system.materials[0] = *material;
    system_refresh_material(&rig->system);
}

void rig_close(Rig *rig) {
    pool_destroy(rig->pool);
    store_release(&rig->store);
}

void rig_find_slots(Rig *rig, const BlockMatrix *blocks) {
    for (int l = 0; l < rig->system.laws.count; ++l) {
        law_find_slots(rig->system.laws.list[l], blocks, &rig->store, &rig->status);
    }
}

void rig_add_hessian(const Rig *rig, const Vec3 *x, double scale, BlockMatrix *blocks) {
    for (int l = 0; l < rig->system.laws.count; ++l) {
        law_add_hessian(rig->system.laws.list[l], x, scale, blocks);
    }
}

void rig_stiffen(System *system, const Vec3 *x, const Vec3 *d) {
    system->by_parcels = false;
    for (int l = 0; l < system->laws.count; ++l) {
        law_hessian_product(system->laws.list[l], system->pool, x, d);
    }
}

Coarse *rig_coarse(System *system, Status *status) {
    Coarse *coarse = coarse_begin(system, status);
    StatusCode code = coarse ? STATUS_OK : status->code;
    for (int part = 0; part < COARSE_PARTS && code == STATUS_OK; ++part) {
        code = coarse_build_part(coarse, part, status);
    }
    if (code != STATUS_OK || coarse_finish(coarse, status) != STATUS_OK) {
        coarse_destroy(coarse);
        return NULL;
    }
    return coarse;
}

double rig_area(const Rig *rig) {
    double area = 0;
    for (int t = 0; t < rig->mesh.triangle_count; ++t) {
        area += rig->mesh.triangles[t].area;
    }
    return area;
}

void rig_state(const Rig *rig, double stretch, double noise, Vec3 *x) {
    for (int v = 0; v < rig->mesh.vertex_count; ++v) {
        x[v] = vec3_add(vec3_scale(stretch, rig->mesh.rest[v]), random_vector(noise));
    }
}

double *dense_new(int size) {
    double *a = calloc((size_t)size * (size_t)size + 1, sizeof *a);
    if (!a) {
        exit(2);
    }
    return a;
}

double *dense_of(const Matrix *matrix) {
    double *a = dense_new(matrix->size);
    for (int i = 0; i < matrix->size; ++i) {
        for (int p = matrix->start[i]; p < matrix->start[i + 1]; ++p) {
            a[i * matrix->size + matrix->column[p]] = matrix->value[p];
        }
    }
    return a;
}

static void rotate(int size, double *a, int p, int q) {
    double apq = a[p * size + q];
    if (fabs(apq) < 1e-300) {
        return;
    }
    double theta = (a[q * size + q] - a[p * size + p]) / (2 * apq);
    double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));
    double c = 1 / sqrt(t * t + 1), s = t * c;
    for (int k = 0; k < size; ++k) {
        double kp = a[k * size + p], kq = a[k * size + q];
        a[k * size + p] = c * kp - s * kq;
        a[k * size + q] = s * kp + c * kq;
    }
    for (int k = 0; k < size; ++k) {
        double pk = a[p * size + k], qk = a[q * size + k];
        a[p * size + k] = c * pk - s * qk;
        a[q * size + k] = s * pk + c * qk;
    }
}

static int compare_doubles(const void *left, const void *right) {
    double p = *(const double *)left, q = *(const double *)right;
    return (p > q) - (p < q);
}

void dense_eigenvalues(int size, double *a, double *values) {
    for (int sweep = 0; sweep < 12; ++sweep) {
        for (int p = 0; p < size; ++p) {
            for (int q = p + 1; q < size; ++q) {
                rotate(size, a, p, q);
            }
        }
    }
    for (int i = 0; i < size; ++i) {
        values[i] = a[i * size + i];
    }
    qsort(values, (size_t)size, sizeof *values, compare_doubles);
}

void gauss_solve(int size, double *a, double *b) {
    for (int k = 0; k < size; ++k) {
        int best = k;
        for (int i = k + 1; i < size; ++i) {
            best = fabs(a[i * size + k]) > fabs(a[best * size + k]) ? i : best;
        }
        for (int j = 0; j < size && best != k; ++j) {
            double swap = a[k * size + j];
            a[k * size + j] = a[best * size + j];
            a[best * size + j] = swap;
        }
        double swap = b[k];
        b[k] = b[best];
        b[best] = swap;
        for (int i = k + 1; i < size; ++i) {
            double part = a[i * size + k] / a[k * size + k];
            for (int j = k; j < size; ++j) {
                a[i * size + j] -= part * a[k * size + j];
            }
            b[i] -= part * b[k];
        }
    }
    for (int k = size - 1; k >= 0; --k) {
        for (int j = k + 1; j < size; ++j) {
            b[k] -= a[k * size + j] * b[j];
        }
        b[k] /= a[k * size + k];
    }
}
