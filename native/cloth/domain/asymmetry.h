/* What is not symmetric, and keeps the half from being solved. */
#pragma once

#include "cloth/domain/domain_state.h"

/* Tells of these vertices: an error where that is refused (MIRROR_EXACT), else a warning. */
StatusCode tell_asymmetry(const Domain *domain, const Refusal *found, DetailCode code,
                          const char *one, const char *many, Status *status);
void set_asymmetry(Domain *domain, unsigned bit, int holds);

/* True if nothing of the whole simulation would jump by more than the tolerance if the half took over. */
bool whole_is_symmetric(Domain *domain);

/* Refuses (mesh error) a half whose other side would be torn where it begins: fronts that lap over the plane, or sides whose
 * edges are not each other's image at all. `places`: where the cloth begins, of all its vertices. */
StatusCode judge_other_side(const Domain *domain, const float *places, Status *status);

/* Whether these are symmetric, or it is told and may be; then the domain takes note of it. */
StatusCode judge_maps(Domain *domain, const Inputs *inputs, unsigned what, Status *status);
StatusCode judge_fields(Domain *domain, const Inputs *inputs, Status *status);
StatusCode judge_forces(Domain *domain, Vec3 gravity, const Wind *wind, Status *status);
