/* Strips are lifted off the cloth when positions are read, and feel no force: a placket lies as it is sewn,
 * however the cloth moves. */
#include <string.h>

#include "geometry/bvh.h"
#include "mirror/closures/buttons.h"
#include "mirror/closures/closed_half.h"

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
        placket->line[i].gathered = vec3(0, 0, 0);
    }
    for (int z = 0; z < placket->margin_count; ++z) {
        const MarginVertex *beside = &placket->margin[z];
        Vec3 *sum = &placket->line[beside->between[beside->along > 0.5]].gathered;
        *sum = vec3_madd(*sum, placket->outward, in_plane(normals[beside->vertex]));
    }
    for (int i = 0; i < placket->line_count; ++i) {
        Vec3 sum = vec3(0, 0, 0);
        for (int j = 0; j < placket->line_count; ++j) {
            double far = vec3_distance(placket->line[i].rest, placket->line[j].rest);
            double weight = 1 - far / placket->reach;
            sum = weight > 0 ? vec3_madd(sum, weight * weight, placket->line[j].gathered) : sum;
        }
        double length = vec3_length(sum);
        placket->line[i].averaged = length > 0 ? vec3_scale(1 / length, sum) : vec3(0, 0, 0);
    }
    for (int z = 0; z < placket->margin_count; ++z) {
        const MarginVertex *beside = &placket->margin[z];
        double t = beside->along;
        Vec3 mean = vec3_madd(vec3_scale(1 - t, placket->line[beside->between[0]].averaged), t,
                              placket->line[beside->between[1]].averaged);
        placket->directions[beside->vertex] = vec3_unit_or(mean, vec3(0, 0, 0));
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
    placket->raised[placket->strip[s].vertex] += placket->strip[s].over * way;
}

/* As much as is wanted at least everywhere, and neighbours alike but for this part of their distance. */
static double smoothed(const Placket *placket, int i, double slope) {
    double most = 0;
    for (int j = 0; j < placket->line_count; ++j) {
        double far = vec3_distance(placket->line[i].rest, placket->line[j].rest);
        most = fmax(most, placket->line[j].wanted - slope * far);
    }
    return most;
}

/* How far the line was moved: on both sides alike, so that their mean is where the half is. What is near a place that
 * was moved goes nearly as far, so that layers that lie on each other stay so. */
static void smooth_line(const Placket *placket) {
    int points = placket->point_count - placket->cloth_count;
    for (int i = 0; i < placket->line_count; ++i) {
        placket->line[i].wanted = 0;
    }
    for (int s = 0; s < points; ++s) {
        const StripPoint *point = &placket->strip[s];
        double way = point->over * placket->raised[point->vertex];
        double *wanted = &placket->line[point->beside].wanted;
        *wanted = point->goes_along && way > *wanted ? way : *wanted;
    }
    for (int i = 0; i < placket->line_count; ++i) {
        placket->line[i].raised = smoothed(placket, i, SLOPE);
    }
    for (int s = 0; s < points; ++s) {
        const StripPoint *point = &placket->strip[s];
        if (point->goes_along) {
            move(placket, s,
                 placket->line[point->beside].raised -
                     point->over * placket->raised[point->vertex]);
        }
    }
}

/* How much of the line's way cloth goes along: less and less, evenly. Layers that lie on each other are then sheared
 * alike, whatever their triangles are. */
static double follow(const Placket *placket, double x) {
    double far = x / placket->together;
    return far <= 0 ? 1 : far < 1 ? 1 - far : 0;
}

/* How the line lies beside a vertex of the half. */
typedef struct Beside {
    double raised, out; /* m */
} Beside;

static Beside beside(const Placket *placket, int vertex) {
    int z = placket->margin_of[vertex];
    if (z < 0) {
        return (Beside){0, 0};
    }
    const MarginVertex *own = &placket->margin[z];
    const LineVertex *a = &placket->line[own->between[0]], *b = &placket->line[own->between[1]];
    double t = own->along;
    return (Beside){own->near * ((1 - t) * a->raised + t * b->raised),
                    own->near * ((1 - t) * a->out + t * b->out)};
}

static void sink(const Placket *placket) {
    for (int i = 0; i < placket->cloth_count; ++i) {
        placket->sunk[i] =
            follow(placket, placket->at[i].x) * beside(placket, placket->cloth[i]).raised;
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
    const int32_t *list = pass->kind == PASS_LAST ? across : asking;
    int count = pass->kind == PASS_FIRST  ? last - first
                : pass->kind == PASS_LAST ? own->across_count
                                          : own->asking_count;
    int points = placket->point_count - placket->cloth_count, kept = 0, asked = 0;
    double *wanted = placket->wanted + (int64_t)n * points;
    memset(wanted, 0, (size_t)points * sizeof *wanted);
    Mover mover = {.triangle = -1}; /* pairs of one triangle follow each other */
    for (int i = 0; i < count; ++i) {
        int p = pass->kind == PASS_FIRST ? first + i : list[i];
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
static Vec3 shift_of(const Placket *placket, const Vec3 *positions, const StripPoint *point,
                     Vec3 at, Vec3 up) {
    if (point->foot[0] < 0) {
        return vec3(0, 0, 0);
    }
    double t = point->foot_along;
    Vec3 foot = vec3_madd(vec3_scale(1 - t, positions[placket->line[point->foot[0]].vertex]), t,
                          positions[placket->line[point->foot[1]].vertex]);
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
        const StripPoint *point = &placket->strip[i - placket->cloth_count];
        int v = point->vertex;
        const Ride *ride = &half->rides[v];
        Vec3 at = ride_weighted(ride, positions);
        Vec3 up = vec3_unit_or(ride_weighted(ride, placket->directions), vec3(0, 0, 0));
        placket->shift[v] = shift_of(placket, positions, point, at, up);
        at = vec3_madd(vec3_add(at, placket->shift[v]), ride->rise, up);
        placket->raised[v] = 0;
        placket->away[i] = vec3_scale(point->over, up);
        placket->at[i] = ride->mirrored == point->side ? at : frame_reflect_half(at);
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
            way += ride->weights[k] * beside(placket, ride->vertices[k]).raised;
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
        placket->line[i].wanted = 0;
    }
    for (int s = 0; s < placket->point_count - placket->cloth_count; ++s) {
        double *wanted = &placket->line[placket->strip[s].beside].wanted;
        *wanted = fmax(*wanted, -placket->raised[placket->strip[s].vertex]);
    }
    for (int i = 0; i < placket->line_count; ++i) {
        placket->line[i].out = smoothed(placket, i, OUT_SLOPE);
    }
    for (int i = 0; i < placket->rider_count + placket->point_count - placket->cloth_count; ++i) {
        int v = i < placket->rider_count ? placket->riders[i]
                                         : placket->strip[i - placket->rider_count].vertex;
        const Ride *ride = &half->rides[v];
        double out = 0;
        for (int k = 0; k < 3; ++k) {
            out += ride->weights[k] * beside(placket, ride->vertices[k]).out;
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
        is_open |= positions[placket->line[i].vertex].x > 0;
    }
    part_range(placket, pool, (PairRange){0, placket->strips_from, 1, 1});
    if (is_open) { /* else they are on different sides of the plane */
        part_range(placket, pool, (PairRange){placket->strips_from, placket->layers_from, 1, -1});
    }
    part_range(placket, pool, (PairRange){placket->layers_from, placket->pair_count, 2, 1});
    let_follow(half, positions);
    put_outwards(half, positions);
}

/* --- building ------------------------------------------------------------------------------------ */

/* What it needs to know beforehand: which vertices have a direction, which triangles may meet. */

/* Directions are averaged along the line over this many overlaps, but no less than BUTTON_LEAST of the mesh's size. */
#define AVERAGED 3.0
/* Triangles may meet that were nearer than this many overlaps: a strip that stands off by one is told of, and cloth
 * shifts and folds. */
#define NEAR 1.25

typedef struct Builder {
    Draft *draft;
    Half *half;
    Placket *placket;
    const int32_t *number;
    int32_t *place; /* per caller's vertex: its number in the line, -1 for none */
    int32_t *point; /* per caller's vertex: its point in a strip, -1 for none */
    int32_t *cloth; /* per half vertex: its point, -1 for none */
    Box *boxes;     /* per triangle, at rest */
    uint8_t *inner; /* likewise: of a turned-in layer */
    int cloth_from; /* triangles from here on are the cloth's */
    double margin;  /* m */
} Builder;

/* --- directions ------------------------------------------------------------------------------- */

static int list_line(const Builder *builder) {
    const Draft *draft = builder->draft;
    Placket *placket = builder->placket;
    Store *store = &builder->half->store;
    int most = 2 * draft->line_count;
    int32_t *place = builder->place;
    placket->line = STORE_ARRAY(store, LineVertex, most);
    if (store->failed) {
        return -1;
    }
    for (int i = 0; i < most; ++i) {
        int v = draft->line[i / 2][i % 2];
        if (place[v] < 0) {
            place[v] = placket->line_count;
            placket->line[placket->line_count++] =
                (LineVertex){.vertex = builder->number[v], .rest = draft->at[v]};
        }
    }
    return 0;
}

static int list_margin(const Builder *builder, uint8_t *in_margin) {
    const Draft *draft = builder->draft;
    const Half *half = builder->half;
    Placket *placket = builder->placket;
    Store *store = &builder->half->store;
    const int32_t *place = builder->place;
    int count = half->polygons.vertex_count;
    for (int v = 0; v < half->caller_count; ++v) {
        for (int k = 0; k < 3 && half->rides[v].rise != 0; ++k) {
            in_margin[half->rides[v].vertices[k]] |= half->rides[v].weights[k] != 0;
        }
    }
    placket->margin = STORE_ARRAY(store, MarginVertex, count);
    placket->margin_of = STORE_ARRAY(store, int32_t, count);
    placket->directions = STORE_ARRAY(store, Vec3, count);
    if (store->failed) {
        return -1;
    }
    for (int h = 0; h < count; ++h) {
        placket->margin_of[h] = -1;
    }
    for (int v = 0; v < half->caller_count; ++v) {
        int h = builder->number[v], edge;
        if (h >= 0 && in_margin[h]) {
            MarginVertex *beside = &placket->margin[placket->margin_count];
            double far = nearest_on_edges(draft, draft->line, draft->line_count, draft->at[v],
                                          &edge, &beside->along);
            beside->vertex = h;
            beside->near = button_near(draft, far);
            beside->between[0] = place[draft->line[edge][0]];
            beside->between[1] = place[draft->line[edge][1]];
            placket->margin_of[h] = placket->margin_count++;
        }
    }
    return 0;
}

/* --- points and triangles --------------------------------------------------------------------- */

/* A face of four corners is cut along both diagonals, a larger one from its first corner. */
static int count_cuts(int size) { return size == 4 ? 4 : size - 2; }

static void cut_corners(int size, int number, int *corners) {
    static const int both[4][3] = {{0, 1, 2}, {0, 2, 3}, {0, 1, 3}, {1, 2, 3}};
    for (int k = 0; k < 3; ++k) {
        corners[k] = size == 4 ? both[number][k] : k == 0 ? 0 : number + k;
    }
}

static Vec3 rest_of_ride(const Half *half, const Ride *ride) {
    Vec3 at = vec3(0, 0, 0);
    for (int k = 0; k < 3; ++k) {
        at = vec3_madd(at, ride->weights[k], polygon_position(&half->polygons, ride->vertices[k]));
    }
    return at;
}

/* Where a point is at rest, on the half. */
static Vec3 place_of(const Builder *builder, int point) {
    const Placket *placket = builder->placket;
    const Half *half = builder->half;
    return point < placket->cloth_count
               ? polygon_position(&half->polygons, placket->cloth[point])
               : rest_of_ride(half,
                              &half->rides[placket->strip[point - placket->cloth_count].vertex]);
}

static void add_face(const Builder *builder, const int32_t *ring, int size, const int32_t *point,
                     int inner) {
    Placket *placket = builder->placket;
    for (int c = 0; c < count_cuts(size); ++c) {
        int corners[3], t = placket->triangle_count++;
        cut_corners(size, c, corners);
        builder->boxes[t] = box_empty();
        builder->inner[t] = (uint8_t)inner;
        for (int k = 0; k < 3; ++k) {
            placket->triangles[t][k] = point[ring[corners[k]]];
            Vec3 corner = place_of(builder, placket->triangles[t][k]);
            builder->boxes[t] = box_with_point(builder->boxes[t], corner);
        }
    }
}

/* Is it a face of a strip? 2: of a turned-in layer. */
static int strip_face(const Builder *builder, const int32_t *ring, int size) {
    int found = 0, without = 0;
    for (int c = 0; c < size; ++c) {
        int layer = builder->draft->layer[ring[c]];
        found |= layer == LAYER_INNER ? 3 : layer != LAYER_NONE;
        without |= builder->half->rides[ring[c]].vertices[0] < 0;
    }
    return without ? 0 : found & 2 ? 2 : found;
}

/* The vertex of the line beside which a vertex rides. */
static int32_t line_beside(const Builder *builder, int vertex) {
    const Ride *ride = &builder->half->rides[vertex];
    const Placket *placket = builder->placket;
    int best = ride->weights[1] > ride->weights[0];
    best = ride->weights[2] > ride->weights[best] ? 2 : best;
    int z = placket->margin_of[ride->vertices[best]];
    const MarginVertex *own = &placket->margin[z < 0 ? 0 : z];
    return z < 0 ? 0 : own->between[own->along > 0.5];
}

/* Of the two layers of a front that is turned in, the one farther from the cloth below or above is moved away from the
 * other: the outer layer of the front that lies over, with the line; the inner one of the front below. */
static uint8_t moves_of(const Builder *builder, int vertex, double over) {
    switch (builder->draft->layer[vertex]) {
    case LAYER_NONE:
        return builder->half->rides[vertex].rise != 0 ? 2 : 0;
    case LAYER_INNER:
        return over < 0 ? 2 : 1;
    case LAYER_OUTER:
        return over < 0 ? 1 : 2;
    default:
        return 1;
    }
}

static void list_riders(const Builder *builder) {
    Placket *placket = builder->placket;
    for (int v = 0; v < builder->half->caller_count; ++v) {
        if (builder->half->rides[v].rise != 0 && builder->point[v] < 0) {
            placket->riders[placket->rider_count++] = v;
        }
    }
}

static StripPoint strip_point(const Builder *builder, int vertex, const Ride *lead) {
    const Draft *draft = builder->draft;
    bool strips = draft->layer[vertex];
    StripPoint point = {.vertex = vertex,
                        .side = lead->mirrored,
                        .over = lead->rise < 0 ? -1 : 1,
                        .beside = line_beside(builder, vertex),
                        .foot = {-1, -1}};
    point.goes_along = !strips && moves_of(builder, vertex, point.over);
    if (strips) {
        Vec3 at = rest_of_ride(builder->half, &builder->half->rides[vertex]);
        int edge;
        nearest_on_edges(draft, draft->line, draft->line_count, at, &edge, &point.foot_along);
        point.foot[0] = builder->place[draft->line[edge][0]];
        point.foot[1] = builder->place[draft->line[edge][1]];
    }
    return point;
}

static void list_strip_points(const Builder *builder) {
    const PolygonMesh *mesh = builder->draft->mesh;
    Placket *placket = builder->placket;
    const int32_t *ring = mesh->face_vertices;
    for (int f = 0; f < mesh->face_count; ring += mesh->face_sizes[f++]) {
        int lead = -1;
        if (!strip_face(builder, ring, mesh->face_sizes[f])) {
            continue;
        }
        for (int c = 0; c < mesh->face_sizes[f] && lead < 0; ++c) {
            lead = builder->draft->layer[ring[c]] ? ring[c] : -1;
        }
        for (int c = 0; c < mesh->face_sizes[f]; ++c) {
            int v = ring[c], s = placket->point_count - placket->cloth_count;
            if (builder->point[v] < 0) {
                placket->strip[s] = strip_point(builder, v, &builder->half->rides[lead]);
                placket->moves[placket->point_count] = moves_of(builder, v, placket->strip[s].over);
                builder->point[v] = placket->point_count++;
            }
        }
    }
}

/* Faces of the half near the strips: their vertices are the first points. */
static void list_cloth_points(const Builder *builder, const uint8_t *is_near) {
    const PolygonMesh *mesh = &builder->half->polygons;
    Placket *placket = builder->placket;
    const int32_t *ring = mesh->face_vertices;
    for (int f = 0; f < mesh->face_count; ring += mesh->face_sizes[f++]) {
        for (int c = 0; is_near[f] && c < mesh->face_sizes[f]; ++c) {
            if (builder->cloth[ring[c]] < 0) {
                builder->cloth[ring[c]] = placket->cloth_count;
                placket->cloth[placket->cloth_count++] = ring[c];
            }
        }
    }
    placket->point_count = placket->cloth_count;
}

/* Marks the half's faces near the box around all that strips ride on. */
static void mark_near(const Builder *builder, uint8_t *is_near) {
    const Half *half = builder->half;
    const PolygonMesh *mesh = &half->polygons;
    const int32_t *ring = mesh->face_vertices;
    Box all = box_empty();
    for (int i = 0; i < builder->placket->line_count; ++i) {
        all = box_with_point(all, builder->placket->line[i].rest);
    }
    for (int v = 0; v < half->caller_count; ++v) {
        for (int k = 0; k < 3 && builder->draft->layer[v]; ++k) {
            all = box_with_point(all, polygon_position(mesh, half->rides[v].vertices[k]));
        }
    }
    all = box_grown(all, builder->margin);
    for (int f = 0; f < mesh->face_count; ring += mesh->face_sizes[f++]) {
        Box box = box_empty();
        for (int c = 0; c < mesh->face_sizes[f]; ++c) {
            box = box_with_point(box, polygon_position(mesh, ring[c]));
        }
        is_near[f] = (uint8_t)box_overlaps(&all, &box);
    }
}

static int64_t count_triangles(const Builder *builder, const uint8_t *is_near) {
    const PolygonMesh *whole = builder->draft->mesh, *half = &builder->half->polygons;
    const int32_t *ring = whole->face_vertices;
    int64_t count = 0;
    for (int f = 0; f < whole->face_count; ring += whole->face_sizes[f++]) {
        count +=
            strip_face(builder, ring, whole->face_sizes[f]) ? count_cuts(whole->face_sizes[f]) : 0;
    }
    for (int f = 0; f < half->face_count; ++f) {
        count += is_near[f] ? count_cuts(half->face_sizes[f]) : 0;
    }
    return count;
}

static int list_triangles(Builder *builder, const uint8_t *is_near) {
    const PolygonMesh *whole = builder->draft->mesh, *half = &builder->half->polygons;
    Placket *placket = builder->placket;
    int64_t count = count_triangles(builder, is_near);
    placket->triangles =
        store_take(&builder->half->store, (size_t)count, sizeof *placket->triangles);
    builder->boxes = STORE_ARRAY(&builder->draft->store, Box, count);
    builder->inner = STORE_ARRAY(&builder->draft->store, uint8_t, count);
    if (builder->half->store.failed || builder->draft->store.failed) {
        return -1;
    }
    const int32_t *ring = whole->face_vertices;
    for (int f = 0; f < whole->face_count; ring += whole->face_sizes[f++]) {
        int kind = strip_face(builder, ring, whole->face_sizes[f]);
        if (kind) {
            add_face(builder, ring, whole->face_sizes[f], builder->point, kind == 2);
        }
    }
    builder->cloth_from = placket->triangle_count;
    ring = half->face_vertices;
    for (int f = 0; f < half->face_count; ring += half->face_sizes[f++]) {
        if (is_near[f]) {
            add_face(builder, ring, half->face_sizes[f], builder->cloth, 0);
        }
    }
    return 0;
}

static int take_points(Builder *builder, uint8_t **is_near) {
    Placket *placket = builder->placket;
    Store *store = &builder->half->store, *scratch = &builder->draft->store;
    int whole = builder->half->caller_count, half = builder->half->polygons.vertex_count;
    *is_near = STORE_ARRAY(scratch, uint8_t, builder->half->polygons.face_count);
    builder->point = STORE_ARRAY(scratch, int32_t, whole);
    builder->cloth = STORE_ARRAY(scratch, int32_t, half);
    placket->cloth = STORE_ARRAY(store, int32_t, half);
    placket->sunk = STORE_ARRAY(store, double, half);
    placket->strip = STORE_ARRAY(store, StripPoint, whole);
    placket->riders = STORE_ARRAY(store, int32_t, whole);
    placket->raised = STORE_ARRAY(store, double, whole);
    placket->shift = STORE_ARRAY(store, Vec3, whole);
    placket->moves = STORE_ARRAY(store, uint8_t, half + (int64_t)whole);
    placket->at = STORE_ARRAY(store, Vec3, half + (int64_t)whole);
    placket->away = STORE_ARRAY(store, Vec3, half + (int64_t)whole);
    if (store->failed || scratch->failed) {
        return -1;
    }
    for (int v = 0; v < whole; ++v) {
        builder->point[v] = -1;
    }
    for (int h = 0; h < half; ++h) {
        builder->cloth[h] = -1;
    }
    return 0;
}

/* --- pairs ------------------------------------------------------------------------------------ */

static const StripPoint *first_point(const Placket *placket, int triangle) {
    return &placket->strip[placket->triangles[triangle][0] - placket->cloth_count];
}

/* Layers of one strip. */
static bool layers_meet(const Builder *builder, int moved, int met) {
    const StripPoint *point = first_point(builder->placket, moved);
    bool inner_moves = point->over < 0;
    return point->side == first_point(builder->placket, met)->side &&
           builder->inner[moved] == inner_moves && builder->inner[met] == !inner_moves;
}

/* The strip that lies over is moved from the other one. */
static bool strips_meet(const Builder *builder, int moved, int met) {
    return first_point(builder->placket, moved)->over > 0 &&
           first_point(builder->placket, met)->over < 0;
}

typedef enum MeetKind { MEET_CLOTH, MEET_STRIP, MEET_LAYER } MeetKind;

/* What one triangle of a strip may meet: triangles of the cloth, of the other strip, or of a layer of its own. */
typedef struct Meets {
    const Builder *builder;
    MeetKind kind;
    int first, moved; /* triangles that the tree counts from here; the strip's own */
    PlacketPair *pairs;
    int64_t count;
} Meets;

static bool add_pair(void *context, int primitive) {
    Meets *meets = context;
    int met = meets->first + primitive;
    bool counts = meets->kind == MEET_CLOTH ||
                  (meets->kind == MEET_STRIP ? strips_meet(meets->builder, meets->moved, met)
                                             : layers_meet(meets->builder, meets->moved, met));
    if (counts) {
        if (meets->pairs) {
            meets->pairs[meets->count] = (PlacketPair){meets->moved, met};
        }
        ++meets->count;
    }
    return false;
}

/* Counts them, and writes them where `pairs` is not null. */
static int64_t find_pairs(const Builder *builder, const Bvh *tree, MeetKind kind,
                          PlacketPair *pairs) {
    Meets meets = {.builder = builder,
                   .kind = kind,
                   .first = kind == MEET_CLOTH ? builder->cloth_from : 0,
                   .pairs = pairs};
    for (; meets.moved < builder->cloth_from; ++meets.moved) {
        Box box = box_grown(builder->boxes[meets.moved], builder->margin);
        bvh_visit(tree, &box, add_pair, &meets);
    }
    return meets.count;
}

static int list_pairs(Builder *builder) {
    Placket *placket = builder->placket;
    int strips = builder->cloth_from;
    Store *scratch = &builder->draft->store;
    Status status = {0};
    Bvh strip, cloth;
    if (bvh_build(&strip, strips, builder->boxes, scratch, &status) != STATUS_OK ||
        bvh_build(&cloth, placket->triangle_count - strips, builder->boxes + strips, scratch,
                  &status) != STATUS_OK) {
        return -1;
    }
    int64_t with_cloth = find_pairs(builder, &cloth, MEET_CLOTH, NULL);
    int64_t with_strips = with_cloth + find_pairs(builder, &strip, MEET_STRIP, NULL);
    int64_t all = with_strips + find_pairs(builder, &strip, MEET_LAYER, NULL);
    Store *store = &builder->half->store;
    int64_t points = placket->point_count - placket->cloth_count;
    placket->pairs = STORE_ARRAY(store, PlacketPair, all);
    placket->parts = STORE_ARRAY(store, PlacketPart, PLACKET_PARTS);
    placket->across = STORE_ARRAY(store, int32_t, all);
    placket->asking = STORE_ARRAY(store, int32_t, all);
    placket->wanted = STORE_ARRAY(store, double, PLACKET_PARTS *points);
    if (all > INT32_MAX || builder->half->store.failed) {
        return -1;
    }
    find_pairs(builder, &cloth, MEET_CLOTH, placket->pairs);
    find_pairs(builder, &strip, MEET_STRIP, placket->pairs + with_cloth);
    find_pairs(builder, &strip, MEET_LAYER, placket->pairs + with_strips);
    placket->strips_from = (int)with_cloth;
    placket->layers_from = (int)with_strips;
    placket->pair_count = (int)all;
    return 0;
}

int placket_build(Draft *draft, const int32_t *number, Half *half) {
    double overlap = draft->options->overlap, reach = AVERAGED * overlap;
    double least = BUTTON_LEAST * draft->size;
    Placket *placket = &half->placket;
    Builder builder = {.draft = draft,
                       .half = half,
                       .placket = placket,
                       .number = number,
                       .place = STORE_ARRAY(&draft->store, int32_t, half->caller_count),
                       .margin = NEAR * overlap};
    uint8_t *in_margin = STORE_ARRAY(&draft->store, uint8_t, half->polygons.vertex_count), *is_near;
    if (draft->store.failed) {
        return -1;
    }
    for (int v = 0; v < half->caller_count; ++v) {
        builder.place[v] = -1;
    }
    placket->outward = draft->outward;
    placket->reach = reach > least ? reach : least;
    placket->clearance = 0.5 * draft->gap;
    placket->together = button_reach(draft);
    if (list_line(&builder) != 0 || list_margin(&builder, in_margin) != 0 ||
        take_points(&builder, &is_near) != 0) {
        return -1;
    }
    mark_near(&builder, is_near);
    list_cloth_points(&builder, is_near);
    list_strip_points(&builder);
    list_riders(&builder);
    return list_triangles(&builder, is_near) != 0 ? -1 : list_pairs(&builder);
}
