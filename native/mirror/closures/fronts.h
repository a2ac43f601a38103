/* The search for open fronts. A front is two stretches of the cloth's rim that could be closed with each other. They are
 * near across and far around: the way along the rim is at least three times the gap. They face each other, run along the
 * gap, by more than 45 degrees off the way across, and are at least twice as long as the gap is wide. The reasons are in
 * docs/notes/mirroring.md. */
#pragma once

#include "base/status.h"
#include "mesh/polygon.h"
#include "mirror/half/frame.h"

/* Of an edge's length, at most, across the gap: the cosine of 45 degrees. */
#define FRONT_ALONG 0.70710678118654752

/* `numbers`: per vertex that of its front, from 1 on and below 0 on the other side of the gap; 0 elsewhere. `frame`: that
 * of a half, for fronts across its plane alone, which may have no gap, or be between two pieces that nothing joins; null: all.
 * Refuses what mesh_check() refuses. */
StatusCode fronts_find(const PolygonMesh *mesh, const MirrorFrame *frame, int32_t *numbers,
                       Status *status);
