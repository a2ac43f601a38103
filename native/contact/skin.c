/* Contact needs each side of a face once and no shear springs, so the surface is built from the mesh's triangles. */
#include "contact/skin.h"

#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "mesh/adjacency.h"

/* --- what is sewn ----------------------------------------------------------------------------- */

/* Knots by union-find, and who lies beside them by counting. */

static void tie_knots(Sewn *sewn, int vertex_count, int count, const SewnPair *pairs) {
    for (int v = 0; v < vertex_count; ++v) {
        sewn->knot[v] = v;
    }
    for (int p = 0; p < count; ++p) {
        if (pairs[p].others[1] < 0) {
            components_join_first(sewn->knot, pairs[p].vertex, pairs[p].others[0]);
        }
    }
    for (int v = 0; v < vertex_count; ++v) {
        sewn->knot[v] = components_root(sewn->knot, v);
    }
}

/* Two entries for each vertex that is sewn to a point between two, one at each end: first counted, then put in from the
 * back. */
static void list_beside(Sewn *sewn, int vertex_count, int count, const SewnPair *pairs) {
    for (int p = 0; p < count; ++p) {
        for (int k = 0; k < 2 && pairs[p].others[1] >= 0; ++k) {
            ++sewn->start[sewn->knot[pairs[p].vertex]];
            ++sewn->start[sewn->knot[pairs[p].others[k]]];
        }
    }
    for (int v = 1; v <= vertex_count; ++v) {
        sewn->start[v] += sewn->start[v - 1];
    }
    for (int p = 0; p < count; ++p) {
        for (int k = 0; k < 2 && pairs[p].others[1] >= 0; ++k) {
            int a = sewn->knot[pairs[p].vertex], b = sewn->knot[pairs[p].others[k]];
            sewn->beside[--sewn->start[a]] = b;
            sewn->beside[--sewn->start[b]] = a;
        }
    }
}

StatusCode sewn_build(Sewn *sewn, int vertex_count, int count, const SewnPair *pairs, Store *store,
                      Status *status) {
    *sewn = (Sewn){.knot = STORE_ARRAY(store, int, vertex_count),
                   .start = STORE_ARRAY(store, int, vertex_count + 1),
                   .beside = STORE_ARRAY(store, int, 4 * count)};
    uint8_t *used = SCRATCH_ARRAY(uint8_t, vertex_count);
    if (store->failed || !used) {
        free(used);
        return status_no_memory(status, "seams");
    }
    tie_knots(sewn, vertex_count, count, pairs);
    list_beside(sewn, vertex_count, count, pairs);
    for (int p = 0; p < count; ++p) {
        used[pairs[p].vertex] = used[pairs[p].others[0]] = 1;
        used[pairs[p].others[pairs[p].others[1] >= 0]] = 1;
    }
    for (int v = 0; v < vertex_count; ++v) {
        sewn->knot[v] = used[v] ? sewn->knot[v] : -1;
    }
    free(used);
    return STATUS_OK;
}

static bool is_beside(const Sewn *sewn, int a, int b) {
    bool found = a == b;
    for (int i = sewn->start[a]; i < sewn->start[a + 1] && !found; ++i) {
        found = sewn->beside[i] == b;
    }
    return found;
}

bool sewn_together(const Sewn *sewn, const int first[3], const int second[3]) {
    for (int i = 0; i < 3; ++i) {
        int a = sewn->knot[first[i]];
        for (int j = 0; j < 3 && a >= 0; ++j) {
            int b = sewn->knot[second[j]];
            if (b >= 0 && first[i] != second[j] && is_beside(sewn, a, b)) {
                return true;
            }
        }
    }
    return false;
}

static void put_edge(int (*edges)[2], int *count, int a, int b) {
    edges[*count][0] = a < b ? a : b;
    edges[*count][1] = a < b ? b : a;
    ++*count;
}

/* Are this triangle and the next the two of a quad? Triangles of a face follow each other. */
static bool begins_quad(const Mesh *mesh, int t) {
    const Triangle *triangle = mesh->triangles + t;
    return t + 1 < mesh->triangle_count && triangle[0].face == triangle[1].face &&
           (t == 0 || triangle[-1].face != triangle->face) &&
           (t + 2 == mesh->triangle_count || triangle[2].face != triangle->face);
}

/* The corner of a triangle, 0 to 2, that the other of its quad does not have. */
static int own_corner(const int *triangle, const int *other) {
    int k = 0;
    while (k < 2 &&
           (triangle[k] == other[0] || triangle[k] == other[1] || triangle[k] == other[2])) {
        ++k;
    }
    return k;
}

/* The quad of triangles t and t + 1, cut along its other diagonal. */
static void cut_otherwise(const Mesh *mesh, int t, int (*cut)[3]) {
    const int *first = mesh->triangles[t].vertices, *second = mesh->triangles[t + 1].vertices;
    int k = own_corner(first, second), l = own_corner(second, first);
    int a = first[k], p = first[(k + 1) % 3], q = first[(k + 2) % 3], b = second[l];
    cut[0][0] = a, cut[0][1] = p, cut[0][2] = b;
    cut[1][0] = b, cut[1][1] = q, cut[1][2] = a;
}

/* Triangles of the skin; `triangles` has room for twice the mesh's. Returns how many. */
static int collect_triangles(const Mesh *mesh, SkinCuts cuts, int (*triangles)[3]) {
    int count = mesh->triangle_count;
    for (int t = 0; t < mesh->triangle_count; ++t) {
        memcpy(triangles[t], mesh->triangles[t].vertices, sizeof *triangles);
        if (cuts == SKIN_BOTH_CUTS && begins_quad(mesh, t)) {
            cut_otherwise(mesh, t, triangles + count);
            count += 2;
        }
    }
    return count;
}

/* All sides and ropes into `edges`, each once. Returns how many, -1 without memory. */
static int collect_edges(const Mesh *mesh, int triangle_count, int (*triangles)[3],
                         int (*edges)[2]) {
    int count = 0, kept = 0;
    for (int t = 0; t < triangle_count; ++t) {
        const int *v = triangles[t];
        for (int k = 0; k < 3; ++k) {
            put_edge(edges, &count, v[k], v[(k + 1) % 3]);
        }
    }
    for (int e = 0; e < mesh->edge_count; ++e) {
        if (mesh->edges[e].kind == EDGE_ROPE) {
            put_edge(edges, &count, mesh->edges[e].a, mesh->edges[e].b);
        }
    }
    if (!sort_records(edges, (size_t)count, sizeof *edges, mesh->vertex_count, side_compare_ends)) {
        return -1;
    }
    for (int e = 0; e < count; ++e) {
        if (e == 0 || side_compare_ends(edges[e], edges[e - 1]) != 0) {
            edges[kept][0] = edges[e][0];
            edges[kept][1] = edges[e][1];
            ++kept;
        }
    }
    return kept;
}

static void label_components(Skin *skin) {
    for (int v = 0; v < skin->vertex_count; ++v) {
        skin->component[v] = v;
    }
    for (int e = 0; e < skin->edge_count; ++e) {
        components_join_first(skin->component, skin->edges[e][0], skin->edges[e][1]);
    }
    skin->component_count = components_number(skin->component, skin->vertex_count);
}

static void measure_edges(Skin *skin) {
    for (int v = skin->vertex_count; v-- > 0;) {
        skin->size[skin->component[v]].vertex = v;
    }
    for (int e = 0; e < skin->edge_count; ++e) {
        const int *edge = skin->edges[e];
        double own = vec3_distance(skin->rest[edge[0]], skin->rest[edge[1]]);
        skin->longest_edge = own > skin->longest_edge ? own : skin->longest_edge;
        skin->size[skin->component[edge[0]]].length += own;
        ++skin->size[skin->component[edge[0]]].edges;
    }
    skin->mean_edge = skin_mean_edge(skin, NULL);
}

double skin_mean_edge(const Skin *skin, const Subset *awake) {
    double length = 0;
    int edges = 0;
    for (int c = 0; c < skin->component_count; ++c) {
        if (subset_has(awake, skin->size[c].vertex)) {
            length += skin->size[c].length;
            edges += skin->size[c].edges;
        }
    }
    return edges > 0 ? length / edges : 0.0;
}

StatusCode skin_build(Skin *skin, const Mesh *mesh, SkinCuts cuts, Store *store, Status *status) {
    size_t most = (cuts == SKIN_BOTH_CUTS ? 2 : 1) * (size_t)mesh->triangle_count;
    int(*triangles)[3] = scratch_take(most, sizeof *triangles);
    int(*edges)[2] = scratch_take(3 * most + (size_t)mesh->rope_count, sizeof *edges);
    *skin = (Skin){.vertex_count = mesh->vertex_count,
                   .rest = mesh->rest,
                   .component = STORE_ARRAY(store, int, mesh->vertex_count)};
    bool failed = !triangles || !edges;
    if (!failed) {
        skin->triangle_count = collect_triangles(mesh, cuts, triangles);
        skin->edge_count = collect_edges(mesh, skin->triangle_count, triangles, edges);
        failed = skin->edge_count < 0;
    }
    if (!failed) {
        skin->triangles = store_take(store, (size_t)skin->triangle_count, sizeof *skin->triangles);
        skin->edges = store_take(store, (size_t)skin->edge_count, sizeof *skin->edges);
    }
    failed |= store->failed;
    if (!failed) {
        memcpy(skin->triangles, triangles, (size_t)skin->triangle_count * sizeof *triangles);
        memcpy(skin->edges, edges, (size_t)skin->edge_count * sizeof *edges);
        label_components(skin);
        skin->size = STORE_ARRAY(store, SkinSize, skin->component_count);
        failed = store->failed;
    }
    if (!failed) {
        measure_edges(skin);
    }
    free(triangles);
    free(edges);
    return failed ? status_no_memory(status, "the surface for contact") : STATUS_OK;
}

/* --- elements -------------------------------------------------------------------------------- */

static void own(Elements *elements, int e, int k) {
    Element *element = &elements->list[e];
    int *of_vertex = &elements->vertex_owner[element->vertices[k]];
    if (*of_vertex < 0) {
        *of_vertex = e;
        element->own_vertices |= (uint8_t)(1 << k);
    }
    if (element->edges[k] >= 0 && elements->edge_owner[element->edges[k]] < 0) {
        elements->edge_owner[element->edges[k]] = e;
        element->own_edges |= (uint8_t)(1 << k);
    }
}

/* Triangles first: what is left without an owner is rope. */
static void make_elements(Elements *elements, const Skin *skin) {
    for (int v = 0; v < skin->vertex_count; ++v) {
        elements->vertex_owner[v] = -1;
    }
    for (int e = 0; e < skin->edge_count; ++e) {
        elements->edge_owner[e] = -1;
    }
    for (int t = 0; t < skin->triangle_count; ++t) {
        const int *v = skin->triangles[t];
        Element *element = &elements->list[t];
        element->corners = 3;
        for (int k = 0; k < 3; ++k) {
            element->vertices[k] = v[k];
            element->edges[k] = skin_edge(skin, v[k], v[(k + 1) % 3]);
        }
        for (int k = 0; k < 3; ++k) {
            own(elements, t, k);
        }
    }
    elements->count = skin->triangle_count;
    for (int e = 0; e < skin->edge_count; ++e) {
        if (elements->edge_owner[e] < 0) {
            int rope = elements->count++;
            const int *v = skin->edges[e];
            elements->list[rope] =
                (Element){.vertices = {v[0], v[1], v[1]}, .edges = {e, -1, -1}, .corners = 2};
            own(elements, rope, 0);
            own(elements, rope, 1);
        }
    }
}

StatusCode elements_build(Elements *elements, const Skin *skin, Store *store, Status *status) {
    size_t most = (size_t)skin->triangle_count + (size_t)skin->edge_count;
    *elements = (Elements){.list = STORE_ARRAY(store, Element, most),
                           .vertex_owner = STORE_ARRAY(store, int, skin->vertex_count),
                           .edge_owner = STORE_ARRAY(store, int, skin->edge_count)};
    if (store->failed) {
        return status_no_memory(status, "the surface for contact");
    }
    make_elements(elements, skin);
    return STATUS_OK;
}

int skin_edge(const Skin *skin, int a, int b) {
    return side_find(skin->edges, skin->edge_count, a, b);
}

double skin_item_length(const SkinItem *item, const Vec3 *at) {
    double most = 0;
    for (int c = 0; c < item->corners; ++c) {
        double own = vec3_distance(at[item->v[c]], at[item->v[(c + 1) % item->corners]]);
        most = own > most ? own : most;
    }
    return most;
}
