/* The built-in response curves, and building others. */
#include "laws/response.h"

const Response response_linear = {.count = 1,
                                  .bound = 1.0,
                                  .square = true,
                                  .segment = {{.from = 0.0, .slope = 1.0, .origin = 1.0}}};

const Response response_tension_only = {.count = 2,
                                        .bound = 1.0,
                                        .square = true,
                                        .segment = {{.from = 0.0, .slope = 0.0, .origin = 1.0},
                                                    {.from = 1.0, .slope = 1.0, .origin = 1.0}}};

static double energy_without_offset(const ResponseSegment *segment, double length) {
    return 0.5 * segment->slope * (length - segment->origin) * (length - segment->origin);
}

/* Lines that go on in each other, through zero at rest. */
static void join_pulls(Response *response) {
    ResponseSegment *segment = response->segment;
    double pull[RESPONSE_SEGMENTS] = {0}; /* where each begins, over that where the first does */
    for (int at = 1; at < response->count; ++at) {
        pull[at] = pull[at - 1] + segment[at - 1].slope * (segment[at].from - segment[at - 1].from);
    }
    const ResponseSegment *home = response_at(response, 1.0, 1.0);
    double rest = pull[home - segment] + home->slope * (1.0 - home->from);
    for (int at = 0; at < response->count; ++at) {
        segment[at].origin =
            segment[at].slope > 0 ? segment[at].from - (pull[at] - rest) / segment[at].slope : 1.0;
    }
    response->segment[home - segment].origin = 1.0; /* and not nearly */
}

/* No jump of the energy from one segment to the next, and none at all at rest. */
static void join_energies(Response *response) {
    ResponseSegment *segment = response->segment;
    int home = (int)(response_at(response, 1.0, 1.0) - segment);
    for (int at = home + 1; at < response->count; ++at) {
        segment[at].offset = segment[at - 1].offset +
                             energy_without_offset(&segment[at - 1], segment[at].from) -
                             energy_without_offset(&segment[at], segment[at].from);
    }
    for (int at = home; at-- > 0;) {
        segment[at].offset = segment[at + 1].offset +
                             energy_without_offset(&segment[at + 1], segment[at + 1].from) -
                             energy_without_offset(&segment[at], segment[at + 1].from);
    }
}

bool response_make(Response *response, int count, const double *lengths, const double *slopes) {
    if (count < 1 || count > RESPONSE_SEGMENTS) {
        return false;
    }
    bool slack = slopes[0] == 0.0;
    if (!(slopes[0] >= 0) || (slack && (count < 2 || lengths[1] != 1.0))) {
        return false;
    }
    *response = (Response){.count = count, .square = true};
    for (int at = 0; at < count; ++at) {
        if (at > 0 && !(lengths[at] > lengths[at - 1] && slopes[at] > 0)) {
            return false;
        }
        response->segment[at] = (ResponseSegment){.from = lengths[at], .slope = slopes[at]};
        response->square = response->square && (slopes[at] == 1.0 || slopes[at] == 0.0);
        response->bound = slopes[at] > response->bound ? slopes[at] : response->bound;
    }
    join_pulls(response);
    join_energies(response);
    return true;
}
