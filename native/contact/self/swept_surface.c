/* Two trees of one shape are walked together; where only few vertices moved, branches without one of them are passed
 * over. */
#include "contact/self/swept_surface.h"

#include <stdlib.h>

/* Leaves of a subtree, as a power of two: some thousand elements. */
#define SUBTREE_LEVELS 9
/* Depth-first over pairs of nodes: each one taken leaves at most three more. */
#define STACK 128

/* --- building --------------------------------------------------------------------------------- */

/* The triangles, then the edges that no triangle has. Returns how many there are. */
static int collect_elements(const Skin *skin, SweptElement *elements, uint8_t *has_face) {
    int count = 0;
    for (int t = 0; t < skin->triangle_count; ++t) {
        const int *v = skin->triangles[t];
        elements[count++] = (SweptElement){.vertices = {v[0], v[1], v[2]}, .corners = 3};
        for (int k = 0; k < 3; ++k) {
            has_face[skin_edge(skin, v[k], v[(k + 1) % 3])] = 1;
        }
    }
    for (int e = 0; e < skin->edge_count; ++e) {
        if (!has_face[e]) {
            const int *v = skin->edges[e];
            elements[count++] = (SweptElement){.vertices = {v[0], v[1], v[1]}, .corners = 2};
        }
    }
    return count;
}

/* The first element that has a vertex or an edge answers for it. */
static void share_out(const Skin *skin, SweptSurface *surface, uint8_t *edge_taken,
                      uint8_t *vertex_taken) {
    for (int i = 0; i < surface->count; ++i) {
        SweptElement *element = &surface->elements[i];
        int sides = element->corners == 3 ? 3 : 1;
        for (int k = 0; k < element->corners; ++k) {
            int v = element->vertices[k];
            element->own_vertices |= (uint8_t)((vertex_taken[v] == 0) << k);
            vertex_taken[v] = 1;
        }
        for (int k = 0; k < sides; ++k) {
            int e = skin_edge(skin, element->vertices[k], element->vertices[(k + 1) % 3]);
            element->own_sides |= (uint8_t)((edge_taken[e] == 0) << k);
            edge_taken[e] = 1;
        }
    }
}

static Box box_of(const SweptElement *element, const Vec3 *x) {
    Vec3 a = x[element->vertices[0]], b = x[element->vertices[1]], c = x[element->vertices[2]];
    return (Box){box_lower(box_lower(a, b), c), box_higher(box_higher(a, b), c)};
}

/* Both trees sort alike, since they see the same boxes; then the elements are brought into that order. */
static StatusCode plant(SweptSurface *surface, const SweptElement *elements, const Vec3 *rest,
                        Store *store, Status *status) {
    for (int i = 0; i < surface->count; ++i) {
        surface->boxes[0][i] = box_of(&elements[i], rest);
    }
    StatusCode code = bvh_build(&surface->start, surface->count, surface->boxes[0], store, status);
    code = code ? code : bvh_build(&surface->end, surface->count, surface->boxes[0], store, status);
    for (int i = 0; code == STATUS_OK && i < surface->count; ++i) {
        surface->elements[i] = elements[surface->start.order[i]];
        surface->start.order[i] = surface->end.order[i] = i;
    }
    if (code == STATUS_OK) {
        int levels = surface->start.levels;
        surface->subtree_level = levels > SUBTREE_LEVELS ? levels - SUBTREE_LEVELS : 0;
        surface->subtree_count = 1 << surface->subtree_level;
        surface->awake_node = STORE_ARRAY(store, uint8_t, ((size_t)2 << levels) - 1);
    }
    return code == STATUS_OK && store->failed ? status_no_memory(status, "moving boxes") : code;
}

StatusCode swept_surface_build(SweptSurface *surface, const Skin *skin, Store *store,
                               Status *status) {
    size_t edges = (size_t)skin->edge_count, most = (size_t)skin->triangle_count + edges;
    SweptElement *elements = SCRATCH_ARRAY(SweptElement, most);
    uint8_t *edge_marks = SCRATCH_ARRAY(uint8_t, 2 * edges);
    uint8_t *vertex_marks = SCRATCH_ARRAY(uint8_t, skin->vertex_count);
    *surface = (SweptSurface){.vertex_count = skin->vertex_count};
    StatusCode code = STATUS_OK;
    if (elements && edge_marks && vertex_marks) {
        surface->count = collect_elements(skin, elements, edge_marks);
    }
    surface->elements = STORE_ARRAY(store, SweptElement, surface->count);
    surface->boxes[0] = STORE_ARRAY(store, Box, surface->count);
    surface->boxes[1] = STORE_ARRAY(store, Box, surface->count);
    surface->awake = STORE_ARRAY(store, uint8_t, surface->count);
    if (!elements || !edge_marks || !vertex_marks || store->failed) {
        code = status_no_memory(status, "moving boxes");
    } else {
        code = plant(surface, elements, skin->rest, store, status);
    }
    if (code == STATUS_OK) {
        share_out(skin, surface, edge_marks + edges, vertex_marks);
    }
    free(elements);
    free(edge_marks);
    free(vertex_marks);
    return code;
}

/* --- moving ----------------------------------------------------------------------------------- */

typedef struct Placing {
    SweptSurface *surface;
    const Vec3 *x, *z;
} Placing;

static bool is_finite_box(const Box *box) {
    return vec3_is_finite(box->low) && vec3_is_finite(box->high);
}

static bool element_is_finite(const SweptElement *element, const Vec3 *x) {
    return vec3_is_finite(x[element->vertices[0]]) && vec3_is_finite(x[element->vertices[1]]) &&
           vec3_is_finite(x[element->vertices[2]]);
}

static void place_elements(void *context, int begin, int end) {
    const Placing *placing = context;
    SweptSurface *surface = placing->surface;
    for (int i = begin; i < end; ++i) {
        const SweptElement *element = &surface->elements[i];
        int whole =
            element_is_finite(element, placing->x) && element_is_finite(element, placing->z);
        surface->boxes[0][i] = whole ? box_of(element, placing->x) : box_empty();
        surface->boxes[1][i] = whole ? box_of(element, placing->z) : box_empty();
        surface->awake[i] = 1;
    }
}

void swept_surface_place(SweptSurface *surface, Pool *pool, const Vec3 *x, const Vec3 *z) {
    Placing placing = {surface, x, z};
    pool_run(pool, surface->count, place_elements, &placing);
    bvh_refit(&surface->start, pool, surface->boxes[0]);
    bvh_refit(&surface->end, pool, surface->boxes[1]);
    int nodes = (2 << surface->start.levels) - 1;
    for (int node = 0; node < nodes; ++node) {
        surface->awake_node[node] = 1;
    }
}

/* A leaf's box after its awake elements have moved. */
static void update_leaf(SweptSurface *surface, int leaf, int node) {
    int last = bvh_leaf_begin(&surface->end, leaf + 1), awake = 0;
    int first = bvh_leaf_begin(&surface->end, leaf);
    for (int i = first; i < last; ++i) {
        awake |= surface->awake[i];
    }
    surface->awake_node[node] = (uint8_t)awake;
    if (awake) {
        Box box = box_empty();
        for (int i = first; i < last; ++i) {
            box = box_join(box, surface->end.boxes[i]);
        }
        surface->end.nodes[node] = box;
    }
}

void swept_surface_move(SweptSurface *surface, const Vec3 *z, const uint8_t *moved) {
    Bvh *tree = &surface->end;
    for (int i = 0; i < surface->count; ++i) {
        const SweptElement *element = &surface->elements[i];
        const int *v = element->vertices;
        surface->awake[i] = moved[v[0]] | moved[v[1]] | moved[v[2]];
        if (surface->awake[i] && is_finite_box(&tree->boxes[i])) {
            tree->boxes[i] = box_of(element, z);
        }
    }
    int first_leaf = (1 << tree->levels) - 1;
    for (int leaf = 0; leaf <= first_leaf; ++leaf) {
        update_leaf(surface, leaf, first_leaf + leaf);
    }
    for (int node = first_leaf - 1; node >= 0; --node) {
        surface->awake_node[node] =
            surface->awake_node[2 * node + 1] | surface->awake_node[2 * node + 2];
        if (surface->awake_node[node]) {
            tree->nodes[node] = box_join(tree->nodes[2 * node + 1], tree->nodes[2 * node + 2]);
        }
    }
}

/* --- pairs ------------------------------------------------------------------------------------ */

static void visit_leaves(const SweptSurface *surface, int first, int second,
                         SweptSurfaceVisit visit, void *context) {
    const Bvh *start = &surface->start, *end = &surface->end;
    int last = bvh_leaf_begin(start, first + 1), stop = bvh_leaf_begin(start, second + 1);
    int first_leaf = (1 << start->levels) - 1, other = first_leaf + second;
    for (int i = bvh_leaf_begin(start, first); i < last; ++i) {
        if (swept_surface_boxes_part(&start->boxes[i], &start->nodes[other], &end->boxes[i],
                                     &end->nodes[other])) {
            continue;
        }
        for (int j = first == second ? i + 1 : bvh_leaf_begin(start, second); j < stop; ++j) {
            if ((surface->awake[i] | surface->awake[j]) &&
                !swept_surface_boxes_part(&start->boxes[i], &start->boxes[j], &end->boxes[i],
                                          &end->boxes[j])) {
                visit(context, i, j);
            }
        }
    }
}

typedef struct NodePair {
    int first, second; /* of one level */
} NodePair;

static void visit_nodes(const SweptSurface *surface, NodePair top, SweptSurfaceVisit visit,
                        void *context) {
    const Box *start = surface->start.nodes, *end = surface->end.nodes;
    NodePair stack[STACK];
    int waiting = 0, first_leaf = (1 << surface->start.levels) - 1;
    stack[waiting++] = top;
    while (waiting > 0) {
        NodePair pair = stack[--waiting];
        int a = pair.first, b = pair.second;
        if (!(surface->awake_node[a] | surface->awake_node[b]) ||
            (a != b && swept_surface_boxes_part(&start[a], &start[b], &end[a], &end[b]))) {
            continue;
        }
        if (a >= first_leaf) {
            visit_leaves(surface, a - first_leaf, b - first_leaf, visit, context);
            continue;
        }
        stack[waiting++] = (NodePair){2 * a + 2, 2 * b + 2};
        if (a != b) {
            stack[waiting++] = (NodePair){2 * a + 2, 2 * b + 1};
        }
        stack[waiting++] = (NodePair){2 * a + 1, 2 * b + 2};
        stack[waiting++] = (NodePair){2 * a + 1, 2 * b + 1};
    }
}

void swept_surface_visit(const SweptSurface *surface, int subtree, SweptSurfaceVisit visit,
                         void *context) {
    int first = surface->subtree_count - 1;
    for (int other = subtree; other < surface->subtree_count; ++other) {
        visit_nodes(surface, (NodePair){first + subtree, first + other}, visit, context);
    }
}
