/* The product, by whole rows in parallel; blocks are added by whoever assembles. */
#include "linear/block.h"

Block block_inverse(const Block *block) {
    const double *m = block->m;
    double c0 = m[4] * m[8] - m[5] * m[7];
    double c1 = m[5] * m[6] - m[3] * m[8];
    double c2 = m[3] * m[7] - m[4] * m[6];
    double determinant = m[0] * c0 + m[1] * c1 + m[2] * c2;
    if (!(determinant > 0)) {
        double trace = m[0] + m[4] + m[8];
        double scale = trace > 0 ? 3.0 / trace : 1.0;
        return (Block){{scale, 0, 0, 0, scale, 0, 0, 0, scale}};
    }
    double s = 1.0 / determinant;
    return (Block){{s * c0, s * (m[2] * m[7] - m[1] * m[8]), s * (m[1] * m[5] - m[2] * m[4]),
                    s * c1, s * (m[0] * m[8] - m[2] * m[6]), s * (m[2] * m[3] - m[0] * m[5]),
                    s * c2, s * (m[1] * m[6] - m[0] * m[7]), s * (m[0] * m[4] - m[1] * m[3])}};
}
