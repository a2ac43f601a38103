/* Looks at the numbers of a definition by the table of settings. */
#include "settings.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool field_holds(const Field *field, double value) {
    return isfinite(value) && (field->above ? value > field->least : value >= field->least) &&
           (field->below ? value < field->most : value <= field->most);
}

#define RANGE_SIZE 96

/* The range in words, such as "above 0 and at most 0.1". */
static void describe_range(const Field *field, char text[RANGE_SIZE]) {
    const char *number = field->kind == FIELD_FLOAT ? "a finite number" : "a whole number";
    const char *least = field->above ? "above" : "of at least";
    const char *most = field->below ? "below" : "at most";
    if (isinf(field->least)) {
        snprintf(text, RANGE_SIZE, "%s", number);
    } else if (isinf(field->most)) {
        snprintf(text, RANGE_SIZE, "%s %s %g", number, least, field->least);
    } else if (field->above || field->below) {
        snprintf(text, RANGE_SIZE, "%s %g and %s %g", field->above ? "above" : "at least",
                 field->least, most, field->most);
    } else {
        int digits = field->kind == FIELD_FLOAT ? 7 : 10;
        snprintf(text, RANGE_SIZE, "from %.*g to %.*g", digits, field->least, digits, field->most);
    }
}

void field_describe(const Field *field, double value, char text[NUMBER_SIZE]) {
    int digits = field->kind == FIELD_FLOAT ? 6 : 10;
    do {
        snprintf(text, NUMBER_SIZE, "%.*g", digits, value);
    } while (digits++ < 17 && field_holds(field, strtod(text, NULL)));
}

StatusCode field_check(const Field *field, double value, Status *status) {
    if (field_holds(field, value)) {
        return STATUS_OK;
    }
    char range[RANGE_SIZE], number[NUMBER_SIZE];
    describe_range(field, range);
    field_describe(field, value, number);
    status_set(status, STATUS_ERROR_ARGUMENT, "%s is %s%s%s, but must be %s", field->name, number,
               *field->unit ? " " : "", field->unit, range);
    bool above = value > field->least; /* no number is not */
    return status_name_argument(status, DETAIL_RANGE, field->name, value,
                                above ? field->most : field->least);
}

StatusCode field_check_choice(const Field *field, int32_t value, Status *status) {
    const int32_t *choices = field->choices;
    for (int i = 0; i < field->choice_count; ++i) {
        if (choices[i] == value) {
            return STATUS_OK;
        }
    }
    int32_t first = choices[0], last = choices[field->choice_count - 1];
    bool gaps = last - first >= field->choice_count;
    return REFUSE(status, DETAIL_RANGE, field->name, value, value > first ? last : first,
                  "%s is %d, but must be %s%d %s %d", field->name, value, gaps ? "" : "from ",
                  first, gaps ? "or" : "to", last);
}

static StatusCode check_floats(const Field *field, const float *values, Status *status) {
    for (int i = 0; i < field->count; ++i) {
        if (field->count == 3 && !isfinite(values[i])) {
            return REFUSE(status, DETAIL_NOT_FINITE, field->name, values[i], 0,
                          "%s is (%g, %g, %g), but must be finite", field->name, (double)values[0],
                          (double)values[1], (double)values[2]);
        }
        if (field_check(field, values[i], status) != STATUS_OK) {
            return status->code;
        }
    }
    return STATUS_OK;
}

static StatusCode check_field(const Field *field, const void *value, Status *status) {
    int32_t whole;
    switch (field->kind) {
    case FIELD_FLOAT:
        return check_floats(field, value, status);
    case FIELD_INT:
        memcpy(&whole, value, sizeof whole);
        return field_check(field, whole, status);
    case FIELD_CHOICE:
        memcpy(&whole, value, sizeof whole);
        return field_check_choice(field, whole, status);
    default:
        return STATUS_OK;
    }
}

StatusCode settings_check(const StructTable *table, const void *values, Status *status) {
    for (int i = 0; i < table->field_count; ++i) {
        const Field *field = &table->fields[i];
        if (check_field(field, (const char *)values + field->offset, status) != STATUS_OK) {
            return status->code;
        }
    }
    return STATUS_OK;
}

StatusCode settings_read(const StructTable *table, const void *given, void *own, Status *status) {
    uint32_t size = struct_size(given);
    if (size < table->first_size || size > table->size || size % sizeof size != 0) {
        return REFUSE(status, DETAIL_STRUCT_SIZE, table->name, size, (double)table->size,
                      "%s.size is %u, but this library expects %zu", table->name, size,
                      table->size);
    }
    memcpy(own, table->defaults, table->size);
    memcpy((char *)own + sizeof size, (const char *)given + sizeof size, size - sizeof size);
    return STATUS_OK;
}

/* --- structs that grow --------------------------------------------------------------------------- */

StatusCode refuse_null(Status *status, const char *name) {
    return REFUSE(status, DETAIL_NULL, name, 0, 0, "%s is null", name);
}

uint32_t struct_size(const void *given) {
    uint32_t size;
    memcpy(&size, given, sizeof size);
    return size;
}

StatusCode report_check(const char *name, const void *out, size_t size, Status *status) {
    if (!out) {
        return refuse_null(status, name);
    }
    uint32_t given = struct_size(out);
    if (given > sizeof given && given <= size && given % sizeof given == 0) {
        return STATUS_OK;
    }
    return REFUSE(status, DETAIL_STRUCT_SIZE, name, given, (double)size,
                  "%s.size is %u, but this library expects %zu, or less of an older header", name,
                  given, size);
}

StatusCode report_give(const char *name, const void *report, size_t size, void *out,
                       Status *status) {
    if (report_check(name, out, size, status) != STATUS_OK) {
        return status->code;
    }
    uint32_t given = struct_size(out);
    memcpy(out, report, given);
    memcpy(out, &given, sizeof given);
    return STATUS_OK;
}
