/* Inside of a cloth, shared by the files of this folder. */
#ifndef DOMAIN_STATE_H
#define DOMAIN_STATE_H

#include <stdatomic.h>

#include "cloth/domain/domain.h"
#include "cloth/domain/extras.h"
#include "cloth/domain/other_side.h"
#include "cloth/mapping.h"
#include "mesh/polygon.h"

/* What keeps the half from being solved. */
enum {
    ASYMMETRIC_PINS = 1,
    ASYMMETRIC_FORCES = 2,
    ASYMMETRIC_MAPS = 4,
    ASYMMETRIC_LINKS = 8,
    ASYMMETRIC_FIELDS = 16
};

struct Domain {
    Store store;
    DomainOptions options;
    /* The owner's: its mesh, what has been set of it, and the caller's bodies. */
    const PolygonMesh *polygons;
    Inputs *inputs;
    InputBodies *bodies;
    int vertex_count;
    MirrorChoice mode; /* off, exact or halve; if it is off, `whole` is all there is */
    Simulation *halved, *whole;
    Simulation *active; /* the one of the two that is stepped */

    /* All that follows is of a mirrored cloth. */
    Half half;
    const Vec3 *lifted; /* the array that half.normals are of */
    int32_t *partner;   /* per caller's vertex: itself on the plane, -1 without */
    int32_t *half_of;  /* likewise: the half vertex that it is, or whose image it is; -1 for none */
    int32_t *mirrored; /* the caller's vertices that ride on the half: all but extra ones */
    int mirrored_count;
    Extras extras;
    OtherSide other;
    int32_t *half_parts;         /* per half vertex: its part; null where there is one */
    int32_t *stand_in;           /* per half vertex: the caller's vertex that tells where it is */
    Vec3 *stand_off;             /* m: how far it was from that one's place on the half at first */
    float *floats, *more_floats; /* 3 x caller's vertices, scratch */
    Vec3 *room;                  /* per caller's vertex, scratch */
    Vec3 *offset;    /* likewise, m: how the other side stands off where it rides; scratch */
    int32_t *pin_at; /* likewise, scratch */
    Mapping to_half, to_other, to_extra; /* of the inputs and of states */
    Mapping from_extra;                  /* of states, back */
    Carried carried;                     /* room for any of them */
    int32_t *half_image;  /* per half vertex: the partner that has its part of it, or -1 */
    uint8_t *stands_in;   /* per half vertex: STANDS bits */
    bool fields_reported; /* the caller knows that they are not symmetric */
    bool half_lacks_maps, whole_lacks_maps, half_lacks_links; /* they have changed meanwhile */
    unsigned asymmetry;                                       /* bits as above */
    bool forces_reported; /* the caller knows that forces cross the plane */
    bool solved_whole;
    int whole_steps;
};

static inline bool domain_is_halved(const Domain *domain) {
    return domain->halved && domain->active == domain->halved;
}

/* What is given to a simulation goes through this; null: as it is. */
static inline const Mapping *mapping_to(const Domain *domain, const Simulation *simulation) {
    return simulation == domain->halved              ? &domain->to_half
           : simulation == domain->other.simulation  ? &domain->to_other
           : simulation == domain->extras.simulation ? &domain->to_extra
                                                     : NULL;
}

/* The simulations that there are, at most 4; returns how many. */
static inline int domain_simulations(const Domain *domain, Simulation **simulations) {
    Simulation *all[] = {domain->halved, domain->whole, domain->extras.simulation,
                         domain->other.simulation};
    int count = 0;
    for (int c = 0; c < 4; ++c) {
        if (all[c]) {
            simulations[count++] = all[c];
        }
    }
    return count;
}

/* Those that a step steps, at most 3. */
static inline int domain_stepped(const Domain *domain, Simulation **simulations) {
    Simulation *beside[] = {domain->other.simulation, domain->extras.simulation};
    int count = 1;
    simulations[0] = domain->active;
    for (int c = 0; c < 2 && domain_is_halved(domain); ++c) {
        if (beside[c]) {
            simulations[count++] = beside[c];
        }
    }
    return count;
}

/* --- half_values.c: from the caller's vertices to the half's ------------------------------------------ */

/* Who is whose partner, and who tells where a half vertex is. */
StatusCode domain_take_maps(Domain *domain, Status *status);

/* m: how far the image of one of the caller's places is from another. */
static inline double image_distance(const Domain *domain, Vec3 a, Vec3 b) {
    return vec3_distance(frame_reflect_point(&domain->half.frame, a), b);
}

/* For simulation_transfer_state(); the context is the domain. */
Vec3 carry_to_whole(void *context, const Vec3 *array, CarryKind kind, int vertex);

/* --- asymmetry.c ------------------------------------------------------------------------------ */

/* Tells of these vertices: an error where that is refused (MIRROR_EXACT), else a warning. */
StatusCode tell_asymmetry(const Domain *domain, const Refusal *found, DetailCode code,
                          const char *one, const char *many, Status *status);
void set_asymmetry(Domain *domain, unsigned bit, int holds);

/* OK, or as tell_asymmetry() has it; and what that said of the forces that count from now on. */
void note_forces(Domain *domain, StatusCode code);
StatusCode check_forces(const Domain *domain, Vec3 gravity, const Wind *wind, Status *status);

/* True if nothing of the whole simulation would jump by more than the tolerance if the half took over. */
bool whole_is_symmetric(Domain *domain);

/* --- whole.c: which of the two simulations is stepped ---------------------------------------------- */

/* Builds the whole simulation if there is none yet. It is not stepped for that. */
StatusCode domain_need_whole(Domain *domain, Status *status);
/* Gives a simulation all that it may have missed while it was not stepped, but the state. */
StatusCode domain_put_in_use(Domain *domain, Simulation *simulation, Status *status);
/* Steps the whole simulation from now on, from where the half is. */
StatusCode domain_go_whole(Domain *domain, Status *status);
/* Before a step: as the pins, forces, bodies and the simulation want it. */
StatusCode domain_choose(Domain *domain, Status *status);

/* --- domain_take.c, domain_pins.c, domain_links.c, inputs_symmetry.c, domain_bodies.c -------------- */

/* The links that the half lacks, if it can have them; else none. */
StatusCode domain_link_half(Domain *domain, Status *status);

/* Gives a simulation what is set, in its own vertices and frame: INPUT bits, of which it gets those that it has a use for. */
StatusCode domain_give(Domain *domain, Simulation *simulation, unsigned what, Status *status);
StatusCode domain_take_pins(Domain *domain, const PinInputs *pins, Status *status);
StatusCode domain_take_targets(Domain *domain, const float *targets, Status *status);
/* Whether these are symmetric, or it is told and may be; then the domain takes note of it. */
StatusCode judge_maps(Domain *domain, const Inputs *inputs, unsigned what, Status *status);
StatusCode judge_fields(Domain *domain, const Inputs *inputs, Status *status);
/* All bodies: BODY bits. Places and targets are always taken. */
StatusCode bodies_give_all(Domain *domain, Simulation *simulation, unsigned what, Status *status);
static inline void bodies_put(Domain *domain, Simulation *simulation) {
    Status reported = {0};
    bodies_give_all(domain, simulation, BODY_PLACE | BODY_TARGET, &reported);
}

#endif
