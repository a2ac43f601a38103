/* Small scenes as lists of calls, which together go through all that takes memory. */
#pragma once

#include "muslin.h"

#define MOST_VERTICES 900
#define MOST_CORNERS 3600

typedef struct Scene {
    MuslinCloth cloth; /* 0: none yet */
    MuslinClothDef def;
    MuslinMaterial material;
    int32_t vertex_count, face_count, corner_count, edge_count;
    int32_t row, part_size; /* vertices of the first row, and of the first sheet */
    float places[3 * MOST_VERTICES];
    int32_t sizes[MOST_VERTICES], corners[MOST_CORNERS], edges[2 * MOST_VERTICES];
    int32_t body;
    void *snapshot;
    size_t snapshot_size;
} Scene;

/* By one function of muslin.h, so that it can be called again. */
typedef int32_t (*SceneCall)(Scene *scene);

#define MOST_CALLS 24

typedef struct SceneScript {
    const char *name;
    void (*set_up)(Scene *scene); /* mesh and definition */
    int every; /* of its allocations one in so many fails, if not all are asked for; 0: each */
    SceneCall calls[MOST_CALLS]; /* ends with null */
} SceneScript;

extern const SceneScript scene_scripts[];
extern const int scene_script_count;
