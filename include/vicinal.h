// The C interface, for C, Fortran, Python, Julia, Rust and others. The names, words and
// defaults are those of the C++ interface, whose headers in vicinal/ say more; docs/c.md is the
// guide.
//
//     vicinal_options options = {.size = sizeof options};
//     options.dimension = 3;
//     options.scalar = VICINAL_DOUBLE;
//     vicinal_finder* finder = NULL;
//     if (vicinal_new(&options, &finder) != VICINAL_OK) puts(vicinal_message());
//
// Every struct begins with its own size, so that it may grow: fill in `size`, and leave what
// you do not need zero, which is the default everywhere. A struct of a size that the library
// does not know is an error. Functions may be called from any thread. Two calls on one finder
// at the same time are an error, except pairs_with, rows_with, probe, probe_rows, nearest and
// order.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <vicinal/version.hpp>

#ifdef __cplusplus
extern "C" {
#endif

// ---- errors --------------------------------------------------------------------------------

typedef enum vicinal_status {
    VICINAL_OK = 0,
    VICINAL_INPUT,      // the bodies, the domain or a struct violate the contract
    VICINAL_OPTION,     // unknown method, unknown option, value out of range
    VICINAL_LIMIT,      // max_bytes, max_pairs, or the 2^32 - 1 bodies of a process
    VICINAL_MEMORY,     // the system has no more memory
    VICINAL_CANCELLED,  // vicinal_options.cancelled, a consumer or an interrupt ended the call
    VICINAL_BUSY,       // the finder is running another call
    VICINAL_INTERNAL,   // a defect of the library, or an exception of a consumer in C++
} vicinal_status;

// The last error of the calling thread: one line that names the fault and the remedy, and the
// index of the offending body, or -1. The text is valid until the thread's next call.
VICINAL_EXPORT const char* vicinal_message(void);
VICINAL_EXPORT int64_t vicinal_element(void);

VICINAL_EXPORT const char* vicinal_version(void);  // "0.1.0"

// ---- bodies --------------------------------------------------------------------------------

enum vicinal_scalar { VICINAL_FLOAT = 1, VICINAL_DOUBLE };
enum vicinal_shape { VICINAL_POINTS = 0, VICINAL_SPHERES, VICINAL_BOXES };
// The reach of two spheres: the sum, the larger or the smaller of their radii.
enum vicinal_rule { VICINAL_SUM = 0, VICINAL_MAX, VICINAL_MIN };

// One value per body, `stride` bytes apart; 0: contiguous. Strides may be negative. Null: not
// given.
typedef struct vicinal_column {
    const void* data;
    ptrdiff_t stride;
} vicinal_column;

// One vector per body: body i has component a at data + i * stride + a * axis_stride, in bytes.
// stride 0: dimension * axis_stride; axis_stride 0: contiguous, x0 y0 z0 x1 y1 z1 ...
typedef struct vicinal_vectors {
    const void* data;
    ptrdiff_t stride;
    ptrdiff_t axis_stride;
} vicinal_vectors;

// A view of the caller's arrays, which must stay as they are until the last search among them.
// Vectors, radii and cutoffs are float or double, as `scalar` says.
typedef struct vicinal_bodies {
    size_t size;          // sizeof(vicinal_bodies)
    int32_t dimension;    // 2 or 3
    int32_t scalar;       // vicinal_scalar
    int32_t shape;        // vicinal_shape
    int32_t rule;         // vicinal_rule, of spheres
    uint64_t count;       // number of bodies
    double cutoff;        // points: they pair at a distance of at most this
    double equal_radius;  // spheres: the radius of all if `radius` is not given
    vicinal_column radius;
    vicinal_vectors position;      // centres; lower corners of boxes
    vicinal_vectors upper;         // upper corners of boxes
    vicinal_vectors displacement;  // straight motion during the step; not given: at rest
    // uint32_t: two bodies may pair only if (group_i & mask_j) and (group_j & mask_i) are
    // non-zero; not given: all bits.
    vicinal_column group;
    vicinal_column mask;
    vicinal_column id;    // uint32_t: unique numbers for vicinal_changes; not given: the index
    vicinal_column kind;  // int32_t, from 0: points of several kinds, whose cut-offs are
    const void* cutoffs;  // cutoffs[a * kinds + b], symmetric; a negative one: never
    uint64_t kinds;
    const uint32_t* excluded;  // i0 j0 i1 j1 ...: these never pair, in any image
    uint64_t excluded_count;   // pairs
    // Two bodies with a common mesh vertex never pair: vertices_per_body (1 to 8) for each
    // body.
    const uint32_t* vertices;
    uint64_t vertices_per_body;
} vicinal_bodies;

// ---- domain and options --------------------------------------------------------------------

enum vicinal_domain_kind {
    VICINAL_OPEN = 0,
    VICINAL_ORTHOGONAL,  // lengths
    VICINAL_SHEARED,     // lengths, offset, change: Lees-Edwards
    VICINAL_TRICLINIC,   // vectors
};

typedef struct vicinal_domain {
    size_t size;           // sizeof(vicinal_domain)
    int32_t kind;          // vicinal_domain_kind
    int32_t open_axes[3];  // 1: this axis is not periodic
    double lengths[3];
    double vectors[3][3];  // rows are the lattice vectors
    double offset;         // in y, of the image across x
    double change;         // of the offset during the step
} vicinal_domain;

typedef struct vicinal_options {
    size_t size;                   // sizeof(vicinal_options)
    int32_t dimension;             // 2 or 3
    int32_t scalar;                // vicinal_scalar
    const vicinal_domain* domain;  // null: open
    const char* method;            // "name(key=value, ...)"; null: "auto"
    int32_t threads;               // 0: VICINAL_THREADS, or all cores
    // 1: calls end with VICINAL_CANCELLED if SIGINT arrives during a call from the main thread
    // of the process. The handler of the process is called too; without one nothing changes.
    // For interpreters, whose handler only takes a note.
    int32_t interruptible;
    uint64_t max_pairs;  // more pairs than this are an error; 0: no limit
    uint64_t max_bytes;  // using more memory than this is an error; 0: no limit
    // Memory of results: both functions or none, called from any thread; `allocate` returns
    // memory aligned for any scalar type, or null if there is none. None: the library's own,
    // which is used again after vicinal_release.
    void* (*allocate)(size_t bytes, void* context);
    void (*release)(void* memory, size_t bytes, void* context);
    void* allocator_context;
    // Asked at least every 50 ms of a worker's time, on any thread, never on two at once: not 0
    // ends the call with VICINAL_CANCELLED.
    int (*cancelled)(void* context);
    void* cancelled_context;
} vicinal_options;

// ---- results -------------------------------------------------------------------------------

enum vicinal_pair_order { VICINAL_ANY = 0, VICINAL_SORTED };
enum vicinal_row_kind {
    VICINAL_DEFAULT_KIND = 0,  // pairs: half; rows: full
    VICINAL_HALF,              // each pair once, i < j
    VICINAL_FULL,              // also (j, i, -n); pairs are then grouped by i
};
enum vicinal_layout { VICINAL_N_BY_2 = 0, VICINAL_TWO_BY_N };
enum vicinal_index { VICINAL_UINT32 = 0, VICINAL_INT32, VICINAL_INT64 };
enum vicinal_row_order { VICINAL_BODY = 0, VICINAL_SPATIAL };

// The form of a result. A null pointer stands for all defaults.
typedef struct vicinal_form {
    size_t size;          // sizeof(vicinal_form)
    const char* columns;  // "ij" and any of S (image), d (distance), D (vector); null: "ijS",
                          // and "ijSd" for nearest neighbours
    int32_t order;        // vicinal_pair_order
    int32_t kind;         // vicinal_row_kind
    int32_t layout;       // vicinal_layout, of pairs
    int32_t index;        // vicinal_index
    int32_t row_order;    // vicinal_row_order, of rows
} vicinal_form;

// A result, which owns its arrays until vicinal_release. Columns that were not requested are
// null, and so is `images` in an open domain.
typedef struct vicinal_result {
    size_t size;              // of this struct in the library
    uint64_t count;           // pairs; entries of rows
    uint64_t rows;            // rows; 0 for pairs
    const void* indices;      // pairs: 2 * count, in the given layout; rows: the neighbours
    const int16_t* images;    // count * dimension
    const void* vectors;      // count * dimension, of the scalar type
    const void* distances;    // count, of the scalar type
    const uint64_t* offsets;  // rows + 1: row k has entries offsets[k] ... offsets[k + 1] - 1
    const void* bodies;       // VICINAL_SPATIAL: the body of each row
    int32_t dimension;
    int32_t scalar;  // vicinal_scalar
    int32_t index;   // vicinal_index
    int32_t layout;  // vicinal_layout
} vicinal_result;

// Null is ignored.
VICINAL_EXPORT void vicinal_release(vicinal_result* result);
// Returns the memory of released results to the system.
VICINAL_EXPORT void vicinal_trim(void);

// ---- the finder ----------------------------------------------------------------------------

typedef struct vicinal_finder vicinal_finder;

VICINAL_EXPORT vicinal_status vicinal_new(const vicinal_options* options,
                                          vicinal_finder** finder);
// Null is ignored.
VICINAL_EXPORT void vicinal_free(vicinal_finder* finder);

// Takes the bodies of this step, in a new domain unless `domain` is null.
VICINAL_EXPORT vicinal_status vicinal_update(vicinal_finder* finder,
                                             const vicinal_bodies* bodies,
                                             const vicinal_domain* domain);

// The following take the bodies and search them at once, or search those of the last update if
// `bodies` is null.
VICINAL_EXPORT vicinal_status vicinal_pairs(vicinal_finder* finder,
                                            const vicinal_bodies* bodies,
                                            const vicinal_form* form, vicinal_result** result);
VICINAL_EXPORT vicinal_status vicinal_neighbours(vicinal_finder* finder,
                                                 const vicinal_bodies* bodies,
                                                 const vicinal_form* form,
                                                 vicinal_result** result);
VICINAL_EXPORT vicinal_status vicinal_count(vicinal_finder* finder,
                                            const vicinal_bodies* bodies, uint64_t* count);

// A run of pairs, each pair once, i < j; valid during the call of the consumer.
typedef struct vicinal_block {
    size_t size;  // of this struct in the library
    uint64_t count;
    const uint32_t* pairs;  // i0 j0 i1 j1 ...
    const int16_t* images;  // columns as in vicinal_result
    const void* vectors;
    const void* distances;
    int32_t worker;  // the calling worker, 0 <= worker < threads
} vicinal_block;

// Called from several threads at once. Not 0 ends the call with VICINAL_CANCELLED.
typedef int (*vicinal_consumer)(const vicinal_block* block, void* context);

// Streams the pairs without storing them. Of the form, only the columns matter.
VICINAL_EXPORT vicinal_status vicinal_stream(vicinal_finder* finder,
                                             const vicinal_bodies* bodies,
                                             const vicinal_form* form,
                                             vicinal_consumer consumer, void* context);

// Two sets: pairs (i in `others`, j in the finder's bodies) by the same rule as within one set.
VICINAL_EXPORT vicinal_status vicinal_pairs_with(const vicinal_finder* finder,
                                                 const vicinal_bodies* others,
                                                 const vicinal_form* form,
                                                 vicinal_result** result);
VICINAL_EXPORT vicinal_status vicinal_rows_with(const vicinal_finder* finder,
                                                const vicinal_bodies* others,
                                                const vicinal_form* form,
                                                vicinal_result** result);
// Queries of any shape and size of their own: pairs (query, body). Points that are queries
// reach as far as their cut-off; the finder's own points have no size. Points with
// displacements are line segments.
VICINAL_EXPORT vicinal_status vicinal_probe(const vicinal_finder* finder,
                                            const vicinal_bodies* queries,
                                            const vicinal_form* form, vicinal_result** result);
VICINAL_EXPORT vicinal_status vicinal_probe_rows(const vicinal_finder* finder,
                                                 const vicinal_bodies* queries,
                                                 const vicinal_form* form,
                                                 vicinal_result** result);
// Rows of the k nearest bodies of each query, nearest first, within max_distance (INFINITY:
// any). `queries` null: of the finder's own bodies, each without itself.
VICINAL_EXPORT vicinal_status vicinal_nearest(const vicinal_finder* finder,
                                              const vicinal_bodies* queries, uint64_t k,
                                              double max_distance, const vicinal_form* form,
                                              vicinal_result** result);

// Which pairs began and which ended since the last call (at the first call, all began), and
// which persist under another image because a body was wrapped. Keys are (id, id) and the
// image, in ascending order.
typedef struct vicinal_keys {
    uint64_t count;
    const uint32_t* pairs;  // i0 j0 i1 j1 ...
    const int16_t* images;  // count * dimension
} vicinal_keys;
typedef struct vicinal_change_list {
    size_t size;  // of this struct in the library
    vicinal_keys began, ended, renamed_from, renamed_to;
} vicinal_change_list;
VICINAL_EXPORT vicinal_status vicinal_changes(vicinal_finder* finder,
                                              vicinal_change_list** changes);
VICINAL_EXPORT void vicinal_release_changes(vicinal_change_list* changes);

// A spatially coherent order of the bodies: order[k] is the k-th body. `count` is their number.
VICINAL_EXPORT vicinal_status vicinal_order(const vicinal_finder* finder, uint32_t* order,
                                            uint64_t count);

// What the finder did last, as a JSON object. The text is valid until the finder's next call.
VICINAL_EXPORT vicinal_status vicinal_report(vicinal_finder* finder, const char** json);

// ---- without a finder ----------------------------------------------------------------------

// The full neighbour rows of many small systems. System s consists of bodies offsets[s] ...
// offsets[s + 1] - 1. One domain for each system, or one for all.
VICINAL_EXPORT vicinal_status vicinal_batch(const vicinal_options* options,
                                            const vicinal_bodies* bodies,
                                            const uint64_t* offsets, uint64_t systems,
                                            const vicinal_domain* domains,
                                            uint64_t domain_count, const vicinal_form* form,
                                            vicinal_result** result);

// Every method with its options, as a JSON array. The text is valid for ever.
VICINAL_EXPORT vicinal_status vicinal_methods(const char** json);

#ifdef __cplusplus
}
#endif
