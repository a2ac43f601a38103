/* Inside of a cloth, shared by the files of this folder. */
#pragma once

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
    ASYMMETRIC_FIELDS = 16,
    ASYMMETRIC_RELEASE = 32 /* of links that close the half's fronts */
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

/* --- half_values.c ---------------------------------------------------------------------------- */

/* Who is whose partner, and who tells where a half vertex is. */
StatusCode domain_take_maps(Domain *domain, Status *status);

/* m: how far the image of one of the caller's places is from another. */
static inline double image_distance(const Domain *domain, Vec3 a, Vec3 b) {
    return vec3_distance(frame_reflect_point(&domain->half.frame, a), b);
}

/* For simulation_transfer_state(); the context is the domain. */
Vec3 carry_to_whole(void *context, const Vec3 *array, CarryKind kind, int vertex);
