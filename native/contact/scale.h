/* How long the lengths of contact are: how far is searched, how far friction reaches, how fast cloth comes out of where
 * it should not be. Each is given where it is used, in metres, as it is right for a shell of 4 mm, and grows and
 * shrinks with the shell: doll's clothes, shirts and tents are met alike. Thin shells around cloth of long edges are
 * the exception: what is too near or too deep is then told by the edges, which say how far cloth goes in a substep. */
#ifndef CONTACT_SCALE_H
#define CONTACT_SCALE_H

/* As float32, which callers' numbers come in: of their 4 mm the scale is 1 to the bit. */
#define CONTACT_USUAL_THICKNESS 0.004f
/* Shells thinner than this part of the cloth's mean edge have the lengths of one that is not. */
#define CONTACT_LEAST_SHARE 0.1
/* Friction acts up to this far outside a shell, m at the usual thickness: resting cloth trembles by less. */
#define CONTACT_GRIP_RANGE 1e-3

/* Of a shell, and the mean edge of the cloth that meets it (0: not known), both in m. */
static inline double contact_scale(double thickness, double mean_edge) {
    double least = CONTACT_LEAST_SHARE * mean_edge;
    return (thickness > least ? thickness : least) / (double)CONTACT_USUAL_THICKNESS;
}

#endif
