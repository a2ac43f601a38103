/* Finds the nearest place of each body for every vertex, beginning with the triangle that was the nearest before. */
#include "inspection/inspection_internal.h"

/* Parts of a body that one vertex is compared with. */
#define PARTS 8

typedef struct Depths {
    Inspection *inspection;
    InspectedBody *body;
    int number;
} Depths;

/* Signed distance from one body's solids: the deepest, or the nearest where it is in none. */
static void ask_body(const Depths *depths, int v) {
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

static void ask_for_vertices(void *context, int begin, int end) {
    const Depths *depths = context;
    int *guess = depths->body->guess;
    for (int v = begin; v < end; ++v) {
        if (depths->inspection->mesh.isolated[v]) {
            continue;
        }
        /* neighbours by number are mostly neighbours on the cloth */
        guess[v] = guess[v] < 0 && v > begin ? guess[v - 1] : guess[v];
        ask_body(depths, v);
    }
}

void depths_find(Inspection *inspection, Pool *pool) {
    for (int v = 0; v < inspection->mesh.vertex_count; ++v) {
        inspection->near[v] = (Nearness){INFINITY, vec3(0, 0, 0), -1};
    }
    for (int b = 0; b < inspection->body_count; ++b) {
        Depths depths = {inspection, &inspection->bodies[b], b};
        if (depths.body->present) {
            pool_run(pool, inspection->mesh.vertex_count, ask_for_vertices, &depths);
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

void depths_report(Inspection *inspection, InspectionReport *report) {
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

bool depths_hold(void *context, Vec3 point) {
    const Inspection *inspection = context;
    for (int b = 0; b < inspection->body_count; ++b) { /* those that are gone have no parts */
        const Collider *collider = &inspection->bodies[b].collider;
        bool open = false;
        for (int p = 0; p < collider->part_count; ++p) {
            open |= collider->parts[p].solid && !collider->parts[p].closed;
        }
        Hit hit;
        if (collider_solids_around(collider, point) > 0 ||
            (open && collider_closest(collider, point, INFINITY, &hit) && hit.solid &&
             hit.signed_distance < 0)) {
            return true;
        }
    }
    return false;
}
