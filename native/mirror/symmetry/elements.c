/* Faces are compared as sorted sets of vertices; cuts as well, since one diagonal that differs makes two different
 * cloths. */
#include "mirror/symmetry/elements.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "mesh/polygon.h"

/* A face, or behind the last face a loose edge. */
typedef struct Element {
    const int32_t *set; /* its vertices, ascending */
    int size, index;
} Element;

typedef struct Matching {
    const PolygonMesh *mesh;
    const int32_t *partners;
    int largest;     /* corners of a face */
    int *first;      /* per face: its first corner */
    int32_t *sets;   /* vertices of all elements, ascending within each */
    Element *sorted; /* what is simulated, by size and vertices */
    int count;
    int32_t *image;    /* room for one element */
    Vec3 *points;      /* room for one face */
    int *ring;         /* likewise */
    int (*cuts[2])[3]; /* likewise, of two faces: vertices of triangles, ascending */
    uint8_t *face_left_out;
} Matching;

static int compare_vertices(const void *left, const void *right) {
    int32_t p = *(const int32_t *)left, q = *(const int32_t *)right;
    return (p > q) - (p < q);
}

static int compare_sets(const Element *p, const Element *q) {
    if (p->size != q->size) {
        return p->size < q->size ? -1 : 1;
    }
    for (int c = 0; c < p->size; ++c) {
        if (p->set[c] != q->set[c]) {
            return p->set[c] < q->set[c] ? -1 : 1;
        }
    }
    return 0;
}

static int compare_elements(const void *left, const void *right) {
    const Element *p = left, *q = right;
    int order = compare_sets(p, q);
    return order ? order : (p->index > q->index) - (p->index < q->index);
}

static int compare_triples(const void *left, const void *right) {
    const int *p = left, *q = right;
    for (int c = 0; c < 3; ++c) {
        if (p[c] != q[c]) {
            return p[c] < q[c] ? -1 : 1;
        }
    }
    return 0;
}

/* --- the list --------------------------------------------------------------------------------- */

static void add_element(Matching *matching, int32_t *set, const int32_t *vertices, int size,
                        int index) {
    memcpy(set, vertices, (size_t)size * sizeof *set);
    qsort(set, (size_t)size, sizeof *set, compare_vertices);
    matching->sorted[matching->count++] = (Element){set, size, index};
}

static void list_elements(Matching *matching) {
    const PolygonMesh *mesh = matching->mesh;
    int corner = 0;
    for (int f = 0; f < mesh->face_count; ++f) {
        int size = mesh->face_sizes[f];
        matching->first[f] = corner;
        if (!matching->face_left_out[f]) {
            add_element(matching, matching->sets + corner, mesh->face_vertices + corner, size, f);
        }
        corner += size;
    }
    for (int e = 0; e < mesh->edge_count; ++e, corner += 2) {
        const int32_t *edge = mesh->edges + 2 * (int64_t)e;
        if (edge[0] != edge[1]) {
            add_element(matching, matching->sets + corner, edge, 2, mesh->face_count + e);
        }
    }
    qsort(matching->sorted, (size_t)matching->count, sizeof *matching->sorted, compare_elements);
}

/* The index of the element with these vertices, ascending, or -1. */
static int find_element(const Matching *matching, const int32_t *set, int size) {
    Element wanted = {set, size, 0};
    int begin = 0, end = matching->count;
    while (begin < end) {
        int middle = begin + (end - begin) / 2;
        if (compare_sets(&matching->sorted[middle], &wanted) < 0) {
            begin = middle + 1;
        } else {
            end = middle;
        }
    }
    bool found = begin < matching->count && compare_sets(&matching->sorted[begin], &wanted) == 0;
    return found ? matching->sorted[begin].index : -1;
}

/* --- images ----------------------------------------------------------------------------------- */

/* Does the image of face f run around the same corners in the same order as face g, either way? */
static int rings_agree(const Matching *matching, int f, int g) {
    const int32_t *from = matching->mesh->face_vertices + matching->first[f];
    const int32_t *to = matching->mesh->face_vertices + matching->first[g];
    int size = matching->mesh->face_sizes[f], start = 0;
    while (to[start] != matching->partners[from[0]]) {
        ++start; /* it is there: the vertices are the same */
    }
    int forward = 1, backward = 1;
    for (int c = 0; c < size; ++c) {
        int32_t image = matching->partners[from[c]];
        forward &= to[(start + c) % size] == image;
        backward &= to[(start + size - c) % size] == image;
    }
    return forward || backward;
}

static int image_of(const Matching *matching, const Element *element) {
    for (int c = 0; c < element->size; ++c) {
        matching->image[c] = matching->partners[element->set[c]];
        if (matching->image[c] < 0) {
            return -1;
        }
    }
    qsort(matching->image, (size_t)element->size, sizeof *matching->image, compare_vertices);
    int found = find_element(matching, matching->image, element->size);
    bool is_face = element->index < matching->mesh->face_count;
    return found >= 0 && is_face && !rings_agree(matching, element->index, found) ? -1 : found;
}

/* --- cuts ------------------------------------------------------------------------------------- */

/* The triangles of a face as mesh_build() cuts it, of its vertices or of their partners. */
static void cut_face(const Matching *matching, int f, int mirrored, Vec3 centre, int (*cut)[3]) {
    const int32_t *vertices = matching->mesh->face_vertices + matching->first[f];
    int size = matching->mesh->face_sizes[f];
    for (int c = 0; c < size; ++c) {
        matching->points[c] = polygon_position(matching->mesh, vertices[c]);
    }
    polygon_cut(matching->points, size, centre, matching->ring, cut);
    for (int t = 0; t < size - 2; ++t) {
        for (int c = 0; c < 3; ++c) {
            int v = vertices[cut[t][c]];
            cut[t][c] = mirrored ? matching->partners[v] : v;
        }
        qsort(cut[t], 3, sizeof cut[t][0], compare_vertices);
    }
    qsort(cut, (size_t)(size - 2), sizeof *cut, compare_triples);
}

static void compare_cuts(const Matching *matching, const int32_t *face_partners,
                         ElementReport *report) {
    Vec3 centre = polygon_centre(matching->mesh);
    for (int f = 0; f < matching->mesh->face_count; ++f) {
        int g = face_partners[f], size = matching->mesh->face_sizes[f];
        if (g < f || size == 3) {
            continue; /* without image, or seen from the other side */
        }
        cut_face(matching, f, 1, centre, matching->cuts[0]);
        cut_face(matching, g, 0, centre, matching->cuts[1]);
        size_t bytes = (size_t)(size - 2) * sizeof *matching->cuts[0];
        if (memcmp(matching->cuts[0], matching->cuts[1], bytes) != 0) {
            report->differing_cuts += f == g ? 1 : 2;
            report->crossing_cuts += f == g;
            report->first_cut = report->first_cut < 0 ? f : report->first_cut;
        }
    }
}

/* --- all of it -------------------------------------------------------------------------------- */

static int take_memory(Matching *matching, Store *store) {
    const PolygonMesh *mesh = matching->mesh;
    int64_t corners = 2 * (int64_t)mesh->edge_count;
    int largest = 2;
    for (int f = 0; f < mesh->face_count; ++f) {
        corners += mesh->face_sizes[f];
        largest = mesh->face_sizes[f] > largest ? mesh->face_sizes[f] : largest;
    }
    matching->first = STORE_ARRAY(store, int, mesh->face_count);
    matching->sets = STORE_ARRAY(store, int32_t, corners);
    matching->sorted = STORE_ARRAY(store, Element, mesh->face_count + (int64_t)mesh->edge_count);
    matching->image = STORE_ARRAY(store, int32_t, largest);
    matching->points = STORE_ARRAY(store, Vec3, largest);
    matching->ring = STORE_ARRAY(store, int, largest);
    matching->cuts[0] = store_take(store, (size_t)largest, sizeof *matching->cuts[0]);
    matching->cuts[1] = store_take(store, (size_t)largest, sizeof *matching->cuts[1]);
    matching->face_left_out = STORE_ARRAY(store, uint8_t, mesh->face_count);
    return store->failed ? -1 : check_faces_left_out(mesh, matching->face_left_out);
}

StatusCode match_elements(const PolygonMesh *mesh, const int32_t *partners, int32_t *face_partners,
                          ElementReport *report, Status *status) {
    Store store = {0};
    Matching matching = {.mesh = mesh, .partners = partners};
    memset(report, 0, sizeof *report);
    report->first_cut = -1;
    bool failed = take_memory(&matching, &store) != 0;
    if (!failed) {
        list_elements(&matching);
        for (int f = 0; f < mesh->face_count; ++f) {
            face_partners[f] = FACE_LEFT_OUT;
        }
        for (int e = 0; e < matching.count; ++e) {
            const Element *element = &matching.sorted[e];
            int image = image_of(&matching, element), is_face = element->index < mesh->face_count;
            if (is_face) {
                face_partners[element->index] = image;
            }
            report->faces_without += is_face && image < 0;
            report->edges_without += !is_face && image < 0;
        }
        compare_cuts(&matching, face_partners, report);
    }
    store_release(&store);
    return failed ? status_no_memory(status, "matching faces") : STATUS_OK;
}
