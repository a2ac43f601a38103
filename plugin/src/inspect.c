/* The function of muslin.h about how a garment lies. */
#include "cloth/cloth.h"
#include "handle.h"
#include "muslin.h"
#include "report.h"
#include "validate.h"

_Static_assert((int)INSPECTION_BAD == (int)MUSLIN_PLACEMENT_BAD, "how bad it is");
_Static_assert((int)FOUND_NOT_WORN == (int)MUSLIN_FAULT_NOT_WORN, "what is found");
_Static_assert((int)PLACE_EMPTY == (int)MUSLIN_PLACE_EMPTY, "kinds of places");
_Static_assert(PLACES_EACH == MUSLIN_PLACES_EACH, "places of each kind");
_Static_assert(sizeof(InspectionPlace) == sizeof(MuslinPlace), "places");

static MuslinInspection public_report_of(const InspectionReport *report) {
    return (MuslinInspection){
        .size = sizeof(MuslinInspection),
        .placement = (int32_t)report->level,
        .found = report->found,
        .inside_count = report->inside_count,
        .deepest_vertex = report->deepest_vertex,
        .deepest = report->deepest,
        .body_piercings = report->body_piercings,
        .cloth_piercings = report->cloth_piercings,
        .self_piercings = report->self_piercings,
        .limbs_through = report->limbs_through,
        .openings = report->openings_worn,
        .openings_empty = report->openings_empty,
        .fullest = report->fullest,
        .outward = report->outward,
        .nearest = report->nearest,
        .largest_stretch = report->largest_stretch,
        .stretch_edge = {report->stretch_edge[0], report->stretch_edge[1]},
        .stretch_p99 = report->stretch_p99,
    };
}

MuslinStatus muslin_cloth_get_inspection(MuslinCloth handle, MuslinInspection *out,
                                         MuslinPlace *places, int32_t capacity, int32_t *found) {
    WITH_CLOTH(handle, cloth, status);
    if (report_check("MuslinInspection", out, sizeof *out, status) != STATUS_OK) {
        return public_status(status->code);
    }
    InspectionReport report;
    if (cloth_inspect(cloth, &report, status) < 0) {
        return public_status(status->code);
    }
    int count = cloth_inspected_places(cloth, (InspectionPlace *)places, places ? capacity : 0);
    if (found) {
        *found = count;
    }
    MuslinInspection reported = public_report_of(&report);
    return public_status(report_give("MuslinInspection", &reported, sizeof reported, out, status));
}
