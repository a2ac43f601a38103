#include "mirror/places.h"

#include <stdlib.h>

/* Cells along each axis: three such numbers fit a key, with room for the neighbours of the last one. */
#define KEY_BITS 21
#define MOST_CELLS ((double)(1 << 20))
/* Cells are a little wider than the reach: rounding must not put two within reach two cells apart. */
#define WIDER 1.001

void places_take(Places *places, int count, Store *store) {
    places->count = count;
    places->at = STORE_ARRAY(store, Vec3, count);
    places->entries = STORE_ARRAY(store, CellEntry, count);
}

static int compare_entries(const void *left, const void *right) {
    const CellEntry *p = left, *q = right;
    if (p->cell != q->cell) {
        return p->cell < q->cell ? -1 : 1;
    }
    return (p->vertex > q->vertex) - (p->vertex < q->vertex);
}

/* Cell number along one axis, from 1 up for every vertex; 0 is left for the neighbours of the first. */
static int64_t cell_along(double value, double low, double cell) {
    double number = floor((value - low) / cell);
    return (int64_t)(number < 0 ? 0 : number > MOST_CELLS ? MOST_CELLS : number) + 1;
}

static uint64_t key_of(int64_t x, int64_t y, int64_t z) {
    return (((uint64_t)x << KEY_BITS | (uint64_t)y) << KEY_BITS) | (uint64_t)z;
}

/* The box of the places and of their images. */
static void measure(const Places *places, Vec3 *low, Vec3 *high) {
    *low = *high = places->at[0];
    double far = 0;
    for (int v = 0; v < places->count; ++v) {
        Vec3 p = places->at[v];
        low->x = p.x < low->x ? p.x : low->x;
        low->y = p.y < low->y ? p.y : low->y;
        high->x = p.x > high->x ? p.x : high->x;
        high->y = p.y > high->y ? p.y : high->y;
        far = fabs(p.z) > far ? fabs(p.z) : far;
    }
    low->z = -far;
    high->z = far;
}

void places_set(Places *places, const Vec3 *positions, MirrorPlane plane, double reach) {
    Vec3 first, second, low, high;
    plane_directions(plane, &first, &second);
    for (int v = 0; v < places->count; ++v) {
        Vec3 from = vec3_sub(positions[v], plane.point);
        places->at[v] =
            vec3(vec3_dot(from, first), vec3_dot(from, second), vec3_dot(from, plane.normal));
    }
    measure(places, &low, &high);
    double size = high.x - low.x;
    size = high.y - low.y > size ? high.y - low.y : size;
    size = high.z - low.z > size ? high.z - low.z : size;
    places->low = low;
    places->reach = reach;
    places->cell = WIDER * (size / MOST_CELLS > reach ? size / MOST_CELLS : reach);
    for (int v = 0; v < places->count; ++v) {
        Vec3 p = places->at[v];
        places->entries[v].vertex = v;
        places->entries[v].cell =
            key_of(cell_along(p.x, low.x, places->cell), cell_along(p.y, low.y, places->cell),
                   cell_along(p.z, low.z, places->cell));
    }
    qsort(places->entries, (size_t)places->count, sizeof *places->entries, compare_entries);
}

/* The first entry whose cell is not before `cell`. */
static int first_entry(const Places *places, uint64_t cell) {
    int begin = 0, end = places->count;
    while (begin < end) {
        int middle = begin + (end - begin) / 2;
        if (places->entries[middle].cell < cell) {
            begin = middle + 1;
        } else {
            end = middle;
        }
    }
    return begin;
}

static int compare_images(const void *left, const void *right) {
    const Image *p = left, *q = right;
    if (p->distance != q->distance) {
        return p->distance < q->distance ? -1 : 1;
    }
    return (p->vertex > q->vertex) - (p->vertex < q->vertex);
}

int places_images(const Places *places, int vertex, Image *images) {
    Vec3 at = places->at[vertex];
    int64_t x = cell_along(at.x, places->low.x, places->cell);
    int64_t y = cell_along(at.y, places->low.y, places->cell);
    int64_t z = cell_along(-at.z, places->low.z, places->cell);
    int count = 0;
    for (int column = 0; column < 9; ++column) {
        int64_t cx = x + column / 3 - 1, cy = y + column % 3 - 1;
        uint64_t last = key_of(cx, cy, z + 1);
        for (int e = first_entry(places, key_of(cx, cy, z - 1));
             e < places->count && places->entries[e].cell <= last && count < MOST_IMAGES; ++e) {
            int other = places->entries[e].vertex;
            double distance = sqrt(squared_image_distance(at, places->at[other]));
            if (distance <= places->reach) {
                images[count++] = (Image){other, distance};
            }
        }
    }
    qsort(images, (size_t)count, sizeof *images, compare_images);
    return count;
}
