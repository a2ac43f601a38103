/* Numbering pieces, and listing what they have. */
#include "system/pieces.h"

#include <string.h>

#include "mesh/components.h"

int pieces_number(const Mesh *mesh, const Laws *laws, int *piece) {
    for (int v = 0; v < mesh->vertex_count; ++v) {
        piece[v] = v;
    }
    for (int e = 0; e < mesh->edge_count; ++e) {
        components_join_first(piece, mesh->edges[e].a, mesh->edges[e].b);
    }
    for (int l = 0; l < laws->count; ++l) {
        const Law *law = laws->list[l];
        for (int c = 0; c < law->width * law->count; ++c) {
            components_join_first(piece, law->vertices[c - c % law->width], law->vertices[c]);
        }
    }
    for (int v = 0; v < mesh->vertex_count; ++v) {
        if (mesh->isolated[v]) {
            components_join_first(piece, 0, v);
        }
    }
    int count = components_number(piece, mesh->vertex_count);
    if (count > PIECES_MOST) {
        memset(piece, 0, (size_t)mesh->vertex_count * sizeof *piece);
        count = 1;
    }
    return count;
}

/* Goes through the runs of all items; `run` null: counts those of each piece, one place after it. */
static void list_runs(PieceItems *items, int count, const int *owner, int longest, Run *run) {
    for (int begin = 0, end; begin < count; begin = end) {
        for (end = begin + 1; end < count && end - begin < longest && owner[end] == owner[begin];) {
            ++end;
        }
        if (run) {
            run[items->first[owner[begin]]++] = (Run){begin, end};
        } else {
            ++items->first[owner[begin] + 1];
        }
    }
}

void piece_items_build(PieceItems *items, int piece_count, int count, const int *owner, int longest,
                       Store *store) {
    *items =
        (PieceItems){.piece_count = piece_count, .first = STORE_ARRAY(store, int, piece_count + 1)};
    if (store->failed) {
        return;
    }
    list_runs(items, count, owner, longest, NULL);
    for (int b = 0; b < piece_count; ++b) {
        items->first[b + 1] += items->first[b];
    }
    items->run = STORE_ARRAY(store, Run, items->first[piece_count]);
    items->chosen = STORE_ARRAY(store, Run, items->first[piece_count]);
    if (store->failed) {
        return;
    }
    list_runs(items, count, owner, longest, items->run);
    for (int b = piece_count; b > 0; --b) {
        items->first[b] = items->first[b - 1];
    }
    items->first[0] = 0;
}

int piece_items_choose(const PieceItems *items, int piece_count, const int *pieces) {
    int count = 0;
    for (int k = 0; k < piece_count; ++k) {
        for (int r = items->first[pieces[k]]; r < items->first[pieces[k] + 1]; ++r) {
            items->chosen[count++] = items->run[r];
        }
    }
    return count;
}
