/* Small scenes as lists of calls, which together go through all that takes memory. */
#ifndef MEMORY_SCENES_H
#define MEMORY_SCENES_H

#include "muslin.h"

#define MOST_VERTICES 700
#define MOST_CORNERS 3000

typedef struct Scene {
    MuslinCloth cloth; /* 0: none yet */
    MuslinClothDef def;
    int32_t vertex_count, face_count, corner_count, edge_count;
    float places[3 * MOST_VERTICES];
    int32_t sizes[MOST_CORNERS], corners[MOST_CORNERS], edges[2 * MOST_VERTICES];
    int32_t body;
    void *snapshot; /* taken while no memory fails */
    size_t snapshot_size;
} Scene;

/* What is called; it must do all that it does by one function of muslin.h, so that it can be called again. */
typedef int32_t (*SceneCall)(Scene *scene);

#define MOST_CALLS 24

typedef struct SceneScript {
    const char *name;
    void (*set_up)(Scene *scene); /* mesh and definition */
    SceneCall calls[MOST_CALLS];  /* ends with null */
} SceneScript;

extern const SceneScript scene_scripts[];
extern const int scene_script_count;

#endif
