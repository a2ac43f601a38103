/* Strips are lifted off the cloth when its places are handed out, and feel no force: a placket lies as it is sewn,
 * however the cloth moves. */
#include <string.h>

#include "mirror/half/half.h"

/* Strips are moved away in so many passes. The first ones go a part of the way only, so that a corner that is moved for
 * the sake of one place helps at others before they ask for more; the last go all of it. */
#define PASSES 4
#define WHOLE_PASSES 2
#define PART 0.5
/* Where the held corners of a triangle have nearly all the weight, moving the others would do nothing. */
#define LEAST_FREE 0.02
/* Neighbours on the line are moved alike but for this part of their distance. */
#define SLOPE 0.1
/* The same for what is put outwards as a whole: hardly bent, so that strips stay clear of the cloth. */
#define OUT_SLOPE 0.02
/* Triangles that seen along the direction are smaller than this, m^2, have no inside. */
#define EDGEWISE 1e-12

/* --- directions ------------------------------------------------------------------------------- */

static Vec3 in_plane(Vec3 v) { return vec3(0, v.y, v.z); }

void placket_turn(const Half *half, const Vec3 *normals) {
    const Placket *placket = &half->placket;
    for (int i = 0; i < placket->line_count; ++i) {
        placket->gathered[i] = vec3(0, 0, 0);
    }
    for (int z = 0; z < placket->margin_count; ++z) {
        Vec3 *sum = &placket->gathered[placket->between[z][placket->along[z] > 0.5]];
        *sum = vec3_madd(*sum, placket->outward, in_plane(normals[placket->margin[z]]));
    }
    for (int i = 0; i < placket->line_count; ++i) {
        Vec3 sum = vec3(0, 0, 0);
        for (int j = 0; j < placket->line_count; ++j) {
            double far = vec3_distance(placket->line_rest[i], placket->line_rest[j]);
            double weight = 1 - far / placket->reach;
            sum = weight > 0 ? vec3_madd(sum, weight * weight, placket->gathered[j]) : sum;
        }
        double length = vec3_length(sum);
        placket->averaged[i] = length > 0 ? vec3_scale(1 / length, sum) : vec3(0, 0, 0);
    }
    for (int z = 0; z < placket->margin_count; ++z) {
        const int32_t *ends = placket->between[z];
        double t = placket->along[z];
        Vec3 mean =
            vec3_madd(vec3_scale(1 - t, placket->averaged[ends[0]]), t, placket->averaged[ends[1]]);
        placket->directions[placket->margin[z]] = vec3_unit_or(mean, vec3(0, 0, 0));
    }
}

/* --- one triangle over another ---------------------------------------------------------------- */

/* A triangle as it is seen along the direction: across the plane, along it, and height, m. */
typedef struct Seen {
    double x[3], y[3], height[3];
    double area; /* twice, m^2 */
} Seen;

/* What is of the cloth has gone along with the line, to the other side of the direction. `across` is -1 for the image
 * of the triangle. */
static Seen see(const Placket *placket, const int32_t *corners, Vec3 up, double across) {
    Seen seen;
    for (int k = 0; k < 3; ++k) {
        Vec3 p = placket->at[corners[k]];
        seen.x[k] = across * p.x;
        seen.y[k] = p.z * up.y - p.y * up.z;
        seen.height[k] = p.y * up.y + p.z * up.z;
        seen.height[k] -= corners[k] < placket->cloth_count ? placket->sunk[corners[k]] : 0;
    }
    seen.area = (seen.x[1] - seen.x[0]) * (seen.y[2] - seen.y[0]) -
                (seen.x[2] - seen.x[0]) * (seen.y[1] - seen.y[0]);
    return seen;
}

static double least(const double *v) {
    double a = v[0] < v[1] ? v[0] : v[1];
    return a < v[2] ? a : v[2];
}

static double most(const double *v) {
    double a = v[0] > v[1] ? v[0] : v[1];
    return a > v[2] ? a : v[2];
}

/* Weights of a place in a triangle; 0: it is outside, or the triangle is seen edgewise. */
static int weigh(const Seen *t, double x, double y, double *weights) {
    double area = t->area, side = area < 0 ? -1 : 1;
    double dx[3] = {t->x[0] - x, t->x[1] - x, t->x[2] - x};
    double dy[3] = {t->y[0] - y, t->y[1] - y, t->y[2] - y};
    weights[0] = dx[1] * dy[2] - dx[2] * dy[1];
    weights[1] = dx[2] * dy[0] - dx[0] * dy[2];
    weights[2] = dx[0] * dy[1] - dx[1] * dy[0];
    /* most places are outside: no division for them */
    if (side * weights[0] < 0 || side * weights[1] < 0 || side * weights[2] < 0 ||
        fabs(area) < EDGEWISE) {
        return 0;
    }
    for (int k = 0; k < 3; ++k) {
        weights[k] /= area;
    }
    return 1;
}

static double mix(const double *weights, const double *values) {
    return weights[0] * values[0] + weights[1] * values[1] + weights[2] * values[2];
}

/* How far the corners of a strip's triangle have to move, m. */
typedef struct Want {
    double clearance, most[3];
    int moves[3];
} Want;

/* One place where the triangle is over another one, that is `met` high there. Of all ways to raise this place the
 * shortest: sum of squares over the corners. */
static void look_at(const Seen *moved, const double *weights, double met, Want *want) {
    double free = 0, squares = 0;
    for (int k = 0; k < 3; ++k) {
        free += want->moves[k] ? weights[k] : 0;
        squares += want->moves[k] ? weights[k] * weights[k] : 0;
    }
    double missing = want->clearance * free + met - mix(weights, moved->height);
    for (int k = 0; k < 3 && missing > 0 && free > LEAST_FREE; ++k) {
        double needed = want->moves[k] ? weights[k] * missing / squares : 0;
        want->most[k] = needed > want->most[k] ? needed : want->most[k];
    }
}

/* Where side i of one crosses side j of the other. */
static void cross(const Seen *moved, int i, const Seen *met, int j, Want *want) {
    int k = (i + 1) % 3, l = (j + 1) % 3;
    double ax = moved->x[k] - moved->x[i], ay = moved->y[k] - moved->y[i];
    double bx = met->x[l] - met->x[j], by = met->y[l] - met->y[j];
    double cx = met->x[j] - moved->x[i], cy = met->y[j] - moved->y[i];
    double area = ax * by - ay * bx, side = area < 0 ? -1 : 1;
    double s = side * (cx * by - cy * bx), t = side * (cx * ay - cy * ax);
    area = fabs(area);
    if (s >= 0 && s <= area && t >= 0 && t <= area && area >= EDGEWISE) {
        double weights[3] = {0, 0, 0};
        s /= area;
        t /= area;
        weights[i] = 1 - s;
        weights[k] = s;
        look_at(moved, weights, (1 - t) * met->height[j] + t * met->height[l], want);
    }
}

static void measure(const Seen *moved, const Seen *met, Want *want) {
    double weights[3];
    for (int k = 0; k < 3; ++k) {
        double here[3] = {k == 0, k == 1, k == 2};
        if (weigh(met, moved->x[k], moved->y[k], weights)) {
            look_at(moved, here, mix(weights, met->height), want);
        }
        if (weigh(moved, met->x[k], met->y[k], weights)) {
            look_at(moved, weights, met->height[k], want);
        }
    }
    for (int s = 0; s < 9; ++s) {
        cross(moved, s / 3, met, s % 3, want);
    }
}

/* --- all of them ------------------------------------------------------------------------------ */

/* A triangle of a strip, and what it is asked along with all that it may meet. */
typedef struct Mover {
    int triangle; /* -1: none yet */
    Vec3 up;
    double across; /* -1: it meets images */
    int moves[3];
    Seen seen;
    double left, right, low, high; /* m: its box as it is seen */
} Mover;

static Mover mover_of(const Placket *placket, int triangle, int least_rank, double across) {
    const int32_t *corners = placket->triangles[triangle];
    Mover mover = {.triangle = triangle, .across = across};
    for (int k = 0; k < 3; ++k) {
        mover.moves[k] = placket->moves[corners[k]] >= least_rank;
        mover.up = vec3_add(mover.up, placket->away[corners[k]]);
    }
    mover.up = vec3_unit_or(mover.up, vec3(0, 0, 0));
    mover.seen = see(placket, corners, mover.up, 1);
    mover.left = least(mover.seen.x);
    mover.right = most(mover.seen.x);
    mover.low = least(mover.seen.y);
    mover.high = most(mover.seen.y);
    return mover;
}

/* Most triangles are beside it: seen at little cost. */
static bool is_beside_across(const Placket *placket, const Mover *mover, const int32_t *corners) {
    const Vec3 *at = placket->at;
    double x[3] = {mover->across * at[corners[0]].x, mover->across * at[corners[1]].x,
                   mover->across * at[corners[2]].x};
    return mover->left > most(x) || least(x) > mover->right;
}

static bool is_beside_along(const Placket *placket, const Mover *mover, const int32_t *corners) {
    const Vec3 *at = placket->at;
    Vec3 a = at[corners[0]], b = at[corners[1]], c = at[corners[2]], up = mover->up;
    double y[3] = {a.z * up.y - a.y * up.z, b.z * up.y - b.y * up.z, c.z * up.y - c.y * up.z};
    return mover->low > most(y) || least(y) > mover->high;
}

/* Adds to what the strips' points want (m); true if anything was missing. */
static bool part(const Placket *placket, const Mover *mover, const int32_t *others,
                 double *wanted) {
    Want want = {.clearance = placket->clearance};
    Seen met = see(placket, others, mover->up, mover->across);
    if (least(mover->seen.height) - most(met.height) >= placket->clearance) {
        return false;
    }
    memcpy(want.moves, mover->moves, sizeof want.moves);
    measure(&mover->seen, &met, &want);
    const int32_t *corners = placket->triangles[mover->triangle];
    for (int k = 0; k < 3; ++k) {
        double *here = &wanted[corners[k] - placket->cloth_count];
        *here = want.most[k] > *here ? want.most[k] : *here;
    }
    return most(want.most) > 0;
}

/* A point of a strip, away from the cloth. */
static void move(const Placket *placket, int s, double way) {
    int i = placket->cloth_count + s;
    placket->at[i] = vec3_madd(placket->at[i], way, placket->away[i]);
    placket->raised[placket->strip[s]] += placket->over[s] * way;
}

/* From line_wanted: as much at least everywhere, and neighbours alike but for this part of their distance. */
static void smooth(const Placket *placket, double slope, double *line) {
    for (int i = 0; i < placket->line_count; ++i) {
        line[i] = 0;
        for (int j = 0; j < placket->line_count; ++j) {
            double far = vec3_distance(placket->line_rest[i], placket->line_rest[j]);
            double way = placket->line_wanted[j] - slope * far;
            line[i] = way > line[i] ? way : line[i];
        }
    }
}

/* How far the line was moved: on both sides alike, so that their mean is where the half is. What is near a place that
 * was moved goes nearly as far, so that layers that lie on each other stay so. */
static void smooth_line(const Placket *placket) {
    int count = placket->line_count, points = placket->point_count - placket->cloth_count;
    for (int i = 0; i < count; ++i) {
        placket->line_wanted[i] = 0;
    }
    for (int s = 0; s < points; ++s) {
        double way = placket->over[s] * placket->raised[placket->strip[s]];
        double *wanted =
            placket->nearest[s] < 0 ? NULL : &placket->line_wanted[placket->nearest[s]];
        if (wanted && way > *wanted) {
            *wanted = way;
        }
    }
    smooth(placket, SLOPE, placket->line_raised);
    for (int s = 0; s < points; ++s) {
        if (placket->nearest[s] >= 0) {
            move(placket, s,
                 placket->line_raised[placket->nearest[s]] -
                     placket->over[s] * placket->raised[placket->strip[s]]);
        }
    }
}

/* How much of the line's way cloth goes along: less and less, evenly. Layers that lie on each other are then sheared
 * alike, whatever their triangles are. */
static double follow(const Placket *placket, double x) {
    double far = x / placket->together;
    return far <= 0 ? 1 : far < 1 ? 1 - far : 0;
}

/* What the line has (m) beside a vertex of the half. */
static double beside(const Placket *placket, int vertex, const double *line) {
    int z = placket->margin_of[vertex];
    if (z < 0) {
        return 0;
    }
    double t = placket->along[z];
    return placket->near[z] *
           ((1 - t) * line[placket->between[z][0]] + t * line[placket->between[z][1]]);
}

static void sink(const Placket *placket) {
    for (int i = 0; i < placket->cloth_count; ++i) {
        placket->sunk[i] = follow(placket, placket->at[i].x) *
                           beside(placket, placket->cloth[i], placket->line_raised);
    }
}

/* Pairs of a kind, of which corners of this rank at least are moved. */
typedef struct PairRange {
    int begin, end, least_rank;
    double across; /* -1: strips meet images */
} PairRange;

/* Which pairs a pass looks at. Nothing moves across the plane, so those that are beside each other there stay so: the
 * first pass lists all others, and the last looks at these. Those in between look only where something was missing. */
typedef enum PassKind { PASS_FIRST, PASS_BETWEEN, PASS_LAST } PassKind;

typedef struct Pass {
    const Placket *placket;
    PairRange range;
    PassKind kind;
} Pass;

/* One part of the pairs, with lists of its own. */
static void look_through(const Pass *pass, int n) {
    const Placket *placket = pass->placket;
    const PairRange *range = &pass->range;
    PlacketPart *own = &placket->parts[n];
    int64_t all = range->end - range->begin;
    int first = range->begin + (int)(all * n / PLACKET_PARTS);
    int last = range->begin + (int)(all * (n + 1) / PLACKET_PARTS);
    int32_t *across = placket->across + first, *asking = placket->asking + first;
    int count = pass->kind == PASS_FIRST  ? last - first
                : pass->kind == PASS_LAST ? own->across_count
                                          : own->asking_count;
    int points = placket->point_count - placket->cloth_count, kept = 0, asked = 0;
    double *wanted = placket->wanted + (int64_t)n * points;
    memset(wanted, 0, (size_t)points * sizeof *wanted);
    Mover mover = {.triangle = -1}; /* pairs of one triangle follow each other */
    for (int i = 0; i < count; ++i) {
        int p = pass->kind == PASS_FIRST  ? first + i
                : pass->kind == PASS_LAST ? across[i]
                                          : asking[i];
        const PlacketPair *pair = &placket->pairs[p];
        const int32_t *others = placket->triangles[pair->met];
        if (pair->moved != mover.triangle) {
            mover = mover_of(placket, pair->moved, range->least_rank, range->across);
        }
        if (pass->kind == PASS_FIRST && is_beside_across(placket, &mover, others)) {
            continue;
        }
        across[kept] = pass->kind == PASS_FIRST ? p : across[kept];
        ++kept;
        if (!is_beside_along(placket, &mover, others) && part(placket, &mover, others, wanted)) {
            asking[asked++] = p;
        }
    }
    own->across_count = pass->kind == PASS_FIRST ? kept : own->across_count;
    own->asking_count = asked;
}

static void look_through_parts(void *context, int begin, int end) {
    for (int n = begin; n < end; ++n) {
        look_through(context, n);
    }
}

static void make_pass(const Pass *pass, Pool *pool, double share) {
    const Placket *placket = pass->placket;
    int points = placket->point_count - placket->cloth_count;
    Pass own = *pass;
    if (pool) {
        pool_each(pool, PLACKET_PARTS, look_through_parts, &own);
    } else {
        look_through_parts(&own, 0, PLACKET_PARTS);
    }
    for (int s = 0; s < points; ++s) {
        double way = 0;
        for (int n = 0; n < PLACKET_PARTS; ++n) {
            double here = placket->wanted[(int64_t)n * points + s];
            way = here > way ? here : way;
        }
        move(placket, s, share * way);
    }
    smooth_line(placket);
    sink(placket);
}

/* How far a strip that rides on the other side's cloth is from beside its own line, seen on the half. Reflected at
 * the line instead of the plane it keeps its width however far the fronts are open; that is the same when they are
 * closed. Until then the strips of both sides are in one place, and are flat: bent as the cloth they would cross. */
static Vec3 shift_of(const Half *half, const Vec3 *positions, int s, Vec3 at, Vec3 up) {
    const Placket *placket = &half->placket;
    const int32_t *ends = placket->foot[s];
    if (ends[0] < 0) {
        return vec3(0, 0, 0);
    }
    double t = placket->foot_along[s];
    Vec3 foot = vec3_madd(vec3_scale(1 - t, positions[placket->line[ends[0]]]), t,
                          positions[placket->line[ends[1]]]);
    double open = foot.x > 0 ? foot.x : 0, flat = open / (2 * placket->clearance);
    double height = vec3_dot(vec3_sub(at, foot), up);
    Vec3 shift = vec3_scale(-(flat < 1 ? flat : 1) * height, up);
    shift.x -= 2 * open;
    return shift;
}

static void set_points(const Half *half, const Vec3 *positions) {
    const Placket *placket = &half->placket;
    for (int i = 0; i < placket->cloth_count; ++i) {
        placket->at[i] = positions[placket->cloth[i]];
    }
    for (int i = placket->cloth_count; i < placket->point_count; ++i) {
        int s = i - placket->cloth_count, v = placket->strip[s];
        const Ride *ride = &half->rides[v];
        Vec3 at = ride_weighted(ride, positions);
        Vec3 up = vec3_unit_or(ride_weighted(ride, placket->directions), vec3(0, 0, 0));
        placket->shift[v] = shift_of(half, positions, s, at, up);
        at = vec3_madd(vec3_add(at, placket->shift[v]), ride->rise, up);
        placket->raised[v] = 0;
        placket->away[i] = vec3_scale(placket->over[s], up);
        placket->at[i] = ride->mirrored == placket->side[s] ? at : frame_reflect_half(at);
    }
}

/* The cloth beside the line goes along with it. */
static void let_follow(const Half *half, const Vec3 *positions) {
    const Placket *placket = &half->placket;
    for (int r = 0; r < placket->rider_count; ++r) {
        int v = placket->riders[r];
        const Ride *ride = &half->rides[v];
        double way = 0, part_of_it = follow(placket, ride_weighted(ride, positions).x);
        for (int k = 0; k < 3; ++k) {
            way += ride->weights[k] * beside(placket, ride->vertices[k], placket->line_raised);
        }
        way = ride->rise < 0 ? ride->rise - way : ride->rise + way;
        placket->raised[v] = part_of_it * way - ride->rise;
    }
}

/* What lies below would be in the body on which the cloth lies. All of it, both sides alike, is put outwards again by
 * as much as it went inwards by more than half the gap. */
static void put_outwards(const Half *half, const Vec3 *positions) {
    const Placket *placket = &half->placket;
    for (int i = 0; i < placket->line_count; ++i) {
        placket->line_wanted[i] = 0;
    }
    for (int s = 0; s < placket->point_count - placket->cloth_count; ++s) {
        double *wanted = &placket->line_wanted[placket->beside[s]];
        double inwards = -placket->raised[placket->strip[s]];
        *wanted = inwards > *wanted ? inwards : *wanted;
    }
    smooth(placket, OUT_SLOPE, placket->line_out);
    for (int i = 0; i < placket->rider_count + placket->point_count - placket->cloth_count; ++i) {
        int v = i < placket->rider_count ? placket->riders[i]
                                         : placket->strip[i - placket->rider_count];
        const Ride *ride = &half->rides[v];
        double out = 0;
        for (int k = 0; k < 3; ++k) {
            out += ride->weights[k] * beside(placket, ride->vertices[k], placket->line_out);
        }
        placket->raised[v] += follow(placket, ride_weighted(ride, positions).x) * out;
    }
}

static void part_range(const Placket *placket, Pool *pool, PairRange range) {
    for (int n = 0; n < PASSES && range.end > range.begin; ++n) {
        Pass pass = {placket, range,
                     n == 0            ? PASS_FIRST
                     : n == PASSES - 1 ? PASS_LAST
                                       : PASS_BETWEEN};
        make_pass(&pass, pool, n < PASSES - WHOLE_PASSES ? PART : 1);
    }
}

void placket_raise(const Half *half, Pool *pool, const Vec3 *positions) {
    const Placket *placket = &half->placket;
    bool is_open = false;
    set_points(half, positions);
    for (int i = 0; i < placket->cloth_count; ++i) {
        placket->sunk[i] = 0;
    }
    for (int i = 0; i < placket->line_count; ++i) {
        is_open |= positions[placket->line[i]].x > 0;
    }
    part_range(placket, pool, (PairRange){0, placket->strips_from, 1, 1});
    if (is_open) { /* else they are on different sides of the plane */
        part_range(placket, pool, (PairRange){placket->strips_from, placket->layers_from, 1, -1});
    }
    part_range(placket, pool, (PairRange){placket->layers_from, placket->pair_count, 2, 1});
    let_follow(half, positions);
    put_outwards(half, positions);
}
