/* Soft pins as a law: its elements, tension and energy. */
#include "model/pin.h"

StatusCode pin_law_build(PinLaw *pins, int vertex_count, const Vec3 *target, Store *store,
                         Status *status) {
    if (!law_take(&pins->law, &pin_kind, vertex_count, 1, 1, store)) {
        return status_no_memory(status, pin_kind.name);
    }
    pins->target = target;
    pins->law.count = vertex_count;
    for (int v = 0; v < vertex_count; ++v) {
        pins->law.vertices[v] = v;
        pins->law.weights[0][v] = 1.0;
    }
    return STATUS_OK;
}

/* Nothing to do: a pin's stiffness is the caller's, set with the set of pins. */
static void set_material(Law *law, const Material *material, const Scales *scales) {
    (void)law;
    (void)material;
    (void)scales;
}

static double evaluate(const Law *law, int e, const Guess *guess, Vec3 *tension) {
    Vec3 pull = vec3_sub(((const PinLaw *)law)->target[e], guess->z[e]);
    *tension = vec3_scale(law->bound[e], pull);
    return 0.5 * law->bound[e] * vec3_dot(pull, pull);
}

const LawKind pin_kind = {.name = "soft pins", .set_material = set_material, .evaluate = evaluate};
