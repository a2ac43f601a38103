/* What is not symmetric about a cloth's pins, forces, maps and state, and who hears of it. */
#include "cloth/domain/domain_state.h"

/* Share of a force that may point across the plane: rounding, and no more. */
#define ACROSS 1e-5
/* Velocities may differ by what moves partners apart by the tolerance within this time, s. */
#define FRAME_SECONDS (1.0 / 24)

/* What follows from what the status says is not symmetric. */
static StatusCode conclude(const Domain *domain, Status *status) {
    if (domain->options.mirror.choice == MIRROR_EXACT) {
        return status_conclude(status, STATUS_ERROR_ARGUMENT, OUTCOME_NONE, "",
                               ", but mirror is exact, which needs everything symmetric");
    }
    if (domain->options.mirror.choice == MIRROR_HALVE) {
        return status_conclude(status, STATUS_WARNING_MIRROR, OUTCOME_LEFT_OUT, "",
                               ", and that part is left out");
    }
    return status_conclude(status, STATUS_WARNING_MIRROR, OUTCOME_SOLVED_WHOLE, "",
                           domain->half.front_count > 0 && domain->inputs->links.count == 0
                               ? ", so all of the garment is simulated while that lasts, with its "
                                 "fronts open"
                               : ", so all of the garment is simulated while that lasts");
}

StatusCode tell_asymmetry(const Domain *domain, const Refusal *found, DetailCode code,
                          const char *one, const char *many, Status *status) {
    refusal_status(found, code, ELEMENT_VERTEX, domain->polygons, one, many, status);
    return conclude(domain, status);
}

void set_asymmetry(Domain *domain, unsigned bit, int holds) {
    domain->asymmetry = holds ? domain->asymmetry | bit : domain->asymmetry & ~bit;
}

/* --- forces ----------------------------------------------------------------------------------- */

static double across(const Half *half, Vec3 force) {
    return fabs(frame_turn_to_half(&half->frame, force).x);
}

static bool crosses(const Half *half, Vec3 force) {
    return across(half, force) > ACROSS * vec3_length(force);
}

StatusCode check_forces(const Domain *domain, Vec3 gravity, const Wind *wind, Status *status) {
    bool blows = wind->normal_drag > 0 || wind->tangent_drag > 0;
    bool falls = crosses(&domain->half, gravity);
    if (!falls && !(blows && crosses(&domain->half, wind->velocity))) {
        return STATUS_OK;
    }
    Vec3 force = falls ? gravity : wind->velocity, n = domain->half.frame.plane.normal;
    status_set(status, STATUS_WARNING_MIRROR,
               "%s of (%g, %g, %g) %s points across the mirror plane, whose normal is (%g, %g, %g)",
               falls ? "gravity" : "the wind", force.x, force.y, force.z, falls ? "m/s^2" : "m/s",
               n.x, n.y, n.z);
    Detail *detail =
        status_detail(status, falls ? DETAIL_GRAVITY_ASYMMETRIC : DETAIL_WIND_ASYMMETRIC);
    detail->value = across(&domain->half, force);
    detail->limit = ACROSS * vec3_length(force);
    return conclude(domain, status);
}

/* --- the state -------------------------------------------------------------------------------- */

/* How far values of the whole simulation are from what they would be if the half took over, at most. */
static double jump(Domain *domain, CarryKind kind, const Vec3 *values) {
    double most = 0;
    for (int i = 0; i < domain->half.polygons.vertex_count; ++i) {
        domain->room[i] = mapping_value(&domain->to_half, i, kind, values);
    }
    domain->lifted = NULL;
    for (int v = 0; v < domain->vertex_count; ++v) {
        if (domain->half.rides[v].vertices[0] >= 0) {
            Vec3 then = carry_to_whole(domain, domain->room, kind, v);
            double distance = vec3_distance(then, values[v]);
            most = distance > most ? distance : most;
        }
    }
    return most;
}

bool whole_is_symmetric(Domain *domain) {
    double tolerance = domain->half.symmetry.tolerance;
    return jump(domain, CARRY_PLACE, simulation_positions(domain->whole)) <= tolerance &&
           jump(domain, CARRY_DIRECTION, simulation_velocities(domain->whole)) * FRAME_SECONDS <=
               tolerance;
}
