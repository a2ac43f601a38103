/* All that a cloth collides with: bodies, and itself. The only interface of contact to a step.
 *
 * Order of calls in a frame:
 *   contact_world_passing()       may tell how many substeps it needs
 *   contact_world_start_frame()   the bodies' places at the end of the frame are set
 *   for each substep:
 *     contact_world_open(), contact_world_look()   find contacts where the cloth is expected to go
 *     contact_world_refresh()                      finds them again as the solver's iterate moves
 *     contact_world_end()                          puts the solver's result outside of bodies and itself
 *     contact_world_settle()                       accepts the substep; or contact_world_undo() drops it
 *   contact_world_end_frame() */
#pragma once

#include "contact/body/collider.h"
#include "contact/body/feature_contact.h"
#include "contact/body/piercing.h"
#include "contact/body/sample_contact.h"
#include "contact/body/vertex_contact.h"
#include "contact/passing.h"
#include "contact/self/impact.h"
#include "contact/self/self_contact.h"

typedef struct Body {
    Store store, sharp_store; /* the second: of `sharp` alone, which is built again */
    Collider collider;
    Sharp sharp;
    Vec3 *place, *target; /* at the start and at the end of the frame */
    double thickness;     /* as it was set; the collider's is the most that any vertex keeps */
    Sharp next;           /* being built for another thickness */
    Store next_store;
} Body;

typedef struct ContactReport {
    int contacts;           /* that push at the end of the last substep */
    BodyReport body;        /* the last substep's; `deepest` of all substeps of the frame */
    int self_contacts;      /* of the cloth with itself, that push */
    int tangled;            /* edges of the cloth that pierce it, at the last substep's start */
    int caught;             /* times that cloth was caught passing through itself, in the frame */
    int unresolved;         /* of these, how many were let through for want of room */
    int curtailed;          /* substeps in which a search hit its limit: work_limit.h */
    double search_seconds;  /* finding contacts, in all substeps of the frame */
    double respond_seconds; /* their part in the solver's iterations, and putting vertices back */
} ContactReport;

typedef struct ContactWorld {
    Store store;
    Pool *pool;
    Skin skin;
    Skin drawn; /* both cuts of every quad: bodies stay below it however it is drawn */
    Contacts contacts;
    Reach reach;
    Passing passing;
    VertexContactFinder finder;
    SampleContactFinder samples;
    FeatureContactFinder features;
    PiercingFinder piercing;
    Body **bodies; /* null where there is none of this number */
    Collider **colliders;
    Sharp **sharp;
    int body_count, body_room;
    int rail_from; /* of half a cloth: vertices from this one on do not move along x by contact */
    bool halved, barrier;            /* half a cloth; one that never passes the mirror plane */
    double *share;                   /* per vertex: of the map of thickness, see scale.h */
    double most_factor, least_share; /* the largest factor of that map; the smallest share */
    double self_set; /* the thickness that was set, without the map; the next is the most, m */
    double self_thickness; /* m; 0: the cloth does not meet itself */
    double self_friction;
    int self_built; /* the three below are there */
    SelfContactFinder self;
    Impact impact;
    Vec3 *before;                /* per vertex: scratch */
    double *weight;              /* likewise */
    const atomic_int *cancelled; /* not 0: searches end at once; may be null */
    BodySubstep substep;         /* the present one */
    FeatureSubstep feature_substep;
    const uint8_t *suspects; /* at its start: see impact_suspects() */
    bool whole;              /* the cloth is searched all at once */
    /* A search of this substep hit its limit; below: one for the present vertices */
    bool any_curtailed;
    bool measured;  /* else vertices or bodies are not where the last substep left them */
    bool lacking;   /* there was no memory for all that was found in this substep */
    bool curtailed; /* a search of this substep hit its limit */
    ContactReport report;
} ContactWorld;

StatusCode contact_world_build(ContactWorld *around, const Mesh *mesh, Pool *pool, Status *status);
void contact_world_destroy(ContactWorld *around);

/* The cloth is the half x >= 0 of a mirrored one, with vertices on rails at the end. Nothing of it passes the plane if
 * there is a barrier, or if it meets itself. */
void contact_world_halve(ContactWorld *around, int rail_from, int barrier);

/* True if there is anything to collide with. */
bool contact_world_matter(const ContactWorld *around);

/* A body of this number, or a new shape for the one that has it. */
StatusCode contact_world_put_body(ContactWorld *around, int body,
                                  const ColliderDefinition *definition, Status *status);
void contact_world_remove_body(ContactWorld *around, int body);
/* Which edges of it are sharp depends on the thickness, m. */
StatusCode contact_world_set_surface(ContactWorld *around, int body, double thickness,
                                     double friction, Status *status);
/* Null where there is none of this number. */
Body *contact_world_body(const ContactWorld *around, int body);

/* Self-contact; thickness 0 turns it off. Takes its memory when it is first turned on. */
StatusCode contact_world_set_self(ContactWorld *around, double thickness, double friction,
                                  Status *status);

/* Factors on the thickness of bodies and of self-contact, per vertex; null: 1. */
StatusCode contact_world_set_thickness_map(ContactWorld *around, const float *map, Status *status);

/* After the cloth was put somewhere else. */
void contact_world_forget(ContactWorld *around);

/* A hash of the bodies' places, never 0. Distances that vertices remember are valid while it is the same. */
uint64_t contact_world_places(const ContactWorld *around);

/* What a vertex remembers of its contacts from one substep to the next, as three finite numbers. */
Vec3 contact_world_memory(const ContactWorld *around, int vertex);
void contact_world_remember(ContactWorld *around, int vertex, Vec3 memory);

/* The same of its edges and faces, a byte each; every byte is valid. Returns how many there are. */
size_t contact_world_near(const ContactWorld *around, uint8_t **near);
void contact_world_clear_near(ContactWorld *around);

void contact_world_start_frame(ContactWorld *around);
/* In how many substeps the frame should be taken so that bodies do not move far past the cloth near them, which would go from
 * x to z; what is below `least` need not be exact. Bodies have their targets. */
double contact_world_passing(ContactWorld *around, const Vec3 *x, const Vec3 *z, double least);
/* The bodies stay where they are after this part of the frame, 0 to 1. */
void contact_world_end_frame(ContactWorld *around, double part);

/* The part of a frame from t0 to t1, `length` s long. */
typedef struct SubstepSpan {
    double t0, t1, length;
    double implicit; /* length of the implicit step inside, s: shorter in one of second order */
    bool once;       /* contacts are found once: contact_world_refresh() is not called */
} SubstepSpan;

/* Parts of the cloth closer than this may touch within the substep, bodies that push them included, m. */
double contact_world_reach(const ContactWorld *around, const SubstepSpan *span);

/* A substep begins: bodies are placed. `x`: where the cloth is; `z`: where it is expected to end. */
void contact_world_open(ContactWorld *around, const SubstepSpan *span, const Vec3 *x,
                        const Vec3 *z);

/* Finds the contacts of these vertices; `awake` null: of all. `flight`: where they would go without contact. More contacts
 * than ever before take memory; without it the substep is `lacking`, and has to be undone. */
void contact_world_look(ContactWorld *around, const Subset *awake, const SubstepSpan *span,
                        const Vec3 *x, const Flight *flight, const Vec3 *z);
void contact_world_refresh(ContactWorld *around, const Vec3 *z);

/* Groups of vertices may be solved one after the other: ..._put_aside() stores the contacts of a group, ..._put_together() joins
 * those of all groups. No contact is found between two groups. */
void contact_world_put_aside(ContactWorld *around);
void contact_world_put_together(ContactWorld *around);

/* Puts points that move with the cloth outside of bodies, as these are at the substep's end: outside_put(). */
void contact_world_keep_out(ContactWorld *around, Pool *pool, double reach, int count,
                            OutsideHint *hints, Vec3 *points);

/* Places the bodies as they are between two steps, for the function before this one and the next. Changes no step. */
void contact_world_stand(ContactWorld *around);

/* Distances of points from the bodies as these are now: gaps_measure(), with the thicknesses that were set. Changes no step. */
void contact_world_gaps(ContactWorld *around, int count, const Vec3 *points, BodyGap *gaps);

/* Ends the substep at z: puts vertices that are behind a surface in front of it. False without memory: then undo it. */
bool contact_world_end(ContactWorld *around, const uint8_t *held, Vec3 *z, Vec3 *velocity);

/* After contact_world_end(), if z was changed since: puts vertices in front of bodies once more. */
void contact_world_end_again(ContactWorld *around, const uint8_t *held, Vec3 *z, Vec3 *velocity);

/* Accepts the substep: the next one starts from what it remembers. Nothing can fail after this. */
void contact_world_settle(ContactWorld *around);

/* Drops a substep that has not settled: everything is remembered as before it. */
void contact_world_undo(ContactWorld *around);
