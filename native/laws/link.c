/* The law of links: its elements, its pull and its second derivative. */
#include "laws/link.h"

#include "laws/moment.h"
#include "laws/response.h"

static const LinkLaw *link_law(const Law *law) { return (const LinkLaw *)law; }

/* Corners with a weight come first, those of the second point with a negative one. */
static void add_link(LinkLaw *links, int number) {
    const Link *link = &links->set->links[number];
    Law *law = &links->law;
    int e = law->count++, corners = 0;
    int *vertices = law->vertices + LINK_POINTS * e;
    double *weights = law->weights[0] + LINK_POINTS * e;
    for (int c = 0; c < LINK_POINTS; ++c) {
        if (link->weights[c] > 0) {
            vertices[corners] = link->vertices[c];
            weights[corners++] = c < 2 ? link->weights[c] : -link->weights[c];
        }
    }
    for (int c = corners; c < LINK_POINTS; ++c) {
        vertices[c] = vertices[0];
    }
    law->corners[e] = corners;
    links->link[e] = number;
}

StatusCode link_law_build(const LinkSet *set, Store *store, Law **law, Status *status) {
    LinkLaw *links = STORE_ARRAY(store, LinkLaw, 1);
    int most = set ? set->count : 0;
    if (!links || !law_take(&links->law, &link_kind, most, LINK_POINTS, 1, store)) {
        return status_no_memory(status, link_kind.name);
    }
    links->set = set;
    links->link = STORE_ARRAY(store, int, most);
    links->law.corners = STORE_ARRAY(store, int, most);
    if (store->failed) {
        return status_no_memory(status, link_kind.name);
    }
    for (int number = 0; number < most; ++number) {
        if (set->links[number].body < 0) {
            add_link(links, number);
        }
    }
    links->law.crossing_from = links->law.count;
    *law = &links->law;
    return STATUS_OK;
}

double link_stiffness(const LinkSet *set, int number) {
    const Link *link = &set->links[number];
    if (set->state[number] == LINK_RELEASED) {
        return 0.0;
    }
    if (link->use == LINK_ELASTIC) {
        return link->stiffness / link->length;
    }
    double fabric = set->stretch[number];
    double holding = link->stiffness > 0 ? link->stiffness : LINK_HOLDING * fabric;
    return set->state[number] == LINK_CLOSES ? fmin(LINK_CLOSING * fabric, holding) : holding;
}

/* Those at both ends in equal shares; of a tack to a body that of its vertex. */
void link_set_fabrics(LinkSet *set, const Material *materials) {
    for (int l = 0; l < set->count; ++l) {
        const Link *link = &set->links[l];
        set->stretch[l] = set->bend[l] = 0;
        for (int side = 0; side < 2; ++side) {
            int vertex = link->vertices[link->body < 0 ? 2 * side : 0];
            const Material *material = &materials[set->mesh->part[vertex]];
            const BendNumbers numbers = moment_bound(material);
            set->stretch[l] += 0.25 * (material->stretch_warp + material->stretch_weft);
            set->bend[l] += 0.25 * numbers.bend * (1 + numbers.weft);
        }
    }
}

/* The fabrics are those of all parts, so the set has them: link_set_fabrics(). */
static void set_material(Law *law, const Material *material, const Scales *scales) {
    const LinkLaw *links = link_law(law);
    (void)material;
    (void)scales;
    for (int e = 0; e < law->count; ++e) {
        law->bound[e] = link_stiffness(links->set, links->link[e]);
    }
}

static const Response *response_of(const LinkSet *set, int number) {
    return link_only_pulls(&set->links[number], (LinkState)set->state[number])
               ? &response_tension_only
               : &response_linear;
}

static double evaluate(const Law *law, int e, const Guess *guess, Vec3 *tension) {
    const LinkSet *set = link_law(law)->set;
    int number = link_law(law)->link[e];
    double k = law->bound[e], rest = set->rest[number];
    Vec3 s = law_measure(law, 0, e, guess->z);
    if (link_has_place(set, number)) {
        Vec3 away = vec3_sub(s, set->offset[number]);
        *tension = vec3_scale(-k, away);
        return 0.5 * k * vec3_dot(away, away);
    }
    double length = vec3_length(s), excess = length - rest;
    if (excess < 0 && link_only_pulls(&set->links[number], (LinkState)set->state[number])) {
        *tension = vec3(0, 0, 0);
        return 0.0;
    }
    Vec3 before = law_measure(law, 0, e, guess->present);
    Vec3 direction =
        length > VEC3_TINY ? vec3_scale(1.0 / length, s) : vec3_unit_or(before, vec3(0, 0, 1));
    *tension = rest > 0 ? vec3_scale(-k * excess, direction) : vec3_scale(-k, s);
    return 0.5 * k * excess * excess;
}

static bool curve(const Law *law, int e, const Vec3 *x, double scale, LawCurve *curve) {
    const LinkSet *set = link_law(law)->set;
    int number = link_law(law)->link[e];
    Block block = {{0}};
    *curve = (LawCurve){0};
    if (link_has_place(set, number) || !(set->rest[number] > 0)) {
        block_add_diagonal(&block, 1.0);
    } else if (!response_block(response_of(set, number), law_measure(law, 0, e, x),
                               set->rest[number], &block)) {
        return false;
    }
    block_add(&curve->uu, scale * law->bound[e], &block);
    return law->bound[e] > 0;
}

const LawKind link_kind = {
    .name = "links", .set_material = set_material, .evaluate = evaluate, .curve = curve};
