/* Tolerances are shares of the mesh's own size and edges: a doll's shirt and a tent are judged alike. */
#include "mirror/symmetry/symmetry.h"

#include "base/memory.h"
#include "mesh/polygon.h"
#include "mirror/symmetry/pairing.h"
#include "mirror/symmetry/plane_search.h"

/* The tolerance where none is given, of the diagonal of the box: a tenth of a millimetre on a garment of a metre.
 * A thousand times the rounding of float32, and a hundredth of the edges a garment is modelled with. */
#define TOLERANCE 1e-4
/* But at most this share of the mean edge: a finer mesh must not pair neighbours. */
#define SHARE_OF_EDGE 0.25
/* Vertices whose distances differ by less than this share of the diagonal are in one place. */
#define SAME_PLACE 1e-5

typedef struct Finder {
    const PolygonMesh *mesh;
    Store store;
    Vec3 *positions;
    Neighbours neighbours;
    Places places;
    int (*pairs)[2];
    int32_t *partners, *face_partners;
    double size, mean_edge; /* m: diagonal of the box; mean length of a side */
} Finder;

static StatusCode prepare(Finder *finder, Status *status) {
    Store *store = &finder->store;
    const PolygonMesh *mesh = finder->mesh;
    finder->positions = STORE_ARRAY(store, Vec3, mesh->vertex_count);
    finder->pairs = store_take(store, (size_t)mesh->vertex_count, sizeof *finder->pairs);
    if (!finder->partners) {
        finder->partners = STORE_ARRAY(store, int32_t, mesh->vertex_count);
    }
    if (!finder->face_partners) {
        finder->face_partners = STORE_ARRAY(store, int32_t, mesh->face_count);
    }
    bool failed = neighbours_build(mesh, store, &finder->neighbours) != 0;
    for (int v = 0; v < mesh->vertex_count && !failed; ++v) {
        finder->positions[v] = polygon_position(mesh, v);
    }
    failed = failed || places_build(&finder->places, finder->positions, mesh->vertex_count, store);
    return failed ? status_no_memory(status, "looking for symmetry") : STATUS_OK;
}

static StatusCode measure(Finder *finder, Status *status) {
    const PolygonMesh *mesh = finder->mesh;
    const Neighbours *neighbours = &finder->neighbours;
    double sum = 0;
    Vec3 centre = polygon_centre(mesh), reach = vec3(0, 0, 0);
    for (int v = 0; v < mesh->vertex_count; ++v) {
        Vec3 d = vec3_sub(finder->positions[v], centre);
        reach = vec3(fabs(d.x) > reach.x ? fabs(d.x) : reach.x,
                     fabs(d.y) > reach.y ? fabs(d.y) : reach.y,
                     fabs(d.z) > reach.z ? fabs(d.z) : reach.z);
    }
    for (int v = 0; v < mesh->vertex_count; ++v) {
        for (int k = neighbours->first[v]; k < neighbours->first[v + 1]; ++k) {
            sum += vec3_distance(finder->positions[v], finder->positions[neighbours->list[k]]);
        }
    }
    finder->size = 2 * vec3_length(reach);
    int links = neighbours->first[mesh->vertex_count];
    finder->mean_edge = links > 0 ? sum / links : 0;
    if (finder->mean_edge > 0) {
        return STATUS_OK;
    }
    status_set(status, STATUS_ERROR_MESH,
               "the mesh has no size: the ends of every edge are in one place");
    return status_name_count(status, DETAIL_NO_SIZE, mesh->vertex_count);
}

static StatusCode choose_tolerance(const Finder *finder, const SymmetryOptions *options,
                                   double *tolerance, Status *status) {
    if (options->tolerance == 0) {
        double share = SHARE_OF_EDGE * finder->mean_edge;
        *tolerance = TOLERANCE * finder->size < share ? TOLERANCE * finder->size : share;
        return STATUS_OK;
    }
    *tolerance = options->tolerance;
    if (options->tolerance > 0 && options->tolerance <= finder->mean_edge) {
        return STATUS_OK;
    }
    status_set(status, STATUS_ERROR_ARGUMENT,
               "tolerance is %g m, but must be 0, to have it chosen, or more and at most the mean "
               "length of the mesh's edges, %g m",
               options->tolerance, finder->mean_edge);
    return status_name_argument(status, DETAIL_RANGE, "tolerance", options->tolerance,
                                options->tolerance > 0 ? finder->mean_edge : 0);
}

static StatusCode choose_plane(Finder *finder, const SymmetryOptions *options, double tolerance,
                               MirrorPlane *plane, Status *status) {
    if (options->find) {
        return plane_search(&finder->places, finder->pairs, finder->positions, &finder->neighbours,
                            tolerance, finder->mean_edge, finder->size, plane) != 0
                   ? status_no_memory(status, "looking for a plane of symmetry")
                   : STATUS_OK;
    }
    Vec3 p = options->plane.point, n = options->plane.normal;
    double length = vec3_length(n);
    if (!vec3_is_finite(p) || !isfinite(length) || !(length > VEC3_TINY)) {
        status_set(status, STATUS_ERROR_ARGUMENT,
                   "the plane has the point (%g, %g, %g) and the normal (%g, %g, %g), but "
                   "both must be finite and the normal not zero",
                   p.x, p.y, p.z, n.x, n.y, n.z);
        return status_name_argument(status, DETAIL_RANGE, vec3_is_finite(p) ? "normal" : "point",
                                    length, 0);
    }
    *plane = (MirrorPlane){p, vec3_scale(1 / length, n)};
    return STATUS_OK;
}

static void count_pairs(const Finder *finder, Symmetry *symmetry) {
    double sum = 0;
    for (int v = 0; v < finder->mesh->vertex_count; ++v) {
        int partner = finder->partners[v];
        if (partner < 0) {
            ++symmetry->unpaired;
            continue;
        }
        symmetry->paired += partner != v;
        symmetry->on_plane += partner == v;
        double squared = squared_image_distance(finder->places.at[v], finder->places.at[partner]);
        symmetry->largest = sqrt(squared) > symmetry->largest ? sqrt(squared) : symmetry->largest;
        sum += squared;
    }
    int with_partner = symmetry->paired + symmetry->on_plane;
    symmetry->rms = with_partner > 0 ? sqrt(sum / with_partner) : 0;
}

static StatusCode find(Finder *finder, const SymmetryOptions *options, Symmetry *symmetry,
                       Status *status) {
    if (prepare(finder, status) != STATUS_OK || measure(finder, status) != STATUS_OK ||
        choose_tolerance(finder, options, &symmetry->tolerance, status) != STATUS_OK ||
        choose_plane(finder, options, symmetry->tolerance, &symmetry->plane, status) != STATUS_OK) {
        return status->code;
    }
    places_set(&finder->places, finder->positions, symmetry->plane, symmetry->tolerance);
    if (pair_vertices(&finder->places, &finder->neighbours, SAME_PLACE * finder->size,
                      finder->partners, status) != STATUS_OK) {
        return status->code;
    }
    count_pairs(finder, symmetry);
    return match_elements(finder->mesh, finder->partners, finder->face_partners,
                          &symmetry->elements, status);
}

StatusCode symmetry_find(const PolygonMesh *mesh, const SymmetryOptions *options,
                         Symmetry *symmetry, int32_t *partners, int32_t *face_partners,
                         Status *status) {
    CheckReport report;
    int found;
    *symmetry = (Symmetry){0};
    if (mesh_check(mesh, &report, NULL, 0, &found, status) < 0) {
        return status->code;
    }
    status_clear(status); /* defects that can be simulated are not asked about here */
    Finder finder = {.mesh = mesh, .partners = partners, .face_partners = face_partners};
    StatusCode code = find(&finder, options, symmetry, status);
    store_release(&finder.store);
    return code;
}
