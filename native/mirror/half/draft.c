/* What the selections and the closures both do with a half on the way. */
#include "mirror/half/draft.h"

#include <stdlib.h>

#include "mesh/adjacency.h"

void draft_add_face(Draft *draft, const int32_t *corners, int count) {
    for (int c = 0; c < count; ++c) {
        draft->corners[draft->corner_count] = corners[c];
        draft->vertices[draft->corner_count++] = draft->mesh->face_vertices[corners[c]];
    }
    draft->face_sizes[draft->face_count++] = count;
}

void draft_add_edge(Draft *draft, int a, int b) {
    draft->edges[2 * (int64_t)draft->edge_count] = a;
    draft->edges[2 * (int64_t)draft->edge_count++ + 1] = b;
}

static int list_sides(const Draft *draft, Side *sides) {
    const int32_t *ring = draft->vertices;
    int count = 0;
    for (int f = 0; f < draft->face_count; ring += draft->face_sizes[f++]) {
        for (int c = 0; c < draft->face_sizes[f]; ++c) {
            int a = ring[c], b = ring[(c + 1) % draft->face_sizes[f]];
            sides[count++] = side_between(a, b, f);
        }
    }
    qsort(sides, (size_t)count, sizeof *sides, side_compare);
    return count;
}

int draft_sides_between(Draft *draft, const uint8_t *chosen, int (**edges)[2]) {
    Side *sides = STORE_ARRAY(&draft->store, Side, draft->corner_count);
    *edges = store_take(&draft->store, (size_t)draft->corner_count, sizeof **edges);
    if (draft->store.failed) {
        return -1;
    }
    int count = list_sides(draft, sides), found = 0;
    for (int begin = 0, end; begin < count; begin = end) {
        int in = 0;
        for (end = begin; end < count && side_is_same(&sides[end], &sides[begin]); ++end) {
            in += chosen && chosen[sides[end].order];
        }
        int faces = end - begin;
        if (chosen ? in > 0 && in < faces : faces == 1) {
            (*edges)[found][0] = sides[begin].a;
            (*edges)[found++][1] = sides[begin].b;
        }
    }
    return found;
}
