/* Anchors are bucketed by their first vertex. Few share one, so a linear search within a bucket is enough. */
#include "contact/anchors.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Cosine between normals from which on two contacts of a vertex are on the same side of it. */
#define SAME_SIDE 0.5

StatusCode anchors_build(Anchors *anchors, int vertex_count, Status *status) {
    *anchors = (Anchors){.vertex_count = vertex_count,
                         .start = SCRATCH_ARRAY(int, (size_t)vertex_count + 1)};
    return anchors->start ? STATUS_OK : status_no_memory(status, "the anchors of friction");
}

void anchors_destroy(Anchors *anchors) {
    free(anchors->list);
    free(anchors->fresh);
    free(anchors->start);
    *anchors = (Anchors){0};
}

bool anchors_reserve(Anchors *anchors, int count) {
    if (count <= anchors->room) {
        return true;
    }
    bool failed = false;
    SCRATCH_GROW(anchors->list, count, &failed);
    SCRATCH_GROW(anchors->fresh, count, &failed);
    anchors->room = failed ? anchors->room : count;
    return !failed;
}

void anchors_drop_noted(Anchors *anchors) { anchors->fresh_count = 0; }

void anchors_clear(Anchors *anchors) {
    anchors_drop_noted(anchors);
    anchors_settle(anchors);
}

void anchors_clear_kind(Anchors *anchors, int kind) {
    anchors_drop_noted(anchors);
    for (int a = 0; a < anchors->count; ++a) {
        if (anchors->list[a].kind != kind) {
            anchors_note(anchors, &anchors->list[a]);
        }
    }
    anchors_settle(anchors);
}

void anchors_note(Anchors *anchors, const Anchor *anchor) {
    if (anchors->fresh_count < anchors->room) {
        anchors->fresh[anchors->fresh_count++] = *anchor;
    }
}

void anchors_settle(Anchors *anchors) {
    int *start = anchors->start;
    memset(start, 0, ((size_t)anchors->vertex_count + 1) * sizeof *start);
    for (int a = 0; a < anchors->fresh_count; ++a) {
        ++start[anchors->fresh[a].vertices[0]];
    }
    for (int i = 1; i <= anchors->vertex_count; ++i) {
        start[i] += start[i - 1];
    }
    for (int a = anchors->fresh_count; a-- > 0;) { /* backwards: ranges fill from their ends */
        anchors->list[--start[anchors->fresh[a].vertices[0]]] = anchors->fresh[a];
    }
    anchors->count = anchors->fresh_count;
    anchors->fresh_count = 0;
}

static bool is_same(const Anchor *a, const Anchor *b) {
    return !memcmp(a->vertices, b->vertices, sizeof a->vertices) &&
           !memcmp(a->place, b->place, sizeof a->place);
}

Vec3 anchors_find(const Anchors *anchors, const Anchor *like) {
    int vertex = like->vertices[0];
    const Anchor *best = NULL;
    double least = SAME_SIDE;
    for (int a = anchors->start[vertex]; a < anchors->start[vertex + 1]; ++a) {
        const Anchor *anchor = &anchors->list[a];
        if (anchor->kind != like->kind || anchor->single != like->single) {
            continue;
        }
        double cosine = vec3_dot(anchor->normal, like->normal);
        if (is_same(anchor, like) && cosine > SAME_SIDE) {
            return anchor->strain;
        }
        if (like->single && cosine > least) {
            best = anchor;
            least = cosine;
        }
    }
    return best ? best->strain : vec3(0, 0, 0);
}

bool anchor_is_sound(const Anchor *anchor, int vertex_count, int kinds) {
    for (int k = 0; k < ANCHOR_VERTICES; ++k) {
        if (anchor->vertices[k] < (k == 0 ? 0 : -1) || anchor->vertices[k] >= vertex_count) {
            return false;
        }
    }
    return anchor->kind >= 0 && anchor->kind < kinds && vec3_fits_float(anchor->normal) &&
           vec3_fits_float(anchor->strain);
}
