/* The sweeps themselves: the tables of a substep, contacts in them, and going through all vertices. */
#include <math.h>

#include "base/machine.h"
#include "solver/sweep/sweep.h"

typedef struct PassWork {
    SweepSolver *sweep;
    const int *order;  /* of the vertices of a colour */
    const Vec3 *from;  /* d before */
    Vec3 *to;          /* and after: the same array where it is changed in place */
    const Vec3 *place; /* z */
} PassWork;

/* --- tables ------------------------------------------------------------------------------------- */

/* The inverse of a vertex's block, without what rails do not let it do. */
static Block invert(const SweepSolver *sweep, int i, Block block) {
    if (i >= sweep->solver.system->rail_from) {
        block_part_first(&block);
    }
    return block_inverse(&block);
}

static const Block *own_block(const SweepSolver *sweep, int i) {
    return &sweep->matrix.blocks.block[sweep->matrix.diagonal[i]];
}

static void fill_vertices(void *context, int begin, int end) {
    SweepSolver *sweep = context;
    for (int i = begin; i < end; ++i) {
        sweep->inverse[i] = invert(sweep, i, *own_block(sweep, i));
        sweep->contact_right[i] = sweep->right[i];
        sweep->touching[i] = 0;
    }
}

void sweep_fill_tables(SweepSolver *sweep) {
    const System *system = sweep->solver.system;
    pool_run(system->pool, system->vertex_count, fill_vertices, sweep);
}

static void place_vertices(void *context, int begin, int end) {
    const PassWork *work = context;
    for (int i = begin; i < end; ++i) {
        work->to[i] = vec3_add(work->sweep->solver.substep.x[i], work->from[i]);
    }
}

void sweep_positions(SweepSolver *sweep, Vec3 *z) {
    const System *system = sweep->solver.system;
    PassWork work = {.sweep = sweep, .from = sweep->moved, .to = z};
    pool_run(system->pool, system->vertex_count, place_vertices, &work);
}

/* --- contacts ----------------------------------------------------------------------------------- */

/* A contact's energy is a function of one point, sum w_j z_j. For vertices that move without knowing of each other its
 * second derivative is bounded by |w_i| sum |w_j| times that by the point: with w_i^2 alone each vertex of a face would
 * do what all of them have to do together, and the sweeps would throw it back and forth. */
static void add_contact_bound(const Contacts *contacts, int i, const Vec3 *z, Block *block) {
    for (int e = contacts->entry_start[i]; e < contacts->entry_start[i + 1]; ++e) {
        const Contact *contact = &contacts->list[contacts->entry[e] / CONTACT_VERTICES];
        double sum = 0, along, across;
        for (int c = 0; c < contact->count; ++c) {
            sum += fabs(contact->weights[c]);
        }
        double share = sum * fabs(contact->weights[contacts->entry[e] % CONTACT_VERTICES]);
        contact_stiffness(contact, z, &along, &across);
        block_add_diagonal(block, share * across);
        block_add_outer(block, share * (along - across), contact->normal, contact->normal);
    }
}

/* r - g + H d with g and H, the contacts' gradient and the bound of their second derivative, at d. */
static void linearise_vertices(void *context, int begin, int end) {
    const PassWork *work = context;
    SweepSolver *sweep = work->sweep;
    const Contacts *contacts = &sweep->solver.substep.world->contacts;
    for (int i = begin; i < end; ++i) {
        bool touches = contacts_touch(contacts, i);
        if (touches) {
            Block bound = {{0}}, whole = *own_block(sweep, i);
            add_contact_bound(contacts, i, work->place, &bound);
            block_add(&whole, 1.0, &bound);
            sweep->inverse[i] = invert(sweep, i, whole);
            Vec3 held =
                vec3_sub(block_times(&bound, sweep->moved[i]), contacts_gradient(contacts, i));
            sweep->contact_right[i] = vec3_add(sweep->right[i], held);
        } else if (sweep->touching[i]) {
            sweep->inverse[i] = invert(sweep, i, *own_block(sweep, i));
            sweep->contact_right[i] = sweep->right[i];
        }
        sweep->touching[i] = touches;
    }
}

void sweep_linearise_contacts(SweepSolver *sweep, Vec3 *z) {
    const Substep *substep = &sweep->solver.substep;
    const System *system = substep->system;
    if (substep_contact_count(substep) == 0) {
        return;
    }
    double clock = timing_now();
    sweep_positions(sweep, z);
    contacts_evaluate(&substep->world->contacts, system->pool, z);
    PassWork work = {.sweep = sweep, .place = z};
    pool_run(system->pool, system->vertex_count, linearise_vertices, &work);
    substep->world->report.respond_seconds += timing_now() - clock;
}

/* --- passes ------------------------------------------------------------------------------------- */

/* What a vertex's row says of its place, given all others [Kim 2006, eq. 8]. */
static Vec3 solve_row(const SweepSolver *sweep, int i, const Vec3 *moved) {
    const Matrix *pattern = &sweep->matrix.pattern;
    const Block *blocks = sweep->matrix.blocks.block;
    int own = sweep->matrix.diagonal[i];
    Vec3 rest = sweep->contact_right[i];
    for (int p = pattern->start[i]; p < own; ++p) {
        rest = vec3_sub(rest, block_times(&blocks[p], moved[pattern->column[p]]));
    }
    for (int p = own + 1; p < pattern->start[i + 1]; ++p) {
        rest = vec3_sub(rest, block_times(&blocks[p], moved[pattern->column[p]]));
    }
    if (i < sweep->solver.system->rail_from) {
        return block_times(&sweep->inverse[i], rest);
    }
    /* its x is known: what that pulls along y and z goes to the other side */
    double x = moved[i].x;
    rest.y -= blocks[own].m[3] * x;
    rest.z -= blocks[own].m[6] * x;
    Vec3 found = block_times(&sweep->inverse[i], rest);
    return vec3(x, found.y, found.z);
}

static void relax_vertices(void *context, int begin, int end) {
    const PassWork *work = context;
    const uint8_t *held = work->sweep->solver.system->held;
    for (int p = begin; p < end; ++p) {
        int i = work->order ? work->order[p] : p;
        work->to[i] = held[i] ? work->from[i] : solve_row(work->sweep, i, work->from);
    }
}

void sweep_pass(SweepSolver *sweep) {
    const System *system = sweep->solver.system;
    const Colouring *colours = &sweep->matrix.colours;
    PassWork work = {.sweep = sweep, .from = sweep->moved, .to = sweep->moved};
    if (sweep->plan.iteration == ITERATION_JACOBI) {
        work.to = sweep->next;
        pool_run(system->pool, system->vertex_count, relax_vertices, &work);
        sweep->next = sweep->moved;
        sweep->moved = work.to;
        return;
    }
    for (int c = 0; c < colours->count; ++c) {
        work.order = colours->order + colours->start[c];
        pool_run(system->pool, colours->start[c + 1] - colours->start[c], relax_vertices, &work);
    }
}
