/* The functions of muslin.h about seams, tacks, elastics and buttons. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cloth/cloth.h"
#include "handle.h"
#include "muslin.h"
#include "settings.h"
#include "validate.h"

/* Links that a cloth can have: so many that their corners are still counted by an int. */
#define MOST_LINKS (1 << 26)
/* m that the points of a link may be held apart, and the share that an elastic may want: more is a slip. */
#define MOST_LENGTH 1000
/* How far from 1 the weights of a place may add up to: float32 input. */
#define WEIGHT_SLACK 1e-3

#define KINDS 4
static const char *const names[KINDS] = {"seam", "tack", "elastic", "button"};
static const char *const counted[KINDS] = {"seam_count", "tack_count", "elastic_count",
                                           "button_count"};
static const char *const plurals[KINDS] = {"seams", "tacks", "elastics", "buttons"};

_Static_assert(offsetof(MuslinElastic, strength) == offsetof(MuslinSeam, stiffness) &&
                   offsetof(MuslinTack, speed) == offsetof(MuslinSeam, speed) &&
                   offsetof(MuslinButton, speed) == offsetof(MuslinSeam, speed),
               "links begin alike");

/* A link as its definition has it: they begin alike. Share and strength of an elastic are length and stiffness here. */
typedef struct Given {
    LinkUse use;
    int at; /* among those of its kind */
    MuslinSeam seam;
    const MuslinTack *tack;     /* null of others */
    const MuslinButton *button; /* likewise */
} Given;

static StatusCode refuse_field(const Given *link, const char *field, double value,
                               const char *wanted, Status *status) {
    return REFUSE(status, DETAIL_RANGE, field, value, 0, "%s of %s %d is %g, but must be %s", field,
                  names[link->use], link->at, value, wanted);
}

static StatusCode refuse_vertex(const Given *link, int vertex, int count, Status *status) {
    return REFUSE(status, DETAIL_INDEX_RANGE, "vertices", vertex, count,
                  "%s %d has vertex %d, but there are %d vertices", names[link->use], link->at,
                  vertex, count);
}

/* The numbers of a link that do not depend on the mesh. */
static StatusCode check_numbers(const Given *link, Status *status) {
    bool elastic = link->use == LINK_ELASTIC, button = link->use == LINK_BUTTON;
    if (link->seam.set < 0) {
        return refuse_field(link, "set", link->seam.set, "at least 0", status);
    }
    if (!isfinite(link->seam.length) || link->seam.length > MOST_LENGTH ||
        (elastic && !(link->seam.length > 0)) || (button && !(link->seam.length >= 0))) {
        return refuse_field(link, elastic ? "share" : "length", link->seam.length,
                            elastic  ? "above 0 and at most 1000"
                            : button ? "from 0 to 1000"
                                     : "at most 1000",
                            status);
    }
    if (!(link->seam.stiffness >= 0) || !isfinite(link->seam.stiffness) ||
        (elastic && !(link->seam.stiffness > 0))) {
        return refuse_field(link, elastic ? "strength" : "stiffness", link->seam.stiffness,
                            elastic ? "above 0" : "at least 0", status);
    }
    if (!elastic && (!(link->seam.speed > 0) || !isfinite(link->seam.speed))) {
        return refuse_field(link, "speed", link->seam.speed, "above 0", status);
    }
    return STATUS_OK;
}

/* One of the two points on the cloth. */
static StatusCode read_point(const Given *link, int side, int vertex_count, Link *out,
                             Status *status) {
    const int32_t *v = link->seam.vertices + 2 * side;
    float place = link->seam.places[side];
    for (int c = 0; c < 2; ++c) {
        if (v[c] >= vertex_count || v[c] < (c == 0 ? 0 : -1)) {
            return refuse_vertex(link, v[c], vertex_count, status);
        }
    }
    if (!(place >= 0 && place <= 1)) {
        return refuse_field(link, "places", place, "from 0 to 1", status);
    }
    bool single = v[1] < 0;
    out->vertices[2 * side] = v[0];
    out->vertices[2 * side + 1] = v[1];
    out->weights[2 * side] = single ? 1.0 : 1.0 - place;
    out->weights[2 * side + 1] = single ? 0.0 : place;
    return STATUS_OK;
}

static StatusCode read_body_point(const Cloth *cloth, const Given *link, Link *out,
                                  Status *status) {
    const MuslinTack *tack = link->tack;
    int count = cloth_body_vertex_count(cloth, tack->body);
    double sum = 0;
    if (count < 0) {
        status_set(status, (StatusCode)MUSLIN_ERROR_BODY,
                   "tack %d is on body %d, which does not exist or was removed", link->at,
                   tack->body);
        status_detail(status, DETAIL_NO_BODY)->body = tack->body;
        return status->code;
    }
    if (!(out->weights[0] >= 1.0)) {
        return refuse_field(link, "body", tack->body, "-1: only a single vertex is held to a body",
                            status);
    }
    for (int c = 0; c < 3; ++c) {
        if (tack->body_vertices[c] < 0 || tack->body_vertices[c] >= count) {
            return refuse_vertex(link, tack->body_vertices[c], count, status);
        }
        out->body_vertices[c] = tack->body_vertices[c];
        out->body_weights[c] = tack->body_weights[c];
        sum += tack->body_weights[c];
    }
    return fabs(sum - 1.0) <= WEIGHT_SLACK
               ? STATUS_OK
               : refuse_field(link, "body_weights' sum", sum, "1", status);
}

/* The cloth that the second point of a button lies in. */
static StatusCode read_facing(const Given *link, int vertex_count, Link *out, Status *status) {
    const int32_t *v = link->button->below;
    for (int c = 0; c < 3; ++c) {
        if (v[c] < 0 || v[c] >= vertex_count) {
            return refuse_vertex(link, v[c], vertex_count, status);
        }
        out->facing[c] = v[c];
    }
    if (v[0] == v[1] || v[1] == v[2] || v[2] == v[0]) {
        return refuse_field(link, "below", v[0] == v[1] ? v[0] : v[2],
                            "another vertex: a button needs three", status);
    }
    return STATUS_OK;
}

static StatusCode read_link(const Cloth *cloth, const Given *link, Link *out, Status *status) {
    int vertex_count = cloth_vertex_count(cloth);
    *out = (Link){.use = link->use,
                  .set = link->seam.set,
                  .body = link->tack && link->tack->body >= 0 ? link->tack->body : -1,
                  .length = link->seam.length,
                  .stiffness = link->seam.stiffness,
                  .speed = link->seam.speed};
    StatusCode code = check_numbers(link, status);
    code = code == STATUS_OK ? read_point(link, 0, vertex_count, out, status) : code;
    if (code != STATUS_OK) {
        return code;
    }
    if (out->body >= 0) {
        return read_body_point(cloth, link, out, status);
    }
    code = read_point(link, 1, vertex_count, out, status);
    return code == STATUS_OK && link->button ? read_facing(link, vertex_count, out, status) : code;
}

/* The link with this number, counted through all kinds. */
static Given link_at(const MuslinLinks *links, int number) {
    const int counts[KINDS] = {links->seam_count, links->tack_count, links->elastic_count, number};
    Given given = {.use = LINK_SEAM, .at = number};
    while (given.use < LINK_BUTTON && given.at >= counts[given.use]) {
        given.at -= counts[given.use++];
    }
    given.tack = given.use == LINK_TACK ? &links->tacks[given.at] : NULL;
    given.button = given.use == LINK_BUTTON ? &links->buttons[given.at] : NULL;
    const void *from = given.use == LINK_SEAM      ? (const void *)&links->seams[given.at]
                       : given.use == LINK_ELASTIC ? (const void *)&links->elastics[given.at]
                       : given.tack                ? (const void *)given.tack
                                                   : (const void *)given.button;
    memcpy(&given.seam, from,
           given.use == LINK_ELASTIC ? sizeof(MuslinElastic) : sizeof given.seam);
    return given;
}

/* Counts and arrays; `most`: that are possible in all. */
static StatusCode check_arrays(const MuslinLinks *links, int most, int *total, Status *status) {
    const int counts[KINDS] = {links->seam_count, links->tack_count, links->elastic_count,
                               links->button_count};
    const void *const arrays[KINDS] = {links->seams, links->tacks, links->elastics, links->buttons};
    for (int k = 0; k < KINDS; *total += counts[k++]) {
        int possible = most - *total;
        if (counts[k] < 0 || counts[k] > possible) {
            return REFUSE(status, DETAIL_COUNT, counted[k], counts[k], possible,
                          "%s is %d, but 0 to %d are possible", counted[k], counts[k], possible);
        }
        if (counts[k] > 0 && !arrays[k]) {
            return refuse_null(status, plurals[k]);
        }
    }
    return STATUS_OK;
}

/* keep: behind those that the cloth has. */
static StatusCode give_links(Cloth *cloth, bool keep, const MuslinLinks *links, Status *status) {
    LinkReport present = {0};
    int count = 0;
    if (!links) {
        return refuse_null(status, "links");
    }
    if (links->size != sizeof *links) {
        return REFUSE(status, DETAIL_STRUCT_SIZE, "MuslinLinks", links->size, sizeof *links,
                      "MuslinLinks.size is %u, but this library expects %zu", links->size,
                      sizeof *links);
    }
    if (keep) {
        cloth_link_report(cloth, -1, &present);
    }
    if (check_arrays(links, MOST_LINKS - present.count, &count, status) != STATUS_OK) {
        return status->code;
    }
    if (count > 0 &&
        solver_refuse(cloth_solver(cloth), cloth_model(cloth, 0), ABILITY_LINKS, "links are given",
                      "solver", cloth_solver(cloth), status) != STATUS_OK) {
        return status->code;
    }
    Link *own = SCRATCH_ARRAY(Link, count);
    if (!own) {
        return status_no_memory(status, "links");
    }
    StatusCode code = STATUS_OK;
    for (int l = 0; l < count && code == STATUS_OK; ++l) {
        Given given = link_at(links, l);
        code = read_link(cloth, &given, &own[l], status);
    }
    bool weightless = links->weightless != 0;
    code = code == STATUS_OK ? cloth_set_links(cloth, keep, count, own, weightless, status) : code;
    free(own);
    return code;
}

MuslinStatus muslin_cloth_set_links(MuslinCloth handle, const MuslinLinks *links) {
    WITH_CLOTH(handle, cloth, status);
    return public_status(give_links(cloth, false, links, status));
}

MuslinStatus muslin_cloth_add_links(MuslinCloth handle, const MuslinLinks *links) {
    WITH_CLOTH(handle, cloth, status);
    return public_status(give_links(cloth, true, links, status));
}

static MuslinStatus change_set(MuslinCloth handle, int set, bool release) {
    WITH_CLOTH(handle, cloth, status);
    LinkReport report;
    cloth_link_report(cloth, set, &report);
    if (set < 0 || report.count == 0) {
        return public_status(
            REFUSE(status, DETAIL_INDEX_RANGE, "set", set, 0, "there is no set %d of links", set));
    }
    cloth_release_links(cloth, set, release);
    return MUSLIN_OK;
}

MuslinStatus muslin_cloth_release_links(MuslinCloth handle, int32_t set) {
    return change_set(handle, set, true);
}

MuslinStatus muslin_cloth_hold_links(MuslinCloth handle, int32_t set) {
    return change_set(handle, set, false);
}

MuslinStatus muslin_cloth_get_links(MuslinCloth handle, int32_t set, MuslinLinkReport *out) {
    WITH_CLOTH(handle, cloth, status);
    LinkReport report;
    cloth_link_report(cloth, set, &report);
    const MuslinLinkReport reported = {.size = sizeof reported,
                                       .count = report.count,
                                       .closing = report.closing,
                                       .released = report.released,
                                       .widest = report.widest,
                                       .largest_gap = report.largest_gap,
                                       .mean_gap = report.mean_gap};
    return public_status(report_give("MuslinLinkReport", &reported, sizeof reported, out, status));
}
