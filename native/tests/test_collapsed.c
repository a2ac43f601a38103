/* Cloth that is drawn together onto a line, onto two places or into one, to the last bit: no law is at a loss there. Energies,
 * forces and second derivatives are finite, and what has no direction asks for none. */
#include <math.h>

#include "check.h"
#include "laws/research/woven.h"
#include "rig.h"

#define SIDE 5

typedef enum Place { ON_A_LINE, IN_TWO_PLACES, IN_ONE_PLACE, PLACES } Place;

static void draw_together(const Rig *rig, Place place, Vec3 *x) {
    for (int v = 0; v < rig->mesh.vertex_count; ++v) {
        x[v] = place == ON_A_LINE ? vec3(rig->mesh.rest[v].x, 0.5, 0.25) : vec3(1, 0.5, 0.25);
        if (place == IN_TWO_PLACES && v % SIDE == 0) {
            x[v].z += 0.3;
        }
    }
}

static bool is_finite(Vec3 v) { return isfinite(v.x) && isfinite(v.y) && isfinite(v.z); }

static bool are_finite(const LawHessian *hessian) {
    bool finite = true;
    for (int k = 0; k < 9; ++k) {
        finite = finite && isfinite(hessian->uu.m[k] + hessian->uv.m[k] + hessian->vv.m[k]);
    }
    return finite;
}

static void check_elements(const Law *law, const Vec3 *x) {
    const Guess guess = {.z = x, .present = x};
    for (int e = 0; e < law->count; ++e) {
        Vec3 tension[LAW_ROWS] = {{0, 0, 0}};
        LawHessian hessian = {0};
        double energy = law->kind->evaluate(law, e, &guess, tension);
        CHECK(isfinite(energy) && energy >= 0);
        for (int r = 0; r < law->rows; ++r) {
            CHECK(is_finite(tension[r]));
        }
        if (law->kind->hessian && law->kind->hessian(law, e, x, 1.0, &hessian)) {
            CHECK(are_finite(&hessian));
        }
    }
}

/* Three vertices of a thread in one place do not bend. */
static void check_joints(const Law *law, const Vec3 *x) {
    const Guess guess = {.z = x, .present = x};
    for (int e = 0; law && e < law->count; ++e) {
        Vec3 tension[LAW_ROWS];
        LawHessian hessian;
        CHECK_NEAR(law->kind->evaluate(law, e, &guess, tension), 0, 0);
        CHECK_NEAR(vec3_length(tension[0]) + vec3_length(tension[1]), 0, 0);
        CHECK(law->kind->hessian(law, e, x, 1.0, &hessian));
        for (int k = 0; k < 9; ++k) {
            CHECK(hessian.uu.m[k] == 0 && hessian.uv.m[k] == 0 && hessian.vv.m[k] == 0);
        }
    }
}

/* Every way to the forces. */
static void check_forces(System *system, const Vec3 *x, const Vec3 *d) {
    CHECK(isfinite(system_elastic_energy(system, x)));
    for (int way = 0; way < 4; ++way) {
        if (way == 0) {
            CHECK(isfinite(system_evaluate(system, x, x)));
        } else if (way == 1) {
            CHECK(isfinite(system_local_step(system, &(Guess){.z = x, .present = x})));
        } else if (way == 2) {
            system_conventional_step(system, x);
        } else {
            rig_stiffen(system, x, d);
        }
        for (int v = 0; v < system->vertex_count; ++v) {
            CHECK(is_finite(system_force(system, v)));
        }
    }
}

static void check_system(const SystemOptions *options, bool quads) {
    TestMesh *mesh = mesh_grid(quads ? GRID_QUADS : GRID_ALTERNATING, SIDE, SIDE, 0.5);
    Material material = rig_material();
    Rig rig;
    mesh_crumple(mesh, 0.1);
    rig_open(&rig, mesh, options, &material);
    Vec3 x[SIDE * SIDE], d[SIDE * SIDE];
    for (int place = 0; place < PLACES; ++place) {
        draw_together(&rig, (Place)place, x);
        for (int v = 0; v < SIDE * SIDE; ++v) {
            d[v] = random_vector(1);
        }
        for (int l = 0; l < rig.system.laws.count; ++l) {
            check_elements(rig.system.laws.list[l], x);
        }
        check_forces(&rig.system, x, d);
    }
    check_joints(laws_find(&rig.system.laws, &joint_kind), x);
    rig_close(&rig);
    mesh_free(mesh);
}

static void check_all(void) {
    static const BendingKind bendings[] = {BENDING_CURVATURE, BENDING_HINGES, BENDING_SPRINGS};
    for (int model = MODEL_EDGE; model <= MODEL_WOVEN; ++model) {
        for (int kind = 0; kind < 4 * 3 * 2; ++kind) {
            const SystemOptions options = {.model = (ModelKind)model,
                                           .bending = bendings[kind % 3],
                                           .measure = (StrainMeasure)(kind / 3 % 4),
                                           .keep_folds = kind / 12};
            check_system(&options, model == MODEL_WOVEN);
        }
    }
}

/* A rope two of whose vertices are in one place at rest: a link without length has no direction to bend from. */
static void check_rope(void) {
    for (int apart = 0; apart < 2; ++apart) {
        TestMesh *mesh = mesh_new();
        Material material = rig_material();
        Rig rig;
        for (int v = 0; v < 6; ++v) {
            mesh_add_vertex(mesh, 0.1 * (v == 3 && !apart ? 2 : v), 0, 0);
            if (v > 0) {
                mesh_add_edge(mesh, v - 1, v);
            }
        }
        rig_open(&rig, mesh, &(SystemOptions){.model = MODEL_WOVEN}, &material);
        CHECK_INT(laws_find(&rig.system.laws, &joint_kind)->count, apart ? 4 : 2);
        rig_close(&rig);
        mesh_free(mesh);
    }
}

int main(void) {
    random_start(3);
    check_all();
    check_rope();
    return check_result();
}
