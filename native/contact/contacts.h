/* The contacts of one substep and what they add to its incremental energy.
 *
 * A contact holds a point of the cloth, sum w_j z_j over up to five vertices, against a plane:
 *
 *   gap = n . (sum w_j z_j - point) - shell
 *
 * A body's plane is a place of its surface. Of cloth on cloth the weights of one side are positive, those of
 * the other negative, their sum is 0 and `point` is the origin: the same formulas hold. Inside the shell a
 * spring pushes, which hardens in the shell's inner half: cloth at rest only meets the soft part, which the
 * keeps the solver's system well conditioned, and the hard part stops what is pressed hard. Coulomb friction holds the
 * point to its anchor. Its limit follows from the normal force of the last substep: with that of the present iterate cloth
 * sticks to slopes. Both are energies, so the solver's constant matrix does not change.
 *
 * Energies, stiffness and forces are times h^2, as in solver/substep.h. Lengths are in m. */
#pragma once

#include <stdint.h>

#include "base/parallel.h"
#include "base/status.h"
#include "base/vec3.h"
#include "contact/anchors.h"

#define CONTACT_VERTICES 5 /* an edge and a triangle */

/* What its force needs comes first, on as few cache lines as possible. */
typedef struct Contact {
    int count;
    int vertices[CONTACT_VERTICES];
    double weights[CONTACT_VERTICES];
    Vec3 point, normal; /* of the plane at the substep's end; the normal is unit */
    double shell;
    double soft;  /* how deep into the shell its spring stays soft; 0: half of the shell */
    double range; /* how far outside the shell friction acts */
    double limit; /* of the sideways force, kg m; set by contacts_close() */
    double grip;  /* likewise, where there is a limit: what resists sideways, kg */
    Vec3 hold;    /* likewise: where friction would have its point, at the substep's end */
    /* Likewise: 1/2 of one that half a cloth has in its mirror plane, as the other has the same. */
    double part;
    double stiffness; /* likewise: of its shell, kg */
    double friction;  /* coefficient */
    Vec3 way;         /* of the plane's point during the substep */
    Vec3 turn;        /* of the surface there, likewise: see base/rotation.h */
    int place[2];     /* which edge or corner of which body it is with; of faces zero */
} Contact;

/* A quick test: a contact of one vertex is far outside its shell if n . z > beyond. */
typedef struct ContactBrief {
    Vec3 normal;
    double beyond;
    int vertex; /* -1: it has several, so the test does not apply */
} ContactBrief;

/* What a contact does at some place. */
typedef struct ContactPush {
    Vec3 pull;            /* derivative of its energy by its point, kg m */
    double along, across; /* second derivatives, kg: in the direction of the normal, and sideways */
    /* Unit: the direction in which it slides, along which the force is constant; or zero */
    Vec3 glide;
} ContactPush;

/* Where the point of one that was aimed at is, and how it moves: at z - a p it is at - a shift. */
typedef struct ContactTrack {
    Vec3 at, shift;
} ContactTrack;

/* Where vertices go without elastic forces: from `start` by drive/inertia. */
typedef struct Flight {
    const Vec3 *start, *drive;
    const double *inertia;
    /* Part of a force beginning in the substep that makes the way it should: half in steps of first order, which move by
     * h^2 what truly moves by h^2/2. */
    double onset;
} Flight;

/* Bodies' contacts come first in the list, the cloth's own after them. */
typedef enum ContactKind { CONTACT_BODY, CONTACT_SELF, CONTACT_KINDS } ContactKind;

/* Contacts that have been put aside. */
typedef struct ContactShelf {
    Contact *list[CONTACT_KINDS];
    int count[CONTACT_KINDS], capacity[CONTACT_KINDS];
} ContactShelf;

typedef struct Contacts {
    int vertex_count;
    int plane_from; /* of half a cloth: vertices from this one on are in the mirror plane x = 0 (mesh.h) */
    int count, body_count; /* all; those with bodies */
    int capacity;
    int dropped; /* for want of memory */
    Contact *list;
    ContactBrief *brief;     /* per contact */
    double *claim;           /* per contact: on the normal forces of its vertices, m */
    int *aimed, aimed_count; /* those that were aimed at, ascending */
    ContactTrack *track;     /* per contact, of those */
    double (*slope)[2];      /* per place in that list: of its energy by a, and its change */
    Vec3 *pull;              /* per contact: derivative of its energy by sum w_j z_j, kg m */
    /* Per chunk: those that did something when they were last evaluated */
    int *active, *active_count;
    ContactPush *push;        /* per contact: what it did, of those */
    int *entry_start, *entry; /* per vertex: its contacts, CONTACT_VERTICES contact + place */
    double *entry_weight;     /* per entry: the vertex's weight there */
    double *pressure[CONTACT_KINDS]; /* per vertex: normal force at the last substep's end, N */
    /* Per vertex that has a pressure: the claims of its contacts, m. At the substep's end: the pressures to come. */
    double *claimed[CONTACT_KINDS];
    double *mass;        /* per vertex, kg; in the mirror plane that of both halves */
    double *factor;      /* per vertex: on the friction of its contacts */
    bool varied;         /* some factor is not 1 */
    double stiffness;    /* of the shells of contacts to come, kg */
    Anchors anchors;     /* of friction, at the substep's start */
    const Vec3 *start;   /* of the substep */
    Flight flight;       /* in it */
    double length;       /* h of its implicit step, s */
    const Subset *awake; /* the vertices that may have contacts; null: all */
    ContactShelf shelf;  /* those of vertices that were searched before others */
} Contacts;

StatusCode contacts_build(Contacts *contacts, int vertex_count, int plane_from, Status *status);
void contacts_destroy(Contacts *contacts);

/* After the masses have changed; held vertices count as any other. */
void contacts_set_masses(Contacts *contacts, const double *mass);

/* Factors on friction, per vertex. */
void contacts_set_factors(Contacts *contacts, const double *factor);

/* --- filling the list: by one thread ---------------------------------------------------------- */

/* For a substep of these vertices, or of all, that starts at x, with an implicit step of length h in it. What a contact
 * carries that begins in it follows from the flight. */
void contacts_begin(Contacts *contacts, const Subset *awake, const Vec3 *x, const Flight *flight,
                    double length);

/* Drops all contacts. */
void contacts_clear(Contacts *contacts);

/* Room for this many in all. Takes memory only beyond the most there ever were; returns false if it cannot. */
bool contacts_reserve(Contacts *contacts, int count);

/* Adds one; `limit` and `part` need not be set. Bodies' must all come before the cloth's own. */
void contacts_add(Contacts *contacts, ContactKind kind, const Contact *contact);

/* Adds this many at once, for the caller to fill in; null if there is no room. */
Contact *contacts_extend(Contacts *contacts, ContactKind kind, int count);

/* Closes the list, found at z; required before all that follows. */
void contacts_close(Contacts *contacts, Pool *pool, const Vec3 *z);

/* Puts the contacts aside, as they are; returns false where there is no memory for more than there ever were. */
bool contacts_shelve(Contacts *contacts);

/* All that were put aside are the contacts now; nothing of them is changed. */
void contacts_unshelve(Contacts *contacts);

/* --- their energy: parallel, takes no memory -------------------------------------------------- */

/* Energy at z, kg m^2; leaves the pulls for contacts_gradient(), and what the contacts do there for all below. */
double contacts_evaluate(Contacts *contacts, Pool *pool, const Vec3 *z);

/* What the contacts add to the gradient at vertex i where they were last evaluated, or to the product of
 * contacts_multiply(), kg m. */
Vec3 contacts_gradient(const Contacts *contacts, int i);

/* True if the vertex has any. */
static inline bool contacts_touch(const Contacts *contacts, int i) {
    return contacts->entry_start[i] < contacts->entry_start[i + 1];
}

/* The product H p of the second derivative where they were last evaluated with p, for contacts_gradient() to fetch;
 * returns p . H p. */
double contacts_multiply(Contacts *contacts, Pool *pool, const Vec3 *p);

/* d . H d likewise, with d = p + part q. */
double contacts_curvature(const Contacts *contacts, Pool *pool, const Vec3 *p, double part,
                          const Vec3 *q);

/* Lists the contacts that may push somewhere on the way z - a p, 0 <= a <= longest, from z where they were last
 * evaluated; returns the slope of their energy by a there. */
double contacts_aim(Contacts *contacts, Pool *pool, const Vec3 *z, const Vec3 *p, double longest);

/* Slope and curvature by a of the energy at z - a p, with the p of contacts_aim(). */
void contacts_along(Contacts *contacts, Pool *pool, double a, double *slope, double *curvature);

/* Lists the contacts whose points were inside their shells when they were last evaluated in `aimed` instead; returns how
 * many there are. */
int contacts_aim_inside(Contacts *contacts, Pool *pool);

/* The second derivative of one contact by its point, along and across its normal, kg; never negative. */
void contact_stiffness(const Contact *contact, const Vec3 *z, double *along, double *across);

/* What one contact does if its point is at `at`; returns its energy, kg m^2. */
double contacts_push(const Contacts *contacts, int c, Vec3 at, ContactPush *push);

/* Notes the normal forces and the anchors at the end z, for the friction of the next substep. Gives the number of contacts
 * that push, in all and of the cloth with itself. */
void contacts_end(Contacts *contacts, const Vec3 *z, int *pushing, int *self_pushing);

/* Makes what was noted the state for the next substep; a substep that is undone does not call it. */
void contacts_settle(Contacts *contacts);

/* --- the mirror plane ------------------------------------------------------------------------- */

/* The mirror plane of half a cloth, as the other half's touch. Where the two halves meet they meet in the plane, so
 * cloth that keeps its distance from itself keeps half of it from the plane x = 0, without friction: its image
 * moves along with it. */

/* Adds the contacts of `count` vertices at z with the mirror plane. Vertices whose `rest` place is nearer than `thickness`
 * (m) keep that distance: the garment was modelled so. `share` and `scale` are those of scale.h. */
void barrier_find(const Vec3 *rest, const double *share, int count, double thickness, double scale,
                  const Vec3 *z, Contacts *contacts);

/* Puts vertices beyond the plane back at the end of a substep, except those that were modelled there: sides of a slit may
 * overlap. */
void barrier_end(const Vec3 *rest, int count, double scale, Vec3 *z, Vec3 *velocity);
