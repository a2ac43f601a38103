/* Vertices, edges and elements of the cloth's surface, two at a time: how near they are, how far they move past each
 * other, and whether one pierces the other. Lengths are in m. */
#ifndef CONTACT_SELF_PARTS_H
#define CONTACT_SELF_PARTS_H

#include "contact/self/links.h"
#include "geometry/distance.h"

/* The nearest point of an element, vertices being at `at`. Of a rope the feature is its edge 0 or an end. */
TrianglePoint element_closest(const Element *element, const Vec3 *at, Vec3 p);

/* The nearest points of two of the skin's edges. */
SegmentPair edges_closest(const int first[2], const int second[2], const Vec3 *at);

/* The most that a point of one part can have moved past one of the other between x and z. */
double vertex_motion(const Element *element, int v, const Vec3 *x, const Vec3 *z);
double edges_motion(const int first[2], const int second[2], const Vec3 *x, const Vec3 *z);

/* Of a triangle, no rope: twice its area long. */
Vec3 element_normal(const Element *element, const Vec3 *at);

/* Where the edge meets the triangle at x: parameter of the edge and weights of the corners. Returns false if it
 * does not. */
bool edge_pierces(const int edge[2], const Element *triangle, const Vec3 *x, double *parameter,
                  double weights[3]);

#endif
