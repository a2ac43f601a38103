#include "mirror/draft.h"

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
