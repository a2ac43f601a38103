/* The steps of a simulation: updates the solver, then takes substeps; a step that diverges is rolled back and repeated with
 * more of them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/machine.h"
#include "simulation/simulation_internal.h"
#include "solver/constant/convergence.h"

/* Fills the states before the present one as if the cloth had flown straight: x - m h v. */
static void extrapolate_past(Simulation *simulation, double length) {
    for (int m = 1; m < GUESS_HISTORY; ++m) {
        for (int i = 0; i < simulation->mesh.vertex_count; ++i) {
            simulation->past[m][i] =
                vec3_madd(simulation->past[0][i], -m * length, simulation->velocity[i]);
        }
    }
    memcpy(simulation->velocity_before, simulation->velocity,
           (size_t)simulation->mesh.vertex_count * sizeof(Vec3));
    simulation->history_length = length;
    simulation->extrapolated = 1;
}

static bool is_everywhere_second_order(const Simulation *simulation) {
    return simulation->options.integrator == INTEGRATOR_BDF2;
}

/* The second-order step z - 2h/3 v(z) = (4 x(n) - x(n-1))/3, likewise for v, takes an implicit step of two thirds of the
 * substep from a start between states; backward Euler takes all of it. With INTEGRATOR_BDF2 all of the cloth takes it. */
static double implicit_length(const Simulation *simulation, double length) {
    return is_everywhere_second_order(simulation) ? SECOND_ORDER_PACE * length : length;
}

/* The same of a vertex: by default components without contact take it. */
static double implicit_of(const Simulation *simulation, int vertex, double length) {
    return implicit_length(simulation, length) * simulation->system.pace[vertex];
}

static bool is_second_order(const Simulation *simulation, int vertex) {
    return is_everywhere_second_order(simulation) || simulation->system.pace[vertex] < 1.0;
}

static bool is_any_second_order(const Simulation *simulation) {
    return is_everywhere_second_order(simulation) || simulation->order.any;
}

/* Which components take it in the next substep; returns whether that has changed. */
static bool choose_order(Simulation *simulation) {
    const SolverOptions *solving = &simulation->solver->options;
    bool wanted = simulation->options.integrator == INTEGRATOR_AUTO &&
                  simulation_is_two_level(simulation) && solving->quality != QUALITY_CUSTOM &&
                  !solving->prescribed;
    bool other = order_choose(&simulation->order, &simulation->system, wanted);
    simulation->has_substep =
        other ? 0 : simulation->has_substep; /* its equation is no longer this one */
    return other;
}

/* The same for a past of substeps of another length, by the present velocity and, where the acceleration counts, by its last
 * change: x - m h v + (m h)^2 / 2 a. Cloth that swings keeps its swing. */
static void convert_past(Simulation *simulation, double length) {
    double rate = 1.0 / simulation->history_length;
    for (int i = 0; i < simulation->mesh.vertex_count; ++i) {
        Vec3 x = simulation->past[0][i], v = simulation->velocity[i];
        Vec3 a = vec3_scale(rate, vec3_sub(v, simulation->velocity_before[i]));
        double half = is_second_order(simulation, i) ? 0.5 : 0.0;
        for (int m = 1; m < GUESS_HISTORY; ++m) {
            double back = m * length;
            simulation->past[m][i] = vec3_madd(vec3_madd(x, -back, v), half * back * back, a);
        }
        simulation->velocity_before[i] = vec3_madd(v, -length, a);
    }
    simulation->history_length = length;
}

/* Brings the past up to date for substeps of this length, s. */
static void adapt_past(Simulation *simulation, double length) {
    if (simulation->history_length == length) {
        return;
    }
    simulation->has_substep = 0;
    if (simulation->history_length > 0 && !simulation->extrapolated) {
        convert_past(simulation, length);
    } else {
        extrapolate_past(simulation, length);
    }
}

/* The solver, for substeps of this length, s. */
static StatusCode prepare(Simulation *simulation, double length, Status *status) {
    choose_order(simulation);
    return simulation->solver->prepare(simulation->solver, implicit_length(simulation, length),
                                       status);
}

/* Substeps will be so long, or shorter. */
static void expect_length(Simulation *simulation, double length) {
    simulation->solver->longest = implicit_length(simulation, length);
}

StatusCode simulation_prepare(Simulation *simulation, double step_seconds, Status *status) {
    int count = substeps_least(simulation, step_seconds);
    expect_length(simulation, step_seconds / count);
    StatusCode code = prepare(simulation, step_seconds / count, status);
    return code == STATUS_OK ? simulation_save(simulation, ROLLBACK_REPEAT, status) : code;
}

/* Rails lead to the mirror plane within `closing`; what is pinned to them keeps to them. */
static void place_rails(Simulation *simulation, double length) {
    const SimulationHalf *half = &simulation->options.half;
    for (int i = simulation->system.rail_from; i < simulation->mesh.vertex_count; ++i) {
        double x = simulation->past[0][i].x, offset = fabs(simulation->mesh.rest[i].x) * length;
        bool arrives = i >= half->plane_from || fabs(x) * half->closing <= offset;
        simulation->system.rail[i] = arrives ? 0.0 : x - copysign(offset / half->closing, x);
        simulation->system.target[i].x = simulation->system.rail[i];
    }
}

/* Which part of the frame the bodies move through. */
static void place_bodies(Simulation *simulation, const SubstepPlace *place) {
    double count = place->count;
    Substep *next = &simulation->solver->substep;
    next->world = contact_world_matter(&simulation->world) ? &simulation->world : NULL;
    next->span = (SubstepSpan){.t0 = place->number / count,
                               .t1 = (place->number + 1) / count,
                               .length = place->length,
                               .implicit = implicit_length(simulation, place->length),
                               .once = simulation->options.solving.prescribed};
}

/* Pins keep their velocity, and so does what is on rails along these: their motion is prescribed. */
static void start_vertices(void *context, int begin, int end) {
    const Simulation *simulation = context;
    double third = simulation->history_length / 3.0;
    for (int i = begin; i < end; ++i) {
        if (simulation->system.held[i] && is_second_order(simulation, i)) {
            Vec3 velocity = simulation->velocity[i];
            simulation->start[i] = vec3_madd(simulation->past[0][i], third, velocity);
            simulation->start_velocity[i] = velocity;
            continue;
        }
        double on = is_second_order(simulation, i) ? 1.0 / 3.0 : 0.0;
        Vec3 moved = vec3_sub(simulation->past[0][i], simulation->past[1][i]);
        Vec3 gained = vec3_sub(simulation->velocity[i], simulation->velocity_before[i]);
        simulation->start[i] = vec3_madd(simulation->past[0][i], on, moved);
        simulation->start_velocity[i] = vec3_madd(simulation->velocity[i], on, gained);
        if (i >= simulation->system.rail_from && is_second_order(simulation, i)) {
            double velocity = simulation->velocity[i].x;
            simulation->start[i].x = simulation->past[0][i].x + third * velocity;
            simulation->start_velocity[i].x = velocity;
        }
    }
}

/* What the substep starts from: see implicit_length(). */
static StateHistory history_of_step(Simulation *simulation) {
    StateHistory past = {.start = simulation->past[0], .velocity = simulation->velocity};
    for (int m = 0; m < GUESS_HISTORY; ++m) {
        past.positions[m] = simulation->past[m];
    }
    if (is_any_second_order(simulation)) {
        pool_run(simulation->pool, simulation->mesh.vertex_count, start_vertices, simulation);
        past.start = simulation->start;
        past.velocity = simulation->start_velocity;
        past.present = simulation->order.any ? simulation->past[0] : NULL;
    }
    return past;
}

typedef struct ArriveWork {
    const Simulation *simulation;
    const Vec3 *start;
    double length;  /* of the substep, s */
    Vec3 *velocity; /* out */
} ArriveWork;

/* The new velocities. Those of pins are their displacements over the substep: BDF2 would let them overshoot. */
static void arrive_vertices(void *context, int begin, int end) {
    const ArriveWork *work = context;
    const Simulation *simulation = work->simulation;
    for (int i = begin; i < end; ++i) {
        bool held = simulation->system.held[i];
        Vec3 from = held ? simulation->past[0][i] : work->start[i];
        double seconds = held ? work->length : implicit_of(simulation, i, work->length);
        work->velocity[i] = vec3_scale(1.0 / seconds, vec3_sub(simulation->next[i], from));
        if (i >= simulation->system.rail_from) {
            double offset = simulation->next[i].x - simulation->past[0][i].x;
            work->velocity[i].x = 1.0 / work->length * offset;
        }
    }
}

static StatusCode refuse_diverged(Simulation *simulation, const SubstepPlace *place,
                                  Status *status) {
    int lost = guard_find_diverged(simulation, place);
    if (lost < 0) {
        return STATUS_OK;
    }
    simulation->lost = lost;
    return status_diverged(status, lost);
}

StatusCode simulation_refuse_cancelled(const Simulation *simulation, Status *status) {
    status_set(status, STATUS_ERROR_CANCELLED, "cancelled; %d of %d substeps are done",
               simulation->substeps_done, simulation->substeps.count);
    status_name_count(status, DETAIL_CANCELLED, simulation->substeps_done);
    status->details[0].limit = simulation->substeps.count;
    return status->code;
}

static StatusCode refuse_lacking(Status *status) {
    return status_no_memory(status, "contacts; the state is that before the substep");
}

#define LIMIT_PASSES 8

/* Shortening an edge may pull a vertex into a body, and pushing it out may stretch the edge: by turns, the edge last. */
static void limit_stretch(Simulation *simulation, double length) {
    int mended = guard_limit_stretch(simulation, length);
    simulation->mended += mended;
    for (int turn = 0; mended > 0 && turn < LIMIT_PASSES; ++turn) {
        contact_world_end_again(&simulation->world, simulation->system.held, simulation->next,
                                simulation->start_velocity);
        mended = guard_limit_stretch(simulation, length);
    }
}

#define WELDS 3
/* m: seams that are moved by less do not get into a body again. */
#define WELDED 1e-5

/* Contact and the limit of stretch part seams again. */
static void weld_seams(Simulation *simulation) {
    double moved = links_weld(simulation, simulation->next, simulation->start_velocity);
    for (int turn = 0; moved > WELDED && turn < WELDS; ++turn) {
        contact_world_end_again(&simulation->world, simulation->system.held, simulation->next,
                                simulation->start_velocity);
        moved = links_weld(simulation, simulation->next, simulation->start_velocity);
    }
}

/* A frame that leaves edges so much longer than contact may stretch them is repeated. */
#define LEFT_TORN 1.05

static bool is_torn(const Simulation *simulation, const SubstepPlace *place) {
    return !place->last && guard_torn(simulation) > LEFT_TORN;
}

/* Vertices that end behind a surface are put in front of it. Laws with memory record where the solver left the cloth, once
 * nothing can fail any more. */
static StatusCode end_substep(Simulation *simulation, const SubstepPlace *place, Status *status) {
    const Vec3 *solved = simulation->next;
    links_weld(simulation, simulation->next, simulation->start_velocity);
    if (simulation->solver->substep.world) {
        if (simulation->solved) {
            pool_copy(simulation->pool, simulation->mesh.vertex_count, sizeof *solved, solved,
                      simulation->solved);
            solved = simulation->solved;
        }
        if (!contact_world_end(&simulation->world, simulation->system.held, simulation->next,
                               simulation->start_velocity)) {
            return refuse_lacking(status);
        }
        limit_stretch(simulation, place->length);
        weld_seams(simulation);
        if (solver_cancelled(simulation->solver)) { /* searches may have ended early */
            return simulation_refuse_cancelled(simulation, status);
        }
        StatusCode code = refuse_diverged(simulation, place, status);
        if (code == STATUS_OK && is_torn(simulation, place)) {
            code = status_diverged(status, 0);
        }
        if (code != STATUS_OK) {
            return code;
        }
        contact_world_settle(&simulation->world);
    }
    laws_remember(&simulation->system.laws, simulation->pool, solved);
    return STATUS_OK;
}

/* Makes the new state the present one; the arrays change places. */
static void commit(Simulation *simulation) {
    Vec3 *before = simulation->velocity_before;
    simulation->velocity_before = simulation->velocity;
    simulation->velocity = simulation->start_velocity;
    simulation->start_velocity = before;
    Vec3 *oldest = simulation->past[GUESS_HISTORY - 1];
    for (int m = GUESS_HISTORY - 1; m > 0; --m) {
        simulation->past[m] = simulation->past[m - 1];
    }
    simulation->past[0] = simulation->next;
    simulation->next = oldest;
    simulation->has_substep = 1;
    simulation->extrapolated = simulation->placed = false;
}

/* Runs the solver. */
static StatusCode solve(Simulation *simulation, const StateHistory *past, Status *status) {
    Solver *solver = simulation->solver;
    solver->advance(solver, past, simulation->next);
    if (solver_cancelled(solver)) {
        return simulation_refuse_cancelled(simulation, status);
    }
    return solver->substep.world && simulation->world.lacking ? refuse_lacking(status) : STATUS_OK;
}

/* Over gravity: larger accelerations are those of a stop or a push, which may happen only once. */
#define GENTLE 1.1

/* A second-order step needs the acceleration, which an extrapolated past lacks: a trial substep yields it, and the past is
 * corrected. Components with larger accelerations start with a first-order step. */
static StatusCode correct_past(Simulation *simulation, double length, Status *status) {
    StateHistory past = history_of_step(simulation);
    StatusCode code = solve(simulation, &past, status);
    if (code != STATUS_OK) {
        return code; /* of a cancelled trial nothing follows */
    }
    double gentle = GENTLE * convergence_gravity(&simulation->system);
    for (int i = 0; i < simulation->mesh.vertex_count; ++i) {
        double implicit = implicit_of(simulation, i, length);
        Vec3 speed = vec3_scale(1.0 / implicit, vec3_sub(simulation->next[i], past.start[i]));
        Vec3 acceleration = vec3_scale(1.0 / implicit, vec3_sub(speed, past.velocity[i]));
        if (simulation->order.any && vec3_length(acceleration) > gentle) {
            order_start_with_first(&simulation->order, i);
        }
        if (is_second_order(simulation, i) && vec3_fits_float(acceleration)) {
            simulation->velocity_before[i] =
                vec3_madd(simulation->velocity[i], -length, acceleration);
            simulation->past[1][i] =
                vec3_madd(simulation->past[1][i], 0.5 * length * length, acceleration);
        }
    }
    simulation->extrapolated = 0;
    return STATUS_OK;
}

/* Passes at most that restore the momentum where the solver does not keep it. Each leaves the
 * angle of the substep times what it found. */
#define BALANCE_PASSES 6

/* The contacts of the last solve; null: without bodies and self-contact. */
static const Contacts *latest_contacts(const Simulation *simulation) {
    return simulation->solver->substep.world ? &simulation->world.contacts : NULL;
}

/* Solves; if a component of second order has touched something, again with first order for it. */
static StatusCode solve_in_order(Simulation *simulation, double length, StateHistory *past,
                                 Status *status) {
    StatusCode code = STATUS_OK;
    bool again = true;
    while (code == STATUS_OK && again) {
        if (simulation->extrapolated && is_any_second_order(simulation)) {
            code = correct_past(simulation, length, status);
            code = code == STATUS_OK ? prepare(simulation, length, status) : code;
        }
        *past = history_of_step(simulation);
        code = code == STATUS_OK ? solve(simulation, past, status) : code;
        again = code == STATUS_OK && order_check_contacts(&simulation->order, &simulation->system,
                                                          latest_contacts(simulation));
        if (again) {
            code = prepare(simulation, length, status);
        }
    }
    return code;
}

static StatusCode take_substep(Simulation *simulation, const SubstepPlace *place, Status *status) {
    double length = place->length;
    StateHistory past;
    StatusCode code = solve_in_order(simulation, length, &past, status);
    if (code != STATUS_OK) {
        return code;
    }
    double clock = timing_now();
    if (simulation->solver->unbalanced) {
        rigid_restore_momentum(&simulation->rigid, &simulation->solver->substep,
                               simulation->past[0], simulation->velocity, BALANCE_PASSES,
                               simulation->next);
    }
    ArriveWork work = {.simulation = simulation,
                       .start = past.start,
                       .length = length,
                       .velocity = simulation->start_velocity};
    pool_run(simulation->pool, simulation->mesh.vertex_count, arrive_vertices, &work);
    if (simulation->order.any) {
        substep_evaluate(&simulation->solver->substep, simulation->next);
        order_damp(&simulation->order, &simulation->solver->substep, simulation->next,
                   simulation->start_velocity);
    }
    code = refuse_diverged(simulation, place, status);
    if (code != STATUS_OK) {
        return code;
    }
    code = end_substep(simulation, place, status);
    if (code == STATUS_OK) {
        order_count_substep(&simulation->order, simulation->mesh.vertex_count,
                            latest_contacts(simulation));
        commit(simulation);
        simulation->after = timing_now() - clock;
    }
    return code;
}

/* Part of a budget for the substeps: the rest is for what comes before and after them. */
#define BUDGET_PART 0.85

/* Each substep gets an equal part of the time left, less the time after its solver. */
static void set_deadline(Simulation *simulation, double begin, const SubstepPlace *place) {
    double now = timing_now(), left = begin + BUDGET_PART * simulation->budget - now;
    double part = left / (place->count - place->number);
    simulation->solver->deadline = simulation->budget > 0 ? now + part - simulation->after : 0.0;
}

static void report_progress(const Simulation *simulation, int per_mille) {
    if (simulation->options.progress) {
        atomic_store(simulation->options.progress, per_mille);
    }
}

/* One that fails is rolled back. */
static StatusCode advance(Simulation *simulation, double begin, SubstepPlace place,
                          Status *status) {
    StatusCode code =
        choose_order(simulation) ? prepare(simulation, place.length, status) : STATUS_OK;
    if (code != STATUS_OK) {
        return code;
    }
    adapt_past(simulation, place.length);
    place_targets(simulation, &place);
    links_set_lengths(simulation, place.length);
    place_rails(simulation, place.length);
    place_bodies(simulation, &place);
    set_deadline(simulation, begin, &place);
    bool extrapolated = simulation->extrapolated;
    size_t components = (size_t)simulation->order.component_count;
    memcpy(simulation->order.before, simulation->order.contact_free, components);
    code = take_substep(simulation, &place, status);
    if (code != STATUS_OK) {
        if (extrapolated) { /* the substep may have changed the extrapolated past */
            extrapolate_past(simulation, place.length);
        }
        memcpy(simulation->order.contact_free, simulation->order.before, components);
        simulation->has_substep = 0;
        contact_world_undo(&simulation->world);
        --place.number;
        place_targets(simulation, &place);
        return code;
    }
    simulation->part_done = (place.number + 1.0) / place.count;
    return code;
}

/* All substeps of a frame; one that fails is rolled back. `last`: the frame will not be repeated. */
static StatusCode run_substeps(Simulation *simulation, double begin, double seconds, bool last,
                               Status *status) {
    int count = simulation->substeps.count;
    StatusCode code = prepare(simulation, seconds / count, status);
    for (int p = 0; p < simulation->pin_count; ++p) {
        simulation->pins[p].from = pin_place(simulation, &simulation->pins[p]);
    }
    contact_world_start_frame(&simulation->world);
    for (int s = 0; s < count && code == STATUS_OK; ++s) {
        SubstepPlace place = {.number = s, .count = count, .length = seconds / count, .last = last};
        code = advance(simulation, begin, place, status);
        simulation->substeps_done += code == STATUS_OK;
        report_progress(simulation, 1000 * (s + 1) / count);
    }
    contact_world_end_frame(&simulation->world, simulation->part_done);
    return code;
}

/* Whether the last frame ended with edges through a body, or contact tore edges in it. */
static bool is_unclean(const Simulation *simulation) {
    return simulation->world.report.body.pierced > 0 || simulation->mended > 0;
}

/* Whether a frame has to be repeated with more substeps: it diverged, or began clean and is not so any more. A cloth that
 * stays unclean, as one that is too tight, is not worth the time of a repetition in each frame. */
static bool is_unsatisfying(const Simulation *simulation, StatusCode code) {
    bool chosen = simulation->options.substeps == 0 && !(simulation->budget > 0);
    return code == STATUS_ERROR_DIVERGED ||
           (code == STATUS_OK && chosen && !simulation->unclean && is_unclean(simulation));
}

/* How often a frame is repeated at most. */
#define REPEATS 2

/* As many substeps as the motion asks for, and more where they do not do. A frame that diverges to the end has never been. */
static StatusCode run_frame(Simulation *simulation, double begin, double seconds, Status *status) {
    links_update(simulation);
    StatusCode code = simulation_save(simulation, ROLLBACK_REPEAT, status);
    if (code != STATUS_OK) {
        return code;
    }
    expect_length(simulation, seconds / substeps_least(simulation, seconds));
    SubstepChoice choice = substeps_choose(simulation, seconds);
    bool again = true;
    for (int turn = 0; again; ++turn) {
        bool last = turn >= REPEATS || !substeps_can_raise(simulation, &choice);
        simulation->substeps = choice;
        simulation->mended = 0;
        code = run_substeps(simulation, begin, seconds, last, status);
        again = !last && is_unsatisfying(simulation, code);
        if (again) {
            simulation->retried += code == STATUS_ERROR_DIVERGED;
            simulation_roll_back(simulation, ROLLBACK_REPEAT);
            status_clear(status);
            substeps_raise(simulation, code == STATUS_ERROR_DIVERGED, &choice);
        }
    }
    if (code == STATUS_ERROR_DIVERGED) {
        simulation_roll_back(simulation, ROLLBACK_REPEAT);
    } else if (code == STATUS_OK) {
        simulation->unclean = is_unclean(simulation);
    }
    links_count_wait(simulation, seconds * simulation->part_done);
    return code;
}

StatusCode simulation_step(Simulation *simulation, double seconds, Status *status) {
    double begin = timing_now();
    report_progress(simulation, 0);
    simulation->solver->work = (SolverWork){0};
    simulation->substeps_done = simulation->retried = simulation->mended = 0;
    simulation->part_done = 0;
    simulation->substeps = (SubstepChoice){.count = substeps_least(simulation, seconds)};
    StatusCode code = solver_cancelled(simulation->solver)
                          ? simulation_refuse_cancelled(simulation, status)
                          : run_frame(simulation, begin, seconds, status);
    simulation->step_seconds = timing_now() - begin;
    return code;
}

void simulation_set_prediction(Simulation *simulation, const Vec3 *places, double seconds) {
    for (int i = 0; i < simulation->mesh.vertex_count; ++i) {
        Vec3 offset = vec3_sub(places[i], simulation->past[0][i]);
        simulation->velocity[i] = vec3_scale(1 / seconds, offset);
    }
    simulation->placed = true;
    extrapolate_past(simulation, seconds / substeps_least(simulation, seconds));
}
