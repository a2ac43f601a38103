/* Builds an inspection and runs its searches in order; the faults are decided at the end. */
#include "inspection/inspection.h"

#include <stdlib.h>
#include <string.h>

#include "contact/body/collider.h"
#include "inspection/inspected.h"

/* Lengths that mean nothing, of the largest coordinate: some roundings of float32. */
#define TOLERANCE 0x1p-20

/* --- building --------------------------------------------------------------------------------- */

static double area_of(const Mesh *mesh) {
    double area = 0;
    for (int t = 0; t < mesh->triangle_count; ++t) {
        area += mesh->triangles[t].area;
    }
    return area;
}

static StatusCode allocate_arrays(Inspection *inspection, Status *status) {
    const Mesh *mesh = &inspection->mesh;
    Store *store = &inspection->store;
    inspection->x = STORE_ARRAY(store, Vec3, mesh->vertex_count);
    inspection->near = STORE_ARRAY(store, Nearness, mesh->vertex_count);
    inspection->ratios = STORE_ARRAY(store, double, mesh->edge_count);
    inspection->triangles =
        store_take(store, (size_t)mesh->triangle_count, sizeof *inspection->triangles);
    if (store->failed) {
        return status_no_memory(status, "an inspection");
    }
    memcpy(inspection->x, mesh->rest, (size_t)mesh->vertex_count * sizeof *inspection->x);
    for (int t = 0; t < mesh->triangle_count; ++t) {
        memcpy(inspection->triangles[t], mesh->triangles[t].vertices,
               sizeof *inspection->triangles);
    }
    const int(*triangles)[3] = (const int(*)[3])inspection->triangles;
    inspection->size = sqrt(area_of(mesh));
    StatusCode code =
        inspected_surface_build(&inspection->surface, mesh->vertex_count, mesh->triangle_count,
                                triangles, inspection->x, store, status);
    return code < 0 ? code
                    : openings_build(&inspection->openings, &inspection->surface, store, status);
}

Inspection *inspection_create(const PolygonMesh *polygons, const MeshOptions *options,
                              Status *status) {
    Inspection *inspection = calloc(1, sizeof *inspection);
    if (!inspection) {
        status_no_memory(status, "an inspection");
        return NULL;
    }
    Status reported = {0}; /* its warnings were given when the cloth was made */
    if (mesh_build(polygons, MESH_WHOLE, options, &inspection->store, &inspection->mesh,
                   &reported) < 0 ||
        allocate_arrays(inspection, &reported) < 0) {
        *status = reported;
        inspection_destroy(inspection);
        return NULL;
    }
    return inspection;
}

static void free_body(InspectedBody *body) {
    store_release(&body->store);
    crossings_free(&body->cloth_edges);
    crossings_free(&body->body_edges);
    *body = (InspectedBody){0};
}

void inspection_destroy(Inspection *inspection) {
    if (!inspection) {
        return;
    }
    for (int b = 0; b < inspection->body_count; ++b) {
        free_body(&inspection->bodies[b]);
    }
    free(inspection->bodies);
    crossings_free(&inspection->self);
    store_release(&inspection->store);
    free(inspection);
}

/* --- bodies ----------------------------------------------------------------------------------- */

static StatusCode build_body(const Inspection *inspection, InspectedBody *body,
                             const PolygonMesh *polygons, Status *status) {
    BodyMesh mesh;
    Store *store = &body->store;
    if (body_mesh_read(polygons, &mesh, status) < 0) {
        return status->code;
    }
    ColliderDefinition definition = {.vertex_count = polygons->vertex_count,
                                     .triangle_count = mesh.triangle_count,
                                     .positions = mesh.positions,
                                     .triangles = mesh.triangles};
    Collider *collider = &body->collider;
    StatusCode code = collider_build(collider, &definition, store, status);
    body_mesh_free(&mesh);
    body->place = STORE_ARRAY(store, Vec3, collider->vertex_count);
    body->guess = STORE_ARRAY(store, int, inspection->mesh.vertex_count);
    body->island = STORE_ARRAY(store, int, collider->vertex_count);
    body->island_area = STORE_ARRAY(store, double, collider->vertex_count);
    body->island_vector = STORE_ARRAY(store, Vec3, collider->vertex_count);
    body->largest = STORE_ARRAY(store, int, collider->part_count);
    if (code < 0 || store->failed) {
        return code < 0 ? code : status_no_memory(status, "a body to inspect");
    }
    for (int v = 0; v < inspection->mesh.vertex_count; ++v) {
        body->guess[v] = -1;
    }
    for (int p = 0; p < collider->part_count; ++p) {
        body->solid |= collider->parts[p].solid;
    }
    return inspected_surface_build(&body->surface, collider->vertex_count, collider->triangle_count,
                                   (const int(*)[3])collider->corners, body->place, store, status);
}

StatusCode inspection_set_body(Inspection *inspection, int number, const PolygonMesh *polygons,
                               Status *status) {
    if (number >= inspection->body_count) {
        bool failed = false;
        inspection->bodies = scratch_grow(inspection->bodies, (size_t)number + 1,
                                          sizeof *inspection->bodies, &failed);
        if (failed) {
            return status_no_memory(status, "a body to inspect");
        }
        for (; inspection->body_count <= number; ++inspection->body_count) {
            inspection->bodies[inspection->body_count] = (InspectedBody){0};
        }
    }
    InspectedBody *body = &inspection->bodies[number];
    free_body(body);
    StatusCode code = build_body(inspection, body, polygons, status);
    body->present = code >= 0;
    if (code < 0) {
        free_body(body);
    } else {
        inspection_place_body(inspection, number, polygons->positions);
    }
    return code;
}

void inspection_set_seams(Inspection *inspection, const Sewn *sewn) { inspection->sewn = sewn; }

void inspection_remove_body(Inspection *inspection, int number) {
    if (number < inspection->body_count) {
        free_body(&inspection->bodies[number]);
    }
}

void inspection_place_body(Inspection *inspection, int number, const float *positions) {
    InspectedBody *body = &inspection->bodies[number];
    for (int v = 0; v < body->collider.vertex_count; ++v) {
        const float *p = positions + 3 * (size_t)v;
        body->place[v] = vec3(p[0], p[1], p[2]);
    }
}

/* --- crossings -------------------------------------------------------------------------------- */

static void list_crossings(Inspection *inspection, InspectionPlaceKind kind, int body,
                           const Crossings *crossings, const InspectedSurface *edged,
                           const InspectedSurface *faced) {
    for (int i = 0; i < crossings->count && i < PLACES_EACH; ++i) {
        const Crossing *crossing = &crossings->items[i];
        const int *edge = edged->edges[crossing->edge];
        add_place(inspection, kind, body, edge[0], edge[1], faced->triangles[crossing->triangle],
                  crossing->point);
    }
}

/* Edges and faces on both sides of a seam end in one place. */
static void remove_sewn(const Inspection *inspection, Crossings *crossings) {
    int kept = 0;
    for (int i = 0; i < crossings->count && inspection->sewn; ++i) {
        const int *edge = inspection->surface.edges[crossings->items[i].edge];
        const int ends[3] = {edge[0], edge[1], edge[1]};
        const int *corners = inspection->surface.triangles[crossings->items[i].triangle];
        if (!sewn_together(inspection->sewn, ends, corners)) {
            crossings->items[kept++] = crossings->items[i];
        }
    }
    crossings->count = inspection->sewn ? kept : crossings->count;
}

static StatusCode find_crossings(Inspection *inspection, Pool *pool, InspectionReport *report,
                                 Status *status) {
    InspectedSurface *cloth = &inspection->surface;
    double tolerance = inspection->tolerance;
    for (int b = 0; b < inspection->body_count; ++b) {
        InspectedBody *body = &inspection->bodies[b];
        if (!body->present) {
            continue;
        }
        if (crossings_find(pool, cloth, &body->surface, tolerance, &body->cloth_edges,
                           &body->body_edges, status) < 0) {
            return status->code;
        }
        report->body_piercings += body->cloth_edges.count;
        report->cloth_piercings += body->body_edges.count;
        list_crossings(inspection, PLACE_THROUGH_BODY, b, &body->cloth_edges, cloth,
                       &body->surface);
        list_crossings(inspection, PLACE_THROUGH_CLOTH, b, &body->body_edges, &body->surface,
                       cloth);
    }
    Crossings none = {0};
    if (crossings_find(pool, cloth, cloth, tolerance, &inspection->self, &none, status) < 0) {
        return status->code;
    }
    remove_sewn(inspection, &inspection->self);
    report->self_piercings = inspection->self.count;
    list_crossings(inspection, PLACE_THROUGH_SELF, -1, &inspection->self, cloth, cloth);
    return STATUS_OK;
}

/* --- vertices behind solids ----------------------------------------------------------------------- */

/* Parts of a body that one vertex is compared with. */
#define PARTS 8

typedef struct Depths {
    Inspection *inspection;
    InspectedBody *body;
    int number;
} Depths;

/* Signed distance from one body's solids: the deepest, or the nearest where it is in none. */
static void query_body(const Depths *depths, int v) {
    const Collider *collider = &depths->body->collider;
    Vec3 point = depths->inspection->x[v];
    Nearness *near = &depths->inspection->near[v];
    Hit hits[PARTS];
    int guess = depths->body->guess[v];
    double guessed = guess >= 0 ? collider_distance(collider, point, guess) : 0;
    int count = collider_closest_from(collider, point, INFINITY, guess, guessed, PARTS, hits);
    count = count < PARTS ? count : PARTS;
    for (int h = 0; h < count; ++h) {
        if (h == 0) {
            depths->body->guess[v] = hits[h].triangle;
        }
        if (hits[h].solid && hits[h].signed_distance < near->distance) {
            *near = (Nearness){hits[h].signed_distance, hits[h].normal, depths->number};
        }
    }
}

static void query_vertices(void *context, int begin, int end) {
    const Depths *depths = context;
    int *guess = depths->body->guess;
    for (int v = begin; v < end; ++v) {
        if (depths->inspection->mesh.isolated[v]) {
            continue;
        }
        /* neighbours by number are mostly neighbours on the cloth */
        guess[v] = guess[v] < 0 && v > begin ? guess[v - 1] : guess[v];
        query_body(depths, v);
    }
}

/* The nearest place of each body for every vertex, beginning with the triangle that was the nearest before. */
static void find_nearest(Inspection *inspection, Pool *pool) {
    for (int v = 0; v < inspection->mesh.vertex_count; ++v) {
        inspection->near[v] = (Nearness){INFINITY, vec3(0, 0, 0), -1};
    }
    for (int b = 0; b < inspection->body_count; ++b) {
        Depths depths = {inspection, &inspection->bodies[b], b};
        if (depths.body->present) {
            pool_run(pool, inspection->mesh.vertex_count, query_vertices, &depths);
        }
    }
}

/* Keeps the deepest ones, the deepest first. */
static void list_vertex(Inspection *inspection, int v) {
    InspectionPlace *list = inspection->places[PLACE_INSIDE];
    int *count = &inspection->place_count[PLACE_INSIDE], at = *count;
    double depth = -inspection->near[v].distance;
    while (at > 0 && list[at - 1].depth < depth) {
        if (at < PLACES_EACH) {
            list[at] = list[at - 1];
        }
        --at;
    }
    if (at == PLACES_EACH) {
        return;
    }
    Vec3 x = inspection->x[v];
    list[at] = (InspectionPlace){.kind = PLACE_INSIDE,
                                 .body = inspection->near[v].body,
                                 .vertices = {v, -1},
                                 .corners = {-1, -1, -1},
                                 .point = {x.x, x.y, x.z},
                                 .depth = depth};
    *count += *count < PLACES_EACH;
}

static void report_depths(Inspection *inspection, InspectionReport *report) {
    report->nearest = INFINITY;
    report->deepest_vertex = -1;
    for (int v = 0; v < inspection->mesh.vertex_count; ++v) {
        double distance = inspection->near[v].distance;
        report->nearest = fmin(report->nearest, fabs(distance));
        if (distance < -inspection->tolerance) {
            ++report->inside_count;
            list_vertex(inspection, v);
        }
    }
    report->nearest = isfinite(report->nearest) ? report->nearest : -1;
    if (report->inside_count > 0) {
        const InspectionPlace *deepest = &inspection->places[PLACE_INSIDE][0];
        report->deepest = deepest->depth;
        report->deepest_vertex = deepest->vertices[0];
    }
}

/* --- stretch ---------------------------------------------------------------------------------- */

static int compare_ratios(const void *left, const void *right) {
    double p = *(const double *)left, q = *(const double *)right;
    return (p > q) - (p < q);
}

static void measure_stretch(Inspection *inspection, InspectionReport *report) {
    const Mesh *mesh = &inspection->mesh;
    int count = 0;
    report->stretch_edge[0] = report->stretch_edge[1] = -1;
    for (int e = 0; e < mesh->edge_count; ++e) {
        const Edge *edge = &mesh->edges[e];
        if (edge->kind == EDGE_SHEAR || !(edge->rest_length > 0)) {
            continue;
        }
        double ratio =
            vec3_distance(inspection->x[edge->a], inspection->x[edge->b]) / edge->rest_length;
        inspection->ratios[count++] = ratio;
        if (ratio > report->largest_stretch) {
            report->largest_stretch = ratio;
            report->stretch_edge[0] = edge->a;
            report->stretch_edge[1] = edge->b;
        }
    }
    if (count > 0) {
        qsort(inspection->ratios, (size_t)count, sizeof *inspection->ratios, compare_ratios);
        report->stretch_p99 = inspection->ratios[(int)(0.99 * (count - 1))];
    }
}

/* --- all of it -------------------------------------------------------------------------------- */

/* The largest coordinate of its corners. */
static double box_farthest(const Box *box) {
    double farthest = 0;
    for (int axis = 0; axis < 3; ++axis) {
        farthest = fmax(farthest, fabs(vec3_along(box->low, axis)));
        farthest = fmax(farthest, fabs(vec3_along(box->high, axis)));
    }
    return farthest;
}

static void place_garment(Inspection *inspection, Pool *pool, const float *positions) {
    Box around = box_empty();
    for (int v = 0; v < inspection->mesh.vertex_count; ++v) {
        const float *p = positions + 3 * (size_t)v;
        inspection->x[v] = vec3(p[0], p[1], p[2]);
        around = box_with_point(around, inspection->x[v]);
    }
    inspection->tolerance = TOLERANCE * box_farthest(&around);
    inspected_surface_update(&inspection->surface, pool);
    for (int b = 0; b < inspection->body_count; ++b) {
        InspectedBody *body = &inspection->bodies[b];
        if (body->present) {
            collider_set_frame(&body->collider, body->place, body->place);
            collider_move(&body->collider, pool, 0, 1);
            inspected_surface_update(&body->surface, pool);
        }
    }
}

/* Where garments that people modelled begin on the body that they were made for: up to 3 % of the vertices are inside, up to
 * 0.02 of the garment's size deep, a thousandth of the edges pass through the cloth, and some openings are full. */
#define MOST_INSIDE 0.1    /* of the vertices, that come out by themselves */
#define MOST_DEEP 0.03     /* of the size */
#define MOST_TANGLED 0.01  /* of the edges */
#define FEW_TANGLED 16     /* or so many */
#define LEAST_OUTWARD 0.25 /* of the worn cloth; both sides of a lined jacket are half and half */
#define LEAST_FULL 0.4     /* of the fullest opening, a waist or a collar that holds the garment */
#define HARDLY_FULL 0.45   /* likewise, where nothing is as near to a body as this, of the size: */
#define NEAR_ENOUGH 0.01
/* What is wrong about how it is worn; a garment without openings is not judged. */
static int wearing_faults(const Inspection *inspection, const InspectionReport *report) {
    if (report->openings_worn == 0) {
        return report->limbs_through > 0 ? FOUND_LIMB_OUTSIDE : 0;
    }
    bool touches = report->inside_count + report->body_piercings + report->cloth_piercings > 0;
    if (report->openings_empty == report->openings_worn && !touches) {
        return FOUND_NOT_WORN;
    }
    bool outside = report->limbs_through > 0 || report->openings_empty > 0;
    bool reversed = report->outward >= 0 && report->outward < LEAST_OUTWARD;
    bool hangs = report->nearest <= NEAR_ENOUGH * inspection->size;
    bool loose = report->fullest < (hangs ? LEAST_FULL : HARDLY_FULL);
    return (outside ? FOUND_LIMB_OUTSIDE : 0) | (reversed ? FOUND_INSIDE_OUT : 0) |
           (loose ? FOUND_TOO_LARGE : 0);
}

static void grade(const Inspection *inspection, InspectionReport *report) {
    int few = (int)(MOST_TANGLED * inspection->surface.edge_count);
    few = few > FEW_TANGLED ? few : FEW_TANGLED;
    int faults = inspection->solid ? wearing_faults(inspection, report) : 0;
    bool bad = faults != 0 || report->self_piercings > few ||
               report->inside_count > MOST_INSIDE * inspection->mesh.vertex_count ||
               report->deepest > MOST_DEEP * inspection->size;
    faults |= report->inside_count > 0 ? FOUND_INSIDE : 0;
    faults |= report->body_piercings + report->cloth_piercings > 0 ? FOUND_BODY_PIERCED : 0;
    faults |= report->self_piercings > 0 ? FOUND_SELF_PIERCED : 0;
    report->found = faults;
    report->level = bad ? INSPECTION_BAD : faults ? INSPECTION_SLIGHT : INSPECTION_CLEAN;
}

StatusCode inspection_run(Inspection *inspection, Pool *pool, const float *positions,
                          InspectionReport *report, Status *status) {
    *report = (InspectionReport){0};
    memset(inspection->place_count, 0, sizeof inspection->place_count);
    place_garment(inspection, pool, positions);
    if (find_crossings(inspection, pool, report, status) < 0) {
        return status->code;
    }
    find_nearest(inspection, pool);
    report_depths(inspection, report);
    report_wearing(inspection, report);
    measure_stretch(inspection, report);
    grade(inspection, report);
    return STATUS_OK;
}

int inspection_places(const Inspection *inspection, InspectionPlace *places, int capacity) {
    int count = 0;
    for (int kind = 0; kind < PLACE_KINDS; ++kind) {
        for (int i = 0; i < inspection->place_count[kind]; ++i, ++count) {
            if (count < capacity) {
                places[count] = inspection->places[kind][i];
            }
        }
    }
    return count;
}
