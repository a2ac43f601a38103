/* Values, maps, fields, forces, pins and bodies through a mapping. */
#include "cloth/mapping.h"

/* --- a value ------------------------------------------------------------------------------------ */

static Vec3 to_half(const MirrorFrame *frame, CarryKind kind, Vec3 value) {
    return kind == CARRY_PLACE       ? frame_to_half(frame, value)
           : kind == CARRY_DIRECTION ? frame_turn_to_half(frame, value)
                                     : value;
}

/* Twist is the last of a fold's numbers. */
Vec3 carry_reflected(CarryKind kind, Vec3 value) {
    return kind == CARRY_NUMBERS ? value
           : kind == CARRY_FOLDS ? vec3(value.x, value.y, -value.z)
                                 : frame_reflect_half(value);
}

static bool is_along_plane(const Mapping *mapping, int at, CarryKind kind) {
    return at >= mapping->plane_from && (kind == CARRY_PLACE || kind == CARRY_DIRECTION);
}

/* The mean of a value and of its partner's image is the same bits if the two are images to the bit. */
static Vec3 mean_with(const Mapping *mapping, CarryKind kind, Vec3 value, Vec3 partner) {
    Vec3 image = carry_reflected(kind, to_half(mapping->frame, kind, partner));
    return vec3_scale(0.5, vec3_add(value, image));
}

static int image_of(const Mapping *mapping, int at) {
    return mapping->image ? mapping->image[at] : -1;
}

/* `own` is the value of the vertex that stands for this one, `partner` that of its partner, if it has one. */
static Vec3 combine(const Mapping *mapping, int at, CarryKind kind, Vec3 own, Vec3 partner) {
    if (!mapping->frame) {
        return own;
    }
    Vec3 value = to_half(mapping->frame, kind, own);
    unsigned stands = mapping->stands_in ? mapping->stands_in[at] : 0;
    if (mapping->beyond || stands & STANDS_BEYOND) {
        value = carry_reflected(kind, value);
    }
    if (stands & STANDS_IN) {
        value = kind == CARRY_PLACE ? vec3_add(value, mapping->stand_off[at]) : value;
    } else if (image_of(mapping, at) >= 0) {
        value = mean_with(mapping, kind, value, partner);
    }
    if (is_along_plane(mapping, at, kind)) {
        value.x = 0;
    }
    return value;
}

static int partner_at(const Mapping *mapping, int at) {
    int image = image_of(mapping, at);
    return image >= 0 ? image : mapping->source[at];
}

Vec3 mapping_value(const Mapping *mapping, int at, CarryKind kind, const Vec3 *values) {
    return combine(mapping, at, kind, values[mapping->source[at]], values[partner_at(mapping, at)]);
}

Vec3 mapping_value_of_floats(const Mapping *mapping, int at, CarryKind kind, const float *values) {
    return combine(mapping, at, kind, vector_at(values, mapping->source[at]),
                   vector_at(values, partner_at(mapping, at)));
}

Vec3 mapping_carry_vertex(void *mapping, const Vec3 *values, CarryKind kind, int at) {
    return mapping_value(mapping, at, kind, values);
}

/* --- inputs ------------------------------------------------------------------------------------- */

Carried carried_take(int count, Store *store) {
    Carried room = {.pins = STORE_ARRAY(store, int32_t, count),
                    .weights = STORE_ARRAY(store, float, count),
                    .targets = STORE_ARRAY(store, float, 3 * (int64_t)count)};
    for (int k = 0; k < MAP_KINDS; ++k) {
        room.maps[k] = STORE_ARRAY(store, float, count);
    }
    for (int k = 0; k < FORCE_FIELDS; ++k) {
        room.fields[k] = STORE_ARRAY(store, float, 3 * (int64_t)count);
    }
    return room;
}

static void carry_map(const Mapping *mapping, const float *from, float *to) {
    for (int i = 0; i < mapping->count; ++i) {
        int own = mapping->source[i], image = image_of(mapping, i);
        to[i] = image >= 0 ? 0.5f * (from[own] + from[image]) : from[own];
    }
}

static void carry_field(const Mapping *mapping, const float *from, float *to) {
    for (int i = 0; i < mapping->count; ++i) {
        set_vector(to, i, mapping_value_of_floats(mapping, i, CARRY_DIRECTION, from));
    }
}

/* The target of pin p, or the mean with the image of that of its partner's pin q. */
static Vec3 target_of(const Mapping *mapping, int at, const PinInputs *pins, int p, int q) {
    Vec3 target = vector_at(pins->targets, p);
    if (!mapping->frame) {
        return target;
    }
    target = to_half(mapping->frame, CARRY_PLACE, target);
    if (q >= 0) {
        target = mean_with(mapping, CARRY_PLACE, target, vector_at(pins->targets, q));
    }
    target.x = at >= mapping->plane_from ? 0 : target.x;
    return target;
}

static void carry_pins(const Mapping *mapping, const PinInputs *from, int from_count,
                       int32_t *pin_at, const Carried *room, PinInputs *to) {
    for (int v = 0; v < from_count; ++v) {
        pin_at[v] = -1;
    }
    for (int p = 0; p < from->count; ++p) {
        pin_at[from->vertices[p]] = p;
    }
    *to = (PinInputs){.vertices = room->pins, .weights = room->weights, .targets = room->targets};
    for (int i = 0; i < mapping->count; ++i) {
        int own = mapping->source[i], image = image_of(mapping, i);
        bool stands_in = mapping->stands_in && mapping->stands_in[i] & STANDS_IN;
        int p = stands_in || (mapping->taken && !mapping->taken[own]) ? -1 : pin_at[own];
        if (p >= 0) {
            int q = image >= 0 ? pin_at[image] : -1;
            room->pins[to->count] = i;
            room->weights[to->count] = from->weights[p];
            set_vector(room->targets, to->count++, target_of(mapping, i, from, p, q));
        }
    }
}

static Vec3 along_plane(const MirrorFrame *frame, Vec3 force) {
    Vec3 turned = frame_turn_to_half(frame, force);
    return vec3(0, turned.y, turned.z);
}

void mapping_forces(const MirrorFrame *frame, Vec3 *gravity, Wind *wind) {
    *gravity = along_plane(frame, *gravity);
    wind->velocity = along_plane(frame, wind->velocity);
}

void mapping_carry(const Mapping *mapping, const Inputs *from, unsigned what, int from_count,
                   int32_t *pin_at, const Carried *room, Inputs *to) {
    for (int k = 0; k < MAP_KINDS; ++k) {
        if (what & input_map((MapKind)k)) {
            to->maps[k] = from->maps[k] ? room->maps[k] : NULL;
        }
        if (what & input_map((MapKind)k) && from->maps[k]) {
            carry_map(mapping, from->maps[k], room->maps[k]);
        }
    }
    for (int k = 0; k < FORCE_FIELDS && what & INPUT_FIELDS; ++k) {
        to->fields[k] = from->fields[k] ? room->fields[k] : NULL;
        if (from->fields[k]) {
            carry_field(mapping, from->fields[k], room->fields[k]);
        }
    }
    inputs_set(to, from,
               what & ~(unsigned)(INPUT_PINS | INPUT_TARGETS | INPUT_FIELDS | INPUT_MAPS));
    if (what & INPUT_FORCES && mapping->frame) {
        mapping_forces(mapping->frame, &to->gravity, &to->wind);
    }
    if (what & (INPUT_PINS | INPUT_TARGETS)) {
        carry_pins(mapping, &from->pins, from_count, pin_at, room, &to->pins);
    }
}

/* --- bodies ------------------------------------------------------------------------------------- */

/* What a simulation shall know of these places of a body's vertices. */
static const float *seen(const Mapping *mapping, const InputBody *body, const float *places) {
    if (!mapping || !mapping->frame) {
        return places;
    }
    body_for_half(mapping->frame, body, places);
    return body->seen;
}

static int number_of(const Mapping *mapping, int number) {
    return mapping ? mapping->first_body + number : number;
}

/* One array after the other, since there is one room for what is seen. A mesh comes as it was given, whatever the body did
 * since, so that it is built alike in every cloth. */
StatusCode mapping_give_body(const Mapping *mapping, Simulation *simulation, int number,
                             const InputBody *body, unsigned what, Status *status) {
    const unsigned lasting = what & (BODY_MESH | BODY_SURFACE);
    StatusCode code = STATUS_OK;
    PolygonMesh polygons = body->mesh.polygons;
    BodyInputs own = {.polygons = &polygons, .surface = body->surface};
    int at = number_of(mapping, number);
    if (lasting) {
        polygons.positions = seen(mapping, body, polygons.positions);
        code = simulation_set_body(simulation, at, &own, lasting, status);
    }
    if (code >= 0 && what & BODY_PLACE) {
        own.place = seen(mapping, body, body->place);
        simulation_set_body(simulation, at, &own, BODY_PLACE, status);
    }
    if (code >= 0 && what & BODY_TARGET) {
        own.target = seen(mapping, body, body->target);
        simulation_set_body(simulation, at, &own, BODY_TARGET, status);
    }
    return code;
}

void mapping_drop_body(const Mapping *mapping, Simulation *simulation, int number) {
    simulation_drop_body(simulation, number_of(mapping, number));
}
