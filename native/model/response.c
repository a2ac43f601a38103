/* The curves that there are, and making others. */
#include "model/response.h"

const Response response_linear = {.count = 1,
                                  .bound = 1.0,
                                  .square = true,
                                  .piece = {{.from = 0.0, .slope = 1.0, .origin = 1.0}}};

const Response response_tension_only = {.count = 2,
                                        .bound = 1.0,
                                        .square = true,
                                        .piece = {{.from = 0.0, .slope = 0.0, .origin = 1.0},
                                                  {.from = 1.0, .slope = 1.0, .origin = 1.0}}};

static double energy_without_offset(const ResponsePiece *piece, double length) {
    return 0.5 * piece->slope * (length - piece->origin) * (length - piece->origin);
}

/* Lines that go on in each other, through zero at rest. */
static void join_pulls(Response *response) {
    ResponsePiece *piece = response->piece;
    double pull[RESPONSE_PIECES] = {0}; /* where each begins, over that where the first does */
    for (int at = 1; at < response->count; ++at) {
        pull[at] = pull[at - 1] + piece[at - 1].slope * (piece[at].from - piece[at - 1].from);
    }
    const ResponsePiece *home = response_at(response, 1.0, 1.0);
    double rest = pull[home - piece] + home->slope * (1.0 - home->from);
    for (int at = 0; at < response->count; ++at) {
        piece[at].origin =
            piece[at].slope > 0 ? piece[at].from - (pull[at] - rest) / piece[at].slope : 1.0;
    }
    response->piece[home - piece].origin = 1.0; /* and not nearly */
}

/* No jump of the energy from one piece to the next, and none at all at rest. */
static void join_energies(Response *response) {
    ResponsePiece *piece = response->piece;
    int home = (int)(response_at(response, 1.0, 1.0) - piece);
    for (int at = home + 1; at < response->count; ++at) {
        piece[at].offset = piece[at - 1].offset +
                           energy_without_offset(&piece[at - 1], piece[at].from) -
                           energy_without_offset(&piece[at], piece[at].from);
    }
    for (int at = home; at-- > 0;) {
        piece[at].offset = piece[at + 1].offset +
                           energy_without_offset(&piece[at + 1], piece[at + 1].from) -
                           energy_without_offset(&piece[at], piece[at + 1].from);
    }
}

bool response_make(Response *response, int count, const double *lengths, const double *slopes) {
    if (count < 1 || count > RESPONSE_PIECES) {
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
        response->piece[at] = (ResponsePiece){.from = lengths[at], .slope = slopes[at]};
        response->square = response->square && (slopes[at] == 1.0 || slopes[at] == 0.0);
        response->bound = slopes[at] > response->bound ? slopes[at] : response->bound;
    }
    join_pulls(response);
    join_energies(response);
    return true;
}
