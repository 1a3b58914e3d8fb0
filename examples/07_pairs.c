// The C interface: which of these points are within 1 of each other, in a periodic box?
//
//     cc 07_pairs.c $(pkg-config --cflags --libs vicinal) -o pairs
#include <math.h>
#include <stdio.h>
#include <vicinal.h>

static int failed(const char* what) {
    fprintf(stderr, "%s: %s\n", what, vicinal_message());
    return 1;
}

int main(void) {
    // x0 y0 z0 x1 ...: points 0 and 1 are near each other, 0 and 2 across a face of the box.
    const double xyz[] = {0.1, 5, 5, 0.9, 5, 5, 9.8, 5, 5, 5, 5, 5};

    vicinal_domain box = {.size = sizeof box};
    box.kind = VICINAL_ORTHOGONAL;
    for (int a = 0; a < 3; ++a) box.lengths[a] = 10;

    vicinal_options options = {.size = sizeof options};
    options.dimension = 3;
    options.scalar = VICINAL_DOUBLE;
    options.domain = &box;
    vicinal_finder* finder = NULL;
    if (vicinal_new(&options, &finder) != VICINAL_OK) return failed("options");

    vicinal_bodies atoms = {.size = sizeof atoms};
    atoms.dimension = 3;
    atoms.scalar = VICINAL_DOUBLE;
    atoms.shape = VICINAL_POINTS;
    atoms.count = 4;
    atoms.cutoff = 1;
    atoms.position.data = xyz;

    // Update and search in one: each pair once, with the image of j, the distance and the vector.
    vicinal_form form = {.size = sizeof form};
    form.columns = "ijSdD";
    form.order = VICINAL_SORTED;
    vicinal_result* pairs = NULL;
    if (vicinal_pairs(finder, &atoms, &form, &pairs) != VICINAL_OK) return failed("pairs");
    const uint32_t* ij = pairs->indices;
    const double* d = pairs->distances;
    for (uint64_t k = 0; k < pairs->count; ++k)
        printf("%u and %u in image (%d, %d, %d): distance %g\n", ij[2 * k], ij[2 * k + 1],
               pairs->images[3 * k], pairs->images[3 * k + 1], pairs->images[3 * k + 2], d[k]);
    const int right = pairs->count == 2 && ij[0] == 0 && ij[1] == 1 && ij[2] == 0 && ij[3] == 2 &&
                      pairs->images[3] == -1;
    vicinal_release(pairs);

    // The neighbours of each body, as compressed sparse rows.
    vicinal_result* rows = NULL;
    if (vicinal_neighbours(finder, &atoms, NULL, &rows) != VICINAL_OK) return failed("rows");
    const uint32_t* neighbours = rows->indices;
    for (uint64_t i = 0; i < rows->rows; ++i) {
        printf("neighbours of %u:", (unsigned)i);
        for (uint64_t e = rows->offsets[i]; e < rows->offsets[i + 1]; ++e)
            printf(" %u", neighbours[e]);
        printf("\n");
    }
    const int both = rows->rows == 4 && rows->count == 4 && rows->offsets[1] == 2;
    vicinal_release(rows);

    // Bad input is an error that names the body.
    const double bad[] = {0, 0, 0, 1, 0, INFINITY};
    atoms.count = 2;
    atoms.position.data = bad;
    vicinal_status status = vicinal_update(finder, &atoms, NULL);
    printf("status %d, body %d: %s\n", status, (int)vicinal_element(), vicinal_message());
    const int caught = status == VICINAL_INPUT && vicinal_element() == 1;

    vicinal_free(finder);
    return right && both && caught ? 0 : 1;
}
