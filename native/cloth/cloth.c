#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/timing.h"
#include "cloth/state.h"
#include "mesh/check.h"

static uint64_t mix(uint64_t hash, const void *bytes, size_t size) {
    const unsigned char *p = bytes;
    for (size_t i = 0; i < size; ++i) {
        hash = (hash ^ p[i]) * 1099511628211u;
    }
    return hash;
}

static uint64_t fingerprint_of(const Mesh *mesh) {
    uint64_t hash = 1469598103934665603u;
    hash = mix(hash, mesh->rest, (size_t)mesh->vertex_count * sizeof *mesh->rest);
    for (int e = 0; e < mesh->edge_count; ++e) {
        hash = mix(hash, &mesh->edges[e].a, sizeof mesh->edges[e].a);
        hash = mix(hash, &mesh->edges[e].b, sizeof mesh->edges[e].b);
    }
    return hash;
}

static StatusCode take_state(Cloth *cloth, Status *status) {
    int count = cloth->mesh.vertex_count;
    for (int m = 0; m < GUESS_HISTORY; ++m) {
        cloth->past[m] = STORE_ARRAY(&cloth->store, Vec3, count);
    }
    cloth->velocity = STORE_ARRAY(&cloth->store, Vec3, count);
    cloth->velocity_before = STORE_ARRAY(&cloth->store, Vec3, count);
    cloth->next = STORE_ARRAY(&cloth->store, Vec3, count);
    cloth->start = STORE_ARRAY(&cloth->store, Vec3, count);
    cloth->start_velocity = STORE_ARRAY(&cloth->store, Vec3, count);
    cloth->pins = STORE_ARRAY(&cloth->store, Pin, count);
    if (cloth->store.failed) {
        return status_no_memory(status, "the state");
    }
    memcpy(cloth->past[0], cloth->mesh.rest, (size_t)count * sizeof(Vec3));
    return STATUS_OK;
}

/* What goes on side by side while a cloth is built, each on one thread. */
typedef struct BuildWork {
    Cloth *cloth;
    const PolygonMesh *polygons;
    CheckReport *report;
    Status status[2];
} BuildWork;

/* The mesh is looked at, and built. */
static void read_mesh(void *context, int begin, int end) {
    BuildWork *work = context;
    Cloth *cloth = work->cloth;
    const ClothOptions *options = &cloth->options;
    const ClothHalf *half = &options->half;
    int found;
    for (int part = begin; part < end; ++part) {
        if (part == 0) {
            mesh_build(work->polygons, half->halved ? half->plane_from : MESH_WHOLE,
                       options->pattern, options->uv_scale, &cloth->store, &cloth->mesh,
                       &work->status[0]);
        } else {
            mesh_check(work->polygons, work->report, NULL, 0, &found, &work->status[1]);
        }
    }
}

/* The surroundings are built, and the mesh's fingerprint taken. */
static void look_around(void *context, int begin, int end) {
    BuildWork *work = context;
    Cloth *cloth = work->cloth;
    for (int part = begin; part < end; ++part) {
        if (part == 0) {
            surroundings_build(&cloth->around, &cloth->mesh, cloth->pool, &work->status[0]);
        } else {
            cloth->fingerprint = fingerprint_of(&cloth->mesh);
        }
    }
}

/* Returns what is wrong with the mesh, or what kept it from being built. */
static StatusCode take_mesh(Cloth *cloth, const PolygonMesh *polygons, CheckReport *report,
                            Status *warning) {
    BuildWork work = {.cloth = cloth, .polygons = polygons, .report = report};
    int found;
    if (!check_can_be_read(polygons)) {
        return mesh_check(polygons, report, NULL, 0, &found, warning);
    }
    status_clear(&work.status[0]);
    status_clear(&work.status[1]);
    pool_each(cloth->pool, 2, read_mesh, &work);
    *warning = work.status[1].code >= STATUS_OK && work.status[0].code < STATUS_OK ? work.status[0]
                                                                                   : work.status[1];
    if (warning->code >= STATUS_OK && cloth->options.pattern == PATTERN_UV &&
        report->defects[DEFECT_BAD_UV] > 0) {
        status_set(warning, STATUS_ERROR_MESH,
                   "the UV map is the pattern, but %d faces have coordinates that are not finite",
                   report->defects[DEFECT_BAD_UV]);
    }
    return warning->code;
}

static StatusCode build(Cloth *cloth, Status *status) {
    const ClothOptions *options = &cloth->options;
    const ClothHalf *half = &options->half;
    cloth->options.system.rail_count = half->halved ? half->plane_from - half->rail_from : 0;
    StatusCode code = system_build(&cloth->system, &cloth->mesh, &options->system, cloth->pool,
                                   &cloth->store, status);
    if (code == STATUS_OK) {
        code = take_state(cloth, status);
    }
    if (code != STATUS_OK) {
        return code;
    }
    cloth->system.material = options->material;
    cloth->system.gravity = options->gravity;
    cloth->system.wind = options->wind;
    system_refresh_material(&cloth->system);
    BuildWork work = {.cloth = cloth};
    status_clear(&work.status[0]);
    pool_each(cloth->pool, 2, look_around, &work);
    if (work.status[0].code != STATUS_OK) {
        *status = work.status[0];
        return status->code;
    }
    if (half->halved) {
        surroundings_halve(&cloth->around, half->rail_from, half->barrier);
    }
    contacts_set_masses(&cloth->around.contacts, cloth->system.mass);
    cloth->solver = options->solver == SOLVER_IMPLICIT
                        ? implicit_solver_create(&cloth->system, &options->solving, status)
                        : linear_solver_create(&cloth->system, &options->solving, status);
    if (!cloth->solver) {
        return status->code;
    }
    cloth->solver->cancelled = &cloth->cancelled;
    return STATUS_OK;
}

/* Parts of a pattern's area over the mesh's beyond which the two hardly belong together. */
#define PATTERN_LEAST 0.25
#define PATTERN_MOST 4.0

/* Adds a sentence to the warning of the mesh check. */
static void warn(Status *status, const char *sentence, double number) {
    if (status->code == STATUS_OK) {
        status_set(status, STATUS_WARNING_MESH, "%s", "");
    } else {
        status_append(status, "; ");
    }
    status_append(status, sentence, number);
}

/* What only shows once the cloth is built. */
static void warn_of_build(const Cloth *cloth, double mesh_area, Status *status) {
    int flat = 0;
    double area = 0;
    for (int t = 0; t < cloth->mesh.triangle_count; ++t) {
        area += cloth->mesh.triangles[t].area;
        flat += cloth->mesh.triangles[t].area <= 0;
    }
    if (cloth->system.bending.skipped > 0) {
        warn(status, "%.0f pairs of triangles too thin to bend", cloth->system.bending.skipped);
    }
    if (cloth->options.pattern != PATTERN_UV) {
        return;
    }
    if (flat > 0) {
        warn(status, "%.0f triangles without area in the UV map: they carry no stretch", flat);
    }
    double ratio = mesh_area > 0 ? area / mesh_area : 1.0;
    if (ratio < PATTERN_LEAST || ratio > PATTERN_MOST) {
        warn(status, "the UV map's area is %.3g times the mesh's: is it a sewing pattern?", ratio);
        double fitting = ratio > 0 ? cloth->options.uv_scale / sqrt(ratio) : 0.0;
        status_append(status, " (a UV scale of %.4g would make them equal)", fitting);
    }
}

Cloth *cloth_create(const PolygonMesh *polygons, const ClothOptions *options, Status *status) {
    CheckReport check;
    Status warning;
    Cloth *cloth = calloc(1, sizeof *cloth);
    if (!cloth) {
        status_no_memory(status, "the cloth");
        return NULL;
    }
    cloth->options = *options;
    cloth->pool = pool_create(options->threads);
    if (!cloth->pool) {
        status_no_memory(status, "threads");
        cloth_destroy(cloth);
        return NULL;
    }
    if (take_mesh(cloth, polygons, &check, &warning) < STATUS_OK) {
        *status = warning;
        cloth_destroy(cloth);
        return NULL;
    }
    if (build(cloth, status) != STATUS_OK) {
        cloth_destroy(cloth);
        return NULL;
    }
    *status = warning;
    warn_of_build(cloth, check.area, status);
    return cloth;
}

void cloth_destroy(Cloth *cloth) {
    if (!cloth) {
        return;
    }
    if (cloth->solver) {
        cloth->solver->destroy(cloth->solver);
    }
    surroundings_destroy(&cloth->around);
    pool_destroy(cloth->pool);
    store_release(&cloth->store);
    free(cloth);
}

int cloth_vertex_count(const Cloth *cloth) { return cloth->mesh.vertex_count; }

/* --- stepping --------------------------------------------------------------------------------- */

void cloth_invent_past(Cloth *cloth, double length) {
    for (int m = 1; m < GUESS_HISTORY; ++m) {
        for (int i = 0; i < cloth->mesh.vertex_count; ++i) {
            cloth->past[m][i] = vec3_madd(cloth->past[0][i], -m * length, cloth->velocity[i]);
        }
    }
    memcpy(cloth->velocity_before, cloth->velocity,
           (size_t)cloth->mesh.vertex_count * sizeof(Vec3));
    cloth->history_length = length;
    cloth->invented = 1;
}

/* Length of the implicit step inside a substep: backward Euler takes all of it; the second-order step
 * z - 2h/3 v(z) = (4 x(n) - x(n-1))/3, likewise for v, takes two thirds from a start between states. */
static double implicit_length(const Cloth *cloth, double length) {
    return cloth->options.integrator == INTEGRATOR_BDF2 ? 2.0 / 3.0 * length : length;
}

StatusCode cloth_prepare(Cloth *cloth, double step_seconds, Status *status) {
    double length = step_seconds / cloth->options.substeps;
    StatusCode code = cloth->solver->prepare(cloth->solver, implicit_length(cloth, length), status);
    if (code == STATUS_OK && cloth->history_length != length) {
        cloth->has_substep = 0;
        cloth_invent_past(cloth, length);
    }
    return code;
}

/* Targets at the end of substep s of S: exactly the pins' own at the last. */
static void place_targets(Cloth *cloth, int substep) {
    int last = substep + 1 == cloth->options.substeps;
    double part = (substep + 1.0) / cloth->options.substeps;
    for (int p = 0; p < cloth->pin_count; ++p) {
        const Pin *pin = &cloth->pins[p];
        Vec3 way = vec3_sub(pin->to, pin->from);
        cloth->system.target[pin->vertex] = last ? pin->to : vec3_madd(pin->from, part, way);
    }
}

/* Rails lead to the mirror plane, as fast as `closing` asks for. */
static void place_rails(Cloth *cloth, double length) {
    const ClothHalf *half = &cloth->options.half;
    for (int i = cloth->system.rail_from; i < cloth->mesh.vertex_count; ++i) {
        double x = cloth->past[0][i].x, way = fabs(cloth->mesh.rest[i].x) * length;
        int arrives = i >= half->plane_from || fabs(x) * half->closing <= way;
        cloth->system.rail[i] = arrives ? 0.0 : x - copysign(way / half->closing, x);
    }
}

/* Which part of the frame the bodies move through in substep s. */
static void place_bodies(Cloth *cloth, int substep, double length) {
    double count = cloth->options.substeps;
    Substep *next = &cloth->solver->substep;
    next->around = surroundings_matter(&cloth->around) ? &cloth->around : NULL;
    next->span = (SubstepSpan){.t0 = substep / count,
                               .t1 = (substep + 1) / count,
                               .length = length,
                               .implicit = implicit_length(cloth, length)};
}

static void start_vertices(void *context, int begin, int end) {
    const Cloth *cloth = context;
    for (int i = begin; i < end; ++i) {
        Vec3 moved = vec3_sub(cloth->past[0][i], cloth->past[1][i]);
        Vec3 gained = vec3_sub(cloth->velocity[i], cloth->velocity_before[i]);
        cloth->start[i] = vec3_madd(cloth->past[0][i], 1.0 / 3.0, moved);
        cloth->start_velocity[i] = vec3_madd(cloth->velocity[i], 1.0 / 3.0, gained);
    }
}

/* What the substep starts from: see implicit_length(). */
static Past look_back(Cloth *cloth) {
    Past past = {.start = cloth->past[0], .velocity = cloth->velocity};
    for (int m = 0; m < GUESS_HISTORY; ++m) {
        past.positions[m] = cloth->past[m];
    }
    if (cloth->options.integrator == INTEGRATOR_BDF2) {
        pool_run(cloth->pool, cloth->mesh.vertex_count, start_vertices, cloth);
        past.start = cloth->start;
        past.velocity = cloth->start_velocity;
    }
    return past;
}

typedef struct ArriveWork {
    const Cloth *cloth;
    const Vec3 *start;
    double implicit; /* s */
    Vec3 *velocity;  /* out */
} ArriveWork;

/* The new velocities; counts the vertices that left the finite numbers. */
static double arrive_vertices(void *context, int begin, int end) {
    const ArriveWork *work = context;
    int lost = 0;
    for (int i = begin; i < end; ++i) {
        Vec3 next = work->cloth->next[i];
        work->velocity[i] = vec3_scale(1.0 / work->implicit, vec3_sub(next, work->start[i]));
        lost += !vec3_fits_float(next) || !vec3_fits_float(work->velocity[i]);
    }
    return lost;
}

/* The new state takes the oldest one's memory. Its velocities are where those of the substep's start were. */
static void commit(Cloth *cloth) {
    Vec3 *before = cloth->velocity_before;
    cloth->velocity_before = cloth->velocity;
    cloth->velocity = cloth->start_velocity;
    cloth->start_velocity = before;
    Vec3 *oldest = cloth->past[GUESS_HISTORY - 1];
    for (int m = GUESS_HISTORY - 1; m > 0; --m) {
        cloth->past[m] = cloth->past[m - 1];
    }
    cloth->past[0] = cloth->next;
    cloth->next = oldest;
    cloth->has_substep = 1;
    cloth->invented = 0;
    if (cloth->solver->substep.around) {
        surroundings_end(&cloth->around, cloth->system.held, cloth->past[0], cloth->velocity);
    }
}

/* A second-order step needs the acceleration that a made-up straight past lacks: one trial substep shows it,
 * and the past is bent to match. */
static void bend_past(Cloth *cloth, double length) {
    double implicit = implicit_length(cloth, length);
    Past past = look_back(cloth);
    cloth->solver->advance(cloth->solver, &past, cloth->next);
    if (atomic_load(&cloth->cancelled)) {
        return; /* half a trial shows nothing */
    }
    for (int i = 0; i < cloth->mesh.vertex_count; ++i) {
        Vec3 speed = vec3_scale(1.0 / implicit, vec3_sub(cloth->next[i], past.start[i]));
        Vec3 acceleration = vec3_scale(1.0 / implicit, vec3_sub(speed, past.velocity[i]));
        if (vec3_fits_float(acceleration)) {
            cloth->velocity_before[i] = vec3_madd(cloth->velocity[i], -length, acceleration);
            cloth->past[1][i] = vec3_madd(cloth->past[1][i], 0.5 * length * length, acceleration);
        }
    }
    cloth->invented = 0;
}

static StatusCode advance(Cloth *cloth, double length, Status *status) {
    if (cloth->invented && cloth->options.integrator == INTEGRATOR_BDF2) {
        bend_past(cloth, length);
    }
    Past past = look_back(cloth);
    double implicit = implicit_length(cloth, length);
    cloth->solver->advance(cloth->solver, &past, cloth->next);
    if (atomic_load(&cloth->cancelled)) {
        cloth->has_substep = 0;
        return status_set(status, STATUS_ERROR_CANCELLED, "cancelled; %d of %d substeps are done",
                          cloth->substeps_done, cloth->options.substeps);
    }
    ArriveWork work = {cloth, past.start, implicit, cloth->start_velocity};
    if (pool_sum(cloth->pool, cloth->mesh.vertex_count, arrive_vertices, &work) > 0) {
        int lost = 0;
        while (arrive_vertices(&work, lost, lost + 1) == 0) {
            ++lost;
        }
        cloth->has_substep = 0;
        cloth->lost = lost;
        return status_set(status, STATUS_ERROR_DIVERGED,
                          "vertex %d left the finite numbers; the state is that before the substep",
                          lost);
    }
    commit(cloth);
    return STATUS_OK;
}

StatusCode cloth_step(Cloth *cloth, double seconds, Status *status) {
    double begin = timing_now(), length = seconds / cloth->options.substeps;
    atomic_store(&cloth->cancelled, 0);
    atomic_store(&cloth->progress, 0);
    cloth->solver->work = (SolverWork){0};
    cloth->substeps_done = 0;
    StatusCode code = cloth_prepare(cloth, seconds, status);
    for (int p = 0; p < cloth->pin_count; ++p) {
        Pin *pin = &cloth->pins[p];
        pin->from =
            pin->weight >= 1.0 ? cloth->past[0][pin->vertex] : cloth->system.target[pin->vertex];
    }
    surroundings_start_frame(&cloth->around);
    for (int s = 0; s < cloth->options.substeps && code == STATUS_OK; ++s) {
        place_targets(cloth, s);
        place_rails(cloth, length);
        place_bodies(cloth, s, length);
        code = advance(cloth, length, status);
        cloth->substeps_done += code == STATUS_OK;
        atomic_store(&cloth->progress, 1000 * (s + 1) / cloth->options.substeps);
    }
    surroundings_end_frame(&cloth->around, (double)cloth->substeps_done / cloth->options.substeps);
    cloth->step_seconds = timing_now() - begin;
    return code;
}

void cloth_cancel(Cloth *cloth) { atomic_store(&cloth->cancelled, 1); }

double cloth_progress(const Cloth *cloth) { return atomic_load(&cloth->progress) / 1000.0; }

/* --- what may change while running ------------------------------------------------------------ */

/* Marks pinned vertices in `held` as it will be; refuses a vertex given twice. */
static StatusCode collect_pins(const Cloth *cloth, int count, const int32_t *vertices,
                               Status *status) {
    uint8_t *seen = SCRATCH_ARRAY(uint8_t, cloth->mesh.vertex_count);
    if (!seen) {
        return status_no_memory(status, "pins");
    }
    StatusCode code = STATUS_OK;
    for (int p = 0; p < count && code == STATUS_OK; ++p) {
        if (seen[vertices[p]]++) {
            code =
                status_set(status, STATUS_ERROR_ARGUMENT, "vertex %d is pinned twice", vertices[p]);
        }
    }
    free(seen);
    return code;
}

/* Pull of a soft pin: mass times pin_stiffness times w/(1-w), so that weight 1 is a hard pin. */
static double soft_stiffness(const Cloth *cloth, const Pin *pin) {
    double ratio = pin->weight / (1.0 - pin->weight);
    return cloth->system.mass[pin->vertex] * cloth->system.material.pin_stiffness * ratio;
}

static void apply_pins(Cloth *cloth) {
    System *system = &cloth->system;
    cloth->has_substep = 0; /* its equation is no longer this one */
    int soft_before = cloth->soft_count;
    memset(system->soft_stiffness, 0, (size_t)system->vertex_count * sizeof(double));
    memcpy(system->held, cloth->mesh.isolated, (size_t)system->vertex_count);
    cloth->soft_count = 0;
    for (int p = 0; p < cloth->pin_count; ++p) {
        const Pin *pin = &cloth->pins[p];
        if (pin->weight >= 1.0) {
            system->held[pin->vertex] = 1;
        } else if (pin->weight > 0) {
            system->soft_stiffness[pin->vertex] = soft_stiffness(cloth, pin);
            ++cloth->soft_count;
        }
    }
    ++system->pins_version;
    if (soft_before > 0 || cloth->soft_count > 0) {
        ++system->matrix_version; /* soft pins stand on the diagonal */
    }
}

StatusCode cloth_set_pins(Cloth *cloth, int count, const int32_t *vertices, const float *weights,
                          const float *targets, Status *status) {
    StatusCode code = collect_pins(cloth, count, vertices, status);
    if (code != STATUS_OK) {
        return code;
    }
    int free_count = cloth->mesh.vertex_count;
    for (int p = 0; p < count; ++p) {
        int v = vertices[p];
        double weight = weights ? weights[p] : 1.0;
        Vec3 here = cloth->past[0][v];
        Vec3 target = targets ? read_vec3(targets, p) : here;
        cloth->pins[p] = (Pin){.vertex = v, .weight = weight, .from = here, .to = target};
        cloth->system.target[v] = here;
        free_count -= weight >= 1.0;
    }
    cloth->pin_count = count;
    apply_pins(cloth);
    if (free_count == 0) {
        return status_set(status, STATUS_WARNING_ALL_PINNED,
                          "all %d vertices are pinned: they follow their targets and nothing else",
                          cloth->mesh.vertex_count);
    }
    return STATUS_OK;
}

int cloth_pin_count(const Cloth *cloth) { return cloth->pin_count; }

void cloth_move_pins(Cloth *cloth, const float *targets) {
    for (int p = 0; p < cloth->pin_count; ++p) {
        cloth->pins[p].to = read_vec3(targets, p);
    }
}

static void refresh(Cloth *cloth) {
    unsigned pins_version = cloth->system.pins_version;
    system_refresh_material(&cloth->system);
    contacts_set_masses(&cloth->around.contacts, cloth->system.mass);
    apply_pins(cloth); /* soft pins scale with mass */
    cloth->system.pins_version = pins_version;
}

void cloth_set_material(Cloth *cloth, const Material *material) {
    cloth->system.material = *material;
    refresh(cloth);
}

void cloth_set_forces(Cloth *cloth, Vec3 gravity, const Wind *wind) {
    System *system = &cloth->system;
    cloth->has_substep = 0; /* its equation is no longer this one */
    int drag_changed = system->wind.normal_drag != wind->normal_drag ||
                       system->wind.tangent_drag != wind->tangent_drag;
    system->gravity = gravity;
    system->wind = *wind;
    system->matrix_version += drag_changed ? 1u : 0u;
}

int cloth_has_quality(const Cloth *cloth) {
    return cloth->options.solver == SOLVER_LINEAR &&
           cloth->options.solving.scheme == SCHEME_TWO_LEVEL;
}

void cloth_set_quality(Cloth *cloth, Quality quality) { cloth->solver->options.quality = quality; }

void cloth_set_rounds(Cloth *cloth, int substeps, int iterations) {
    cloth->options.substeps = substeps;
    cloth->solver->options.iterations = iterations;
    cloth->solver->options.quality = QUALITY_CUSTOM;
    cloth->solver->rounds = iterations;
}

static void copy_scale(double *to, const float *from, int count) {
    for (int i = 0; i < count; ++i) {
        to[i] = from ? from[i] : 1.0;
    }
}

void cloth_set_scales(Cloth *cloth, const float *mass, const float *stretch, const float *bend) {
    copy_scale(cloth->system.mass_scale, mass, cloth->mesh.vertex_count);
    copy_scale(cloth->system.stretch_scale, stretch, cloth->mesh.vertex_count);
    copy_scale(cloth->system.bend_scale, bend, cloth->mesh.vertex_count);
    refresh(cloth);
}

static void write_floats(const Vec3 *from, int count, float *to) {
    for (int i = 0; i < count; ++i) {
        to[3 * (int64_t)i] = (float)from[i].x;
        to[3 * (int64_t)i + 1] = (float)from[i].y;
        to[3 * (int64_t)i + 2] = (float)from[i].z;
    }
}

void cloth_get_state(const Cloth *cloth, float *positions, float *velocities) {
    write_floats(cloth->past[0], cloth->mesh.vertex_count, positions);
    if (velocities) {
        write_floats(cloth->velocity, cloth->mesh.vertex_count, velocities);
    }
}

void cloth_set_state(Cloth *cloth, const float *positions, const float *velocities) {
    for (int i = 0; i < cloth->mesh.vertex_count; ++i) {
        cloth->past[0][i] = read_vec3(positions, i);
        cloth->velocity[i] = velocities ? read_vec3(velocities, i) : vec3(0, 0, 0);
        if (cloth->mesh.isolated[i]) {
            cloth->system.target[i] = cloth->past[0][i];
        }
    }
    surroundings_forget(&cloth->around);
    cloth->history_length = 0; /* made up anew when the substep's length is known */
    cloth->has_substep = 0;
}
