/* The product along threads and strips. Loops run over short pieces in arrays of their own, so that the compiler makes wide
 * instructions of them; the file is compiled with fused multiplications (CMakeLists.txt). */
#include "solver/threads/strands.h"

/* Links or cells at a time. */
#define PIECE 64
#define ROOM (PIECE + 3)

typedef struct Vectors {
    double x[ROOM], y[ROOM], z[ROOM];
} Vectors;

typedef struct ProductWork {
    const Strands *strands;
    const double *own;
    const Vec3 *x;
    Vec3 *y;
    int first; /* bundle of the layer */
} ProductWork;

static inline void gather(const Vec3 *x, const int *vertices, int count, Vectors *to) {
    for (int k = 0; k < count; ++k) {
        Vec3 from = x[vertices[k]];
        to->x[k] = from.x;
        to->y[k] = from.y;
        to->z[k] = from.z;
    }
}

/* Differences of neighbours. */
static inline void differences(const Vectors *x, int count, Vectors *e) {
    for (int k = 0; k < count; ++k) {
        e->x[k] = x->x[k + 1] - x->x[k];
        e->y[k] = x->y[k + 1] - x->y[k];
        e->z[k] = x->z[k + 1] - x->z[k];
    }
}

/* What joint k, between e[k] and e[k + 1], adds to the pull of the link before it and of the one behind it. */
static void bend(const Strands *strands, int slot, int count, const Vectors *e, Vectors *before,
                 Vectors *behind) {
    const double *const *joint = (const double *const *)strands->joint;
    const double *dx = strands->link[LINK_X] + slot - 1, *dy = strands->link[LINK_Y] + slot - 1;
    const double *dz = strands->link[LINK_Z] + slot - 1;
    const double *from = joint[JOINT_BEFORE] + slot, *to = joint[JOINT_BEHIND] + slot;
    const double *mean = joint[JOINT_MEAN] + slot, *round = joint[JOINT_ROUND] + slot;
    const double *stretch = joint[JOINT_STRETCH] + slot, *ss = joint[JOINT_SS] + slot;
    const double *st = joint[JOINT_ST] + slot, *tt = joint[JOINT_TT] + slot;
    for (int k = 0; k < count; ++k) {
        double a = from[k], b = to[k], c = mean[k];
        double sx = b * dx[k + 1] - a * dx[k], tx = c * (dx[k + 1] + dx[k]);
        double sy = b * dy[k + 1] - a * dy[k], ty = c * (dy[k + 1] + dy[k]);
        double sz = b * dz[k + 1] - a * dz[k], tz = c * (dz[k + 1] + dz[k]);
        double px = b * e->x[k + 1] - a * e->x[k], qx = c * (e->x[k + 1] + e->x[k]);
        double py = b * e->y[k + 1] - a * e->y[k], qy = c * (e->y[k + 1] + e->y[k]);
        double pz = b * e->z[k + 1] - a * e->z[k], qz = c * (e->z[k + 1] + e->z[k]);
        double sp = sx * px + sy * py + sz * pz, tq = tx * qx + ty * qy + tz * qz;
        double along_s = ss[k] * sp + st[k] * tq, along_t = st[k] * sp + tt[k] * tq;
        double bx = round[k] * px + along_s * sx, fx = c * (stretch[k] * qx + along_t * tx);
        double by = round[k] * py + along_s * sy, fy = c * (stretch[k] * qy + along_t * ty);
        double bz = round[k] * pz + along_s * sz, fz = c * (stretch[k] * qz + along_t * tz);
        before->x[k] = fx - a * bx;
        before->y[k] = fy - a * by;
        before->z[k] = fz - a * bz;
        behind->x[k] = fx + b * bx;
        behind->y[k] = fy + b * by;
        behind->z[k] = fz + b * bz;
    }
}

/* Pulls of links, of which e[k + 1] is the difference of link k, into `behind`. */
static void pull(const Strands *strands, int slot, int count, const Vectors *e,
                 const Vectors *before, Vectors *behind) {
    const double *across = strands->link[LINK_ACROSS] + slot;
    const double *along = strands->link[LINK_ALONG] + slot;
    const double *dx = strands->link[LINK_X] + slot, *dy = strands->link[LINK_Y] + slot;
    const double *dz = strands->link[LINK_Z] + slot;
    for (int k = 0; k < count; ++k) {
        double ex = e->x[k + 1], ey = e->y[k + 1], ez = e->z[k + 1];
        double part = along[k] * (dx[k] * ex + dy[k] * ey + dz[k] * ez);
        behind->x[k] += before->x[k + 1] + (across[k] * ex + part * dx[k]);
        behind->y[k] += before->y[k + 1] + (across[k] * ey + part * dy[k]);
        behind->z[k] += before->z[k + 1] + (across[k] * ez + part * dz[k]);
    }
}

/* A vertex gets the pull of the link before it, less that of the link behind. */
static void multiply_thread(const Strands *strands, int t, const Vec3 *x, Vec3 *y) {
    int links = thread_links(&strands->weave->threads[t]);
    for (int done = 0; done < links; done += PIECE) {
        int count = links - done < PIECE ? links - done : PIECE, slot = strands->first[t] + done;
        const int *vertices = strands->vertices + slot;
        Vectors places, e, before, behind;
        gather(x, vertices - 1, count + 3, &places);
        differences(&places, count + 2, &e);
        bend(strands, slot, count + 1, &e, &before, &behind);
        pull(strands, slot, count, &e, &before, &behind);
        Vec3 handed = {0, 0, 0};
        for (int k = 0; k < count; ++k) {
            Vec3 next = vec3(behind.x[k], behind.y[k], behind.z[k]), *to = &y[vertices[k]];
            *to = vec3_add(*to, vec3_sub(handed, next));
            handed = next;
        }
        y[vertices[count]] = vec3_add(y[vertices[count]], handed);
    }
}

static void multiply_threads(void *context, int begin, int end) {
    const ProductWork *work = context;
    const int *start = work->strands->threads.start + work->first;
    for (int t = start[begin]; t < start[end]; ++t) {
        multiply_thread(work->strands, t, work->x, work->y);
    }
}

/* Sums and differences of what the mean sides of cells pull with, along and up. */
static void pull_cells(const Strands *strands, int from, int count, const Vectors *low,
                       const Vectors *high, Vectors *sum, Vectors *difference) {
    const double *n[CELL_NUMBERS];
    for (int k = 0; k < CELL_NUMBERS; ++k) {
        n[k] = strands->cell[k] + from;
    }
    for (int k = 0; k < count; ++k) {
        double along = n[CELL_ALONG][k], up = n[CELL_UP][k];
        double ax = low->x[k + 1] - high->x[k], bx = high->x[k + 1] - low->x[k];
        double ay = low->y[k + 1] - high->y[k], by = high->y[k + 1] - low->y[k];
        double az = low->z[k + 1] - high->z[k], bz = high->z[k + 1] - low->z[k];
        double px = along * (bx + ax), py = along * (by + ay), pz = along * (bz + az);
        double qx = up * (bx - ax), qy = up * (by - ay), qz = up * (bz - az);
        double ux = n[CELL_U][k], uy = n[CELL_U + 1][k], uz = n[CELL_U + 2][k];
        double vx = n[CELL_V][k], vy = n[CELL_V + 1][k], vz = n[CELL_V + 2][k];
        double nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
        double uu = ux * ux + uy * uy + uz * uz, uv = ux * vx + uy * vy + uz * vz;
        double vv = vx * vx + vy * vy + vz * vz, np = nx * px + ny * py + nz * pz;
        double skew = vx * px + vy * py + vz * pz + (ux * qx + uy * qy + uz * qz);
        double nq = nx * qx + ny * qy + nz * qz;
        double grown = vv * (ux * px + uy * py + uz * pz) - uv * skew;
        grown = n[CELL_KEEP][k] * (grown + uu * (vx * qx + vy * qy + vz * qz));
        skew = n[CELL_SHEAR][k] * skew - grown * uv;
        double across = n[CELL_ACROSS][k] * np + n[CELL_ACROSS + 1][k] * nq;
        double upward = n[CELL_ACROSS + 1][k] * np + n[CELL_ACROSS + 2][k] * nq;
        double over_u = grown * vv, over_v = grown * uu;
        double fx = along * (over_u * ux + skew * vx + across * nx);
        double fy = along * (over_u * uy + skew * vy + across * ny);
        double fz = along * (over_u * uz + skew * vz + across * nz);
        double gx = up * (over_v * vx + skew * ux + upward * nx);
        double gy = up * (over_v * vy + skew * uy + upward * ny);
        double gz = up * (over_v * vz + skew * uz + upward * nz);
        sum->x[k] = fx + gx;
        sum->y[k] = fy + gy;
        sum->z[k] = fz + gz;
        difference->x[k] = fx - gx;
        difference->y[k] = fy - gy;
        difference->z[k] = fz - gz;
    }
}

static void add_to(Vec3 *y, const Vectors *plus, int from, const Vectors *minus, int k) {
    *y = vec3_sub(*y, vec3(minus->x[k], minus->y[k], minus->z[k]));
    if (from >= 0) {
        *y = vec3_add(*y, vec3(plus->x[from], plus->y[from], plus->z[from]));
    }
}

static void multiply_strip(const Strands *strands, int s, const Vec3 *x, Vec3 *y) {
    int begin = strands->weave->strip_start[s], end = strands->weave->strip_start[s + 1];
    for (int from = begin; from < end; from += PIECE) {
        int count = end - from < PIECE ? end - from : PIECE;
        const int *low = strands->low + from + s, *high = strands->high + from + s;
        Vectors below, above, sum, difference;
        gather(x, low, count + 1, &below);
        gather(x, high, count + 1, &above);
        pull_cells(strands, from, count, &below, &above, &sum, &difference);
        for (int k = 0; k < count; ++k) {
            add_to(&y[low[k]], &difference, k - 1, &sum, k);
            add_to(&y[high[k]], &sum, k - 1, &difference, k);
        }
        int last = count - 1;
        y[low[count]] = vec3_add(y[low[count]],
                                 vec3(difference.x[last], difference.y[last], difference.z[last]));
        y[high[count]] = vec3_add(y[high[count]], vec3(sum.x[last], sum.y[last], sum.z[last]));
    }
}

static void multiply_strips(void *context, int begin, int end) {
    const ProductWork *work = context;
    const int *start = work->strands->strips.start + work->first;
    for (int s = start[begin]; s < start[end]; ++s) {
        multiply_strip(work->strands, s, work->x, work->y);
    }
}

static void multiply_own(void *context, int begin, int end) {
    const ProductWork *work = context;
    for (int i = begin; i < end; ++i) {
        work->y[i] = vec3_scale(work->own[i], work->x[i]);
    }
}

void strands_multiply(const Strands *strands, Pool *pool, const double *own, const Vec3 *v,
                      Vec3 *product) {
    ProductWork work = {.strands = strands, .own = own, .x = v, .y = product};
    pool_run(pool, strands->vertex_count, multiply_own, &work);
    strands_run(&strands->threads, pool, multiply_threads, &work, &work.first);
    strands_run(&strands->strips, pool, multiply_strips, &work, &work.first);
}
