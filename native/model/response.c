/* The curves that there are, and making others. */
#include "model/response.h"

const Response response_linear = {
    .count = 1, .bound = 1.0, .piece = {{.from = 0.0, .slope = 1.0, .origin = 1.0}}};

const Response response_tension_only = {.count = 2,
                                        .bound = 1.0,
                                        .piece = {{.from = 0.0, .slope = 0.0, .origin = 1.0},
                                                  {.from = 1.0, .slope = 1.0, .origin = 1.0}}};

/* The piece that goes on at `from` with another slope: pull and energy go on without a jump. */
static ResponsePiece next_piece(const ResponsePiece *before, double from, double slope) {
    double pull = before->slope * (from - before->origin);
    double energy = 0.5 * pull * (from - before->origin) + before->offset;
    ResponsePiece piece = {.from = from, .slope = slope, .origin = from - pull / slope};
    piece.offset = energy - 0.5 * pull * (from - piece.origin);
    return piece;
}

bool response_make(Response *response, int count, const double *lengths, const double *slopes) {
    if (count < 1 || count > RESPONSE_PIECES) {
        return false;
    }
    *response = (Response){
        .count = count, .bound = slopes[0], .piece = {{.slope = slopes[0], .origin = 1.0}}};
    for (int at = 1; at < count; ++at) {
        bool slack = response->piece[at - 1].slope == 0.0;
        if (!(lengths[at] > lengths[at - 1]) || !(slopes[at] > 0) ||
            (slack && lengths[at] != 1.0)) {
            return false;
        }
        response->piece[at] = slack
                                  ? (ResponsePiece){.from = 1.0, .slope = slopes[at], .origin = 1.0}
                                  : next_piece(&response->piece[at - 1], lengths[at], slopes[at]);
        response->bound = slopes[at] > response->bound ? slopes[at] : response->bound;
    }
    /* zero pull at rest: the piece that has it begins there, or its line goes through it */
    return slopes[0] >= 0 && response_at(response, 1.0, 1.0)->origin == 1.0;
}
