/* Looks at the numbers of a definition by the table of settings. */
#include "settings.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"

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
        snprintf(text, RANGE_SIZE, "from %.10g to %.10g", field->least, field->most);
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
    status_set(status, STATUS_ERROR_ARGUMENT, "%s is %d, but must be %s%d %s %d", field->name,
               value, gaps ? "" : "from ", first, gaps ? "or" : "to", last);
    return status_name_argument(status, DETAIL_RANGE, field->name, value,
                                value > first ? last : first);
}

static StatusCode check_floats(const Field *field, const float *values, Status *status) {
    for (int i = 0; i < field->count; ++i) {
        if (field->count == 3 && !isfinite(values[i])) {
            status_set(status, STATUS_ERROR_ARGUMENT, "%s is (%g, %g, %g), but must be finite",
                       field->name, (double)values[0], (double)values[1], (double)values[2]);
            return status_name_argument(status, DETAIL_NOT_FINITE, field->name, values[i], 0);
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
    case FIELD_STRUCT:
        return settings_check(field->nested, value, status);
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

/* --- callers of an older header --------------------------------------------------------------- */

static StatusCode refuse_size(const StructTable *table, uint32_t given, Status *status) {
    status_set(status, STATUS_ERROR_ARGUMENT,
               "%s.size is %u, but this library expects %zu, or less where a caller of an older "
               "header ends",
               table->name, given, table->size);
    return status_name_argument(status, DETAIL_STRUCT_SIZE, table->name, given,
                                (double)table->size);
}

static size_t rounded_up(size_t size, size_t alignment) {
    return (size + alignment - 1) / alignment * alignment;
}

/* Reads the field that begins `start` bytes into the caller's struct. Returns how many bytes he has for it, or 0 after
 * an error. */
static size_t read_field(const StructTable *table, const Field *field, size_t start,
                         const char *given, char *own, Status *status) {
    size_t size = struct_size(given), taken = field->size;
    if (field->kind == FIELD_STRUCT && start + sizeof(uint32_t) <= size) {
        taken = struct_size(given + start);
        if (taken > field->size) {
            refuse_size(field->nested, (uint32_t)taken, status);
            return 0;
        }
    }
    if (start + taken > size) {
        refuse_size(table, (uint32_t)size, status);
        return 0;
    }
    if (field->kind != FIELD_STRUCT) {
        memcpy(own + field->offset, given + start, taken);
        return taken;
    }
    StatusCode code = settings_read(field->nested, given + start, own + field->offset, status);
    return code == STATUS_OK ? taken : 0;
}

StatusCode settings_read(const StructTable *table, const void *given, void *own, Status *status) {
    uint32_t size = struct_size(given);
    size_t end = sizeof size; /* of what has been read of the caller's struct */
    size_t missing = 0;       /* bytes by which the structs inside it are smaller than ours */
    int count = 0;
    memcpy(own, table->defaults, table->size);
    while (count < table->field_count && table->fields[count].offset - missing < size) {
        const Field *field = &table->fields[count++];
        size_t start = field->offset - missing;
        size_t taken = read_field(table, field, start, given, own, status);
        if (taken == 0) {
            return status->code;
        }
        missing += field->size - taken;
        end = start + taken;
    }
    if (count < table->oldest_count || rounded_up(end, table->alignment) != size) {
        return refuse_size(table, size, status);
    }
    return STATUS_OK;
}
