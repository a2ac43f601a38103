/* Muslin: cloth on a constant matrix. The public C interface, and its manual.
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Units are SI throughout: metres, seconds, kilograms, newtons.
 * Arrays belong to the caller and are only read or written during the call. Positions are float32,
 * three numbers a vertex, in the order of the caller's mesh.
 * Every call returns a status: 0 is success, negative an error (nothing has changed), positive a
 * warning (the call did its work, the message says what to look at). muslin_message() tells more.
 * A handle is used by one thread at a time. A call while another thread works on the same handle is refused with
 * MUSLIN_ERROR_BUSY and changes nothing; only muslin_cloth_cancel() and muslin_cloth_progress() are for that, and
 * muslin_cloth_destroy(), which waits. Different handles are independent.
 * The library never prints, never exits, and keeps nothing but the handles.
 *
 * Structs begin with `size`, their sizeof as the caller was compiled. New fields come at the end of a struct, so a
 * library understands callers of older headers, from version 2 on: in a definition (MuslinMesh, MuslinBody,
 * MuslinMaterial, MuslinForces, MuslinClothDef) a smaller size that ends with a field is taken, and what is beyond
 * it has its default; material and forces inside a MuslinClothDef are as large as their own sizes say, and what
 * follows them moves up. Of a report (MuslinReport, MuslinStats and the like) a caller gets as many bytes as he has
 * room for. A larger size than the library's own is refused: the library is older than its caller. */
#ifndef MUSLIN_H
#define MUSLIN_H

#include <stddef.h>
#include <stdint.h>

/* MuslinMesh, MuslinBody, MuslinMaterial, MuslinForces, MuslinClothDef and the choices in them, with unit, range
 * and default of every field. Made by the build from plugin/settings/settings.json, installed beside this file. */
#include "muslin_settings.h"
/* How a garment lies: MuslinInspection and its places; seams, tacks and elastics: MuslinLink. */
#include "muslin_details.h"
#include "muslin_inspection.h"
#include "muslin_sewing.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The release that this header belongs to; the build and every package take their version from here. */
#define MUSLIN_VERSION "0.1.0"

#define MUSLIN_MESSAGE_SIZE 512
#define MUSLIN_MAX_COEFFICIENTS 4

/* A cloth under simulation. 0 is never a valid handle; a stale one is an error, not a crash. */
typedef uint64_t MuslinCloth;

typedef enum MuslinStatus {
    MUSLIN_OK = 0,
    /* defects in the mesh: simulated all the same, see the message */
    MUSLIN_WARNING_MESH = 1,
    /* nothing is free to move */
    MUSLIN_WARNING_ALL_PINNED = 2,
    /* a body has another mesh than before, see the message */
    MUSLIN_WARNING_BODY_REPLACED = 3,
    /* not mirrored, or not in all: something is not symmetric, see the message */
    MUSLIN_WARNING_MIRROR = 4,
    /* the model cannot have the material as it is asked for, see the message */
    MUSLIN_WARNING_MATERIAL = 5,
    MUSLIN_ERROR_HANDLE = -1,
    /* a parameter is out of its range, or a pointer is null */
    MUSLIN_ERROR_ARGUMENT = -2,
    /* the mesh cannot be simulated */
    MUSLIN_ERROR_MESH = -3,
    /* there is not enough of it: nothing has changed; of a step, the state is as before the substep that lacked it. The
     * call may be made again */
    MUSLIN_ERROR_MEMORY = -4,
    /* the system matrix is not positive definite */
    MUSLIN_ERROR_MATRIX = -5,
    /* a step left the finite numbers, or threw cloth too far; the state is as before that substep */
    MUSLIN_ERROR_DIVERGED = -6,
    /* cancelled; the state is as at the last finished substep */
    MUSLIN_ERROR_CANCELLED = -7,
    /* the bytes are no snapshot of this cloth */
    MUSLIN_ERROR_SNAPSHOT = -8,
    /* the cloth has no body of this number, or not any more */
    MUSLIN_ERROR_BODY = -9,
    /* another thread works on the cloth: the call did nothing, and its message is that of handle 0 */
    MUSLIN_ERROR_BUSY = -10
} MuslinStatus;

/* Size of the factored matrix and what it took, after muslin_cloth_prepare. */
typedef struct MuslinReport {
    uint32_t size;
    /* the one used: auto is resolved */
    int32_t ordering;
    int32_t vertex_count, edge_count, triangle_count, hinge_count, rope_count, component_count;
    int32_t pinned_count, soft_count;
    /* of the whole symmetric matrix */
    int64_t matrix_nonzeros;
    /* of L, diagonal included */
    int64_t factor_nonzeros;
    /* taken by this cloth */
    int64_t memory_bytes;
    double factor_flops;
    /* of the last time each ran */
    double ordering_seconds, analysis_seconds, factor_seconds;
    /* how often each ran so far */
    int32_t analysis_count, factor_count, row_update_count;
    /* of the two-level scheme, else 0 */
    int32_t coarse_unknowns;
    /* per substep; where a quality decides, those of the latest substep */
    int32_t rounds;
    /* MuslinPrecision, the one used: auto is resolved */
    int32_t precision;
    /* taken by the factor, of memory_bytes */
    int64_t factor_bytes;
} MuslinReport;

/* What the last step did, and how the cloth is now. Counts of a mirrored cloth are those of its half; strains, energies and
 * seconds those of all that is simulated. */
typedef struct MuslinStats {
    uint32_t size;
    int32_t substeps;
    /* in all substeps together */
    int32_t pcg_iterations;
    /* likewise */
    int32_t newton_iterations;
    /* conjugate gradient solves that ended at their limit */
    int32_t pcg_stopped;
    /* energies and forces of the cloth, line searches included */
    double force_seconds;
    /* the substeps' equations: drive, right-hand side, matrix if not constant */
    double assemble_seconds;
    /* solving them, with the factor, on the coarse level or by iteration */
    double solve_seconds;
    /* finding contacts and answering them; part of none of the above */
    double contact_seconds;
    /* of the step; the four above are parts of it, and not quite all */
    double total_seconds;
    /* |length / rest - 1| over edges */
    double largest_strain, mean_strain;
    /* its two vertices, -1 without edges */
    int32_t largest_strain_edge[2];
    /* J; gravity's zero is the first state */
    double kinetic_energy, elastic_energy, gravity_energy;
    /* with the constant factor; on the coarse level */
    int32_t solves, corrections;
    /* corrections and extrapolations that would have raised the energy */
    int32_t rejected;
    /* part of solve_seconds */
    double coarse_seconds;
    /* the largest |r| / |b| that conjugate gradients left */
    double pcg_residual;
    /* |force imbalance| of the last substep's equation over that of its start */
    double residual;
    /* with bodies, that push at the end of the last substep */
    int32_t contacts;
    /* of the cloth with itself, likewise */
    int32_t self_contacts;
    /* vertices closer to a body than its thickness, likewise */
    int32_t touching;
    /* vertices with nowhere to go: between two bodies, say */
    int32_t stuck;
    /* edges of the cloth through its own faces, if it meets itself */
    int32_t tangled;
    /* m: the deepest in a body that the solver left a vertex in any substep, before it was put outside; 0: none */
    double deepest;
    /* finding contacts, and answering them; contact_seconds is the sum of both */
    double detection_seconds, response_seconds;
    /* over all vertices, by the solver of sweeps, in all substeps together: with a budget as many as fit */
    int32_t sweeps;
    /* substeps in which a search for contacts had more to compare than anybody can wait for, and was ended: some contacts
     * were missed. Cloth that shrinks to a knot has that many: is its pattern, or its size, what it should be? */
    int32_t curtailed;
    /* substeps that were made again in halves, since they threw a vertex further than anything can have thrown it */
    int32_t retried;
    /* edges that contact had torn to nearly three times their length, and that were pulled together, in all substeps */
    int32_t mended;
} MuslinStats;

/* How a cloth is mirrored, and how symmetric it is. Counts are of the caller's vertices, if nothing else is said. */
typedef struct MuslinMirrorReport {
    uint32_t size;
    /* MUSLIN_MIRROR_EXACT or _HALVE; _OFF where only all of the garment can be simulated */
    int32_t mode;
    /* the plane; zero if the mode is off */
    double point[3], normal[3];
    /* vertices of the half that is simulated; 0 if the mode is off */
    int32_t half_vertex_count;
    /* with a partner, their own partner, without: all vertices */
    int32_t paired, on_plane, unpaired;
    /* of parts without any partner, which are simulated apart from the half */
    int32_t extra_count;
    /* of the half, on the fronts that a closure closes */
    int32_t front_count;
    /* the body that is least symmetric, -1 without bodies */
    int32_t body;
    /* its vertex that is farthest from its partner's image, -1 without one */
    int32_t body_vertex;
    /* m: how far that is */
    double body_asymmetry;
    /* 1: the last step simulated all of the garment */
    int32_t solved_whole;
    /* how many steps did */
    int32_t whole_steps;
} MuslinMirrorReport;

/* Which mesh a cloth with a budget simulates, and how the last step went; quick enough to be asked after each. */
typedef struct MuslinLevelReport {
    uint32_t size;
    /* 0: the caller's mesh; 1 and up: coarser ones */
    int32_t level;
    /* how many there are; known after muslin_cloth_prepare or the first step, else 0 */
    int32_t level_count;
    /* vertices of the mesh that is simulated, and of the caller's */
    int32_t simulated_count, vertex_count;
    /* 1: muslin_cloth_refine was called since the last step */
    int32_t refining;
    /* 1: that or muslin_cloth_settle has come to its end, and nothing has changed since */
    int32_t settled;
    /* steps in a row that left the cloth at rest, since a body or pin was moved or anything else was set; for
     * callers who refine after some of them */
    int32_t quiet_steps;
    /* s that the last steps took, on this level */
    double average_seconds;
    /* of the last step, as in MuslinStats: that measures strain and energies, too, and takes longer */
    int32_t curtailed, retried, mended;
} MuslinLevelReport;

/* How far muslin_cloth_settle is. */
typedef struct MuslinSettleReport {
    uint32_t size;
    /* 1: it has come to its end */
    int32_t settled;
    /* 1: the cloth came to rest by itself; 0 at the end: it was still moving after many
     * steps, sliding, falling, blown about or pushed, or its rounds are too few, and was stopped */
    int32_t came_to_rest;
    /* calls since it began */
    int32_t steps;
    /* 0: the caller's mesh is simulated; 1 and up: coarser ones; and how many vertices that has */
    int32_t level, simulated_count;
    /* m/s: the fastest vertex in the last step, and the root mean square of all */
    double fastest, mean;
} MuslinSettleReport;

/* What is wrong with a mesh. muslin_mesh_check counts each kind and lists them as findings. */
typedef enum MuslinDefect {
    /* vertex: NaN or infinite coordinate, or one beyond 1e9 m; error */
    MUSLIN_DEFECT_NOT_FINITE = 0,
    /* face or edge: vertex index out of range; error */
    MUSLIN_DEFECT_INDEX_RANGE = 1,
    /* face or edge names a vertex twice: left out */
    MUSLIN_DEFECT_REPEATED_VERTEX = 2,
    /* face: area zero or nearly: carries no stretch of its own */
    MUSLIN_DEFECT_ZERO_AREA = 3,
    /* face: height below 1/50 of its longest side: kept */
    MUSLIN_DEFECT_SLIVER = 4,
    /* face: same vertices as an earlier one: left out */
    MUSLIN_DEFECT_DUPLICATE_FACE = 5,
    /* vertex of no face or edge: stays where it is */
    MUSLIN_DEFECT_ISOLATED = 6,
    /* edge of three or more faces: bends between each pair in turn */
    MUSLIN_DEFECT_NON_MANIFOLD = 7,
    /* edge whose two faces face opposite ways: kept */
    MUSLIN_DEFECT_FLIPPED = 8,
    /* vertex in the same place as an earlier one: not joined */
    MUSLIN_DEFECT_DOUBLED_VERTEX = 9,
    /* face: texture coordinate not finite: not used, an error as a pattern */
    MUSLIN_DEFECT_BAD_UV = 10,
    MUSLIN_DEFECT_KINDS = 11
} MuslinDefect;

typedef struct MuslinMeshReport {
    uint32_t size;
    int32_t component_count, boundary_edge_count, triangle_count, quad_count, edge_count;
    int32_t defects[MUSLIN_DEFECT_KINDS];
    /* m^2 */
    double area;
    /* m */
    double shortest_edge, longest_edge;
} MuslinMeshReport;

/* One finding: the kind, the index of the vertex, face or edge meant, and the vertices it concerns: the
 * first one of a face, both of an edge; unused ones are -1. */
typedef struct MuslinFinding {
    int32_t kind;
    /* index of the vertex, face or edge meant */
    int32_t element;
    int32_t vertices[2];
} MuslinFinding;

/* Whether a mesh is its own mirror image, and in which plane. The first five are given and told, the rest told. */
typedef struct MuslinSymmetry {
    uint32_t size;
    /* 1: look for the best plane; 0: the one given below */
    int32_t find;
    /* m, on the plane */
    double point[3];
    /* not zero; told with length 1 */
    double normal[3];
    /* m: how far a vertex may be from the image of its partner, at most the mean edge; 0: 1e-4 of
     * the mesh's diagonal, and at most a quarter of the mean edge */
    double tolerance;
    /* vertices with a partner other than themselves: an even number */
    int32_t paired;
    /* vertices that are their own partner */
    int32_t on_plane;
    /* vertices without */
    int32_t unpaired;
    /* faces and loose edges whose image is none of the mesh */
    int32_t faces_without, edges_without;
    /* faces of four or more corners that this library cuts otherwise than their image */
    int32_t differing_cuts;
    /* of those, faces that are their own image: they lie across the plane */
    int32_t crossing_cuts;
    /* m: distances of vertices from their partners' images; of one on the plane, twice its distance
     * from the plane */
    double rms, largest;
} MuslinSymmetry;

/* Only what follows is visible from outside the library. */
#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif

/* The version of the library, as MUSLIN_VERSION of the header that it was built with, and of this interface. */
const char *muslin_version(void);
uint32_t muslin_abi_version(void);

/* One line for a status, never null. */
const char *muslin_status_text(int32_t status);

/* The last message of a handle; of handle 0: of this thread's last call that had no handle, or that was refused since the
 * handle is stale or busy.
 * Copies at most `capacity` bytes with the closing 0, cut if need be. */
int32_t muslin_message(MuslinCloth cloth, char *text, size_t capacity);

/* What the sentences of that message are about, in codes and numbers: how many there are, and one of them, counted
 * from 0. Every sentence of a warning has one, and of an error that names an argument, a body, a vertex, face or
 * edge. Like muslin_message(), neither changes the message. */
int32_t muslin_detail_count(MuslinCloth cloth, int32_t *count);
int32_t muslin_detail(MuslinCloth cloth, int32_t index, MuslinDetail *detail);

/* Fill a definition with defaults: cotton, triangle model, two-level scheme. */
int32_t muslin_default_cloth_def(MuslinClothDef *def);

/* Fill a body with defaults: thickness 4 mm, friction 0.3, no mesh yet. */
int32_t muslin_default_body(MuslinBody *body);

/* Look at a mesh without simulating it. `findings` may be null; at most `capacity` are written and
 * `found` (may be null) tells how many there are. Returns MUSLIN_OK for a clean mesh, a warning for
 * defects that can be simulated, an error for those that cannot. */
int32_t muslin_mesh_check(const MuslinMesh *mesh, MuslinMeshReport *report, MuslinFinding *findings,
                          int32_t capacity, int32_t *found);

/* Look for the mirror image of every vertex and face, without simulating anything. Where several vertices are in
 * one place (seams, layers), neighbours of partners become partners. `partners` (vertex_count) gets the
 * partner of each vertex, the vertex itself on the plane, -1 without; `face_partners` (face_count) likewise,
 * -2 for faces that are left out of a simulation and count nowhere. Both may be null. Returns
 * MUSLIN_OK whatever is found; after an error the arrays mean nothing. */
int32_t muslin_mesh_symmetry(const MuslinMesh *mesh, MuslinSymmetry *symmetry, int32_t *partners,
                             int32_t *face_partners);

/* Look for open fronts: two stretches of one border that a zip or buttons could close. `fronts` (vertex_count) receives
 * the number of each vertex's front, from 1 on, and below 0 on the other side of its gap; 0 elsewhere. */
int32_t muslin_mesh_fronts(const MuslinMesh *mesh, int32_t *fronts);

/* Build a cloth. Copies what it needs. Warnings leave a valid handle. */
int32_t muslin_cloth_create(const MuslinMesh *mesh, const MuslinClothDef *def, MuslinCloth *cloth);

/* Build a cloth of several parts, at most 16, each of a fabric of its own: garments over each other. `vertex_parts` has each
 * vertex's part, from 0 on; parts share no face and no edge. `materials` has one for each part, all of the size of the
 * first, and takes the place of the definition's. `models` (MuslinModel) likewise; null: all have the definition's. All
 * else, self-contact with its thickness and friction included, is the whole cloth's. The thread solver has one part. */
int32_t muslin_cloth_create_parts(const MuslinMesh *mesh, const MuslinClothDef *def,
                                  const int32_t *vertex_parts, int32_t part_count,
                                  const MuslinMaterial *materials, const int32_t *models,
                                  MuslinCloth *cloth);

/* From any thread: gives all memory back, and the handle is stale from the start of this call on. Where another thread
 * works on the cloth, its step is cancelled and its call waited for: a finalizer may call this at any moment, is not
 * refused, leaks nothing and takes nothing from under anybody. The wait is short for a step; ordering and factoring a
 * large matrix cannot be cancelled. */
int32_t muslin_cloth_destroy(MuslinCloth cloth);

/* Order, analyse and factor now what is out of date; a step does it by itself when needed.
 * `step_seconds` is the length of the steps to come (of a whole step, not of a substep). */
int32_t muslin_cloth_prepare(MuslinCloth cloth, double step_seconds);

/* Advance by `seconds` (above 0, at most 10) in def.substeps equal substeps. Allocates nothing once prepared for that
 * length of step, but for more contacts than there ever were, when a substep is made again in halves, when a mirrored cloth
 * has to be simulated whole for the first time, and little each time it goes over. Pins move in a straight line to their targets.
 * Of a mirrored cloth with parts that are simulated by themselves a step that is cancelled or fails has never been: where
 * the codes above tell of a substep, it is the first. */
int32_t muslin_cloth_step(MuslinCloth cloth, double seconds);

/* Replace the set of pins. Weight 1 holds a vertex exactly, below 1 pulls softly, 0 not at all;
 * weights null: all 1. Targets null: where the vertices are now. `count` may be 0. */
int32_t muslin_cloth_set_pins(MuslinCloth cloth, int32_t count, const int32_t *vertices,
                              const float *weights, const float *targets);

/* Where the pins shall be at the end of the next step, in the order of muslin_cloth_set_pins. */
int32_t muslin_cloth_move_pins(MuslinCloth cloth, int32_t count, const float *targets);

/* Replace all links, add some, let those of a set go, hold what was let go again, as long as it was measured at first,
 * and tell how far a set has come, below 0 all. */
int32_t muslin_cloth_set_links(MuslinCloth cloth, int32_t count, const MuslinLink *links,
                               int32_t weightless);
int32_t muslin_cloth_add_links(MuslinCloth cloth, int32_t count, const MuslinLink *links,
                               int32_t weightless);
int32_t muslin_cloth_release_links(MuslinCloth cloth, int32_t set);
int32_t muslin_cloth_hold_links(MuslinCloth cloth, int32_t set);
int32_t muslin_cloth_link_report(MuslinCloth cloth, int32_t set, MuslinLinkReport *report);

/* Bodies. As everywhere, one thread at a time, never during a step of the same cloth; arrays are copied.
 * None of these touches the matrix or its factor. Every body has a number, from 0 up, that is not used
 * again after it was removed. Cloth that is inside a body when that appears comes out slowly.
 *
 * Add a body. `number` is what the other calls know it by, -1 after an error. A warning
 * (MUSLIN_WARNING_MESH) tells of faces that name a vertex twice (left out), of faces without area, and
 * of closed parts that were inside out (turned). Under a mirrored cloth a body is given whole, and
 * MUSLIN_WARNING_MIRROR tells, here or when it is moved or placed, the first time that it is not its own mirror
 * image. */
int32_t muslin_cloth_add_body(MuslinCloth cloth, const MuslinBody *body, int32_t *number);

/* Another mesh for a body, with any number of vertices and faces, and its thickness and friction. It is
 * built anew, stands where `body` says at once, and stands still during the next step unless
 * muslin_cloth_move_body is called after this. Always a warning, MUSLIN_WARNING_BODY_REPLACED, with both
 * numbers of vertices, since a mesh that changes while it moves is mostly a mistake. */
int32_t muslin_cloth_replace_body(MuslinCloth cloth, int32_t number, const MuslinBody *body);

/* Where a body shall be at the end of the next step, 3 x count floats, m; its vertices go there evenly, in a
 * straight line, over the substeps. `count` is its number of vertices. A body that is not moved
 * before a step stands still in it. A step that was cancelled or failed leaves it where it had got to,
 * and the next step takes it the rest of the way. */
int32_t muslin_cloth_move_body(MuslinCloth cloth, int32_t number, int32_t count,
                               const float *positions);

/* Likewise, but it is there at once and sweeps nothing up on the way: after going back to an earlier
 * frame. */
int32_t muslin_cloth_place_body(MuslinCloth cloth, int32_t number, int32_t count,
                                const float *positions);

/* Change thickness (m) and friction of a body; ranges as in MuslinBody. */
int32_t muslin_cloth_set_body_surface(MuslinCloth cloth, int32_t number, float thickness,
                                      float friction);

/* Take a body away; its number is an error from then on. */
int32_t muslin_cloth_remove_body(MuslinCloth cloth, int32_t number);

/* For positions that a caller makes of the cloth's, such as wrinkles added after a step: points (3 x count floats) that
 * are inside of a solid body by up to `reach` (m, above 0), or before it by less than a quarter of its thickness, are put
 * there, on its surface's nearest place. Bodies are where they stand now; sheets have no inside. Of a mirrored cloth,
 * bodies are as its half sees them. Takes memory while it works, and changes nothing that a step sees. */
int32_t muslin_cloth_put_outside(MuslinCloth cloth, double reach, int32_t count, float *points);

/* Cloth against itself: all layers, garments and ropes of this mesh keep `thickness` (m, ranges as in MuslinBody) from
 * each other, with this friction. enabled: 1, or 0 (as created), where the other two are not looked at. */
int32_t muslin_cloth_set_self_contact(MuslinCloth cloth, int32_t enabled, float thickness,
                                      float friction);

/* Change material or forces while running: at most a numeric refactorisation. The second is of one part; the first of
 * all of them. */
int32_t muslin_cloth_set_material(MuslinCloth cloth, const MuslinMaterial *material);
int32_t muslin_cloth_set_part_material(MuslinCloth cloth, int32_t part,
                                       const MuslinMaterial *material);
int32_t muslin_cloth_set_forces(MuslinCloth cloth, const MuslinForces *forces);

/* Force fields: what acts on each vertex besides, until it is set again. `wind` (m/s) adds to that of the forces, by their
 * drag; `traction` (N/m^2) pulls at the cloth's area, however it lies and moves. 3 x vertex_count each; null: none. */
int32_t muslin_cloth_set_fields(MuslinCloth cloth, const float *wind, const float *traction);

/* Change substeps and iterations (each >= 1) while running; the quality becomes custom. */
int32_t muslin_cloth_set_rounds(MuslinCloth cloth, int32_t substeps, int32_t iterations);

/* Change the quality (MuslinQuality) of the two-level scheme while running. */
int32_t muslin_cloth_set_quality(MuslinCloth cloth, int32_t quality);

/* Per-vertex factors (>= 0, mass >= 1e-6) on mass, stretch and shear, and bending; null: all 1. */
int32_t muslin_cloth_set_scales(MuslinCloth cloth, const float *mass, const float *stretch,
                                const float *bend);
/* Likewise on lengths at rest, 0.1 to 10: cloth shrinks or grows; masses and bending stay. Not by threads. */
int32_t muslin_cloth_set_sizes(MuslinCloth cloth, const float *sizes);

/* Read or replace the state; velocities null: not read, or set to zero. 3 x vertex_count floats. */
int32_t muslin_cloth_get_state(MuslinCloth cloth, float *positions, float *velocities);
int32_t muslin_cloth_set_state(MuslinCloth cloth, const float *positions, const float *velocities);

/* The whole dynamic state as bytes: continuing from a restored snapshot gives the same bytes as
 * continuing without. They have a version and a checksum: damaged ones are refused, and so is cloth that is not finite or
 * farther away than 1e9 m. It fits the same mesh only, mirrored alike; its size changes with what touches, and when a mirrored
 * cloth is simulated whole. The set of pins, material and forces are not part of
 * it, nor are bodies: a caller that goes back puts them where they were with
 * muslin_cloth_replace_body. */
int32_t muslin_cloth_snapshot_size(MuslinCloth cloth, size_t *bytes);
int32_t muslin_cloth_snapshot(MuslinCloth cloth, void *bytes, size_t capacity);
int32_t muslin_cloth_restore(MuslinCloth cloth, const void *bytes, size_t size);

int32_t muslin_cloth_report(MuslinCloth cloth, MuslinReport *report);
int32_t muslin_cloth_stats(MuslinCloth cloth, MuslinStats *stats);

/* How the cloth lies on its bodies, where they are now, and in itself; it is a good thing to ask before the first step, and
 * after the last. `places` may be null; at most `capacity` are written, kind after kind, and `found` (may be null) tells
 * how many there are, at most MUSLIN_PLACES_EACH of each kind. Changes nothing; the first call takes memory. Returns
 * MUSLIN_OK whatever is found. */
int32_t muslin_cloth_inspect(MuslinCloth cloth, MuslinInspection *report, MuslinPlace *places,
                             int32_t capacity, int32_t *found);

/* How the cloth is mirrored. The body is looked at when it is given, moved or placed. */
int32_t muslin_cloth_mirror(MuslinCloth cloth, MuslinMirrorReport *report);

/* A budget. Where budget_ms of MuslinClothDef is not 0, a step simulates the finest of several meshes for which
 * steps take no more than that by the clock: the caller's own, or coarser ones that the library makes of it, each of a
 * third of the vertices. Borders, corners, seams of the UV map, components, pins and the mirror image are kept. The
 * caller's mesh rides on the coarser one. Every call goes on to speak of the caller's mesh: positions, pins, maps,
 * bodies; only what a step did, strains and energies are those of the mesh that is simulated. Going over to another
 * mesh takes memory and time when that is simulated first; so do pins of other vertices than before. The motion then
 * depends on the machine's speed, unless muslin_cloth_hold_level says which mesh it is.
 *
 * Simulate this level (0: the caller's mesh; a number beyond the coarsest is that); -1, as created: by the clock. */
int32_t muslin_cloth_hold_level(MuslinCloth cloth, int32_t level);

/* For a cloth with a budget that is left alone: one step of `step_seconds` with bodies and pins as they are. Where
 * that leaves the mesh at rest, or it has been tried for long, the cloth goes over to the next finer one, at rest, and
 * so on to the caller's. Call it until `settled` of muslin_cloth_levels is 1; it does nothing from then on, until
 * something changes. The next muslin_cloth_step goes back to the mesh that fits the budget, from where the cloth is.
 * muslin_cloth_cancel stops it like a step. */
int32_t muslin_cloth_refine(MuslinCloth cloth, double step_seconds);
int32_t muslin_cloth_levels(MuslinCloth cloth, MuslinLevelReport *report);

/* The shape at rest and not the way there: one step towards it, of a length and damping of its own, with bodies and pins
 * where they are. The first call ends after the first substep, so that the cloth is seen to move as early as it does, and the
 * second takes the others. Call it until `settled` is 1: no vertex moved faster than 1 mm/s then, or `came_to_rest` is 0; the report
 * tells how far it is meanwhile. What starts inside of a body or through itself is taken out on the way. First the cloth falls, with a
 * damping of 5/s, until the root mean square of its speed is 4 mm/s; the last folds are then stopped by a damping that
 * grows with each step. With a budget, fine meshes come to rest on coarser ones first. Any muslin_cloth_step,
 * _prepare or _refine, and whatever is moved or set, ends it where it is; the next call begins anew. A body that is told
 * again where it is has not moved. muslin_cloth_cancel stops it like a
 * step, and the next call goes on. */
int32_t muslin_cloth_settle(MuslinCloth cloth, MuslinSettleReport *report);

/* These two are refused for a mirrored cloth, whose matrix is that of its half, and for one with a budget.
 *
 * Least and largest eigenvalue of the system matrix of the free vertices, divided by their masses
 * (M^-1/2 A M^-1/2), by Lanczos iterations on the prepared cloth. For reports, not for every frame. */
int32_t muslin_cloth_eigenvalues(MuslinCloth cloth, double *smallest, double *largest);

/* One bare solve with the prepared factor: 3 x vertex_count numbers in, the same out; for benches
 * and tests. `rounds` >= 1 repeats it; `seconds` (may be null) is the time of all rounds. */
int32_t muslin_cloth_solve(MuslinCloth cloth, double *right_hand_side, int32_t rounds,
                           double *seconds);

/* From any thread: stops the step that is running, MUSLIN_ERROR_CANCELLED; where none is, the next one, which
 * then changes nothing, so that a cancel just before a step's start is not lost. Either way the step after that runs:
 * a cancel that comes too late for the step that is running is forgotten at its end. One that comes even later stops
 * the next step: a caller who goes on after a cancel, and did not mean that one, calls it again. */
int32_t muslin_cloth_cancel(MuslinCloth cloth);

/* From any thread: how far the running step is, 0 to 1. */
int32_t muslin_cloth_progress(MuslinCloth cloth, double *fraction);

/* Where the cloth is tight, at each vertex: five arrays of vertex_count floats, of which any may be null.
 * warp, weft: strain of the threads, length over that in the pattern minus 1. shear: by how much the angle between warp
 * and weft differs from the right one, rad, never negative. All are means over the faces around the vertex.
 * pressure: on bodies, Pa: the normal force at the end of the last step over the area that carries it. A layer above
 * another presses on that and not on the body; what the lower one passes on is counted as its own.
 * gap: m from the vertex, which is in the middle of the cloth's thickness, to the nearest surface of a body; negative
 * inside of a solid, infinite without bodies. Cloth in contact keeps up to the body's thickness.
 * Of a mirrored cloth the arrays are those of all of the garment, of one with a budget strain and pressure are those of
 * the mesh that is simulated. Takes memory while it works, and changes nothing that a step sees. */
int32_t muslin_cloth_fit(MuslinCloth cloth, float *warp, float *weft, float *shear, float *pressure,
                         float *gap);

/* What pulls in warp and weft at each vertex, N for each metre of cloth across as it is now, below 0 where they are
 * compressed: two arrays of vertex_count floats, of which any may be null. By the law that the cloth is made of, whichever
 * that is: the stress of its triangles, springs or cells, without bending, ropes and links. As muslin_cloth_fit. */
int32_t muslin_cloth_tension(MuslinCloth cloth, float *warp, float *weft);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif
#endif
