/* The state of friction from substep to substep: the tangential strain of each contact. Its anchor, the place on the
 * surface to which it sticks, lies that far behind its point. A contact that sticks finds its anchor again, so cloth at rest
 * stays at rest; one that slides drags it along.
 *
 * A vertex keeps its anchor from face to face; the normal says on which side of the vertex the surface is. Contacts of
 * edges and of the insides of faces are the same contact if all their vertices and places are the same. */
#pragma once

#include <stdint.h>

#include "base/status.h"
#include "base/vec3.h"

#define ANCHOR_VERTICES 4

/* Snapshots hold these as they are: no byte of it is unused. */
typedef struct Anchor {
    int32_t vertices[ANCHOR_VERTICES]; /* of the contact; -1: none */
    int32_t place[2];                  /* of the body: see contacts.h */
    int32_t kind;                      /* of contact */
    int32_t single; /* 1: a vertex against any place of a surface, 0: all of the above must agree */
    Vec3 normal;    /* unit */
    Vec3 strain;    /* from the anchor to the contact's point, m */
} Anchor;

typedef struct Anchors {
    int vertex_count;
    int count, fresh_count, room;
    Anchor *list;  /* by their first vertices, in the order they were added */
    Anchor *fresh; /* those of the substep that ends */
    int *start;    /* per vertex: its first one in the list */
} Anchors;

StatusCode anchors_build(Anchors *anchors, int vertex_count, Status *status);
void anchors_destroy(Anchors *anchors);

/* Room for this many. Takes memory only beyond the most there ever were; false if it cannot. */
bool anchors_reserve(Anchors *anchors, int count);

/* Removes all. */
void anchors_clear(Anchors *anchors);

/* Removes those of one kind. */
void anchors_clear_kind(Anchors *anchors, int kind);

/* Notes one for the next substep; those that find no room are forgotten. */
void anchors_note(Anchors *anchors, const Anchor *anchor);

/* Drops those noted. */
void anchors_drop_noted(Anchors *anchors);

/* Replaces all by those noted. */
void anchors_settle(Anchors *anchors);

/* The strain of one like this; zero if there is none. */
Vec3 anchors_find(const Anchors *anchors, const Anchor *like);

/* Whether a snapshot of a cloth of `vertex_count` vertices may hold it. */
bool anchor_is_sound(const Anchor *anchor, int vertex_count, int kinds);
