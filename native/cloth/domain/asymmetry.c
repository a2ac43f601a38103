/* What is not symmetric about what a cloth is given and about its state, and how it is reported. */
#include "cloth/domain/asymmetry.h"

#include <stdio.h>

/* Share of a force that may point across the plane: rounding, and no more. */
#define ACROSS 1e-5
/* Factors of partners may differ by this share of the larger one. */
#define SAME_FACTOR 1e-4
/* Of partners, by this share of the largest of the field: rounding of floats, and of where a field is read. */
#define SAME_FIELD 1e-3
/* Velocities may differ by what moves partners apart by the tolerance within this time, s. */
#define FRAME_SECONDS (1.0 / 24)

/* Edges that are this many times as long as at rest where a half begins are torn; none may be, and of those that are longer
 * than TORN_SOME there may be this share. */
#define TORN 3.0
#define TORN_SOME 1.6
#define TORN_SHARE 1e-3

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

/* --- the other side --------------------------------------------------------------------------- */

/* Sides of faces that are longer than at rest. */
typedef struct Torn {
    int sides, some, at; /* all; beyond TORN_SOME; a vertex of the longest */
    double most;
} Torn;

static Torn find_torn(const PolygonMesh *mesh, const float *now) {
    Torn torn = {.at = -1};
    const int32_t *ring = mesh->face_vertices;
    for (int f = 0; f < mesh->face_count; ring += mesh->face_sizes[f++]) {
        for (int c = 0; c < mesh->face_sizes[f]; ++c) {
            int a = ring[c], b = ring[(c + 1) % mesh->face_sizes[f]];
            double rest = vec3_distance(polygon_position(mesh, a), polygon_position(mesh, b));
            double times = vec3_distance(vector_at(now, a), vector_at(now, b)) / rest;
            ++torn.sides;
            torn.some += times > TORN_SOME;
            torn.at = times > torn.most ? a : torn.at;
            torn.most = fmax(times, torn.most);
        }
    }
    return torn;
}

StatusCode judge_other_side(const Domain *domain, const float *places, Status *status) {
    Torn torn = find_torn(domain->polygons, places);
    if (torn.most <= TORN && torn.some <= TORN_SHARE * torn.sides) {
        return STATUS_OK;
    }
    Vec3 p = polygon_position(domain->polygons, torn.at);
    status_set(
        status, STATUS_ERROR_MESH,
        "its sides cannot be told apart at the mirror plane, or differ too much: by half, edges "
        "would begin up to %.1f times as long as they are, the longest at vertex %d at "
        "(%.4g, %.4g, %.4g)",
        torn.most, torn.at, p.x, p.y, p.z);
    Detail *detail = status_detail(status, DETAIL_SIDES_DIFFER);
    status_of_element(status, ELEMENT_VERTEX, torn.at);
    detail->value = torn.most;
    detail->limit = TORN_SOME;
    return status->code;
}

/* --- forces ----------------------------------------------------------------------------------- */

static double across(const Half *half, Vec3 force) {
    return fabs(frame_turn_to_half(&half->frame, force).x);
}

static bool crosses(const Half *half, Vec3 force) {
    return across(half, force) > ACROSS * vec3_length(force);
}

static StatusCode check_forces(const Domain *domain, Vec3 gravity, const Wind *wind,
                               Status *status) {
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

/* What may change with every frame is told once. */
static StatusCode tell_once(bool *reported, StatusCode code, Status *status) {
    bool again = *reported && code > 0;
    *reported = code > 0;
    if (again) {
        status_clear(status);
    }
    return again ? STATUS_OK : code;
}

StatusCode judge_forces(Domain *domain, Vec3 gravity, const Wind *wind, Status *status) {
    StatusCode code =
        domain->mode == MIRROR_OFF ? STATUS_OK : check_forces(domain, gravity, wind, status);
    if (code < 0) {
        return code;
    }
    set_asymmetry(domain, ASYMMETRIC_FORCES,
                  code > 0 && domain->options.mirror.choice == MIRROR_AUTO);
    return tell_once(&domain->forces_reported, code, status);
}

/* --- maps --------------------------------------------------------------------------------------- */

static bool differs(const float *map, int kind, int vertex, int partner) {
    double a = map_value(map, (MapKind)kind, vertex), b = map_value(map, (MapKind)kind, partner);
    return fabs(a - b) > SAME_FACTOR * (a > b ? a : b);
}

/* Of the maps as they are with those that are given now; `kinds`: those that differ, as bits. */
static Refusal find_lonely_maps(const Domain *domain, const Inputs *inputs, unsigned what,
                                unsigned *kinds) {
    Refusal found = {0};
    Inputs all = *domain->inputs;
    inputs_set(&all, inputs, what & INPUT_MAPS);
    for (int v = 0; v < domain->vertex_count && domain->mode == MIRROR_EXACT; ++v) {
        int partner = domain->partner[v];
        unsigned lonely = 0;
        for (int k = 0; k < MAP_KINDS && partner > v; ++k) {
            lonely |= (unsigned)differs(all.maps[k], k, v, partner) << k;
        }
        *kinds |= lonely;
        if (lonely) {
            refusal_add(&found, v);
        }
    }
    return found;
}

#define WORDS_SIZE 256

/* Such as "vertex has another mass or bend than its partner". */
static void say_lonely_maps(unsigned kinds, const char *before, const char *after,
                            char words[WORDS_SIZE]) {
    int length = snprintf(words, WORDS_SIZE, "%s another ", before);
    for (int k = 0, named = 0; k < MAP_KINDS; ++k) {
        if (kinds >> k & 1) {
            length += snprintf(words + length, (size_t)(WORDS_SIZE - length), "%s%s",
                               named++ ? " or " : "", map_traits[k].name);
        }
    }
    snprintf(words + length, (size_t)(WORDS_SIZE - length), " than %s", after);
}

StatusCode judge_maps(Domain *domain, const Inputs *inputs, unsigned what, Status *status) {
    if (domain->mode == MIRROR_OFF) {
        return STATUS_OK;
    }
    unsigned kinds = 0;
    Refusal lonely = find_lonely_maps(domain, inputs, what, &kinds);
    StatusCode code = STATUS_OK;
    if (lonely.count > 0) {
        char one[WORDS_SIZE], many[WORDS_SIZE];
        say_lonely_maps(kinds, "vertex has", "its partner", one);
        say_lonely_maps(kinds, "vertices have", "their partners", many);
        code = tell_asymmetry(domain, &lonely, DETAIL_MAPS_ASYMMETRIC, one, many, status);
    }
    if (code >= 0) {
        set_asymmetry(domain, ASYMMETRIC_MAPS, lonely.count > 0);
    }
    return code;
}

/* --- fields ------------------------------------------------------------------------------------- */

static double largest(const float *field, int count) {
    double most = 0;
    for (int v = 0; v < count; ++v) {
        double own = vec3_length(vector_at(field, v));
        most = own > most ? own : most;
    }
    return most;
}

/* Vertices whose partner is not pulled as their image. */
static void add_lonely(const Domain *domain, const float *field, Refusal *found) {
    double allowed = SAME_FIELD * largest(field, domain->vertex_count);
    for (int v = 0; v < domain->vertex_count; ++v) {
        int partner = domain->partner[v];
        if (partner < v) {
            continue;
        }
        Vec3 image = frame_reflect_direction(&domain->half.frame, vector_at(field, v));
        if (vec3_distance(image, vector_at(field, partner)) > allowed) {
            refusal_add(found, v);
        }
    }
}

StatusCode judge_fields(Domain *domain, const Inputs *inputs, Status *status) {
    Refusal lonely = {0};
    StatusCode code = STATUS_OK;
    for (int k = 0; k < FORCE_FIELDS && domain->mode == MIRROR_EXACT; ++k) {
        if (inputs->fields[k]) {
            add_lonely(domain, inputs->fields[k], &lonely);
        }
    }
    if (lonely.count > 0) {
        code = tell_asymmetry(domain, &lonely, DETAIL_WIND_ASYMMETRIC,
                              "vertex has another wind or traction than its partner",
                              "vertices have another wind or traction than their partners", status);
    }
    if (code < 0) {
        return code;
    }
    set_asymmetry(domain, ASYMMETRIC_FIELDS, lonely.count > 0);
    return tell_once(&domain->fields_reported, code, status);
}

/* --- links -------------------------------------------------------------------------------------- */

Simulation *domain_linked(const Domain *domain) {
    return domain->asymmetry & ASYMMETRIC_LINKS ? domain->whole : domain->active;
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
