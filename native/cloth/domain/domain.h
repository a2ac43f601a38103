/* What is simulated of one level of a cloth: all of its mesh, or the half that mirror/halves.h makes of it, with what is
 * simulated beside that. "The caller" is the cloth, and his vertices are those of the level.
 *
 * A mirrored domain is solved whole where something is not symmetric and the options allow it: pins, forces, maps or
 * a state (MIRROR_AUTO), or a body (BODY_SOLVE_WHOLE). A second simulation is built when that first happens, which
 * takes memory, and takes over where the half is; the half goes on when everything, the simulation included, is
 * symmetric again to the tolerance. A call that is refused changes nothing. */
#pragma once

#include "cloth/inputs.h"
#include "mirror/halves.h"
#include "simulation/simulation.h"

typedef enum MirrorChoice {
    MIRROR_OFF,
    MIRROR_AUTO,  /* by half if everything is symmetric, else whole with a warning */
    MIRROR_EXACT, /* what is not symmetric is refused */
    MIRROR_HALVE  /* the kept side decides, whatever the other is like */
} MirrorChoice;

typedef enum AsymmetricBody {
    BODY_SYMMETRISE, /* the half meets the mean of the body and its image */
    BODY_SOLVE_WHOLE
} AsymmetricBody;

typedef struct MirrorOptions {
    MirrorChoice choice;
    HalfOptions half; /* but for its mode, and whether quads stay */
    AsymmetricBody asymmetric_body;
} MirrorOptions;

typedef struct DomainOptions {
    SimulationOptions simulation;
    MirrorOptions mirror;
} DomainOptions;

typedef struct MirrorReport {
    MirrorChoice mode; /* off, exact or halve */
    MirrorPlane plane;
    int half_vertex_count, paired, on_plane, unpaired, extra_count, front_count;
    int body, body_vertex; /* the least symmetric, -1 without */
    double body_asymmetry; /* m */
    bool solved_whole;     /* the last step */
    int whole_steps;
} MirrorReport;

typedef struct Domain Domain;

/* Mesh, inputs and bodies stay the owner's; the options say the same as the inputs, which domain_take() changes; a step moves the bodies. A warning
 * in `status` still gives a domain; an error gives null. */
Domain *domain_create(const PolygonMesh *polygons, const DomainOptions *options, Inputs *inputs,
                      InputBodies *bodies, Status *status);
void domain_destroy(Domain *domain);

/* The simulation that is stepped, of the whole or of the half. What it did in its last step, how far it is and what it
 * can do are asked of it itself. */
Simulation *domain_active(const Domain *domain);

/* Both take memory where the cloth has to be solved whole for the first time. */
StatusCode domain_prepare(Domain *domain, double step_seconds, Status *status);
StatusCode domain_step(Domain *domain, double seconds, Status *status);

/* Takes what is set, INPUT bits, for all that is simulated, and into the owner's inputs: arrays must stay where they are until
 * others are taken; weights and targets of pins are never null. An error changes nothing. */
StatusCode domain_take(Domain *domain, const Inputs *inputs, unsigned what, Status *status);
/* The frame of its half; null: it is not mirrored. */
const MirrorFrame *domain_frame(const Domain *domain);
/* Whether a half of it is simulated. */
bool domain_steps_half(const Domain *domain);
/* Whether a pin of this vertex would hold nothing: it is on a strip of a buttoned front, which only rides. */
bool domain_pin_is_idle(const Domain *domain, int vertex);
/* Whether this vertex is on the line along which a buttoned front closes. */
bool domain_is_buttoned_at(const Domain *domain, int vertex);
/* Whether a pin or a body goes somewhere else in the next step. */
bool domain_is_driven(const Domain *domain);

/* --- bodies: BODY bits of what the caller has set --------------------------------------------------- */

/* To all that may meet it; places and targets to what is in use. `before`: what it was, null: nothing; after an error it is
 * that again. */
StatusCode domain_give_body(Domain *domain, int number, const InputBody *body,
                            const InputBody *before, unsigned what, Status *status);
/* The same error was another one's. */
void domain_give_back_body(Domain *domain, int number, const InputBody *before, unsigned what);
/* All that there are to a new domain; and to what is in use, where they are and where they go. */
StatusCode domain_give_bodies(Domain *domain, Status *status);
void domain_put_bodies(Domain *domain);

/* Takes links as domain_take() takes the rest, and measures `list`, which is that of `links`. A half has those of one side
 * whose images are links, too, and those in its plane; with others the cloth is solved whole, with a warning, where that is
 * allowed. */
StatusCode domain_link(Domain *domain, const LinkInputs *links, Link *list, Status *status);
/* The domain to link: this one, or where the links close other fronts another one of the same garment, as it is now. Null
 * without memory. */
Domain *domain_with_links(Domain *domain, const LinkInputs *links, Status *status);
void domain_open_links(Domain *domain, int set, bool open); /* else closes them again */
/* The simulation that has them. */
Simulation *domain_linked(const Domain *domain);

/* Puts points of the caller's frame that ride on the cloth outside of its bodies, where the last step left them:
 * see contact/body/collider.h. A half's are seen in its mirror. */
void domain_keep_out(const Domain *domain, Pool *pool, double reach, int count, OutsideHint *hints,
                     Vec3 *points);

/* 3 x vertex_count floats; velocities may be null. */
void domain_carry_up(const Domain *domain, float *positions, float *velocities);
StatusCode domain_carry_down(Domain *domain, const float *positions, const float *velocities,
                             Status *status);
/* Where another mesh of the same garment has carried it. If both step their halves, this one's is put in the mean of the
 * two sides, which need not be each other's image: the strips of a buttoned front are not the same in both. */
StatusCode domain_take_state(Domain *domain, const Domain *from, const float *positions,
                             const float *velocities, Status *status);

/* The state that is in use, the half's or the whole's: their sizes differ. */
size_t domain_pack_size(const Domain *domain);
void domain_pack(Domain *domain, void *bytes);
StatusCode domain_unpack(Domain *domain, const void *bytes, size_t size, Status *status);

/* Of memory, besides those of its simulations. */
size_t domain_bytes(const Domain *domain);
/* Of the whole cloth, also where a half is solved. */
void domain_measure_whole(Domain *domain, SimulationMeasure *measure);
void domain_symmetry(const Domain *domain, MirrorReport *report);

/* How the cloth sits, per vertex of the caller's, as in simulation.h. What rides on a half has what it rides on. Parts
 * that are simulated apart from the half press on a body where they are nearer to it than its thickness; elsewhere they
 * lie on the cloth. */
StatusCode domain_carry_fit(Domain *domain, FitPart part, VertexFit *fit, Status *status);
/* How far points of the caller's frame are from the bodies as the cloth meets them: a half's are seen in its mirror,
 * and `points` are left there. */
void domain_gaps(const Domain *domain, int count, Vec3 *points, BodyGap *gaps);

/* What the last step took, wall clock: of the whole, or of the half and of the parts that are simulated apart from it.
 * */
typedef struct ClothSeconds {
    double force, assemble, solve, coarse; /* as in SolverWork */
    double search, respond;                /* as in ContactReport */
    double total;
} ClothSeconds;

void domain_time(const Domain *domain, ClothSeconds *seconds);
