/* Where a direction is expected to point: rotation and translation estimates, exact where the motion
 * is the one they assume, and never a number that is not finite. */
#include <stdio.h>

#include "check.h"
#include "rig.h"
#include "solver/solver.h"

static Vec3 unit(Vec3 v) { return vec3_unit_or(v, vec3(1, 0, 0)); }

static Guess rotation_of(int count, const double *coefficients) {
    Guess guess = {.turning = 1, .coefficient_count = count};
    for (int m = 0; m < count; ++m) {
        guess.coefficients[m] = coefficients[m];
    }
    return guess;
}

/* Turning by a known angle about a known axis, from any vector across it. */
static void check_turn(void) {
    for (int round = 0; round < 300; ++round) {
        Vec3 axis = unit(random_vector(1)), from = unit(vec3_cross(axis, random_vector(1)));
        /* tiny, ordinary and nearly straight angles */
        double angle = round % 3 == 0   ? pow(10, random_between(-9, -2))
                       : round % 3 == 1 ? random_between(0.01, 3.1)
                                        : M_PI - pow(10, random_between(-6, -2));
        Vec3 to = guess_rotate(vec3_scale(angle, axis), from);
        CHECK_NEAR(vec3_length(to), 1, 1e-14);
        CHECK_NEAR(vec3_dot(to, from), cos(angle), 1e-14);
        CHECK_NEAR(vec3_dot(to, vec3_cross(axis, from)), sin(angle), 1e-14);
        /* lengths do not matter */
        double p = random_between(0.1, 5), q = random_between(0.1, 5);
        Vec3 turn = guess_turn(vec3_scale(p, from), vec3_scale(q, to));
        /* relative 1e-6 where the sine is lost near a straight angle, else rounding */
        double tolerance = angle > 3.1 ? 1e-9 : 1e-13;
        CHECK_BELOW(vec3_distance(turn, vec3_scale(angle, axis)), tolerance);
    }
    /* a rotation leaves its axis and keeps lengths and angles */
    for (int round = 0; round < 100; ++round) {
        Vec3 rotation = random_vector(4), a = random_vector(1), b = random_vector(1);
        Vec3 ra = guess_rotate(rotation, a), rb = guess_rotate(rotation, b);
        CHECK_NEAR(vec3_dot(ra, rb), vec3_dot(a, b), 1e-14);
        CHECK_BELOW(vec3_distance(guess_rotate(rotation, rotation), rotation), 1e-13);
        CHECK_BELOW(vec3_distance(guess_rotate(vec3_scale(-1, rotation), ra), a), 1e-14);
    }
}

/* The short cut for order 1 is the general formula. */
static void check_short_cut(void) {
    const double one = 1.0, near_one = 1.0 + 1e-15;
    Guess fast = rotation_of(1, &one), general = rotation_of(1, &near_one);
    for (int round = 0; round < 300; ++round) {
        Vec3 seen[2] = {random_vector(2), random_vector(2)};
        if (round % 3 == 0) {
            seen[1] = vec3_madd(seen[0], 1e-6, random_vector(1));
        }
        Vec3 p = unit(guess_turned(&fast, seen)), q = unit(guess_turned(&general, seen));
        CHECK_BELOW(vec3_distance(p, q), 1e-10);
    }
}

/* Uniform rotation: order 1 exact. Evenly growing speed: order 2 exact, order 1 not. */
static void check_rotations(void) {
    const double first[] = {1}, second[] = {2, -1}, own[] = {1.5, -0.25, -0.25};
    Guess order1 = rotation_of(1, first), order2 = rotation_of(2, second);
    Guess user = rotation_of(3, own);
    for (int round = 0; round < 200; ++round) {
        Vec3 axis = unit(random_vector(1)), start = unit(vec3_cross(axis, random_vector(1)));
        double speed = random_between(-0.9, 0.9), gain = random_between(0.02, 0.15);
        Vec3 even[4], growing[3], next;
        for (int m = 0; m < 4; ++m) {
            even[m] = guess_rotate(vec3_scale(-speed * m, axis), start);
        }
        next = guess_rotate(vec3_scale(speed, axis), start);
        CHECK_BELOW(vec3_distance(unit(guess_turned(&order1, even)), next), 1e-13);
        CHECK_BELOW(vec3_distance(unit(guess_turned(&order2, even)), next), 1e-13);
        CHECK_BELOW(vec3_distance(unit(guess_turned(&user, even)), next), 1e-13);
        /* steps speed - gain, speed, then speed + gain */
        growing[0] = start;
        growing[1] = guess_rotate(vec3_scale(-speed, axis), start);
        growing[2] = guess_rotate(vec3_scale(-2 * speed + gain, axis), start);
        next = guess_rotate(vec3_scale(speed + gain, axis), start);
        CHECK_BELOW(vec3_distance(unit(guess_turned(&order2, growing)), next), 1e-13);
        double off = vec3_distance(unit(guess_turned(&order1, growing)), next);
        CHECK_NEAR(off, 2 * sin(gain / 2), 1e-12);
    }
}

static void check_degenerate(void) {
    const Vec3 odd[] = {{0, 0, 0},    {1e-300, 0, 0}, {1e-13, 0, 0}, {1, 0, 0},       {-1, 0, 0},
                        {1, 1e-9, 0}, {1e8, 1, 0},    {1e100, 0, 0}, {-1, 1e-15, 0.0}};
    const int count = sizeof odd / sizeof *odd;
    const double sets[][4] = {{1}, {2, -1}, {0.5, 0.2, 0.1, 0.2}, {1e3, -1e3, 1e3, -1e3}};
    const int lengths[] = {1, 2, 4, 4};
    for (int s = 0; s < 4; ++s) {
        Guess guess = rotation_of(lengths[s], sets[s]);
        for (int round = 0; round < 2000; ++round) {
            Vec3 seen[GUESS_HISTORY];
            for (int m = 0; m < GUESS_HISTORY; ++m) {
                seen[m] = odd[random_below(count)];
            }
            CHECK(vec3_is_finite(guess_turned(&guess, seen)));
        }
    }
    for (int i = 0; i < count; ++i) {
        for (int j = 0; j < count; ++j) {
            CHECK(vec3_is_finite(guess_turn(odd[i], odd[j])));
        }
        CHECK(vec3_is_finite(guess_rotate(odd[i], odd[count - 1 - i])));
    }
    CHECK(vec3_length(guess_turn(vec3(1, 0, 0), vec3(2, 0, 0))) == 0);
    /* a straight turn has no axis: no turn */
    CHECK(vec3_length(guess_turn(vec3(1, 0, 0), vec3(-1, 0, 0))) == 0);
}

/* --- through the solver ----------------------------------------------------------------------- */

typedef struct Pendulum {
    Rig rig;
    Solver *solver;
    TestMesh *mesh;
    Vec3 past[GUESS_HISTORY][2], velocity[2];
} Pendulum;

/* One rope edge, its first end held at the origin, so stiff that after a solve it points along the
 * estimate, up to mass / (h^2 k) = 1e-10. */
static void pendulum_open(Pendulum *pendulum, const SolverOptions *options) {
    Material material = rig_material();
    material.rope_stretch = 1e10;
    material.damping = material.stiffness_damping = material.air_drag = 0;
    SystemOptions system = {.model = MODEL_EDGE};
    *pendulum = (Pendulum){.mesh = mesh_rope(2, 1.0)};
    rig_open(&pendulum->rig, pendulum->mesh, &system, &material);
    pendulum->rig.system.held[0] = 1;
    pendulum->rig.system.target[0] = vec3(0, 0, 0);
    SolverOptions exact = *options; /* directions are compared to 1e-8 */
    exact.precision = PRECISION_DOUBLE;
    pendulum->solver = linear_solver_create(&pendulum->rig.system, &exact, &pendulum->rig.status);
    CHECK_INT(pendulum->solver->prepare(pendulum->solver, 0.1, &pendulum->rig.status), STATUS_OK);
}

static Vec3 pendulum_advance(Pendulum *pendulum) {
    StateHistory past = {.start = pendulum->past[0], .velocity = pendulum->velocity};
    for (int m = 0; m < GUESS_HISTORY; ++m) {
        past.positions[m] = pendulum->past[m];
    }
    Vec3 next[2];
    pendulum->solver->advance(pendulum->solver, &past, next);
    CHECK(vec3_length(next[0]) == 0);
    return next[1];
}

static void pendulum_close(Pendulum *pendulum) {
    solver_destroy(pendulum->solver);
    rig_close(&pendulum->rig);
    mesh_free(pendulum->mesh);
}

/* Order 1 flies on evenly; order 2 is x + h v + h^2 a / 2 with v and a from backward differences, as
 * the thesis defines it; own coefficients are taken as given. */
static void check_translation(void) {
    const double sets[][4] = {{2, -1}, {2.5, -2, 0.5}, {3, -3, 1}, {1.7, -0.4, -0.2, -0.1}};
    const int counts[] = {2, 3, 3, 4};
    for (int s = 0; s < 4; ++s) {
        SolverOptions options = {.estimate = ESTIMATE_TRANSLATION,
                                 .coefficient_count = counts[s],
                                 .iterations = 1,
                                 .ordering = ORDERING_AMD};
        for (int m = 0; m < counts[s]; ++m) {
            options.coefficients[m] = sets[s][m];
        }
        Pendulum pendulum;
        pendulum_open(&pendulum, &options);
        for (int round = 0; round < 20; ++round) {
            Vec3 place = unit(random_vector(1)), speed = random_vector(0.2);
            Vec3 gain = random_vector(s == 0 ? 0 : 0.05), last = vec3(0, 0, 0);
            for (int m = 0; m < GUESS_HISTORY; ++m) { /* x(t) = p + v t + a t^2 / 2, t = -m */
                Vec3 at = vec3_madd(vec3_madd(place, -m, speed), 0.5 * m * m, gain);
                pendulum.past[m][1] = at;
                last = m < counts[s] && m < 4 ? vec3_madd(last, sets[s][m], at) : last;
            }
            Vec3 wanted = last;
            if (s == 0) { /* even flight: exact */
                wanted = vec3_add(place, speed);
            } else if (s == 1) { /* half of the acceleration, by definition */
                Vec3 backward = vec3_sub(place, pendulum.past[1][1]);
                wanted = vec3_madd(vec3_add(place, backward), 0.5, gain);
            } else if (s == 2) { /* exact for even acceleration */
                wanted = vec3_madd(vec3_add(place, speed), 0.5, gain);
            }
            CHECK_BELOW(vec3_distance(unit(pendulum_advance(&pendulum)), unit(wanted)), 1e-8);
        }
        pendulum_close(&pendulum);
    }
}

static void check_solver_rotation(void) {
    const EstimateKind kinds[] = {ESTIMATE_PREVIOUS, ESTIMATE_ROTATION};
    for (int k = 0; k < 2; ++k) {
        SolverOptions options = {.estimate = kinds[k],
                                 .coefficient_count = 1,
                                 .coefficients = {1},
                                 .iterations = 1,
                                 .ordering = ORDERING_AMD};
        Pendulum pendulum;
        pendulum_open(&pendulum, &options);
        for (int round = 0; round < 20; ++round) {
            Vec3 axis = unit(random_vector(1)), place = unit(vec3_cross(axis, random_vector(1)));
            for (int m = 0; m < GUESS_HISTORY; ++m) {
                pendulum.past[m][1] = guess_rotate(vec3_scale(-0.3 * m, axis), place);
            }
            Vec3 wanted = k == 0 ? place : guess_rotate(vec3_scale(0.3, axis), place);
            CHECK_BELOW(vec3_distance(unit(pendulum_advance(&pendulum)), wanted), 1e-8);
        }
        /* vanishing estimates fall back: to where it points now, then to the rest direction */
        for (int m = 1; m < GUESS_HISTORY; ++m) {
            pendulum.past[m][1] = vec3(0, 0, 0);
        }
        pendulum.past[0][1] = vec3(0, 0.6, 0.8);
        CHECK_BELOW(vec3_distance(unit(pendulum_advance(&pendulum)), vec3(0, 0.6, 0.8)), 1e-8);
        pendulum.past[0][1] = vec3(0, 0, 0);
        CHECK_BELOW(vec3_distance(pendulum_advance(&pendulum), vec3(1, 0, 0)), 1e-8);
        pendulum_close(&pendulum);
    }
    /* predicted onto its own pin: the present direction, not a division by zero */
    SolverOptions options = {.estimate = ESTIMATE_TRANSLATION,
                             .coefficient_count = 2,
                             .coefficients = {2, -1},
                             .iterations = 1,
                             .ordering = ORDERING_AMD};
    Pendulum pendulum;
    pendulum_open(&pendulum, &options);
    pendulum.past[0][1] = vec3(0, 0, 1);
    pendulum.past[1][1] = vec3(0, 0, 2);
    CHECK_BELOW(vec3_distance(unit(pendulum_advance(&pendulum)), vec3(0, 0, 1)), 1e-8);
    pendulum_close(&pendulum);
}

/* All states the same: every estimate leaves rest cloth at rest, to rounding. */
static void check_still(void) {
    for (int estimate = 0; estimate < 3; ++estimate) {
        for (int model = 0; model < 4; ++model) {
            TestMesh *mesh = mesh_random();
            SystemOptions options = {.model = model % 2 ? MODEL_TRIANGLE : MODEL_EDGE,
                                     .keep_folds = 1,
                                     .shear_axes =
                                         model > 1 ? SHEAR_AXES_DERIVED : SHEAR_AXES_ESTIMATED};
            Material material = rig_material();
            SolverOptions solving = {.estimate = (EstimateKind)estimate,
                                     .coefficient_count = 2,
                                     .coefficients = {2, -1},
                                     .iterations = 1,
                                     .ordering = ORDERING_AMD};
            Rig rig;
            rig_open(&rig, mesh, &options, &material);
            Solver *solver = linear_solver_create(&rig.system, &solving, &rig.status);
            CHECK_INT(solver->prepare(solver, 0.05, &rig.status), STATUS_OK);
            Vec3 velocity[128] = {{0}}, next[128];
            StateHistory past = {.start = rig.mesh.rest, .velocity = velocity};
            for (int m = 0; m < GUESS_HISTORY; ++m) {
                past.positions[m] = rig.mesh.rest;
            }
            solver->advance(solver, &past, next);
            double worst = 0;
            for (int v = 0; v < rig.mesh.vertex_count; ++v) {
                worst = fmax(worst, vec3_distance(next[v], rig.mesh.rest[v]));
            }
            CHECK_BELOW(worst, 1e-7); /* folds below the flat limit may relax by this much */
            solver_destroy(solver);
            rig_close(&rig);
            mesh_free(mesh);
        }
    }
}

int main(void) {
    random_start(9);
    check_turn();
    check_short_cut();
    check_rotations();
    check_degenerate();
    check_translation();
    check_solver_rotation();
    check_still();
    return check_result();
}
