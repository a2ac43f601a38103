/* The table of settings as C reads it: what a definition's fields are, where they stand and which numbers
 * they take. plugin/settings/settings.json says so, and the build makes settings_table.c of it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "cloth/cloth.h"
#include "laws/maps.h"
#include "laws/material.h"
#include "muslin.h"
#include "settings_fields.h"

/* Refuses an argument: sets the message, and the name, value and limit that it is about. */
#define REFUSE(status, detail, name, value, limit, ...)                                            \
    (status_set(status, STATUS_ERROR_ARGUMENT, __VA_ARGS__),                                       \
     status_name_argument(status, detail, name, value, limit))

/* For a pointer that may not be null. */
StatusCode refuse_null(Status *status, const char *name);

/* --- structs that grow --------------------------------------------------------------------------- */

/* An older header knows fewer of their last fields. */

/* The size that a caller's struct begins with, bytes; he may have put it anywhere. */
uint32_t struct_size(const void *given);

/* Looks at the `size` that the caller's struct begins with; `size` is that of ours. */
StatusCode report_check(const char *name, const void *out, size_t size, Status *status);

/* The same, and copies as much of the report as fits. */
StatusCode report_give(const char *name, const void *report, size_t size, void *out,
                       Status *status);

/* --- fields ------------------------------------------------------------------------------------- */

typedef enum FieldKind {
    FIELD_OTHER = 0, /* an array, or a number that is looked at by hand */
    FIELD_FLOAT,
    FIELD_INT,
    FIELD_CHOICE
} FieldKind;

typedef struct Field {
    const char *name;
    const char *unit; /* empty without */
    size_t offset, size;
    FieldKind kind;
    int count;              /* of numbers in a row */
    double least, most;     /* infinite where there is no end */
    bool above, below;      /* the end itself is outside */
    const int32_t *choices; /* of FIELD_CHOICE, ascending */
    int choice_count;
    Ability needs; /* of the solver, or of the model */
} Field;

/* A definition: a struct that begins with its `size`. */
typedef struct StructTable {
    const char *name;
    size_t size, first_size; /* now, and in version 1 */
    const Field *fields;     /* all but `size`, in order; settings_fields.h names their places */
    int field_count;
    const void *defaults;
} StructTable;

extern const StructTable settings_mesh, settings_body, settings_material, settings_forces,
    settings_cloth_def;
extern const Field argument_seconds, argument_weight, argument_self_contact;
extern const Field map_fields[MAP_KINDS];

/* The material as the laws take it. */
void settings_material_of(const MuslinMaterial *from, Material *to);

/* Whether a number is finite and in the field's range. */
bool field_holds(const Field *field, double value);

#define NUMBER_SIZE 32
/* A number outside of the field's range in so many digits that it is seen to be. */
void field_describe(const Field *field, double value, char text[NUMBER_SIZE]);

/* The same, with a message that names the field, the value and the range. */
StatusCode field_check(const Field *field, double value, Status *status);

/* The same for a choice. */
StatusCode field_check_choice(const Field *field, int32_t value, Status *status);

/* Looks at every field of a struct that has its full size. */
StatusCode settings_check(const StructTable *table, const void *values, Status *status);

/* Copies a definition of the caller into one of ours. His may be that of an older header, and so smaller: what he
 * does not know takes its default. */
StatusCode settings_read(const StructTable *table, const void *given, void *own, Status *status);
