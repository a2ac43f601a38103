/* Whether the garment is worn. A limb that passes through the cloth is cut off from the rest of the body by the
 * intersection line of the two surfaces; an opening without a limb is empty; worn cloth has normals away from the body. */
#include "inspection/inspection_internal.h"
#include "mesh/adjacency.h"

/* A part of a body's surface that is cut off is a limb, not a dent in a flank, if its area vectors cancel so far: those of a
 * flat patch add up to 1, those of a sleeve's inside to its end over its length. */
#define CLOSED_UP 0.5
/* And if it is as large as this, of all the body's surface: a finger of a person has 1/600. */
#define SMALLEST_LIMB 1e-3
/* An opening with less of a body in it is empty. */
#define EMPTY 0.02
/* Cosine below which a triangle of the cloth does not tell on which side the body is. */
#define OBLIQUE 0.3

/* --- limbs through the cloth ------------------------------------------------------------------ */

/* Connects the vertices of a body by edges that do not pass through the cloth. */
static void find_islands(InspectedBody *body) {
    const InspectedSurface *surface = &body->surface;
    const Crossings *crossings = &body->body_edges;
    for (int v = 0; v < surface->vertex_count; ++v) {
        body->island[v] = v;
        body->island_area[v] = 0;
        body->island_vector[v] = vec3(0, 0, 0);
    }
    for (int e = 0, next = 0; e < surface->edge_count; ++e) {
        if (next < crossings->count && crossings->items[next].edge == e) {
            while (next < crossings->count && crossings->items[next].edge == e) {
                ++next;
            }
        } else {
            components_join_first(body->island, surface->edges[e][0], surface->edges[e][1]);
        }
    }
    for (int v = 0; v < surface->vertex_count; ++v) {
        body->island[v] = components_root(body->island, v);
    }
    for (int t = 0; t < surface->triangle_count; ++t) {
        const int *c = surface->triangles[t];
        int island = body->island[c[0]];
        if (island == body->island[c[1]] && island == body->island[c[2]]) {
            Vec3 a = surface->x[c[0]];
            Vec3 area = vec3_scale(
                0.5, vec3_cross(vec3_sub(surface->x[c[1]], a), vec3_sub(surface->x[c[2]], a)));
            body->island_area[island] += vec3_length(area);
            body->island_vector[island] = vec3_add(body->island_vector[island], area);
        }
    }
}

static bool is_limb(const InspectedBody *body, int island) {
    double area = body->island_area[island];
    return area > SMALLEST_LIMB * body->area &&
           vec3_length(body->island_vector[island]) < CLOSED_UP * area;
}

/* The largest island of every part is the body; the others are cut off from it. `largest` is per part. */
static void tell_limbs(Inspection *inspection, int number, const int *largest,
                       InspectionReport *report) {
    InspectedBody *body = &inspection->bodies[number];
    for (int i = 0; i < body->body_edges.count; ++i) {
        const Crossing *crossing = &body->body_edges.items[i];
        const int *ends = body->surface.edges[crossing->edge];
        int part = body->collider.part[body->surface.first[crossing->edge]];
        for (int end = 0; end < 2 && body->collider.parts[part].solid; ++end) {
            int island = body->island[ends[end]];
            if (island != largest[part] && is_limb(body, island)) {
                const int *c = inspection->triangles[crossing->triangle];
                Vec3 at = crossing->point;
                body->island_area[island] = 0; /* each is reported once */
                ++report->limbs_through;
                add_place(inspection, (InspectionPlace){.kind = PLACE_LIMB,
                                                        .body = number,
                                                        .vertices = {-1, -1},
                                                        .corners = {c[0], c[1], c[2]},
                                                        .point = {at.x, at.y, at.z}});
            }
        }
    }
}

static void look_for_limbs(Inspection *inspection, int number, InspectionReport *report) {
    InspectedBody *body = &inspection->bodies[number];
    if (body->body_edges.count == 0) {
        return;
    }
    find_islands(body);
    for (int p = 0; p < body->collider.part_count; ++p) {
        body->largest[p] = -1;
    }
    body->area = 0;
    for (int t = 0; t < body->surface.triangle_count; ++t) {
        int part = body->collider.part[t];
        int *largest = &body->largest[part], island = body->island[body->surface.triangles[t][0]];
        if (*largest < 0 || body->island_area[island] > body->island_area[*largest]) {
            *largest = island;
        }
    }
    for (int v = 0; v < body->surface.vertex_count; ++v) {
        body->area += body->island_area[v];
    }
    tell_limbs(inspection, number, body->largest, report);
}

/* --- openings --------------------------------------------------------------------------------- */

static void look_at_openings(Inspection *inspection, InspectionReport *report) {
    const Openings *openings = &inspection->openings;
    for (int o = 0; o < openings->count; ++o) {
        const Opening *opening = &openings->openings[o];
        if (!opening->worn) {
            continue;
        }
        ++report->openings_worn;
        report->fullest = fmax(report->fullest, opening->filled);
        if (opening->filled < EMPTY) {
            Vec3 at = opening->middle;
            ++report->openings_empty;
            add_place(inspection,
                      (InspectionPlace){.kind = PLACE_EMPTY,
                                        .body = -1,
                                        .vertices = {openings->edges[opening->first][0], -1},
                                        .corners = {-1, -1, -1},
                                        .point = {at.x, at.y, at.z}});
        }
    }
}

/* --- which side is out ------------------------------------------------------------------------ */

/* Of the parts of the garment that a limb is in, how much turns its back to the nearest body. */
static double find_outward(const Inspection *inspection) {
    const Openings *openings = &inspection->openings;
    double outward = 0, all = 0;
    for (int t = 0; t < inspection->surface.triangle_count; ++t) {
        const int *c = inspection->triangles[t];
        if (!openings->held[openings->component[c[0]]]) {
            continue;
        }
        Vec3 a = inspection->x[c[0]];
        Vec3 area = vec3_cross(vec3_sub(inspection->x[c[1]], a), vec3_sub(inspection->x[c[2]], a));
        double along = vec3_dot(area, inspection->near[c[0]].normal), size = vec3_length(area);
        if (fabs(along) > OBLIQUE * size) {
            outward += along > 0 ? size : 0;
            all += size;
        }
    }
    return all > 0 ? outward / all : -1;
}

void worn_report(Inspection *inspection, InspectionReport *report) {
    inspection->solid = false;
    for (int b = 0; b < inspection->body_count; ++b) {
        if (inspection->bodies[b].present) {
            look_for_limbs(inspection, b, report);
            inspection->solid |= inspection->bodies[b].solid;
        }
    }
    report->outward = -1;
    openings_measure(&inspection->openings, inspection->x, inspection->solid ? depths_hold : NULL,
                     inspection);
    if (inspection->solid) {
        look_at_openings(inspection, report);
        report->outward = find_outward(inspection);
    }
}
