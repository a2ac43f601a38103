/* Per-vertex maps: factors that a caller paints, one table for all of them. A new one is a row here, in maps.c and in the
 * table of settings, which has its range and words, and whatever reads `System.maps` of that kind. Everything between hands
 * maps on by their number.
 *
 * An element takes the mean of its vertices. A vertex of a coarser level has what it has on the caller's mesh; the half of a
 * mirrored cloth has the mean of both sides. */
#pragma once

typedef enum MapKind {
    MAP_MASS,
    MAP_STRETCH,
    MAP_BEND,
    MAP_SIZE,
    MAP_FRICTION,
    MAP_DAMPING,
    MAP_THICKNESS,
    MAP_KINDS
} MapKind;

/* What has to be made anew where a map changes. */
typedef enum MapRebuilds {
    MAP_REBUILDS_MATRIX = 1, /* masses, inertia and what laws are as stiff as */
    MAP_REBUILDS_ROWS = 2    /* lengths at rest, and with them the weights of rows */
} MapRebuilds;

typedef struct MapTrait {
    const char *name;
    float usual; /* of every vertex where no map is given */
    unsigned rebuilds;
} MapTrait;

extern const MapTrait map_traits[MAP_KINDS];

/* What a map says of a vertex; null: none is given. */
static inline float map_value(const float *map, MapKind kind, int vertex) {
    return map ? map[vertex] : map_traits[kind].usual;
}
