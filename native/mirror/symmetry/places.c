/* The tree is sorted once, by the positions as they are; seen from another plane only its boxes change. */
#include "mirror/symmetry/places.h"

static Box box_of_all(const Places *places) {
    Box all = box_of_points(places->at, places->count);
    for (int v = 0; v < places->count; ++v) {
        places->boxes[v] = (Box){places->at[v], places->at[v]};
    }
    return all;
}

int places_build(Places *places, const Vec3 *positions, int count, Store *store) {
    Status status = {0};
    *places = (Places){.count = count,
                       .at = STORE_ARRAY(store, Vec3, count),
                       .boxes = STORE_ARRAY(store, Box, count)};
    if (store->failed) {
        return -1;
    }
    for (int v = 0; v < count; ++v) {
        places->boxes[v] = (Box){positions[v], positions[v]};
    }
    return wide_bvh_build(&places->tree, count, places->boxes, store, &status) ? -1 : 0;
}

void places_set(Places *places, const Vec3 *positions, MirrorPlane plane, double reach) {
    Vec3 first, second;
    mirror_plane_directions(plane, &first, &second);
    for (int v = 0; v < places->count; ++v) {
        Vec3 from = vec3_sub(positions[v], plane.point);
        places->at[v] =
            vec3(vec3_dot(from, first), vec3_dot(from, second), vec3_dot(from, plane.normal));
    }
    places->reach = reach;
    Box all = box_of_all(places);
    wide_bvh_refit(&places->tree, NULL, &all, places->boxes);
}

typedef struct Look {
    const Places *places;
    Vec3 at;
    Image *images;
    int count, most;
} Look;

static bool is_before(Image a, Image b) {
    return a.distance != b.distance ? a.distance < b.distance : a.vertex < b.vertex;
}

/* Which are kept does not depend on the order in which they are offered. */
static double offer_vertex(void *context, int vertex, double reach) {
    Look *look = context;
    const Places *places = look->places;
    Image image = {vertex, sqrt(squared_image_distance(look->at, places->at[vertex]))};
    bool full = look->count == look->most;
    if (!(image.distance <= places->reach) ||
        (full && !is_before(image, look->images[look->most - 1]))) {
        return reach;
    }
    int place = full ? look->most - 1 : look->count++;
    for (; place > 0 && is_before(image, look->images[place - 1]); --place) {
        look->images[place] = look->images[place - 1];
    }
    look->images[place] = image;
    return look->count == look->most ? look->images[look->most - 1].distance : reach;
}

int places_images(const Places *places, int vertex, int most, Image *images) {
    Vec3 at = places->at[vertex];
    Look look = {.places = places,
                 .at = at,
                 .images = images,
                 .most = most < MOST_IMAGES ? most : MOST_IMAGES};
    wide_bvh_search(&places->tree, vec3(at.x, at.y, -at.z), places->reach, offer_vertex, &look);
    return look.count;
}
