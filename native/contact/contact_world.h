/* All that a cloth meets: bodies, and itself. One place where a step asks for contacts.
 *
 * A frame: bodies have been told where they will be at its end; contact_world_start_frame(). Each substep of it:
 * contact_world_open() and contact_world_look() where the cloth is expected to go, contact_world_refresh() as the solver learns
 * better, contact_world_end() with the solver's answer, contact_world_settle(). After the last one contact_world_end_frame(). */
#ifndef CONTACT_WORLD_H
#define CONTACT_WORLD_H

#include "contact/body/collider.h"
#include "contact/body/contact_plane.h"
#include "contact/body/feature_contact.h"
#include "contact/body/sample_contact.h"
#include "contact/self/impact.h"
#include "contact/self/self_contact.h"

typedef struct Body {
    Store store, sharp_store; /* the second: of `sharp` alone, which is built again */
    Collider collider;
    Sharp sharp;
    Vec3 *place, *target; /* at the start and at the end of the frame */
} Body;

typedef struct ContactReport {
    int contacts;           /* that push at the end of the last substep */
    BodyReport body;        /* the last substep's; `deepest` of all substeps of the frame */
    int self_contacts;      /* of the cloth with itself, that push */
    int tangled;            /* edges of the cloth that pierce it, at the last substep's start */
    int caught;             /* times that cloth was caught passing through itself, in the frame */
    int unresolved;         /* of these, how many were let through for want of room */
    int curtailed;          /* substeps in which a search had to end early: see work_limit.h */
    double search_seconds;  /* finding contacts, in all substeps of the frame */
    double respond_seconds; /* their part in the solver's rounds, and putting vertices back */
} ContactReport;

typedef struct ContactWorld {
    Store store;
    Pool *pool;
    Skin skin;
    Skin drawn; /* both cuts of every quad: bodies stay below it however it is drawn */
    Contacts contacts;
    Reach reach;
    VertexContactFinder finder;
    SampleContactFinder samples;
    FeatureContactFinder features;
    Body **bodies; /* null where there is none of this number */
    Collider **colliders;
    Sharp **sharp;
    int body_count, body_room;
    int rail_from; /* of half a cloth: vertices from this one on do not move along x by contact */
    bool halved, barrier;  /* half a cloth; one that never passes the mirror plane */
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
    bool whole;              /* the cloth is looked at all at once */
    bool
        any_curtailed; /* a search of this substep had to end early; below: of the vertices at hand */
    bool measured;     /* else vertices or bodies are not where the last substep left them */
    bool lacking;      /* there was no memory for all that was found in this substep */
    bool curtailed;    /* a search of this substep had to end early */
    ContactReport report;
} ContactWorld;

StatusCode contact_world_build(ContactWorld *around, const Mesh *mesh, Pool *pool, Status *status);
void contact_world_destroy(ContactWorld *around);

/* The cloth is the half x >= 0 of a mirrored one, with vertices on rails at the end. Nothing of it passes the plane if
 * there is a barrier, or if it meets itself. */
void contact_world_halve(ContactWorld *around, int rail_from, int barrier);

/* True if there is anything to meet. */
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

/* Cloth against itself; thickness 0: not. Takes its memory when it is first turned on. */
StatusCode contact_world_set_self(ContactWorld *around, double thickness, double friction,
                                  Status *status);

/* The cloth was put somewhere else. */
void contact_world_forget(ContactWorld *around);

/* A number that tells where the bodies stand, never 0: what vertices remember of their distances is good
 * where it is the same. */
uint64_t contact_world_places(const ContactWorld *around);

/* What a vertex remembers of its contacts from one substep to the next, as three finite numbers. */
Vec3 contact_world_memory(const ContactWorld *around, int vertex);
void contact_world_remember(ContactWorld *around, int vertex, Vec3 memory);

/* What its edges and faces remember likewise, a byte each; any byte will do. Returns how many there are. */
size_t contact_world_near(const ContactWorld *around, uint8_t **near);
void contact_world_clear_near(ContactWorld *around);

void contact_world_start_frame(ContactWorld *around);
/* The bodies stand where they had got to after this part of the frame. */
void contact_world_end_frame(ContactWorld *around, double part);

/* The part of a frame from t0 to t1, `length` s long. */
typedef struct SubstepSpan {
    double t0, t1, length;
    double implicit; /* length of the implicit step inside, s: shorter in one of second order */
    bool once;       /* contacts are found once: contact_world_refresh() is not called */
} SubstepSpan;

/* How near two parts of the cloth come at most without being asked for, bodies that push them included, m. */
double contact_world_reach(const ContactWorld *around, const SubstepSpan *span);

/* A substep begins: bodies are placed. `x`: where the cloth is; `z`: where it is expected to end. */
void contact_world_open(ContactWorld *around, const SubstepSpan *span, const Vec3 *x,
                        const Vec3 *z);

/* Then the contacts of these vertices are looked for, those of all where `awake` is null; `flight`: where they would go if they
 * met nothing. More contacts than there ever were take memory; where it cannot be had the substep is `lacking`, and to be
 * undone. */
void contact_world_look(ContactWorld *around, const Subset *awake, const SubstepSpan *span,
                        const Vec3 *x, const Flight *flight, const Vec3 *z);
void contact_world_refresh(ContactWorld *around, const Vec3 *z);

/* Some vertices may be looked at after others: the contacts of each are put aside as they are, and all put together at the
 * end. No contact is found between two of these. */
void contact_world_put_aside(ContactWorld *around);
void contact_world_put_together(ContactWorld *around);

/* Puts points that ride on the cloth outside of its bodies as they are at the substep's end: see body/outside.h. */
void contact_world_keep_out(ContactWorld *around, Pool *pool, double reach, int count,
                            OutsideHint *hints, Vec3 *points);

/* Puts bodies where they stand between two steps, for the two functions around this one. Changes nothing that a step
 * sees. */
void contact_world_stand(ContactWorld *around);

/* How far points are from the bodies where these stand now: see body/gaps.h. Changes nothing that a step sees. */
void contact_world_gaps(ContactWorld *around, int count, const Vec3 *points, BodyGap *gaps);

/* The substep ends at z: vertices behind a surface are put before it. False, and to be undone, where the substep lacks
 * memory. */
bool contact_world_end(ContactWorld *around, const uint8_t *held, Vec3 *z, Vec3 *velocity);

/* After contact_world_end(), where z was changed since: puts vertices before bodies once more. */
void contact_world_end_again(ContactWorld *around, const uint8_t *held, Vec3 *z, Vec3 *velocity);

/* After that nothing of the substep can fail any more: what it leaves to the next one is remembered. */
void contact_world_settle(ContactWorld *around);

/* What was begun and has not settled has never been: all is remembered as before it. */
void contact_world_undo(ContactWorld *around);

#endif
