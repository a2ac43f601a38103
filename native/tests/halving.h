/* What the tests of halves share: building one, and what must hold of every half. */
#pragma once

#include "meshes.h"
#include "mirror/halves.h"

/* Across x = 0, exactly. */
extern const HalfOptions halve_exactly;

/* Maps of the half are inverse to each other, its numbers in range, its vertices on the right side of the plane. */
void check_maps(const Half *half, const PolygonMesh *mesh);

/* Where the half's vertices are at rest. */
void rest_of(const Half *half, Vec3 *positions);

/* The largest distance (m) between where half_carry() puts the caller's vertices at rest and where they are. */
double rest_error(const Half *half, const PolygonMesh *mesh);

/* `nx` by `ny` quads across x = 0, out of their plane, the same on both sides; vertices run along x first. */
TestMesh *symmetric_sheet(int nx, int ny, double step);

/* A mesh with the same faces whose vertices are turned and shifted. `plane` gets what was x = 0. */
void turn_mesh(TestMesh *mesh, MirrorPlane *plane);

/* Edges of faces that pierce triangles of faces with another mark. A face is marked if one of its vertices is. */
int count_piercings(const PolygonMesh *mesh, const float *positions, const uint8_t *marks);
