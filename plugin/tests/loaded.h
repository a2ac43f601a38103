/* Every function of muslin.h, taken from the shared library while the program runs, as Python and Blender do. */
#pragma once

#include "muslin_debug.h"

/* All of the interface; test_abi.py compares the names with the header's. */
#define EACH_FUNCTION(X)                                                                           \
    X(muslin_version)                                                                              \
    X(muslin_abi_version)                                                                          \
    X(muslin_status_text)                                                                          \
    X(muslin_get_message)                                                                          \
    X(muslin_get_detail_count)                                                                     \
    X(muslin_get_detail)                                                                           \
    X(muslin_default_cloth_def)                                                                    \
    X(muslin_default_material)                                                                     \
    X(muslin_default_forces)                                                                       \
    X(muslin_default_body)                                                                         \
    X(muslin_mesh_get_report)                                                                      \
    X(muslin_mesh_get_symmetry)                                                                    \
    X(muslin_mesh_get_fronts)                                                                      \
    X(muslin_cloth_create)                                                                         \
    X(muslin_cloth_create_parts)                                                                   \
    X(muslin_cloth_destroy)                                                                        \
    X(muslin_cloth_prepare)                                                                        \
    X(muslin_cloth_step)                                                                           \
    X(muslin_cloth_set_pins)                                                                       \
    X(muslin_cloth_move_pins)                                                                      \
    X(muslin_cloth_set_links)                                                                      \
    X(muslin_cloth_add_links)                                                                      \
    X(muslin_cloth_release_links)                                                                  \
    X(muslin_cloth_hold_links)                                                                     \
    X(muslin_cloth_get_links)                                                                      \
    X(muslin_cloth_add_body)                                                                       \
    X(muslin_cloth_replace_body)                                                                   \
    X(muslin_cloth_move_body)                                                                      \
    X(muslin_cloth_place_body)                                                                     \
    X(muslin_cloth_set_body_surface)                                                               \
    X(muslin_cloth_remove_body)                                                                    \
    X(muslin_cloth_put_outside)                                                                    \
    X(muslin_cloth_set_self_contact)                                                               \
    X(muslin_cloth_set_material)                                                                   \
    X(muslin_cloth_set_part_material)                                                              \
    X(muslin_cloth_set_forces)                                                                     \
    X(muslin_cloth_set_fields)                                                                     \
    X(muslin_cloth_set_iterations)                                                                 \
    X(muslin_cloth_set_quality)                                                                    \
    X(muslin_cloth_set_map)                                                                        \
    X(muslin_cloth_get_state)                                                                      \
    X(muslin_cloth_set_state)                                                                      \
    X(muslin_cloth_get_snapshot_size)                                                              \
    X(muslin_cloth_get_snapshot)                                                                   \
    X(muslin_cloth_restore)                                                                        \
    X(muslin_cloth_get_report)                                                                     \
    X(muslin_cloth_get_stats)                                                                      \
    X(muslin_cloth_get_inspection)                                                                 \
    X(muslin_cloth_get_mirror)                                                                     \
    X(muslin_cloth_hold_level)                                                                     \
    X(muslin_cloth_refine)                                                                         \
    X(muslin_cloth_get_levels)                                                                     \
    X(muslin_cloth_get_settling)                                                                   \
    X(muslin_cloth_settle)                                                                         \
    X(muslin_debug_eigenvalues)                                                                    \
    X(muslin_debug_solve)                                                                          \
    X(muslin_cloth_cancel)                                                                         \
    X(muslin_cloth_get_progress)                                                                   \
    X(muslin_cloth_get_tension)                                                                    \
    X(muslin_cloth_get_fit)

typedef struct Loaded {
#define POINTER(name) __typeof__(name) *name;
    EACH_FUNCTION(POINTER)
#undef POINTER
} Loaded;

/* Fills the table from the library in this file; 0, with a line on stderr, if something is not there. */
int load_library(const char *path, Loaded *loaded);
