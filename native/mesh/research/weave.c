/* Reading a grid: what goes straight on where, which family a side is of, and the walks along threads and strips.
 * Everything is found in the order of the mesh, so the same mesh always gives the same threads. */
#include "mesh/research/weave.h"

#include <string.h>

#include "mesh/adjacency.h"
#include "mesh/polygon.h"

/* As many as a word has bits. A grid takes two, ropes that are tied to it more. */
#define MOST_LAYERS 64

/* A quad of the mesh. Side c goes from corner c to the next. */
typedef struct Quad {
    int face, piece;
    int corners[4], sides[4]; /* vertices; mesh edges */
    int turn;                 /* side c is of family (c + turn) % 2; -1: not known yet */
    bool taken;               /* by a strip */
} Quad;

typedef struct Loom {
    const Mesh *mesh;
    Weave *weave;
    Quad *quads;
    int quad_count, piece_count;
    uint8_t *left_out; /* per face */
    int *quad_of;      /* per face; -1: none */
    int (*across)[2];  /* per edge: the quads beside it, -1: none */
    int *quad_sides;   /* per edge: how many there are */
    int (*onward)[2];  /* per edge and end: the edge that goes straight on there; -1: none */
    int *corner_start; /* per vertex, with one more: its edges of cloth and ropes in `corner` */
    int *corner;
    uint8_t *taken; /* per edge: by a thread */
    int *queue;     /* per quad */
    double *score;  /* per piece: by how much its family 0 is nearer to u than the other */
    Store store;    /* of all of these */
} Loom;

static StatusCode take_loom(Loom *loom, const PolygonMesh *polygons, Status *status) {
    int edges = loom->mesh->edge_count, faces = polygons->face_count;
    Store *store = &loom->store;
    loom->quads = STORE_ARRAY(store, Quad, faces);
    loom->quad_of = STORE_ARRAY(store, int, faces);
    loom->across = store_take(store, (size_t)edges, sizeof *loom->across);
    loom->quad_sides = STORE_ARRAY(store, int, edges);
    loom->onward = store_take(store, (size_t)edges, sizeof *loom->onward);
    loom->corner_start = STORE_ARRAY(store, int, loom->mesh->vertex_count + 1);
    loom->corner = STORE_ARRAY(store, int, 2 * edges);
    loom->taken = STORE_ARRAY(store, uint8_t, edges);
    loom->queue = STORE_ARRAY(store, int, faces);
    loom->score = STORE_ARRAY(store, double, faces);
    loom->left_out = STORE_ARRAY(store, uint8_t, faces);
    return store->failed ? status_no_memory(status, "threads") : STATUS_OK;
}

#define NO_GRID "threads need a grid of quads, but "

/* How often the whole mesh has what ends in a vertex: twice in the mirror plane, unless it lies there itself. */
static int times_there(const Mesh *mesh, int edge, int vertex) {
    const Edge *at = &mesh->edges[edge];
    return vertex >= mesh->plane_from && (at->a < mesh->plane_from || at->b < mesh->plane_from) ? 2
                                                                                                : 1;
}

static int far_end(const Mesh *mesh, int edge, int vertex) {
    return mesh->edges[edge].a == vertex ? mesh->edges[edge].b : mesh->edges[edge].a;
}

/* --- quads and what is beside their sides -------------------------------------------------------- */

static StatusCode add_quad(Loom *loom, int face, const int32_t *corners, Status *status) {
    Quad *quad = &loom->quads[loom->quad_count];
    *quad = (Quad){.face = face, .turn = -1};
    for (int c = 0; c < 4; ++c) {
        int a = corners[c], b = corners[(c + 1) % 4], edge = mesh_edge_between(loom->mesh, a, b);
        quad->corners[c] = a;
        quad->sides[c] = edge;
        if (loom->quad_sides[edge] == 2) {
            status_set(status, STATUS_ERROR_MESH,
                       NO_GRID "face %d is the third at the edge between vertices %d and %d", face,
                       a, b);
            return status_name_element(status, DETAIL_NO_GRID, ELEMENT_FACE, face);
        }
        loom->across[edge][loom->quad_sides[edge]++] = loom->quad_count;
    }
    loom->quad_of[face] = loom->quad_count++;
    return STATUS_OK;
}

static StatusCode read_quads(Loom *loom, const PolygonMesh *polygons, Status *status) {
    memset(loom->across, -1, (size_t)loom->mesh->edge_count * sizeof *loom->across);
    const int32_t *corners = polygons->face_vertices;
    for (int f = 0; f < polygons->face_count; corners += polygons->face_sizes[f++]) {
        loom->quad_of[f] = -1;
        if (loom->left_out[f]) {
            continue;
        }
        if (polygons->face_sizes[f] != 4) {
            status_set(status, STATUS_ERROR_MESH, NO_GRID "face %d has %d corners", f,
                       polygons->face_sizes[f]);
            return status_name_element(status, DETAIL_NO_GRID, ELEMENT_FACE, f);
        }
        if (add_quad(loom, f, corners, status) != STATUS_OK) {
            return status->code;
        }
    }
    return STATUS_OK;
}

/* --- what goes straight on ----------------------------------------------------------------------- */

static void list_corners(Loom *loom) {
    const Mesh *mesh = loom->mesh;
    int *start = loom->corner_start;
    for (int e = 0; e < mesh->edge_count; ++e) {
        bool listed = mesh->edges[e].kind != EDGE_SHEAR;
        start[mesh->edges[e].a + 1] += listed;
        start[mesh->edges[e].b + 1] += listed;
    }
    lists_begin(start, mesh->vertex_count);
    for (int e = 0; e < mesh->edge_count; ++e) {
        if (mesh->edges[e].kind != EDGE_SHEAR) {
            loom->corner[start[mesh->edges[e].a]++] = e;
            loom->corner[start[mesh->edges[e].b]++] = e;
        }
    }
    lists_rewind(start, mesh->vertex_count);
}

/* The other side of a quad that has `vertex` as an end. */
static int other_side(const Quad *quad, int edge, int vertex) {
    int c = 0;
    while (c < 3 && quad->corners[c] != vertex) {
        ++c;
    }
    int before = quad->sides[(c + 3) % 4];
    return before == edge ? quad->sides[c] : before;
}

/* Across a quad beside the edge, and across the next: the side that is opposite at the vertex; -1: there is none. */
static int opposite_by(const Loom *loom, int edge, int which, int vertex) {
    int first = loom->across[edge][which];
    if (first < 0) {
        return -1;
    }
    int between = other_side(&loom->quads[first], edge, vertex);
    int second = loom->across[between][loom->across[between][0] == first];
    return second < 0 ? -1 : other_side(&loom->quads[second], between, vertex);
}

static StatusCode refuse_vertex(int vertex, int faces, int sides, int rims, Status *status) {
    if (rims == 0) {
        status_set(status, STATUS_ERROR_MESH,
                   NO_GRID "vertex %d inside of the cloth has %d faces around it, not 4", vertex,
                   faces);
    } else if (rims > 2) {
        status_set(status, STATUS_ERROR_MESH,
                   NO_GRID "%d pieces of cloth meet in the single vertex %d", rims / 2, vertex);
    } else {
        status_set(status, STATUS_ERROR_MESH,
                   NO_GRID "vertex %d at the rim has %d faces and %d edges, of at most 3 and 4",
                   vertex, faces, sides);
    }
    return status_name_element(status, DETAIL_NO_GRID, ELEMENT_VERTEX, vertex);
}

/* How the sides of quads go on at a vertex. Inside of the cloth each has its opposite; at the rim some end. */
static StatusCode cross_vertex(Loom *loom, int vertex, Status *status) {
    const int *begin = loom->corner + loom->corner_start[vertex];
    const int *end = loom->corner + loom->corner_start[vertex + 1];
    int sides = 0, rims = 0, corners = 0;
    bool mirrored = vertex >= loom->mesh->plane_from;
    for (const int *e = begin; e < end; ++e) {
        int times = times_there(loom->mesh, *e, vertex);
        bool folded = mirrored && times == 1; /* in the plane: its quads are on both sides */
        sides += loom->quad_sides[*e] > 0 ? times : 0;
        rims += loom->quad_sides[*e] == 1 && !folded ? times : 0;
        corners += (mirrored ? 2 : 1) * loom->quad_sides[*e];
    }
    if (sides == 0) {
        return STATUS_OK;
    }
    bool inside = rims == 0;
    bool fits = inside ? sides == 4 : rims == 2 && sides <= 4;
    for (const int *e = begin; fits && e < end; ++e) {
        if (loom->quad_sides[*e] == 0) {
            continue;
        }
        int one = opposite_by(loom, *e, 0, vertex), two = opposite_by(loom, *e, 1, vertex);
        fits = one != *e && two != *e && (!inside || mirrored || one == two);
        loom->onward[*e][loom->mesh->edges[*e].b == vertex] = one >= 0 ? one : two;
    }
    return fits ? STATUS_OK : refuse_vertex(vertex, corners / 2, sides, rims, status);
}

/* Ropes go on where two loose edges meet; a single one in the mirror plane as its own image, see crosses_at(). */
static void cross_ropes(Loom *loom, int vertex) {
    int ropes[2], count = 0, whole = 0;
    for (int p = loom->corner_start[vertex]; p < loom->corner_start[vertex + 1]; ++p) {
        int e = loom->corner[p];
        if (loom->mesh->edges[e].kind == EDGE_ROPE) {
            ropes[count < 2 ? count : 0] = e;
            whole += times_there(loom->mesh, e, vertex);
            ++count;
        }
    }
    for (int k = 0; k < 2 && count == 2 && whole == 2; ++k) {
        loom->onward[ropes[k]][loom->mesh->edges[ropes[k]].b == vertex] = ropes[1 - k];
    }
}

/* --- families ------------------------------------------------------------------------------------- */

static int side_of(const Quad *quad, int edge) {
    int c = 0;
    while (quad->sides[c] != edge) {
        ++c;
    }
    return c;
}

/* Spreads the families of one quad over its piece. */
static StatusCode spread_families(Loom *loom, int from, Status *status) {
    int head = 0, tail = 0;
    loom->quads[from].turn = 0;
    loom->queue[tail++] = from;
    while (head < tail) {
        Quad *quad = &loom->quads[loom->queue[head]];
        quad->piece = loom->piece_count;
        for (int c = 0; c < 4; ++c) {
            const int *pair = loom->across[quad->sides[c]];
            int next = pair[pair[0] == loom->queue[head]];
            if (next < 0) {
                continue;
            }
            Quad *other = &loom->quads[next];
            int turn = (c + quad->turn + side_of(other, quad->sides[c])) % 2;
            if (other->turn >= 0 && other->turn != turn) {
                status_set(status, STATUS_ERROR_MESH,
                           NO_GRID "going around, warp becomes weft at face %d", other->face);
                return status_name_element(status, DETAIL_NO_GRID, ELEMENT_FACE, other->face);
            }
            if (other->turn < 0) {
                other->turn = turn;
                loom->queue[tail++] = next;
            }
        }
        ++head;
    }
    ++loom->piece_count;
    return STATUS_OK;
}

/* The family that lies nearer to the material's u becomes family 0, the warp. */
static void choose_warp(Loom *loom) {
    const Mesh *mesh = loom->mesh;
    for (int t = 0; t < mesh->triangle_count; ++t) {
        const Triangle *triangle = &mesh->triangles[t];
        const Quad *quad = &loom->quads[loom->quad_of[triangle->face]];
        for (int c = 0; c < 3; ++c) {
            int d = (c + 1) % 3;
            int edge = mesh_edge_between(mesh, triangle->vertices[c], triangle->vertices[d]);
            double du = triangle->material[d][0] - triangle->material[c][0];
            double dv = triangle->material[d][1] - triangle->material[c][1];
            double square = du * du + dv * dv;
            for (int s = 0; s < 4 && square > 0; ++s) {
                if (quad->sides[s] == edge) {
                    double sign = (s + quad->turn) % 2 == 0 ? 1.0 : -1.0;
                    loom->score[quad->piece] += sign * (du * du - dv * dv) / square;
                }
            }
        }
    }
    for (int q = 0; q < loom->quad_count; ++q) {
        loom->quads[q].turn ^= loom->score[loom->quads[q].piece] < 0;
    }
}

/* --- walks ---------------------------------------------------------------------------------------- */

static ThreadKind kind_of(const Loom *loom, int edge) {
    if (loom->mesh->edges[edge].kind == EDGE_ROPE) {
        return THREAD_ROPE;
    }
    const Quad *quad = &loom->quads[loom->across[edge][0]];
    return (side_of(quad, edge) + quad->turn) % 2 == 0 ? THREAD_WARP : THREAD_WEFT;
}

/* Whether a thread goes on beyond the vertex where it ends as its own image: in half a mesh, where it ends in the mirror
 * plane. A rope must be the only one there; cross_vertex() has checked cloth. */
static bool crosses_at(const Loom *loom, int edge, int vertex) {
    const Mesh *mesh = loom->mesh;
    int ropes = 0;
    for (int p = loom->corner_start[vertex]; p < loom->corner_start[vertex + 1]; ++p) {
        ropes += mesh->edges[loom->corner[p]].kind == EDGE_ROPE;
    }
    return times_there(mesh, edge, vertex) == 2 &&
           (mesh->edges[edge].kind != EDGE_ROPE || ropes == 1);
}

/* Lays the thread that the edge is part of at the end of the list. */
static void lay_thread(Loom *loom, int edge, int *filled) {
    const Mesh *mesh = loom->mesh;
    Weave *weave = loom->weave;
    Thread thread = {.kind = kind_of(loom, edge), .first = *filled};
    int vertex = mesh->edges[edge].a, first = edge, back = loom->onward[edge][0];
    while (back >= 0 && back != edge) { /* to where it begins, or once around */
        first = back;
        vertex = far_end(mesh, first, vertex);
        back = loom->onward[first][mesh->edges[first].b == vertex];
    }
    thread.closed = back == edge;
    first = thread.closed ? edge : first;
    vertex = thread.closed ? mesh->edges[edge].a : vertex;
    thread.crosses[0] = !thread.closed && crosses_at(loom, first, vertex);
    int next = first;
    do {
        weave->vertices[*filled] = vertex;
        weave->edges[(*filled)++] = next;
        loom->taken[next] = 1;
        vertex = far_end(mesh, next, vertex);
        next = loom->onward[next][mesh->edges[next].b == vertex];
    } while (next >= 0 && next != first);
    if (!thread.closed) {
        thread.crosses[1] = crosses_at(loom, weave->edges[*filled - 1], vertex);
        weave->vertices[*filled] = vertex;
        weave->edges[(*filled)++] = -1;
    }
    thread.count = *filled - thread.first;
    weave->threads[weave->thread_count++] = thread;
}

static void lay_threads(Loom *loom) {
    int filled = 0;
    for (int kind = THREAD_WARP; kind <= THREAD_ROPE; ++kind) {
        for (int e = 0; e < loom->mesh->edge_count; ++e) {
            bool free_edge = !loom->taken[e] && loom->mesh->edges[e].kind != EDGE_SHEAR &&
                             (loom->quad_sides[e] > 0 || loom->mesh->edges[e].kind == EDGE_ROPE);
            if (free_edge && (int)kind_of(loom, e) == kind) {
                lay_thread(loom, e, &filled);
            }
        }
    }
}

static double squared_rest(const Mesh *mesh, int a, int b) {
    double length = mesh->edges[mesh_edge_between(mesh, a, b)].rest_length;
    return length * length;
}

/* The mean sides u and v of a quad have p = u + v and q = u - v as diagonals, and its sides differ from them by the same
 * w: so all products follow from squared lengths, in the pattern as in space. */
static void measure_cell(const Mesh *mesh, WeaveCell *cell) {
    const int *v = cell->vertices;
    double p = squared_rest(mesh, v[0], v[2]), q = squared_rest(mesh, v[1], v[3]);
    double along = squared_rest(mesh, v[0], v[1]) + squared_rest(mesh, v[3], v[2]);
    double across = squared_rest(mesh, v[0], v[3]) + squared_rest(mesh, v[1], v[2]);
    double sum = 0.5 * (p + q), difference = 0.5 * (along - across);
    cell->metric[0] = 0.5 * (sum + difference);
    cell->metric[1] = 0.25 * (p - q);
    cell->metric[2] = 0.5 * (sum - difference);
}

/* A quad whose weft side `enter` is where the strip comes from, that side from vertex 0 to 3. */
static WeaveCell turned_cell(const Quad *quad, int enter, int from) {
    int c = side_of(quad, enter);
    int step = quad->corners[c] == from ? 3 : 1, at = quad->corners[c] == from ? c : (c + 1) % 4;
    WeaveCell cell = {.face = quad->face};
    for (int k = 0; k < 4; ++k, at = (at + step) % 4) {
        cell.vertices[k] = quad->corners[at];
    }
    return cell;
}

/* The quad beyond a side, or -1. */
static int beyond(const Loom *loom, int quad, int edge) {
    const int *pair = loom->across[edge];
    return pair[pair[0] == quad];
}

static int weft_side(const Quad *quad, int which) { return 2 * which + (quad->turn == 0); }

/* The cells of the strip that a quad is part of, one beside the other along their u. */
static void lay_strip(Loom *loom, int quad) {
    Weave *weave = loom->weave;
    int enter = loom->quads[quad].sides[weft_side(&loom->quads[quad], 0)], first = quad;
    for (int before = beyond(loom, first, enter); before >= 0 && before != quad;
         before = beyond(loom, first, enter)) {
        enter = loom->quads[before].sides[(side_of(&loom->quads[before], enter) + 2) % 4];
        first = before;
    }
    int at = first, from = loom->mesh->edges[enter].a;
    while (at >= 0 && !loom->quads[at].taken) {
        Quad *now = &loom->quads[at];
        WeaveCell *cell = &weave->cells[weave->cell_count++];
        now->taken = true;
        *cell = turned_cell(now, enter, from);
        measure_cell(loom->mesh, cell);
        from = cell->vertices[1];
        enter = now->sides[(side_of(now, enter) + 2) % 4];
        at = beyond(loom, at, enter);
    }
}

static void share_areas(Loom *loom) {
    Weave *weave = loom->weave;
    const Mesh *mesh = loom->mesh;
    double *area = loom->score; /* per quad now */
    memset(area, 0, (size_t)loom->quad_count * sizeof *area);
    for (int t = 0; t < mesh->triangle_count; ++t) {
        area[loom->quad_of[mesh->triangles[t].face]] += mesh->triangles[t].area;
    }
    for (int c = 0; c < weave->cell_count; ++c) {
        WeaveCell *cell = &weave->cells[c];
        cell->area = area[loom->quad_of[cell->face]];
        for (int k = 0; k < 4; ++k) {
            weave->area[cell->vertices[k]] += 0.25 * cell->area;
        }
    }
}

/* --- layers --------------------------------------------------------------------------------------- */

/* Bits of the layers that a thread's vertices are in; with `add`, they are in that one, too. */
static uint64_t thread_mask(const Weave *weave, int t, uint64_t add, uint64_t *used) {
    const Thread *thread = &weave->threads[t];
    uint64_t mask = 0;
    for (int k = 0; k < thread->count; ++k) {
        mask |= used[weave->vertices[thread->first + k]] |= add;
    }
    return mask;
}

/* Says that a thread finds no layer, and in which of its vertices most others are. */
static StatusCode refuse_thread(const Weave *weave, int t, const uint64_t *used, Status *status) {
    const int *vertices = &weave->vertices[weave->threads[t].first];
    int worst = vertices[0];
    for (int k = 1; k < weave->threads[t].count; ++k) {
        worst = __builtin_popcountll(used[vertices[k]]) > __builtin_popcountll(used[worst])
                    ? vertices[k]
                    : worst;
    }
    status_set(status, STATUS_ERROR_MESH,
               "threads need more than %d layers: at least %d of them meet in vertex %d",
               MOST_LAYERS, __builtin_popcountll(used[worst]) + 1, worst);
    return status_name_element(status, DETAIL_NO_GRID, ELEMENT_VERTEX, worst);
}

/* Gives each thread the first layer that none of its vertices is in. */
static StatusCode find_layers(const Weave *weave, uint64_t *used, int *layer, Layers *layers,
                              Status *status) {
    for (int t = 0; t < weave->thread_count; ++t) {
        uint64_t taken = thread_mask(weave, t, 0, used);
        layer[t] = 0;
        while (layer[t] < MOST_LAYERS && taken >> layer[t] & 1) {
            ++layer[t];
        }
        if (layer[t] == MOST_LAYERS) {
            return refuse_thread(weave, t, used, status);
        }
        thread_mask(weave, t, (uint64_t)1 << layer[t], used);
        layers->count = layer[t] + 1 > layers->count ? layer[t] + 1 : layers->count;
    }
    return STATUS_OK;
}

static StatusCode make_layers(Loom *loom, Status *status) {
    Weave *weave = loom->weave;
    int threads = weave->thread_count;
    uint64_t *used = STORE_ARRAY(&loom->store, uint64_t, loom->mesh->vertex_count);
    int *layer = STORE_ARRAY(&loom->store, int, threads);
    int *order = STORE_ARRAY(&loom->store, int, threads);
    Thread *unsorted = STORE_ARRAY(&loom->store, Thread, threads);
    Layers *layers = &weave->thread_layers;
    if (loom->store.failed) {
        return status_no_memory(status, "layers of threads");
    }
    StatusCode code = find_layers(weave, used, layer, layers, status);
    if (code != STATUS_OK) {
        return code;
    }
    lists_group(layers->start, layers->count, layer, threads, order);
    memcpy(unsorted, weave->threads, (size_t)threads * sizeof *unsorted);
    for (int t = 0; t < threads; ++t) {
        weave->threads[t] = unsorted[order[t]];
    }
    return STATUS_OK;
}

/* --- all of it ------------------------------------------------------------------------------------ */

static StatusCode take_weave(Loom *loom, Store *store, Status *status) {
    Weave *weave = loom->weave;
    int edges = loom->mesh->edge_count, quads = loom->quad_count;
    weave->threads = STORE_ARRAY(store, Thread, edges);
    weave->vertices = STORE_ARRAY(store, int, 2 * edges);
    weave->edges = STORE_ARRAY(store, int, 2 * edges);
    weave->cells = STORE_ARRAY(store, WeaveCell, quads);
    weave->thread_layers.start = STORE_ARRAY(store, int, MOST_LAYERS + 1);
    weave->area = STORE_ARRAY(store, double, loom->mesh->vertex_count);
    return store->failed ? status_no_memory(status, "threads") : STATUS_OK;
}

static StatusCode read_grid(Loom *loom, const PolygonMesh *polygons, Status *status) {
    if (read_quads(loom, polygons, status) != STATUS_OK) {
        return status->code;
    }
    list_corners(loom);
    memset(loom->onward, -1, (size_t)loom->mesh->edge_count * sizeof *loom->onward);
    for (int v = 0; v < loom->mesh->vertex_count; ++v) {
        if (cross_vertex(loom, v, status) != STATUS_OK) {
            return status->code;
        }
        cross_ropes(loom, v);
    }
    for (int q = 0; q < loom->quad_count; ++q) {
        if (loom->quads[q].turn < 0 && spread_families(loom, q, status) != STATUS_OK) {
            return status->code;
        }
    }
    choose_warp(loom);
    return STATUS_OK;
}

StatusCode weave_build(const PolygonMesh *polygons, const Mesh *mesh, Store *store, Weave *weave,
                       Status *status) {
    *weave = (Weave){0};
    Loom loom = {.mesh = mesh, .weave = weave};
    status_clear(status);
    StatusCode code = take_loom(&loom, polygons, status);
    if (code == STATUS_OK && !check_faces_left_out(polygons, loom.left_out)) {
        code = status_no_memory(status, "faces");
    }
    code = code ? code : read_grid(&loom, polygons, status);
    code = code ? code : take_weave(&loom, store, status);
    if (code == STATUS_OK) {
        lay_threads(&loom);
        for (int q = 0; q < loom.quad_count; ++q) {
            if (!loom.quads[q].taken) {
                lay_strip(&loom, q);
            }
        }
        share_areas(&loom);
        code = make_layers(&loom, status);
    }
    store_release(&loom.store);
    return code;
}
