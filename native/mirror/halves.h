/* One half of a garment, from which the whole follows by reflection: what is simulated in mirrored simulation.
 *
 * The half lives in the frame of half/frame.h: plane x = 0, kept side x >= 0. Its vertices are numbered
 * [free | rails | plane]. Each vertex of the caller's mesh is embedded in the half: half_carry() tells where it is.
 *
 * Two ways to halve. HALF_EXACT needs a mesh that is its own mirror image, vertex for vertex and face for face; the
 * half of its symmetric simulation is then the simulation of its half. HALF_CUT takes any mesh whose sides look alike
 * (likeness_check()): it keeps the faces with a vertex on the kept side, draws those of their vertices that lie beyond the plane onto it, and lets the
 * other side ride on the mirrored half at the place where its own image is nearest.
 *
 * Links across the plane, or a closure that stands for them, bring open fronts together (closures/closures.h). A zip makes rails
 * of the fronts' edges. Buttons take the outermost rows of faces along each front out of the half, make rails of the line where
 * they begin, and let them ride on the other side's cloth.
 *
 * To know when using a half:
 *   - sides are found by connectivity off the plane, so a vertex of the kept side may lie a little beyond it, as
 *     where the edges of a slit overlap;
 *   - in cut mode a vertex of the kept side nearer to the plane than a fifth of its edges across it is drawn onto it: it is
 *     a plane vertex whose source is not at x = 0 in the caller's mesh, and which has a ride of its own;
 *   - the cloth of a half weighs half as much along the plane by itself; loose edges and single vertices in the plane do
 *     not (see plane_edge_from). */
#pragma once

#include "base/memory.h"
#include "base/status.h"
#include "mesh/polygon.h"
#include "mirror/closures/closed_half.h"

/* Refuses (negative status, message with count and first places) what cannot be halved; warns (positive
 * status) where a closure finds no front and has no effect, or where the sides are hardly alike. `half` needs no preparation, and half_free() whatever the
 * status. The mesh is not needed afterwards. */
StatusCode half_build(const PolygonMesh *mesh, const HalfOptions *options, Half *half,
                      Status *status);
void half_free(Half *half);

/* --- riding ----------------------------------------------------------------------------------- */

/* From where a half is to where the caller's vertices are. */

/* Where the caller's vertices are when the half's are at `positions` (in the half's frame); 3 floats each. Those of
 * extra parts are left as they are. Uses the half's room: one call at a time. The pool may be null. */
void half_carry(const Half *half, Pool *pool, const Vec3 *positions, float *caller_positions);
/* The same for velocities, as if lifts kept their direction. */
void half_carry_velocities(const Half *half, const Vec3 *velocities, float *caller_velocities);
/* The same in double precision for one vertex (not an extra one); where has_lifts, half_prepare() first. */
Vec3 half_place(const Half *half, const Vec3 *positions, int caller_vertex);
void half_prepare(const Half *half, Pool *pool, const Vec3 *positions);
