/* Least squares for a quadratic function, in the coordinates of the neighbours' ellipse. */
#include "laws/curvature.h"

#include <string.h>

/* The weight of a square is exp(-distance^2 / REACH), 1 being the distance of neighbours. Where that magnifies
 * noise too much it falls more slowly, by twice each time. */
#define REACH 0.5
#define LONGEST_REACH 2.0
/* The neighbours alone are enough if the least stiffness of their fit is this part of the largest. */
#define WELL_CONDITIONED 0.05
/* A fit with further points is good enough if its rows magnify noise by no more than this: the sum of the squares of
 * their weights, where the ellipse of the neighbours is a circle. A full ring of six has 15, the corner of a grid 61.
 * Much more makes the cloth stiff against ripples that are not of its curvature, and a narrow strip against turning. */
#define MOST_NOISE 64.0
/* Directions whose stiffness is below this part of the largest are taken as flat. */
#define SINGULAR 1e-5
/* A fit of more points is taken only if it has less noise, by more than rounding. */
#define LESS_NOISE 0.999
/* How often a chart grows for a better fit. */
#define GROWTHS 3
/* Distances squared that differ by less are the same: places are float32, and a grid must not be uneven for lying far
 * from the origin. */
#define SAME 1e-3
/* Neighbours in an ellipse flatter than this, by its squared axes, make no fit: needles are left to hinges. */
#define NEEDLE 1e-4
/* Numbers below this, where they could be near 1, are rounding. */
#define NOTHING 1e-9

/* One vertex of the chart, as the fit sees it. */
typedef struct Point {
    int vertex;
    double y[2];     /* place by the ellipse */
    double distance; /* squared; 0 for the middle and its neighbours: they come first */
} Point;

/* p = L y: the ellipse's lower triangle. */
typedef struct Ellipse {
    double l11, l21, l22;
} Ellipse;

static bool measure_ellipse(const Chart *chart, Ellipse *ellipse, double *spacing) {
    double uu = 0, uv = 0, vv = 0;
    int count = 0;
    for (int i = 1; i < chart->vertex_count && chart->vertices[i].generation == 1; ++i, ++count) {
        const double *p = chart->vertices[i].place;
        uu += p[0] * p[0];
        uv += p[0] * p[1];
        vv += p[1] * p[1];
    }
    double scale = count > 0 ? 2.0 / count : 0.0, sum = uu + vv;
    if (!(uu * vv - uv * uv > NEEDLE * sum * sum)) {
        return false;
    }
    *spacing = sqrt(0.5 * scale * sum);
    ellipse->l11 = sqrt(scale * uu);
    ellipse->l21 = scale * uv / ellipse->l11;
    ellipse->l22 = sqrt(scale * vv - ellipse->l21 * ellipse->l21);
    return ellipse->l22 > 0;
}

static Point point_of(const Chart *chart, int at, const Ellipse *ellipse) {
    const ChartVertex *vertex = &chart->vertices[at];
    Point point = {.vertex = at};
    point.y[0] = vertex->place[0] / ellipse->l11;
    point.y[1] = (vertex->place[1] - ellipse->l21 * point.y[0]) / ellipse->l22;
    double squared = point.y[0] * point.y[0] + point.y[1] * point.y[1];
    point.distance = vertex->generation > 1 ? squared : 0.0;
    return point;
}

/* By distance; the middle and its neighbours as they are. */
static int list_points(const Chart *chart, const Ellipse *ellipse, Point *points) {
    for (int i = 0; i < chart->vertex_count; ++i) {
        Point point = point_of(chart, i, ellipse);
        int at = i;
        for (; at > 0 && points[at - 1].distance > point.distance; --at) {
            points[at] = points[at - 1];
        }
        points[at] = point;
    }
    return chart->vertex_count;
}

/* --- least squares ------------------------------------------------------------------------------ */

/* Eigenvalues and vectors (columns of v) of a symmetric 3 x 3 matrix, by Jacobi's rotations. */
static void eigen3(double a[3][3], double v[3][3]) {
    memset(v, 0, 9 * sizeof(double));
    v[0][0] = v[1][1] = v[2][2] = 1;
    for (int turn = 0; turn < 24; ++turn) {
        int p = turn % 3 == 2, q = turn % 3 == 0 ? 1 : 2;
        if (a[p][q] * a[p][q] <= 1e-30 * fabs(a[p][p] * a[q][q])) {
            continue;
        }
        double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
        double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));
        double c = 1 / sqrt(t * t + 1), s = t * c;
        for (int k = 0; k < 3; ++k) {
            double kp = a[k][p], kq = a[k][q], vp = v[k][p], vq = v[k][q];
            a[k][p] = c * kp - s * kq;
            a[k][q] = s * kp + c * kq;
            v[k][p] = c * vp - s * vq;
            v[k][q] = s * vp + c * vq;
        }
        for (int k = 0; k < 3; ++k) {
            double pk = a[p][k], qk = a[q][k];
            a[p][k] = c * pk - s * qk;
            a[q][k] = s * pk + c * qk;
        }
    }
}

/* The squares about their weighted mean, without what a straight function of y explains. */
typedef struct Moments {
    double weight[FIT_WIDTH], y[FIT_WIDTH][2]; /* y from the mean */
    double squares[FIT_WIDTH][CURVATURES];
    double inverse[2][2];            /* of the second moments of y */
    double explained[2][CURVATURES]; /* slopes of the squares */
    double stiffness[3][3];          /* of the three curvatures */
} Moments;

static void set_squares(const Point *points, int count, double reach, Moments *m) {
    double total = 0, mean[2] = {0, 0}, mean_square[CURVATURES] = {0, 0, 0};
    for (int i = 0; i < count; ++i) {
        const double *y = points[i].y;
        m->weight[i] = exp(-(y[0] * y[0] + y[1] * y[1]) / reach);
        total += m->weight[i];
    }
    for (int i = 0; i < count; ++i) {
        const double *y = points[i].y;
        m->weight[i] /= total;
        double *square = m->squares[i];
        square[CURVATURE_UU] = 0.5 * y[0] * y[0];
        square[CURVATURE_VV] = 0.5 * y[1] * y[1];
        square[CURVATURE_UV] = y[0] * y[1];
        for (int k = 0; k < 2; ++k) {
            mean[k] += m->weight[i] * y[k];
        }
        for (int r = 0; r < CURVATURES; ++r) {
            mean_square[r] += m->weight[i] * square[r];
        }
    }
    for (int i = 0; i < count; ++i) {
        for (int k = 0; k < 2; ++k) {
            m->y[i][k] = points[i].y[k] - mean[k];
        }
        for (int r = 0; r < CURVATURES; ++r) {
            m->squares[i][r] -= mean_square[r];
        }
    }
}

static bool take_out_slopes(int count, Moments *m) {
    double uu = 0, uv = 0, vv = 0, with[2][CURVATURES] = {{0}};
    for (int i = 0; i < count; ++i) {
        const double *y = m->y[i];
        uu += m->weight[i] * y[0] * y[0];
        uv += m->weight[i] * y[0] * y[1];
        vv += m->weight[i] * y[1] * y[1];
        for (int r = 0; r < CURVATURES; ++r) {
            with[0][r] += m->weight[i] * y[0] * m->squares[i][r];
            with[1][r] += m->weight[i] * y[1] * m->squares[i][r];
        }
    }
    double determinant = uu * vv - uv * uv;
    if (!(determinant > NOTHING * (uu + vv) * (uu + vv))) {
        return false;
    }
    m->inverse[0][0] = vv / determinant;
    m->inverse[0][1] = m->inverse[1][0] = -uv / determinant;
    m->inverse[1][1] = uu / determinant;
    for (int r = 0; r < CURVATURES; ++r) {
        for (int k = 0; k < 2; ++k) {
            m->explained[k][r] = m->inverse[k][0] * with[0][r] + m->inverse[k][1] * with[1][r];
        }
    }
    memset(m->stiffness, 0, sizeof m->stiffness);
    for (int i = 0; i < count; ++i) {
        for (int r = 0; r < CURVATURES; ++r) {
            m->squares[i][r] -= m->explained[0][r] * m->y[i][0] + m->explained[1][r] * m->y[i][1];
        }
        for (int r = 0; r < 9; ++r) {
            m->stiffness[r / 3][r % 3] +=
                m->weight[i] * m->squares[i][r / 3] * m->squares[i][r % 3];
        }
    }
    return true;
}

/* Rows by the ellipse's coordinates. */
static void set_rows(int count, const Moments *m, double inverse[3][3], double (*row)[FIT_WIDTH]) {
    for (int i = 0; i < count; ++i) {
        for (int r = 0; r < CURVATURES; ++r) {
            double sum = 0;
            for (int q = 0; q < CURVATURES; ++q) {
                sum += inverse[r][q] * m->squares[i][q];
            }
            row[r][i] = m->weight[i] * sum;
        }
        for (int k = 0; k < 2; ++k) {
            double slope =
                m->weight[i] * (m->inverse[k][0] * m->y[i][0] + m->inverse[k][1] * m->y[i][1]);
            for (int r = 0; r < CURVATURES; ++r) {
                slope -= m->explained[k][r] * row[r][i];
            }
            row[FIT_TANGENT_U + k][i] = slope;
        }
    }
}

/* From the ellipse's coordinates to those of the chart: with N = L^-1, gradients N' g and curvatures N' H N. */
static void turn_back(const Ellipse *ellipse, int count, double (*row)[FIT_WIDTH]) {
    double n11 = 1 / ellipse->l11, n22 = 1 / ellipse->l22;
    double n21 = -ellipse->l21 * n11 * n22;
    for (int i = 0; i < count; ++i) {
        double uu = row[CURVATURE_UU][i], vv = row[CURVATURE_VV][i], uv = row[CURVATURE_UV][i];
        row[CURVATURE_UU][i] = n11 * n11 * uu + 2 * n11 * n21 * uv + n21 * n21 * vv;
        row[CURVATURE_UV][i] = n22 * (n11 * uv + n21 * vv);
        row[CURVATURE_VV][i] = n22 * n22 * vv;
        row[FIT_TANGENT_U][i] = n11 * row[FIT_TANGENT_U][i] + n21 * row[FIT_TANGENT_V][i];
        row[FIT_TANGENT_V][i] = n22 * row[FIT_TANGENT_V][i];
    }
    for (int r = 0; r < FIT_ROWS; ++r) { /* nothing is left of a shift but the last digit */
        row[r][0] = 0;
        for (int i = 1; i < count; ++i) {
            row[r][0] -= row[r][i];
        }
    }
}

/* How good a fit is: its least stiffness over the largest, 0 without a fit; and by how much its rows magnify noise. */
typedef struct Quality {
    double conditioning, noise;
} Quality;

static double row_noise(int count, double (*row)[FIT_WIDTH]) {
    double sum = 0;
    for (int i = 0; i < count; ++i) {
        double uu = row[CURVATURE_UU][i], vv = row[CURVATURE_VV][i], uv = row[CURVATURE_UV][i];
        sum += uu * uu + vv * vv + 2 * uv * uv;
    }
    return sum;
}

/* Fits through the first so many points. */
static Quality fit_points(const Point *points, int count, double reach, const Ellipse *ellipse,
                          CurvatureFit *fit) {
    Moments m;
    Quality none = {0, INFINITY};
    double vectors[3][3], inverse[3][3] = {{0}};
    set_squares(points, count, reach, &m);
    if (count < 4 || !take_out_slopes(count, &m)) {
        return none;
    }
    eigen3(m.stiffness, vectors);
    double least = INFINITY, most = 0;
    for (int k = 0; k < 3; ++k) {
        least = fmin(least, m.stiffness[k][k]);
        most = fmax(most, m.stiffness[k][k]);
    }
    if (!(most > NOTHING)) {
        return none;
    }
    for (int k = 0; k < 3; ++k) {
        for (int r = 0; r < 9 && m.stiffness[k][k] > SINGULAR * most; ++r) {
            inverse[r / 3][r % 3] += vectors[r / 3][k] * vectors[r % 3][k] / m.stiffness[k][k];
        }
    }
    fit->count = count;
    for (int i = 0; i < count; ++i) {
        fit->vertices[i] = points[i].vertex;
    }
    set_rows(count, &m, inverse, fit->weights);
    Quality quality = {fmax(least / most, NOTHING), row_noise(count, fit->weights)};
    turn_back(ellipse, count, fit->weights);
    return quality;
}

/* --- which vertices ------------------------------------------------------------------------------ */

/* The next number of points after `count`: equally near ones come together. */
static int with_next(const Point *points, int all, int count) {
    ++count;
    while (count < all && points[count].distance < points[count - 1].distance * (1 + SAME)) {
        ++count;
    }
    return count;
}

/* Fits with more and more points beyond the `near` ones, until one is good enough; else the one with the least noise, of
 * these and of the `best` before. Returns how many points a fit can have without leaving out an equally near one. */
static int add_points(const Point *points, int near, int all, double reach, const Ellipse *ellipse,
                      CurvatureFit *best, double *least) {
    int most = near;
    for (int count = near; *least > MOST_NOISE && count < all;) {
        CurvatureFit fit = *best;
        count = with_next(points, all, count);
        if (count > FIT_WIDTH) {
            break;
        }
        most = count;
        Quality quality = fit_points(points, count, reach, ellipse, &fit);
        if (quality.conditioning > SINGULAR && quality.noise < LESS_NOISE * *least) {
            *best = fit;
            *least = quality.noise;
        }
    }
    return most;
}

bool curvature_fit(const ChartMaker *maker, Chart *chart, CurvatureFit *fit) {
    Ellipse ellipse;
    Point points[CHART_VERTICES];
    int near = chart->vertex_count, most = near;
    if (near > FIT_WIDTH || !measure_ellipse(chart, &ellipse, &fit->spacing)) {
        return false;
    }
    int all = list_points(chart, &ellipse, points);
    if (fit_points(points, all, REACH, &ellipse, fit).conditioning >= WELL_CONDITIONED) {
        return true;
    }
    double least = INFINITY;
    for (int growth = 0; growth < GROWTHS && least > MOST_NOISE; ++growth) {
        if (chart_grow(maker, chart) < 0) {
            return false;
        }
        all = list_points(chart, &ellipse, points);
        most = add_points(points, near, all, REACH, &ellipse, fit, &least);
    }
    for (double reach = 2 * REACH; reach <= LONGEST_REACH && least > MOST_NOISE; reach *= 2) {
        add_points(points, near, all, reach, &ellipse, fit, &least);
    }
    return least < INFINITY || fit_points(points, most, REACH, &ellipse, fit).conditioning > 0;
}
