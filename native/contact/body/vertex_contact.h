/* Finds the contacts of the cloth's vertices with bodies, and keeps vertices from ending behind a surface.
 *
 * A vertex touches the nearest place of a body's surface, as it is at the end of the substep. A solid pushes to its
 * outside, a sheet to the side on which the vertex was when the substep began. The path of a vertex that moves further than
 * the thickness is followed, and the vertex stays in front of the first triangle that it would pass.
 *
 * A vertex that is behind a surface from the start, because it was modelled there or because the body appeared around it,
 * comes out at a limited speed. */
#pragma once

#include "base/parallel.h"
#include "contact/body/contact_plane.h"
#include "contact/contacts.h"
#include "contact/skin.h"
#include "contact/work_limit.h"

typedef struct VertexContactFinder {
    int vertex_count;
    int rail_from;  /* vertices from this one on are not pushed along x; set to the number of all */
    Contact *found; /* MOST_CONTACT_PLANES per vertex, the first `near` of them */
    uint8_t *near;  /* per vertex: how many surfaces it is near to */
    uint8_t *listed;  /* per vertex: how many of these are passed to the solver */
    uint8_t *pinched; /* per vertex: 1 if there is no room between two surfaces */
    double *room;     /* per vertex: between two surfaces that face each other, m; else infinite */
    /* MOST_CONTACT_PLANES per vertex: what it touches; -1: to be searched for again */
    int *body, *triangle;
    double *allowed; /* per vertex: least distance it may end at; negative while it comes out */
    /* Per vertex: distance from the true surface at the end of the last substep, negative behind it; of one outside
     * all shells it may be less than the true one. Between two that overlap: from their middle, and negative. Part of the
     * state. */
    double *clearance;
    Vec3 *expected; /* per vertex: where it was searched for last */
    /* Per vertex: its distance there from all surfaces at least, m; negative behind */
    double *known;
    double *approach;   /* per vertex: by how much it can have come nearer in the substep, m */
    SearchCache *cache; /* per vertex: what it saw there */
    Vec3 *seen; /* per vertex: how deep it was, 1 if touching or 2 if stuck, its new clearance */
    int *first; /* per chunk of vertices: where its contacts begin in the list */
    const Subset *awake;  /* the vertices that count; null: all */
    WorkLimit work_limit; /* of paths that are followed; the caller resets it */
    WorkShare *shares;    /* per chunk, in the present search */
} VertexContactFinder;

StatusCode vertex_contact_build(VertexContactFinder *finder, int vertex_count, Store *store,
                                Status *status);

/* Measures the clearances at x from the bodies where they are. Before the first substep, and whenever the
 * vertices or bodies have been put somewhere else. */
void vertex_contact_measure(VertexContactFinder *finder, Pool *pool, const BodySubstep *substep);

/* Contacts for a substep that is expected to end at z. Adds them to the list. */
void vertex_contact_begin(VertexContactFinder *finder, Pool *pool, const BodySubstep *substep,
                          const Vec3 *z, Contacts *contacts);

/* Finds the contacts of the same vertices at z. Adds them to the list, which the caller has cleared. */
void vertex_contact_refresh(VertexContactFinder *finder, Pool *pool, const BodySubstep *substep,
                            const Vec3 *z, Contacts *contacts);

typedef struct BodyReport {
    int touching; /* vertices inside a shell at the substep's end */
    int stuck; /* vertices behind a surface although they were put in front of one: there is no room */
    int pierced; /* edges of the one that pass through faces of the other, cloth and solid bodies */
    double deepest; /* behind a true surface in the solver's result, m; 0: none */
} BodyReport;

/* Puts vertices that are behind a true surface onto it, and makes them at least as fast as it along its
 * normal; the push itself does not become velocity. May be called again when z has changed. */
void vertex_contact_project(VertexContactFinder *finder, Pool *pool, const BodySubstep *substep,
                            const uint8_t *held, Vec3 *z, Vec3 *velocity, BodyReport *report);

/* True if the vertex was inside a shell when it was projected last. */
bool vertex_contact_touches(const VertexContactFinder *finder, int vertex);

/* Where it was projected last: its distance from all surfaces at least, m; negative behind one. */
static inline double vertex_contact_clearance(const VertexContactFinder *finder, int vertex) {
    return finder->seen[vertex].z;
}

/* Ends the substep: its clearances are those of the next one's start. */
void vertex_contact_settle(VertexContactFinder *finder);
