/* Which faces a seam joins: those at stitched vertices, at knots of several, and beside points between two. */
#include "check.h"
#include "contact/skin.h"

int main(void) {
    /* 0-1-2 and 3-4-5 are borders; 6 is a third piece's corner; 7 is apart */
    const SewnPair pairs[] = {
        {0, {3, -1}},
        {3, {6, -1}},
        {1, {3, 4}},
        {2, {5, -1}},
    };
    Store store = {0};
    Status status;
    Sewn sewn;
    status_clear(&status);
    CHECK_INT(sewn_build(&sewn, 12, 4, pairs, &store, &status), STATUS_OK);
    const int at_0[3] = {0, 8, 9}, at_6[3] = {6, 10, 11}, at_1[3] = {1, 8, 9};
    const int at_3[3] = {3, 10, 11}, at_4[3] = {4, 10, 11}, at_5[3] = {5, 10, 11};
    const int at_7[3] = {7, 10, 11}, beside_0[3] = {0, 9, 8}, at_2[3] = {9, 8, 2};
    CHECK(sewn_together(&sewn, at_0, at_3));
    CHECK(sewn_together(&sewn, at_0, at_6)); /* by way of 3 */
    CHECK(sewn_together(&sewn, at_1, at_3));
    CHECK(sewn_together(&sewn, at_4, at_1));
    CHECK(sewn_together(&sewn, at_1, at_6)); /* 6 is where 3 is */
    CHECK(sewn_together(&sewn, at_2, at_5));
    CHECK(!sewn_together(&sewn, at_2, at_4));
    CHECK(!sewn_together(&sewn, at_0, at_4));
    CHECK(!sewn_together(&sewn, at_0, at_7));
    CHECK(!sewn_together(&sewn, at_0, beside_0)); /* one vertex is no seam */
    store_release(&store);
    return check_result();
}
