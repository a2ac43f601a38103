/* Whether maps and force fields are symmetric, and who hears of it where they are not. */
#include <stdio.h>

#include "cloth/domain/domain_state.h"

/* Factors of partners may differ by this share of the larger one. */
#define SAME_FACTOR 1e-4
/* Of partners, by this share of the largest of the field: rounding of floats, and of where a field is read. */
#define SAME_FIELD 1e-3

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
    bool reported = domain->fields_reported;
    domain->fields_reported = code > 0;
    if (reported && code > 0) { /* fields may change with every frame */
        status_clear(status);
        return STATUS_OK;
    }
    return code;
}
