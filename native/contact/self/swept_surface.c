#include "contact/self/swept_surface.h"

#include <stdlib.h>

/* Leaves of a subtree, as a power of two: some thousand pieces. */
#define SUBTREE_LEVELS 9
/* Depth-first over pairs of nodes: each one taken leaves at most three more. */
#define STACK 128

/* --- building --------------------------------------------------------------------------------- */

/* The triangles, then the edges that no triangle has. Returns how many there are. */
static int collect_pieces(const Skin *skin, SweepPiece *pieces, uint8_t *has_face) {
    int count = 0;
    for (int t = 0; t < skin->triangle_count; ++t) {
        const int *v = skin->triangles[t];
        pieces[count++] = (SweepPiece){.vertices = {v[0], v[1], v[2]}, .corners = 3};
        for (int k = 0; k < 3; ++k) {
            has_face[skin_edge(skin, v[k], v[(k + 1) % 3])] = 1;
        }
    }
    for (int e = 0; e < skin->edge_count; ++e) {
        if (!has_face[e]) {
            const int *v = skin->edges[e];
            pieces[count++] = (SweepPiece){.vertices = {v[0], v[1], v[1]}, .corners = 2};
        }
    }
    return count;
}

/* The first piece that has a vertex or an edge answers for it. */
static void share_out(const Skin *skin, Sweep *sweep, uint8_t *edge_taken, uint8_t *vertex_taken) {
    for (int i = 0; i < sweep->count; ++i) {
        SweepPiece *piece = &sweep->pieces[i];
        int sides = piece->corners == 3 ? 3 : 1;
        for (int k = 0; k < piece->corners; ++k) {
            int v = piece->vertices[k];
            piece->own_vertices |= (uint8_t)((vertex_taken[v] == 0) << k);
            vertex_taken[v] = 1;
        }
        for (int k = 0; k < sides; ++k) {
            int e = skin_edge(skin, piece->vertices[k], piece->vertices[(k + 1) % 3]);
            piece->own_sides |= (uint8_t)((edge_taken[e] == 0) << k);
            edge_taken[e] = 1;
        }
    }
}

static Box box_of(const SweepPiece *piece, const Vec3 *x) {
    Vec3 a = x[piece->vertices[0]], b = x[piece->vertices[1]], c = x[piece->vertices[2]];
    return (Box){box_lower(box_lower(a, b), c), box_higher(box_higher(a, b), c)};
}

/* Both trees sort alike, since they see the same boxes; then the pieces are brought into that order. */
static StatusCode plant(Sweep *sweep, const SweepPiece *pieces, const Vec3 *rest, Store *store,
                        Status *status) {
    for (int i = 0; i < sweep->count; ++i) {
        sweep->boxes[0][i] = box_of(&pieces[i], rest);
    }
    StatusCode code = bvh_build(&sweep->start, sweep->count, sweep->boxes[0], store, status);
    code = code ? code : bvh_build(&sweep->end, sweep->count, sweep->boxes[0], store, status);
    for (int i = 0; code == STATUS_OK && i < sweep->count; ++i) {
        sweep->pieces[i] = pieces[sweep->start.order[i]];
        sweep->start.order[i] = sweep->end.order[i] = i;
    }
    if (code == STATUS_OK) {
        int levels = sweep->start.levels;
        sweep->subtree_level = levels > SUBTREE_LEVELS ? levels - SUBTREE_LEVELS : 0;
        sweep->subtree_count = 1 << sweep->subtree_level;
        sweep->awake_node = STORE_ARRAY(store, uint8_t, ((size_t)2 << levels) - 1);
    }
    return code == STATUS_OK && store->failed ? status_no_memory(status, "moving boxes") : code;
}

StatusCode sweep_build(Sweep *sweep, const Skin *skin, Store *store, Status *status) {
    size_t edges = (size_t)skin->edge_count, most = (size_t)skin->triangle_count + edges;
    SweepPiece *pieces = SCRATCH_ARRAY(SweepPiece, most);
    uint8_t *edge_marks = SCRATCH_ARRAY(uint8_t, 2 * edges);
    uint8_t *vertex_marks = SCRATCH_ARRAY(uint8_t, skin->vertex_count);
    *sweep = (Sweep){.vertex_count = skin->vertex_count};
    StatusCode code = STATUS_OK;
    if (pieces && edge_marks && vertex_marks) {
        sweep->count = collect_pieces(skin, pieces, edge_marks);
    }
    sweep->pieces = STORE_ARRAY(store, SweepPiece, sweep->count);
    sweep->boxes[0] = STORE_ARRAY(store, Box, sweep->count);
    sweep->boxes[1] = STORE_ARRAY(store, Box, sweep->count);
    sweep->awake = STORE_ARRAY(store, uint8_t, sweep->count);
    if (!pieces || !edge_marks || !vertex_marks || store->failed) {
        code = status_no_memory(status, "moving boxes");
    } else {
        code = plant(sweep, pieces, skin->rest, store, status);
    }
    if (code == STATUS_OK) {
        share_out(skin, sweep, edge_marks + edges, vertex_marks);
    }
    free(pieces);
    free(edge_marks);
    free(vertex_marks);
    return code;
}

/* --- moving ----------------------------------------------------------------------------------- */

typedef struct Placing {
    Sweep *sweep;
    const Vec3 *x, *z;
} Placing;

static int is_finite_box(const Box *box) {
    return vec3_is_finite(box->low) && vec3_is_finite(box->high);
}

static int piece_is_finite(const SweepPiece *piece, const Vec3 *x) {
    return vec3_is_finite(x[piece->vertices[0]]) && vec3_is_finite(x[piece->vertices[1]]) &&
           vec3_is_finite(x[piece->vertices[2]]);
}

static void place_pieces(void *context, int begin, int end) {
    const Placing *placing = context;
    Sweep *sweep = placing->sweep;
    for (int i = begin; i < end; ++i) {
        const SweepPiece *piece = &sweep->pieces[i];
        int whole = piece_is_finite(piece, placing->x) && piece_is_finite(piece, placing->z);
        sweep->boxes[0][i] = whole ? box_of(piece, placing->x) : box_empty();
        sweep->boxes[1][i] = whole ? box_of(piece, placing->z) : box_empty();
        sweep->awake[i] = 1;
    }
}

void sweep_place(Sweep *sweep, Pool *pool, const Vec3 *x, const Vec3 *z) {
    Placing placing = {sweep, x, z};
    pool_run(pool, sweep->count, place_pieces, &placing);
    bvh_refit(&sweep->start, pool, sweep->boxes[0]);
    bvh_refit(&sweep->end, pool, sweep->boxes[1]);
    int nodes = (2 << sweep->start.levels) - 1;
    for (int node = 0; node < nodes; ++node) {
        sweep->awake_node[node] = 1;
    }
}

/* A leaf's box after its awake pieces have moved. */
static void update_leaf(Sweep *sweep, int leaf, int node) {
    int last = bvh_leaf_begin(&sweep->end, leaf + 1), awake = 0;
    int first = bvh_leaf_begin(&sweep->end, leaf);
    for (int i = first; i < last; ++i) {
        awake |= sweep->awake[i];
    }
    sweep->awake_node[node] = (uint8_t)awake;
    if (awake) {
        Box box = box_empty();
        for (int i = first; i < last; ++i) {
            box = box_join(box, sweep->end.boxes[i]);
        }
        sweep->end.nodes[node] = box;
    }
}

void sweep_move(Sweep *sweep, const Vec3 *z, const uint8_t *moved) {
    Bvh *tree = &sweep->end;
    for (int i = 0; i < sweep->count; ++i) {
        const SweepPiece *piece = &sweep->pieces[i];
        const int *v = piece->vertices;
        sweep->awake[i] = moved[v[0]] | moved[v[1]] | moved[v[2]];
        if (sweep->awake[i] && is_finite_box(&tree->boxes[i])) {
            tree->boxes[i] = box_of(piece, z);
        }
    }
    int first_leaf = (1 << tree->levels) - 1;
    for (int leaf = 0; leaf <= first_leaf; ++leaf) {
        update_leaf(sweep, leaf, first_leaf + leaf);
    }
    for (int node = first_leaf - 1; node >= 0; --node) {
        sweep->awake_node[node] = sweep->awake_node[2 * node + 1] | sweep->awake_node[2 * node + 2];
        if (sweep->awake_node[node]) {
            tree->nodes[node] = box_join(tree->nodes[2 * node + 1], tree->nodes[2 * node + 2]);
        }
    }
}

/* --- pairs ------------------------------------------------------------------------------------ */

static void visit_leaves(const Sweep *sweep, int first, int second, SweepVisit visit,
                         void *context) {
    const Bvh *start = &sweep->start, *end = &sweep->end;
    int last = bvh_leaf_begin(start, first + 1), stop = bvh_leaf_begin(start, second + 1);
    int first_leaf = (1 << start->levels) - 1, other = first_leaf + second;
    for (int i = bvh_leaf_begin(start, first); i < last; ++i) {
        if (sweep_boxes_part(&start->boxes[i], &start->nodes[other], &end->boxes[i],
                             &end->nodes[other])) {
            continue;
        }
        for (int j = first == second ? i + 1 : bvh_leaf_begin(start, second); j < stop; ++j) {
            if ((sweep->awake[i] | sweep->awake[j]) &&
                !sweep_boxes_part(&start->boxes[i], &start->boxes[j], &end->boxes[i],
                                  &end->boxes[j])) {
                visit(context, i, j);
            }
        }
    }
}

typedef struct NodePair {
    int first, second; /* of one level */
} NodePair;

static void visit_nodes(const Sweep *sweep, NodePair top, SweepVisit visit, void *context) {
    const Box *start = sweep->start.nodes, *end = sweep->end.nodes;
    NodePair stack[STACK];
    int waiting = 0, first_leaf = (1 << sweep->start.levels) - 1;
    stack[waiting++] = top;
    while (waiting > 0) {
        NodePair pair = stack[--waiting];
        int a = pair.first, b = pair.second;
        if (!(sweep->awake_node[a] | sweep->awake_node[b]) ||
            (a != b && sweep_boxes_part(&start[a], &start[b], &end[a], &end[b]))) {
            continue;
        }
        if (a >= first_leaf) {
            visit_leaves(sweep, a - first_leaf, b - first_leaf, visit, context);
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

void sweep_visit(const Sweep *sweep, int subtree, SweepVisit visit, void *context) {
    int first = sweep->subtree_count - 1;
    for (int other = subtree; other < sweep->subtree_count; ++other) {
        visit_nodes(sweep, (NodePair){first + subtree, first + other}, visit, context);
    }
}
