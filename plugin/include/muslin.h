/* Muslin: cloth on a constant matrix. The public C interface, and its manual.
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Units are SI: metres, seconds, kilograms, newtons. Positions are float32, three numbers a vertex, in the order of the
 * caller's mesh. Arrays belong to the caller; they are read or written during the call only.
 *
 * Every call returns a status. 0 is success. A negative one is an error, and nothing has changed. A positive one is a
 * warning: the call did its work, and the message says what to look at. muslin_get_message() has the message.
 *
 * Structs begin with `size`, their sizeof as the caller was compiled. A shorter definition gets defaults for the missing
 * fields, a shorter report what fits into it. A longer struct is refused: the library is older than its caller.
 *
 * One thread at a time may use a handle. Calls of other threads get MUSLIN_ERROR_BUSY meanwhile, except
 * muslin_cloth_cancel(), muslin_cloth_get_progress() and muslin_cloth_destroy(). Different handles are independent.
 * The library never prints and never exits. */
#ifndef MUSLIN_H
#define MUSLIN_H

#include <stddef.h>
#include <stdint.h>

#ifndef MUSLIN_API /* what the shared library exports */
#if defined(__GNUC__) && !defined(_WIN32)
#define MUSLIN_API __attribute__((visibility("default")))
#else
#define MUSLIN_API
#endif
#endif

/* The release; the build and every package take their version from here. */
#define MUSLIN_VERSION "0.1.0"
#define MUSLIN_VERSION_MAJOR 0
#define MUSLIN_VERSION_MINOR 1
#define MUSLIN_VERSION_PATCH 0
#define MUSLIN_MAX_COEFFICIENTS 4

/* A cloth under simulation. 0 is never a valid handle; a stale one is an error, not a crash. */
typedef uint64_t MuslinCloth;

typedef enum MuslinStatus {
    MUSLIN_OK = 0,
    /* The mesh has defects, but can be simulated. */
    MUSLIN_WARNING_MESH = 1,
    /* Nothing is free to move. */
    MUSLIN_WARNING_ALL_PINNED = 2,
    /* Something is not symmetric: the cloth is not mirrored, or not all of it. */
    MUSLIN_WARNING_MIRROR = 4,
    /* The model cannot represent the material exactly. */
    MUSLIN_WARNING_MATERIAL = 5,
    /* A body jumped: it was placed, and moved no cloth. */
    MUSLIN_WARNING_BODY = 6,
    MUSLIN_ERROR_HANDLE = -1,
    /* A parameter is out of its range, or a pointer is null. */
    MUSLIN_ERROR_ARGUMENT = -2,
    /* The mesh cannot be simulated. */
    MUSLIN_ERROR_MESH = -3,
    /* Out of memory. A step keeps its last completed substep. The call may be repeated. */
    MUSLIN_ERROR_MEMORY = -4,
    /* The system matrix is not positive definite. */
    MUSLIN_ERROR_MATRIX = -5,
    /* A step diverged: a vertex is not finite, or moved too far. It keeps its last completed substep. */
    MUSLIN_ERROR_DIVERGED = -6,
    /* Cancelled. A step keeps its last completed substep. */
    MUSLIN_ERROR_CANCELLED = -7,
    /* The bytes are no snapshot of this cloth. */
    MUSLIN_ERROR_SNAPSHOT = -8,
    /* The cloth has no body of this number, or no longer. */
    MUSLIN_ERROR_BODY = -9,
    /* Another thread works on the cloth. The call did nothing; its message is that of handle 0. */
    MUSLIN_ERROR_BUSY = -10
} MuslinStatus;

/* Reference: definitions with unit, range and default of every field (generated from plugin/settings/settings.json); links;
 * reports and their codes. */
#include "muslin_links.h"
#include "muslin_reports.h"
#include "muslin_settings.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- the library -------------------------------------------------------------------------------- */

/* MUSLIN_VERSION of the header that the library was built with, and MUSLIN_ABI_VERSION. */
MUSLIN_API const char *muslin_version(void);
MUSLIN_API uint32_t muslin_abi_version(void);

/* One line for a status, never null. */
MUSLIN_API const char *muslin_status_text(MuslinStatus status);

/* The message of a cloth's last call. Handle 0: that of this thread's last call without a handle, or with a stale or busy
 * one. At most `capacity` bytes are written, the closing 0 included. */
MUSLIN_API MuslinStatus muslin_get_message(MuslinCloth cloth, char *text, size_t capacity);

/* The details of that message, in codes and numbers: their count, and one of them, from 0 on. Every sentence of a warning has
 * one, and so has every error that names an argument, a body, a vertex, face or edge. */
MUSLIN_API MuslinStatus muslin_get_detail_count(MuslinCloth cloth, int32_t *count);
MUSLIN_API MuslinStatus muslin_get_detail(MuslinCloth cloth, int32_t index, MuslinDetail *detail);

/* Defaults: a cotton cloth of triangles, solved on two levels; a body of thickness 4 mm and friction 0.3, without a mesh. */
MUSLIN_API MuslinStatus muslin_default_cloth_def(MuslinClothDef *def);
MUSLIN_API MuslinStatus muslin_default_material(MuslinMaterial *material);
MUSLIN_API MuslinStatus muslin_default_forces(MuslinForces *forces);
MUSLIN_API MuslinStatus muslin_default_body(MuslinBody *body);

/* --- meshes ------------------------------------------------------------------------------------- */

/* Looks for defects. A warning: the mesh can be simulated all the same; an error: it cannot. At most `capacity` findings
 * are written, and `found` tells how many there are; all but the mesh may be null. */
MUSLIN_API MuslinStatus muslin_mesh_get_report(const MuslinMesh *mesh, MuslinMeshReport *report,
                                               MuslinFinding *findings, int32_t capacity,
                                               int32_t *found);

/* Finds the mirror image of every vertex and face. `partners` (vertex_count) gets the partner of each vertex: the
 * vertex itself on the plane, -1 without. `face_partners` (face_count) likewise, and -2 for faces that are not simulated.
 * Both may be null. Where vertices share a place, as at seams, neighbours of partners become partners. */
MUSLIN_API MuslinStatus muslin_mesh_get_symmetry(const MuslinMesh *mesh, MuslinSymmetry *symmetry,
                                                 int32_t *partners, int32_t *face_partners);
/* Looks for open fronts. `fronts` (vertex_count) gets n > 0 on one side of front n, -n on the other, else 0. */
MUSLIN_API MuslinStatus muslin_mesh_get_fronts(const MuslinMesh *mesh, int32_t *fronts);

/* --- a cloth ------------------------------------------------------------------------------------ */

/* Builds a cloth, and copies what it needs. After a warning the handle is valid. */
MUSLIN_API MuslinStatus muslin_cloth_create(const MuslinMesh *mesh, const MuslinClothDef *def,
                                            MuslinCloth *cloth);

/* Builds a cloth of 1 to 16 parts, such as garments over each other, each of its own fabric. `vertex_parts` has the part
 * of each vertex, from 0 on; parts share no face and no edge. `materials` has one for each part, in place of the
 * definition's; `models` (MuslinModel) likewise, null: all have the definition's. The thread solver has one part. */
MUSLIN_API MuslinStatus muslin_cloth_create_parts(const MuslinMesh *mesh, const MuslinClothDef *def,
                                                  const int32_t *vertex_parts, int32_t part_count,
                                                  const MuslinMaterial *materials,
                                                  const int32_t *models, MuslinCloth *cloth);

/* From any thread: gives all memory back. The handle is stale from the start of this call on. A step that runs on it in
 * another thread is cancelled and waited for; ordering and factoring a large matrix cannot be cancelled. */
MUSLIN_API MuslinStatus muslin_cloth_destroy(MuslinCloth cloth);

/* Orders, analyses and factors what is out of date, for steps of this length. A step does it by itself when needed. */
MUSLIN_API MuslinStatus muslin_cloth_prepare(MuslinCloth cloth, double step_seconds);

/* Advances by `seconds` (above 0, at most 10) in def.substeps equal substeps. Pins move in a straight line to their targets,
 * bodies on arcs where they turn. Once prepared it takes memory only for more contacts than ever before, for the first step
 * with another number of substeps, and when a mirrored cloth has to be simulated whole. A step that diverges keeps none of its
 * substeps; nor does one that fails or is cancelled, if a mirrored cloth has parts that are simulated separately. */
MUSLIN_API MuslinStatus muslin_cloth_step(MuslinCloth cloth, double seconds);

/* From any thread: stops the running step, or else the next one, so that a cancel just before a step is not lost. The step
 * after that runs. */
MUSLIN_API MuslinStatus muslin_cloth_cancel(MuslinCloth cloth);

/* From any thread: the progress of the running step, 0 to 1. */
MUSLIN_API MuslinStatus muslin_cloth_get_progress(MuslinCloth cloth, double *fraction);

/* --- pins and links ----------------------------------------------------------------------------- */

/* Replaces the set of pins. Weight 1 holds a vertex exactly, below 1 pulls softly, 0 not at all; weights null: all 1.
 * Targets null: where the vertices are now. */
MUSLIN_API MuslinStatus muslin_cloth_set_pins(MuslinCloth cloth, int32_t count,
                                              const int32_t *vertices, const float *weights,
                                              const float *targets);

/* Targets of the pins at the end of the next step, in the order of muslin_cloth_set_pins(). */
MUSLIN_API MuslinStatus muslin_cloth_move_pins(MuslinCloth cloth, int32_t count,
                                               const float *targets);

/* Replaces all links, or adds some: seams, tacks, elastics and buttons, see muslin_links.h. */
MUSLIN_API MuslinStatus muslin_cloth_set_links(MuslinCloth cloth, const MuslinLinks *links);
MUSLIN_API MuslinStatus muslin_cloth_add_links(MuslinCloth cloth, const MuslinLinks *links);

/* Releases the links of a set, or holds them again at the length that was measured first. */
MUSLIN_API MuslinStatus muslin_cloth_release_links(MuslinCloth cloth, int32_t set);
MUSLIN_API MuslinStatus muslin_cloth_hold_links(MuslinCloth cloth, int32_t set);

/* --- bodies ------------------------------------------------------------------------------------- */

/* Adds a body. `number` names it in other calls; -1 after an error. The number of a removed body is not used again. Give a
 * body whole also for a mirrored cloth. Cloth inside of a new body comes out slowly. */
MUSLIN_API MuslinStatus muslin_cloth_add_body(MuslinCloth cloth, const MuslinBody *body,
                                              int32_t *number);

/* Gives a body another mesh, thickness and friction. It is at once where `body` says, and stands still in the next step
 * unless it is moved after this call. */
MUSLIN_API MuslinStatus muslin_cloth_replace_body(MuslinCloth cloth, int32_t number,
                                                  const MuslinBody *body);

/* The place of a body at the end of the next step: 3 x count floats, count its number of vertices. A body that is not moved
 * before a step stands still in it. After a step that failed or was cancelled it stays where it was then, and the next step
 * moves it the rest of the way.
 *
 * Nothing moves farther in a frame than it is large: where more than half of the vertices do, by more than the diagonal of
 * the body's box and half of the cloth's, the body has jumped. It is placed there, as by muslin_cloth_place_body(), and the
 * call warns. */
MUSLIN_API MuslinStatus muslin_cloth_move_body(MuslinCloth cloth, int32_t number, int32_t count,
                                               const float *positions);

/* Places a body at once, without moving cloth on the way: for going back to an earlier frame. */
MUSLIN_API MuslinStatus muslin_cloth_place_body(MuslinCloth cloth, int32_t number, int32_t count,
                                                const float *positions);

/* Changes a body's thickness (m) and friction; ranges as in MuslinBody. */
MUSLIN_API MuslinStatus muslin_cloth_set_body_surface(MuslinCloth cloth, int32_t number,
                                                      float thickness, float friction);

MUSLIN_API MuslinStatus muslin_cloth_remove_body(MuslinCloth cloth, int32_t number);

/* Self-contact, 1 or 0 (default): all layers, garments and ropes of the mesh keep `thickness` (m) from each other, with this
 * friction. Both are ignored if `enabled` is 0. */
MUSLIN_API MuslinStatus muslin_cloth_set_self_contact(MuslinCloth cloth, int32_t enabled,
                                                      float thickness, float friction);

/* Puts points outside of the bodies as they are now, such as a mesh with wrinkles made from the cloth's positions: 3 x count
 * floats. Moves those that are inside by up to `reach` (m), or in front by less than a quarter of the thickness. */
MUSLIN_API MuslinStatus muslin_cloth_put_outside(MuslinCloth cloth, double reach, int32_t count,
                                                 float *points);

/* --- what may change ---------------------------------------------------------------------------- */

/* Changes the material of all parts, or of one. */
MUSLIN_API MuslinStatus muslin_cloth_set_material(MuslinCloth cloth,
                                                  const MuslinMaterial *material);
MUSLIN_API MuslinStatus muslin_cloth_set_part_material(MuslinCloth cloth, int32_t part,
                                                       const MuslinMaterial *material);

/* Changes gravity, wind and drag. */
MUSLIN_API MuslinStatus muslin_cloth_set_forces(MuslinCloth cloth, const MuslinForces *forces);

/* Force fields, 3 x vertex_count each, until they are set again; null: none. `wind` (m/s) adds to that of the forces;
 * `traction` is a force per area of the cloth (N/m^2), whatever its direction and motion. */
MUSLIN_API MuslinStatus muslin_cloth_set_fields(MuslinCloth cloth, const float *wind,
                                                const float *traction);

/* A per-vertex map (MuslinMap): a factor for each vertex, in the map's range; null: all 1. */
MUSLIN_API MuslinStatus muslin_cloth_set_map(MuslinCloth cloth, int32_t kind, const float *values);

/* Changes the quality (MuslinQuality) of the two-level scheme; or substeps and iterations, and the quality is custom. */
MUSLIN_API MuslinStatus muslin_cloth_set_quality(MuslinCloth cloth, int32_t quality);
MUSLIN_API MuslinStatus muslin_cloth_set_iterations(MuslinCloth cloth, int32_t substeps,
                                                    int32_t iterations);

/* --- the state ---------------------------------------------------------------------------------- */

/* Positions and velocities, 3 x vertex_count floats each; velocities null: not read, or set to zero. */
MUSLIN_API MuslinStatus muslin_cloth_get_state(MuslinCloth cloth, float *positions,
                                               float *velocities);
MUSLIN_API MuslinStatus muslin_cloth_set_state(MuslinCloth cloth, const float *positions,
                                               const float *velocities);

/* The dynamic state as bytes. Steps after a restore give the same bytes as without it. A snapshot fits only the same mesh
 * with the same mirroring. Its size depends on the contacts. Pins, material, forces and bodies are not part of it: the caller
 * puts bodies back. Damaged bytes are refused. */
MUSLIN_API MuslinStatus muslin_cloth_get_snapshot_size(MuslinCloth cloth, size_t *bytes);
MUSLIN_API MuslinStatus muslin_cloth_get_snapshot(MuslinCloth cloth, void *bytes, size_t capacity);
MUSLIN_API MuslinStatus muslin_cloth_restore(MuslinCloth cloth, const void *bytes, size_t size);

/* --- coming to rest, and levels of detail ------------------------------------------------------- */

/* One damped step towards the shape at rest, with bodies and pins where they are; the motion on the way is not physical. Call
 * it until `settled` of muslin_cloth_get_settling() is 1. Cloth that starts inside of a body or through itself comes out. Any
 * other step, move or setting ends the settling; the next call begins a new one. */
MUSLIN_API MuslinStatus muslin_cloth_settle(MuslinCloth cloth);

/* With def.budget_ms above 0 a step simulates the finest mesh that keeps to this time: the caller's own, or one of several
 * coarser ones that the library makes from it, each with a third of the vertices. All calls still mean the caller's mesh;
 * only the statistics of a step, strains and energies are those of the simulated mesh. The motion depends on the machine's
 * speed unless a level is held: 0 is the caller's mesh; -1, the default, goes by the clock. */
MUSLIN_API MuslinStatus muslin_cloth_hold_level(MuslinCloth cloth, int32_t level);

/* One step of refining a cloth with a budget, with everything else unchanged: each time it comes to rest it changes to the
 * next finer mesh, up to the caller's. Call it until `settled` of muslin_cloth_get_levels() is 1. The next normal step uses
 * the mesh that fits the budget. */
MUSLIN_API MuslinStatus muslin_cloth_refine(MuslinCloth cloth, double step_seconds);

/* --- reports ------------------------------------------------------------------------------------ */

/* The matrix; the last step; mirroring; levels; settling; links of a set, below 0 of all. */
MUSLIN_API MuslinStatus muslin_cloth_get_report(MuslinCloth cloth, MuslinReport *report);
MUSLIN_API MuslinStatus muslin_cloth_get_stats(MuslinCloth cloth, MuslinStats *stats);
MUSLIN_API MuslinStatus muslin_cloth_get_mirror(MuslinCloth cloth, MuslinMirrorReport *report);
MUSLIN_API MuslinStatus muslin_cloth_get_levels(MuslinCloth cloth, MuslinLevelReport *report);
MUSLIN_API MuslinStatus muslin_cloth_get_settling(MuslinCloth cloth, MuslinSettleReport *report);
MUSLIN_API MuslinStatus muslin_cloth_get_links(MuslinCloth cloth, int32_t set,
                                               MuslinLinkReport *report);

/* The placement of the cloth on its bodies and in itself; most useful before the first step. At most `capacity` places are
 * written; `found` gets their number, at most MUSLIN_PLACES_EACH of each kind; both may be null. */
MUSLIN_API MuslinStatus muslin_cloth_get_inspection(MuslinCloth cloth, MuslinInspection *report,
                                                    MuslinPlace *places, int32_t capacity,
                                                    int32_t *found);

/* Where the cloth is tight, vertex_count floats each, of which any may be null. warp, weft: strain of the threads. shear:
 * by how much the angle between them differs from the right one, rad. pressure: on bodies, Pa. gap: m to the nearest
 * body, negative inside, infinite without one. */
MUSLIN_API MuslinStatus muslin_cloth_get_fit(MuslinCloth cloth, float *warp, float *weft,
                                             float *shear, float *pressure, float *gap);

/* Tension in warp and weft, N per metre of cloth across, negative in compression: the stress of the cloth's material law,
 * without bending, ropes and links. Either may be null. */
MUSLIN_API MuslinStatus muslin_cloth_get_tension(MuslinCloth cloth, float *warp, float *weft);

#ifdef __cplusplus
}
#endif
#endif
