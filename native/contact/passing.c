/* Compares the patches of cloth with the clusters of bodies near them. */
#include "contact/passing.h"

#include <math.h>
#include <stdlib.h>

/* Of the thickness and an edge together: what may be passed in a substep. */
#define PASSED 0.5

StatusCode passing_build(Passing *passing, const Skin *skin, const Reach *reach, Store *store,
                         Status *status) {
    const Clusters *patches = &reach->patches;
    *passing = (Passing){.edge = STORE_ARRAY(store, double, patches->count),
                         .wanted = STORE_ARRAY(store, double, patches->count),
                         .patch_count = patches->count};
    int *patch = SCRATCH_ARRAY(int, skin->vertex_count);
    int *edges = SCRATCH_ARRAY(int, patches->count);
    bool failed = !patch || !edges || store->failed;
    for (int i = 0; !failed && i < patches->start[patches->count]; ++i) {
        patch[patches->vertices[i]] = -1;
    }
    for (int p = 0; !failed && p < patches->count; ++p) {
        for (int i = patches->start[p]; i < patches->start[p + 1]; ++i) {
            patch[patches->vertices[i]] = p;
        }
    }
    for (int e = 0; !failed && e < skin->edge_count; ++e) {
        int a = skin->edges[e][0], p = patch[a];
        passing->edge[p] += vec3_distance(skin->rest[a], skin->rest[skin->edges[e][1]]);
        ++edges[p];
    }
    for (int p = 0; !failed && p < patches->count; ++p) {
        passing->edge[p] = edges[p] > 0 ? passing->edge[p] / edges[p] : skin->mean_edge;
    }
    free(patch);
    free(edges);
    return failed ? status_no_memory(status, "patches of cloth") : STATUS_OK;
}

/* A patch, and the clusters of a body near it. */
typedef struct PassVisit {
    const Clusters *patches, *clusters;
    int patch;
    const Vec3 *x, *z;
    double shell;   /* thickness */
    double allowed; /* in a substep */
    double wanted;  /* substeps, as far as is known */
} PassVisit;

/* By how much the near vertices of the patch move beside the cluster, in the mean: one that trembles does not count. */
static bool pass_cluster(void *context, int c) {
    PassVisit *visit = context;
    const Clusters *patches = visit->patches, *clusters = visit->clusters;
    int p = visit->patch, near = 0;
    double most = vec3_distance(patches->motion[p], clusters->motion[c]) + patches->stray[p] +
                  clusters->stray[c];
    if (most <= visit->wanted * visit->allowed) {
        return false;
    }
    const ClusterTurn *turn = &clusters->turns[c];
    Box box = box_grown(clusters->boxes[c], visit->shell);
    double sum = 0;
    for (int i = patches->start[p]; i < patches->start[p + 1]; ++i) {
        int v = patches->vertices[i];
        Box way = box_of_two(visit->x[v], visit->z[v]);
        if (box_overlaps(&box, &way)) {
            Vec3 arm = vec3_sub(visit->x[v], turn->middle);
            Vec3 moved = vec3_add(turn->drift, vec3_cross(turn->turn, arm));
            sum += vec3_distance(vec3_sub(visit->z[v], visit->x[v]), moved);
            ++near;
        }
    }
    if (near > 0) {
        visit->wanted = fmax(visit->wanted, sum / (near * visit->allowed));
    }
    return false;
}

typedef struct PassWork {
    const Passing *passing;
    const Clusters *patches;
    Collider *const *bodies;
    int body_count;
    const Vec3 *x, *z;
    double least;
} PassWork;

static void pass_patches(void *context, int begin, int end) {
    const PassWork *work = context;
    for (int p = begin; p < end; ++p) {
        work->passing->wanted[p] = work->least;
        for (int b = 0; b < work->body_count; ++b) {
            const Collider *body = work->bodies[b];
            if (!body) {
                continue;
            }
            PassVisit visit = {.patches = work->patches,
                               .clusters = &body->clusters,
                               .patch = p,
                               .x = work->x,
                               .z = work->z,
                               .shell = body->thickness,
                               .wanted = work->passing->wanted[p]};
            visit.allowed = PASSED * (body->thickness + work->passing->edge[p]);
            Box box = box_grown(work->patches->boxes[p], visit.shell);
            wide_bvh_visit(&body->clusters.tree, &box, pass_cluster, &visit);
            work->passing->wanted[p] = visit.wanted;
        }
    }
}

double passing_measure(const Passing *passing, Pool *pool, Reach *reach, Collider *const *bodies,
                       int body_count, const Vec3 *x, const Vec3 *z, double least) {
    clusters_move(&reach->patches, pool, x, z, false);
    PassWork work = {passing, &reach->patches, bodies, body_count, x, z, least};
    pool_each(pool, passing->patch_count, pass_patches, &work);
    double wanted = least;
    for (int p = 0; p < passing->patch_count; ++p) {
        wanted = fmax(wanted, passing->wanted[p]);
    }
    return wanted;
}
