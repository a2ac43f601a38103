/* Rings and wings are laid out by counting, so that building is linear and the order is that of the mesh. */
#include "contact/self/links.h"

#include <stdlib.h>

static void own(Links *links, int e, int k) {
    Element *element = &links->elements[e];
    int *of_vertex = &links->vertex_owner[element->vertices[k]];
    if (*of_vertex < 0) {
        *of_vertex = e;
        element->own_vertices |= (uint8_t)(1 << k);
    }
    if (element->edges[k] >= 0 && links->edge_owner[element->edges[k]] < 0) {
        links->edge_owner[element->edges[k]] = e;
        element->own_edges |= (uint8_t)(1 << k);
    }
}

/* Triangles first: what is left without an owner is rope. */
static void make_elements(Links *links, const Skin *skin) {
    for (int v = 0; v < skin->vertex_count; ++v) {
        links->vertex_owner[v] = -1;
    }
    for (int e = 0; e < skin->edge_count; ++e) {
        links->edge_owner[e] = -1;
    }
    for (int t = 0; t < skin->triangle_count; ++t) {
        const int *v = skin->triangles[t];
        Element *element = &links->elements[t];
        for (int k = 0; k < 3; ++k) {
            element->vertices[k] = v[k];
            element->edges[k] = skin_edge(skin, v[k], v[(k + 1) % 3]);
        }
        for (int k = 0; k < 3; ++k) {
            own(links, t, k);
        }
    }
    links->element_count = skin->triangle_count;
    for (int e = 0; e < skin->edge_count; ++e) {
        if (links->edge_owner[e] < 0) {
            int rope = links->element_count++;
            links->elements[rope] = (Element){
                .vertices = {skin->edges[e][0], skin->edges[e][1], -1}, .edges = {e, -1, -1}};
            own(links, rope, 0);
            own(links, rope, 1);
        }
    }
}

/* Turns counts into starts; entries are then put in from the back of each range. */
static void sum_up(int *start, int count) {
    for (int i = 1; i <= count; ++i) {
        start[i] += start[i - 1];
    }
}

static void make_wings(Links *links, const Skin *skin) {
    for (int t = 0; t < skin->triangle_count; ++t) {
        for (int k = 0; k < 3; ++k) {
            ++links->wing_start[links->elements[t].edges[k]];
        }
    }
    sum_up(links->wing_start, skin->edge_count);
    for (int t = skin->triangle_count; t-- > 0;) {
        const Element *element = &links->elements[t];
        for (int k = 0; k < 3; ++k) {
            links->wings[--links->wing_start[element->edges[k]]] = element->vertices[(k + 2) % 3];
        }
    }
}

static void make_rings(Links *links, const Skin *skin) {
    for (int e = 0; e < skin->edge_count; ++e) {
        ++links->ring_start[skin->edges[e][0]];
        ++links->ring_start[skin->edges[e][1]];
    }
    sum_up(links->ring_start, skin->vertex_count);
    for (int e = skin->edge_count; e-- > 0;) {
        int a = skin->edges[e][0], b = skin->edges[e][1];
        links->ring[--links->ring_start[a]] = b;
        links->ring[--links->ring_start[b]] = a;
        links->ring_edges[links->ring_start[a]] = links->ring_edges[links->ring_start[b]] = e;
    }
}

StatusCode links_build(Links *links, const Skin *skin, Store *store, Status *status) {
    size_t vertices = (size_t)skin->vertex_count, edges = (size_t)skin->edge_count;
    size_t triangles = (size_t)skin->triangle_count;
    *links = (Links){.elements = STORE_ARRAY(store, Element, triangles + edges),
                     .vertex_owner = STORE_ARRAY(store, int, vertices),
                     .edge_owner = STORE_ARRAY(store, int, edges),
                     .wing_start = STORE_ARRAY(store, int, edges + 1),
                     .wings = STORE_ARRAY(store, int, 3 * triangles),
                     .ring_start = STORE_ARRAY(store, int, vertices + 1),
                     .ring = STORE_ARRAY(store, int, 2 * edges),
                     .ring_edges = STORE_ARRAY(store, int, 2 * edges)};
    if (store->failed) {
        return status_no_memory(status, "the neighbours on the surface");
    }
    make_elements(links, skin);
    make_wings(links, skin);
    make_rings(links, skin);
    return STATUS_OK;
}
