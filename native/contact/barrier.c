/* The image of a vertex is always straight across the plane, so this contact needs no search. */
#include "contact/barrier.h"

/* Contacts are kept for vertices that may come within reach during the rounds, m at the usual thickness: see scale.h.
 * */
#define SLACK 0.004
/* How far before the plane a vertex is put that ended beyond it, m, likewise: its image is not in the same place. */
#define BEFORE 1e-5

/* The point of the contact is the way from the vertex's image to the vertex: twice its distance from the plane. */
void barrier_find(const Vec3 *rest, int count, double thickness, double scale, const Vec3 *z,
                  Contacts *contacts) {
    for (int i = subset_first(contacts->awake); i < contacts->vertex_count;
         i = subset_next(contacts->awake, i)) {
        double shell = rest[i].x < thickness ? rest[i].x : thickness;
        if (i < count && shell > 0 && 2.0 * z[i].x < shell + SLACK * scale) {
            contacts_add(contacts, CONTACT_SELF,
                         &(Contact){.count = 1,
                                    .vertices = {i},
                                    .weights = {2.0},
                                    .normal = {1, 0, 0},
                                    .shell = shell});
        }
    }
}

void barrier_end(const Vec3 *rest, int count, double scale, Vec3 *z, Vec3 *velocity) {
    double before = BEFORE * scale;
    for (int i = 0; i < count; ++i) {
        if (z[i].x < before && rest[i].x > 0) {
            z[i].x = before;
            velocity[i].x = velocity[i].x < 0 ? 0.0 : velocity[i].x;
        }
    }
}
