/* The functions of muslin.h about seams, tacks, elastics and buttons. */
#include <math.h>
#include <stdlib.h>

#include "cloth/cloth.h"
#include "handle.h"
#include "muslin.h"
#include "report.h"
#include "validate.h"

_Static_assert((int)LINK_BUTTON == (int)MUSLIN_LINK_BUTTON, "uses of links");

/* Links that a cloth can have: so many that their corners are still counted by an int. */
#define MOST_LINKS (1 << 26)
/* m that the points of a link may be held apart, and the share that an elastic may want: more is a slip. */
#define MOST_LENGTH 1000
/* How far from 1 the weights of a place may add up to: float32 input. */
#define WEIGHT_SLACK 1e-3

static StatusCode refuse_field(int link, const char *field, double value, const char *wanted,
                               Status *status) {
    status_set(status, STATUS_ERROR_ARGUMENT, "%s of link %d is %g, but must be %s", field, link,
               value, wanted);
    return status_name_argument(status, DETAIL_RANGE, field, value, 0);
}

static StatusCode refuse_vertex(int link, int vertex, int count, Status *status) {
    status_set(status, STATUS_ERROR_ARGUMENT, "link %d has vertex %d, but there are %d vertices",
               link, vertex, count);
    return status_name_argument(status, DETAIL_INDEX_RANGE, "vertices", vertex, count);
}

/* The numbers of a link that do not depend on the mesh. */
static StatusCode check_numbers(int at, const MuslinLink *link, Status *status) {
    bool elastic = link->use == MUSLIN_LINK_ELASTIC;
    if (link->use < MUSLIN_LINK_SEAM || link->use > MUSLIN_LINK_BUTTON) {
        return refuse_field(at, "use", link->use, "a MuslinLinkUse", status);
    }
    if (link->set < 0) {
        return refuse_field(at, "set", link->set, "at least 0", status);
    }
    bool button = link->use == MUSLIN_LINK_BUTTON;
    if (!isfinite(link->length) || link->length > MOST_LENGTH || (elastic && !(link->length > 0)) ||
        (button && !(link->length >= 0))) {
        return refuse_field(at, "length", link->length,
                            elastic  ? "above 0 and at most 1000"
                            : button ? "from 0 to 1000"
                                     : "at most 1000",
                            status);
    }
    if (!(link->stiffness >= 0) || !isfinite(link->stiffness) ||
        (elastic && !(link->stiffness > 0))) {
        return refuse_field(at, "stiffness", link->stiffness, elastic ? "above 0" : "at least 0",
                            status);
    }
    if (!elastic && (!(link->speed > 0) || !isfinite(link->speed))) {
        return refuse_field(at, "speed", link->speed, "above 0", status);
    }
    return STATUS_OK;
}

/* One of the two points on the cloth. */
static StatusCode read_point(int at, const MuslinLink *link, int side, int vertex_count, Link *out,
                             Status *status) {
    const int32_t *v = link->vertices + 2 * side;
    float place = link->places[side];
    for (int c = 0; c < 2; ++c) {
        if (v[c] >= vertex_count || v[c] < (c == 0 ? 0 : -1)) {
            return refuse_vertex(at, v[c], vertex_count, status);
        }
    }
    if (!(place >= 0 && place <= 1)) {
        return refuse_field(at, "places", place, "from 0 to 1", status);
    }
    bool single = v[1] < 0;
    out->vertices[2 * side] = v[0];
    out->vertices[2 * side + 1] = v[1];
    out->weights[2 * side] = single ? 1.0 : 1.0 - place;
    out->weights[2 * side + 1] = single ? 0.0 : place;
    return STATUS_OK;
}

static StatusCode read_body_point(const Cloth *cloth, int at, const MuslinLink *link, Link *out,
                                  Status *status) {
    int count = cloth_body_vertex_count(cloth, link->body);
    double sum = 0;
    if (count < 0) {
        status_set(status, (StatusCode)MUSLIN_ERROR_BODY,
                   "link %d is on body %d, which does not exist or was removed", at, link->body);
        status_detail(status, DETAIL_NO_BODY)->body = link->body;
        return status->code;
    }
    if (link->use != MUSLIN_LINK_TACK || !(out->weights[0] >= 1.0)) {
        return refuse_field(at, "body", link->body,
                            "-1: only a tack of a single vertex is held to a body", status);
    }
    for (int c = 0; c < 3; ++c) {
        if (link->body_vertices[c] < 0 || link->body_vertices[c] >= count) {
            return refuse_vertex(at, link->body_vertices[c], count, status);
        }
        out->body_vertices[c] = link->body_vertices[c];
        out->body_weights[c] = link->body_weights[c];
        sum += link->body_weights[c];
    }
    return fabs(sum - 1.0) <= WEIGHT_SLACK
               ? STATUS_OK
               : refuse_field(at, "body_weights' sum", sum, "1", status);
}

/* The cloth that the second point of a button lies in. */
static StatusCode read_facing(int at, const MuslinLink *link, int vertex_count, Link *out,
                              Status *status) {
    const int32_t *v = link->body_vertices;
    for (int c = 0; c < 3; ++c) {
        if (v[c] < 0 || v[c] >= vertex_count) {
            return refuse_vertex(at, v[c], vertex_count, status);
        }
        out->facing[c] = v[c];
    }
    if (v[0] == v[1] || v[1] == v[2] || v[2] == v[0]) {
        return refuse_field(at, "body_vertices", v[0] == v[1] ? v[0] : v[2],
                            "another vertex: a button needs three", status);
    }
    return STATUS_OK;
}

static StatusCode read_link(const Cloth *cloth, int at, const MuslinLink *link, Link *out,
                            Status *status) {
    int vertex_count = cloth_vertex_count(cloth);
    *out = (Link){.use = (LinkUse)link->use,
                  .set = link->set,
                  .body = link->body >= 0 ? link->body : -1,
                  .length = link->length,
                  .stiffness = link->stiffness,
                  .speed = link->speed};
    StatusCode code = check_numbers(at, link, status);
    code = code == STATUS_OK ? read_point(at, link, 0, vertex_count, out, status) : code;
    if (code != STATUS_OK) {
        return code;
    }
    if (out->body >= 0) {
        return read_body_point(cloth, at, link, out, status);
    }
    code = read_point(at, link, 1, vertex_count, out, status);
    return code == STATUS_OK && out->use == LINK_BUTTON
               ? read_facing(at, link, vertex_count, out, status)
               : code;
}

/* keep: behind those that the cloth has. */
static StatusCode give_links(Cloth *cloth, bool keep, int count, const MuslinLink *links,
                             bool weightless, Status *status) {
    LinkReport present = {0};
    if (keep) {
        cloth_link_report(cloth, -1, &present);
    }
    int most = MOST_LINKS - present.count;
    if (count < 0 || count > most) {
        status_set(status, STATUS_ERROR_ARGUMENT, "%d links, but 0 to %d are possible", count,
                   most);
        return status_name_argument(status, DETAIL_COUNT, "count", count, most);
    }
    if (count > 0 && !links) {
        return refuse_null(status, "links");
    }
    Link *own = SCRATCH_ARRAY(Link, count);
    if (!own) {
        return status_no_memory(status, "links");
    }
    StatusCode code = STATUS_OK;
    for (int l = 0; l < count && code == STATUS_OK; ++l) {
        code = read_link(cloth, l, &links[l], &own[l], status);
    }
    code = code == STATUS_OK ? cloth_set_links(cloth, keep, count, own, weightless, status) : code;
    free(own);
    return code;
}

MuslinStatus muslin_cloth_set_links(MuslinCloth handle, int32_t count, const MuslinLink *links,
                                    int32_t weightless) {
    WITH_CLOTH(handle, cloth, status);
    return public_status(give_links(cloth, false, count, links, weightless != 0, status));
}

MuslinStatus muslin_cloth_add_links(MuslinCloth handle, int32_t count, const MuslinLink *links,
                                    int32_t weightless) {
    WITH_CLOTH(handle, cloth, status);
    return public_status(give_links(cloth, true, count, links, weightless != 0, status));
}

static StatusCode require_set(const Cloth *cloth, int set, Status *status) {
    LinkReport report;
    cloth_link_report(cloth, set, &report);
    if (set < 0 || report.count == 0) {
        status_set(status, STATUS_ERROR_ARGUMENT, "there is no set %d of links", set);
        return status_name_argument(status, DETAIL_INDEX_RANGE, "set", set, 0);
    }
    return STATUS_OK;
}

MuslinStatus muslin_cloth_release_links(MuslinCloth handle, int32_t set) {
    WITH_CLOTH(handle, cloth, status);
    StatusCode code = require_set(cloth, set, status);
    if (code == STATUS_OK) {
        cloth_release_links(cloth, set);
    }
    return public_status(code);
}

MuslinStatus muslin_cloth_hold_links(MuslinCloth handle, int32_t set) {
    WITH_CLOTH(handle, cloth, status);
    StatusCode code = require_set(cloth, set, status);
    if (code == STATUS_OK) {
        cloth_hold_links(cloth, set);
    }
    return public_status(code);
}

MuslinStatus muslin_cloth_get_links(MuslinCloth handle, int32_t set, MuslinLinkReport *out) {
    WITH_CLOTH(handle, cloth, status);
    LinkReport report;
    cloth_link_report(cloth, set, &report);
    const MuslinLinkReport told = {.size = sizeof told,
                                   .count = report.count,
                                   .closing = report.closing,
                                   .released = report.released,
                                   .widest = report.widest,
                                   .largest_gap = report.largest_gap,
                                   .mean_gap = report.mean_gap};
    return public_status(report_give("MuslinLinkReport", &told, sizeof told, out, status));
}
