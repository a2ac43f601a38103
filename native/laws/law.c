/* Loops over the elements of any law, and the functions that follow from evaluate() and hessian() where its kind has none of
 * its own. */
#include "laws/law.h"

#include "base/lists.h"

bool law_take(Law *law, const LawKind *kind, int count, int width, int rows, Store *store) {
    *law = (Law){.kind = kind, .width = width, .rows = rows, .crossing_from = count};
    law->vertices = STORE_ARRAY(store, int, width *count);
    for (int r = 0; r < rows; ++r) {
        law->weights[r] = STORE_ARRAY(store, double, width *count);
    }
    law->bound = STORE_ARRAY(store, double, rows *count);
    return !store->failed;
}

typedef struct LawWork {
    const Law *law;
    const Guess *guess;
    const Vec3 *x, *d;
} LawWork;

/* --- tensions and energies --------------------------------------------------------------------- */

static double evaluate_elements(void *context, int begin, int end) {
    const LawWork *work = context;
    const Law *law = work->law;
    double energy = 0;
    for (int e = begin; e < end; ++e) {
        energy += law->kind->evaluate(law, e, work->guess, law->tension + law->rows * e);
    }
    return energy;
}

void law_prefetch(const Law *law, int e) {
    __builtin_prefetch(law_vertices(law, e));
    __builtin_prefetch(law_weights(law, 0, e));
    __builtin_prefetch(law_weights(law, 1, e));
}

bool law_all_in_surface(const Law *law, int e) {
    (void)law;
    (void)e;
    return true;
}

void law_prepare(const Law *law, Pool *pool, const Vec3 *x) {
    if (law->kind->prepare) {
        law->kind->prepare(law, pool, x);
    }
}

double law_local_step(Law *law, Pool *pool, const Guess *guess) {
    LawWork work = {.law = law, .guess = guess};
    law_prepare(law, pool, guess->z);
    return pool_sum(pool, law->count, evaluate_elements, &work);
}

static void conventional_elements(void *context, int begin, int end) {
    const LawWork *work = context;
    const Law *law = work->law;
    for (int e = begin; e < end; ++e) {
        law->kind->conventional(law, e, work->x, law->tension + law->rows * e);
    }
}

void law_conventional_step(Law *law, Pool *pool, const Vec3 *x) {
    LawWork work = {.law = law, .x = x};
    if (law->kind->conventional) {
        pool_run(pool, law->count, conventional_elements, &work);
    } else {
        law_local_step(law, pool, &(Guess){.z = x, .present = x});
    }
}

static double sum_energies(void *context, int begin, int end) {
    const LawWork *work = context;
    const Law *law = work->law;
    const Guess guess = {.z = work->x, .present = work->x};
    double sum = 0;
    for (int e = begin; e < end; ++e) {
        Vec3 tension[LAW_ROWS];
        sum = law->kind->add_energy ? law->kind->add_energy(law, e, work->x, sum)
                                    : sum + law->kind->evaluate(law, e, &guess, tension);
    }
    return sum;
}

double law_energy(const Law *law, Pool *pool, const Vec3 *x) {
    LawWork work = {.law = law, .x = x};
    law_prepare(law, pool, x);
    return pool_sum(pool, law->count, sum_energies, &work);
}

/* --- second derivatives ------------------------------------------------------------------------ */

static Vec3 transposed_times(const Block *b, Vec3 v) {
    return vec3(b->m[0] * v.x + b->m[3] * v.y + b->m[6] * v.z,
                b->m[1] * v.x + b->m[4] * v.y + b->m[7] * v.z,
                b->m[2] * v.x + b->m[5] * v.y + b->m[8] * v.z);
}

/* Minus the second derivative times d: by the kind, by the constant bounds, or by the Hessian. */
static void hessian_product_of(const Law *law, int e, const Vec3 *x, const Vec3 *d, Vec3 *tension) {
    LawHessian hessian;
    Vec3 s[LAW_ROWS];
    if (law->kind->hessian_product) {
        law->kind->hessian_product(law, e, x, d, tension);
        return;
    }
    for (int r = 0; r < law->rows; ++r) {
        s[r] = law_measure(law, r, e, d);
        tension[r] = vec3(0, 0, 0);
    }
    if (!law->kind->hessian) {
        for (int r = 0; r < law->rows; ++r) {
            tension[r] = vec3_scale(-law_bounds(law, STIFFNESS_OWN)[law->rows * e + r], s[r]);
        }
    } else if (law->kind->hessian(law, e, x, -1.0, &hessian)) {
        tension[0] = block_times(&hessian.uu, s[0]);
        if (law->rows > 1) {
            tension[0] = vec3_add(tension[0], block_times(&hessian.uv, s[1]));
            tension[1] =
                vec3_add(transposed_times(&hessian.uv, s[0]), block_times(&hessian.vv, s[1]));
        }
    }
}

static void hessian_product_elements(void *context, int begin, int end) {
    const LawWork *work = context;
    const Law *law = work->law;
    for (int e = begin; e < end; ++e) {
        hessian_product_of(law, e, work->x, work->d, law->tension + law->rows * e);
    }
}

void law_hessian_product(Law *law, Pool *pool, const Vec3 *x, const Vec3 *d) {
    LawWork work = {.law = law, .x = x, .d = d};
    pool_run(pool, law->count, hessian_product_elements, &work);
}

static void remember_elements(void *context, int begin, int end) {
    const LawWork *work = context;
    for (int e = begin; e < end; ++e) {
        work->law->kind->remember(work->law, e, work->x);
    }
}

void law_remember(Law *law, Pool *pool, const Vec3 *x) {
    LawWork work = {.law = law, .x = x};
    if (law->memory && law->kind->remember) {
        pool_run(pool, law->count, remember_elements, &work);
    }
}

void law_stiffness(const Law *law, LawStiffness which, int e, int corner, double *value) {
    const double *bound = law_bounds(law, which);
    if (law->kind->stiffness) {
        law->kind->stiffness(law, e, corner, value);
        return;
    }
    for (int r = 0; r < law->rows; ++r) {
        const double *weights = law_weights(law, r, e);
        double own = bound[law->rows * e + r] * weights[corner];
        for (int d = 0; d < law->width; ++d) {
            value[d] = r == 0 ? own * weights[d] : value[d] + own * weights[d];
        }
    }
}

void law_list_corners(const Law *law, int vertex_count, int *start, int *corner) {
    lists_group(start, vertex_count, law->vertices, law->width * law->count, corner);
}

bool law_jacobian(const Law *law, int e, const Vec3 *x, double scale, LawHessian *hessian,
                  double *left) {
    const LawKind *kind = law->kind;
    *left = 1.0;
    if (kind->conventional_hessian) {
        kind->conventional_hessian(law, e, x, hessian);
        *left = scale;
        return true;
    }
    return kind->hessian(law, e, x, scale, hessian);
}

/* to += scale (a_c a_d uu + a_c p_d uv + p_c a_d uv' + p_c p_d vv), a and p the weights of the two rows */
void law_add_pair(const Law *law, int e, int c, int d, double scale, const Block *hessian,
                  Block *to) {
    const double *a = law_weights(law, 0, e);
    double uu = scale * a[c] * a[d];
    if (law->rows == 1) {
        block_add(to, uu, &hessian[0]);
        return;
    }
    const double *p = law_weights(law, 1, e);
    double uv = scale * a[c] * p[d], vu = scale * p[c] * a[d], vv = scale * p[c] * p[d];
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            to->m[3 * i + j] += uu * hessian[0].m[3 * i + j] + uv * hessian[1].m[3 * i + j] +
                                vu * hessian[1].m[3 * j + i] + vv * hessian[2].m[3 * i + j];
        }
    }
}

/* --- the conventional solver's blocks ---------------------------------------------------------- */

StatusCode law_find_slots(Law *law, const BlockMatrix *blocks, Store *store, Status *status) {
    int width = law->width, pairs = width * width;
    if (!law->kind->hessian) {
        return STATUS_OK;
    }
    law->slots = STORE_ARRAY(store, int, pairs * law->count);
    if (store->failed) {
        return status_no_memory(status, law->kind->name);
    }
    for (int e = 0; e < law->count; ++e) {
        const int *vertices = law_vertices(law, e);
        for (int c = 0; c < pairs; ++c) {
            law->slots[pairs * e + c] =
                matrix_slot(blocks->pattern, vertices[c / width], vertices[c % width]);
        }
    }
    return STATUS_OK;
}

void law_add_hessian(const Law *law, const Vec3 *x, double scale, BlockMatrix *blocks) {
    int width = law->width, pairs = width * width;
    for (int e = 0; law->kind->hessian && e < law->count; ++e) {
        LawHessian hessian;
        double left;
        if (!law_jacobian(law, e, x, scale, &hessian, &left)) {
            continue;
        }
        for (int c = 0; c < pairs; ++c) {
            law_add_pair(law, e, c / width, c % width, left, &hessian.uu,
                         &blocks->block[law->slots[pairs * e + c]]);
        }
    }
}

/* --- turning directions on: rotation vectors and Rodrigues' formula ------------------------------- */

Vec3 guess_turn(Vec3 from, Vec3 to) {
    Vec3 cross = vec3_cross(from, to);
    double sine = vec3_length(cross);
    if (sine <= VEC3_TINY * VEC3_TINY) {
        return vec3(0, 0, 0);
    }
    return vec3_scale(atan2(sine, vec3_dot(from, to)) / sine, cross);
}

Vec3 guess_rotate(Vec3 rotation, Vec3 v) {
    double angle = vec3_length(rotation);
    if (angle < 1e-15) {
        return v;
    }
    Vec3 axis = vec3_scale(1.0 / angle, rotation);
    Vec3 cross = vec3_cross(axis, v);
    Vec3 turned = vec3_madd(v, sin(angle), cross);
    return vec3_madd(turned, 1.0 - cos(angle), vec3_cross(axis, cross));
}

/* Turning on by the last angle needs no trigonometry: for unit vectors a (before) and b (now) the
 * next one is 2 (a.b) b - a, b's mirror image of a. */
static Vec3 turned_once(Vec3 now, Vec3 before) {
    double now_length = vec3_length(now), before_length = vec3_length(before);
    if (now_length < VEC3_TINY || before_length < VEC3_TINY) {
        return now;
    }
    Vec3 b = vec3_scale(1.0 / now_length, now);
    Vec3 a = vec3_scale(1.0 / before_length, before);
    return vec3_sub(vec3_scale(2.0 * vec3_dot(a, b), b), a);
}

Vec3 guess_turned(const Guess *guess, const Vec3 *seen) {
    if (guess->coefficient_count == 1 && guess->coefficients[0] == 1.0) {
        return turned_once(seen[0], seen[1]);
    }
    Vec3 rotation = vec3(0, 0, 0);
    for (int m = 0; m < guess->coefficient_count; ++m) {
        rotation = vec3_madd(rotation, guess->coefficients[m], guess_turn(seen[m + 1], seen[m]));
    }
    return guess_rotate(rotation, seen[0]);
}
