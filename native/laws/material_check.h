/* Whether a cloth can be made of a material. */
#ifndef LAWS_MATERIAL_CHECK_H
#define LAWS_MATERIAL_CHECK_H

#include "base/status.h"
#include "laws/material.h"

/* Else the status says why not. */
StatusCode material_check(const Material *material, Status *status);

#endif
