/* The list of kernels: what parcels go through their elements by, for one kind of machine. Part of the template
 * system/parcel_forces.c. */
#ifndef LAWS_KERNELS_H
#define LAWS_KERNELS_H

#include "laws/bending_kernel.h"
#include "laws/curvature_kernel.h"
#include "laws/edge_kernel.h"
#include "laws/kernel_lanes.h"
#include "laws/membrane_kernel.h"
#include "laws/moment_kernel.h"
#include "laws/triangle_kernel.h"

/* Each pulls at the vertices of elements begin <= at < end and returns twice the energy of those that did not go one by
 * one. */
typedef double (*PullElements)(ParcelState *state, const ParcelElements *elements, int begin,
                               int end);

static const PullElements kernels[PARCEL_KERNELS] = {[KERNEL_EVALUATE] = pull_one_by_one,
                                                     [KERNEL_EDGES] = pull_all_edges,
                                                     [KERNEL_TRIANGLES] = pull_all_triangles,
                                                     [KERNEL_MEMBRANES] = pull_all_membranes,
                                                     [KERNEL_HINGES] = pull_all_hinges,
                                                     [KERNEL_CURVED] = pull_all_curved,
                                                     [KERNEL_PAIRS] = pull_all_pairs,
                                                     [KERNEL_MOMENTS] = pull_all_moments,
                                                     [KERNEL_CURVED_MOMENTS] =
                                                         pull_all_curved_moments};

#endif
