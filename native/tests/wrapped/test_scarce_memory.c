/* Lists of pairs that cannot grow: what found no room is counted, one by one, so that a step can say so; and once there is
 * memory again, nothing is left of it. */
#include "self_scene.h"

#define SIDE 28
#define WIDTH 0.4
#define HEIGHT 0.006
#define THICKNESS 0.008
#define SLACK 0.006

void *__real_scratch_grow(void *old, size_t count, size_t size, bool *failed);
void *__wrap_scratch_grow(void *old, size_t count, size_t size, bool *failed);

static int grown, first_failing, last_failing; /* calls, from 0 */

void *__wrap_scratch_grow(void *old, size_t count, size_t size, bool *failed) {
    int call = grown++;
    if (call >= first_failing && call <= last_failing) {
        *failed = true;
        return old;
    }
    return __real_scratch_grow(old, count, size, failed);
}

/* Calls from `first` to `last` fail while pairs are looked for. */
static void search(Scene *scene, int first, int last) {
    grown = 0;
    first_failing = first;
    last_failing = last;
    self_pairs_find(&scene->self.pairs, scene->pool, scene->x, NULL, scene->z, THICKNESS, SLACK,
                    LENGTH);
    first_failing = last_failing = -1;
}

static Scene *open(void) {
    first_failing = last_failing = -1;
    return scene_open(two_sheets(SIDE, WIDTH, HEIGHT), 2);
}

static void check_same_list(const SelfPairs *pairs, const SelfPairs *wanted) {
    CHECK_INT(pairs->dropped, 0);
    CHECK_INT(pairs->count, wanted->count);
    int other = 0;
    for (int i = 0; i < pairs->count && i < wanted->count; ++i) {
        const SelfPair *p = &pairs->list[i], *q = &wanted->list[i];
        other += p->kind != q->kind || p->first != q->first || p->second != q->second;
    }
    CHECK_INT(other, 0);
}

/* Each growth in turn fails alone, and with all that follow: `whole` has had them all. */
static void check_growths(const SelfPairs *whole, int growths) {
    for (int k = 0; k < 2 * growths; ++k) {
        Scene *scene = open();
        SelfPairs *pairs = &scene->self.pairs;
        search(scene, k / 2, k % 2 ? INT32_MAX : k / 2);
        CHECK_INT(pairs->count + pairs->dropped, whole->count);
        CHECK(k % 2 == 0 || pairs->dropped > 0);
        search(scene, -1, -1);
        check_same_list(pairs, whole);
        scene_close(scene);
    }
}

/* The list alone has no room: all slices have found theirs. */
static void check_list(const SelfPairs *whole, int growths) {
    Scene *scene = open();
    search(scene, growths - 1, INT32_MAX);
    CHECK(scene->self.pairs.dropped > 0);
    CHECK_INT(scene->self.pairs.count + scene->self.pairs.dropped, whole->count);
    scene_close(scene);
}

int main(void) {
    Scene *scene = open();
    search(scene, -1, -1);
    int growths = grown;
    CHECK(growths > 2);
    check_growths(&scene->self.pairs, growths);
    check_list(&scene->self.pairs, growths);
    scene_close(scene);
    return check_result();
}
