#include "mpi/partition.hpp"

#include <zoltan.h>

#include <limits>
#include <memory>

namespace vicinal::inline VICINAL_API::mpi {
namespace {

// What Zoltan asks for.
template <int D>
struct Objects {
    std::span<const Vector<double, D>> positions;
    std::span<const double> weights;
    Vector<double, D> lengths;
};

template <int D>
int count_objects(void* data, int* error) {
    *error = ZOLTAN_OK;
    return static_cast<int>(static_cast<Objects<D>*>(data)->positions.size());
}

// Its global ids may have 32 bits. It does not use them to cut, so the local numbers do.
template <int D>
void list_objects(void* data, int, int, ZOLTAN_ID_PTR global, ZOLTAN_ID_PTR local, int,
                  float* weights, int* error) {
    const auto& objects = *static_cast<Objects<D>*>(data);
    for (std::size_t k = 0; k < objects.positions.size(); ++k) {
        global[k] = local[k] = static_cast<ZOLTAN_ID_TYPE>(k);
        weights[k] = static_cast<float>(objects.weights[k]);
    }
    *error = ZOLTAN_OK;
}

template <int D>
int count_dimensions(void*, int* error) {
    *error = ZOLTAN_OK;
    return D;
}

template <int D>
void list_positions(void* data, int, int, int count, ZOLTAN_ID_PTR, ZOLTAN_ID_PTR local, int,
                    double* to, int* error) {
    const auto& objects = *static_cast<Objects<D>*>(data);
    for (int k = 0; k < count; ++k)
        for (std::size_t a = 0; a < D; ++a)
            *to++ = objects.positions[local[k]][a] * objects.lengths[a];
    *error = ZOLTAN_OK;
}

// ZOLTAN_WARN is no error: the result is valid.
void check(int result, const char* what) {
    if (result != ZOLTAN_OK && result != ZOLTAN_WARN)
        throw Error(result == ZOLTAN_MEMERR ? Error::Kind::memory : Error::Kind::input,
                    std::string("mpi: Zoltan failed to ") + what + " (code " +
                        std::to_string(result) + ")");
}

struct DestroyZoltan {
    void operator()(Zoltan_Struct* zoltan) const { Zoltan_Destroy(&zoltan); }
};

}  // namespace

template <int D>
Regions<D> bisect(const Communicator& comm, std::span<const Vector<double, D>> positions,
                  std::span<const double> weights, const Vector<double, D>& lengths) {
    using Sides = typename Regions<D>::Sides;
    const auto parts = static_cast<std::size_t>(comm.size());
    // Without any body Zoltan would print a warning.
    if (comm.sum(positions.size()) == 0) return Regions<D>({}, {}, parts, lengths);
    float version = 0;
    check(Zoltan_Initialize(0, nullptr, &version), "begin");
    const std::unique_ptr<Zoltan_Struct, DestroyZoltan> zoltan(Zoltan_Create(comm.get()));
    Objects<D> objects{positions, weights, lengths};
    constexpr const char* parameters[][2] = {
        {"DEBUG_LEVEL", "0"},
        {"RCB_OUTPUT_LEVEL", "0"},
        {"LB_METHOD", "RCB"},
        {"KEEP_CUTS", "1"},
        {"RETURN_LISTS", "NONE"},
        {"NUM_GID_ENTRIES", "1"},
        {"NUM_LID_ENTRIES", "1"},
        {"OBJ_WEIGHT_DIM", "1"},
        {"CHECK_GEOM", "0"},
        // All positions on a cut go to the same side, as in Regions::part_at().
        {"RCB_RECTILINEAR_BLOCKS", "1"}};
    for (const auto& [name, value] : parameters)
        check(Zoltan_Set_Param(zoltan.get(), name, value), "set its parameters");
    Zoltan_Set_Num_Obj_Fn(zoltan.get(), count_objects<D>, &objects);
    Zoltan_Set_Obj_List_Fn(zoltan.get(), list_objects<D>, &objects);
    Zoltan_Set_Num_Geom_Fn(zoltan.get(), count_dimensions<D>, &objects);
    Zoltan_Set_Geom_Multi_Fn(zoltan.get(), list_positions<D>, &objects);
    int changed = 0, gid_entries = 0, lid_entries = 0, imports = 0, exports = 0;
    ZOLTAN_ID_PTR import_gids = nullptr, import_lids = nullptr, export_gids = nullptr,
                  export_lids = nullptr;
    int *import_ranks = nullptr, *import_parts = nullptr, *export_ranks = nullptr,
        *export_parts = nullptr;
    check(
        Zoltan_LB_Partition(zoltan.get(), &changed, &gid_entries, &lid_entries, &imports,
                            &import_gids, &import_lids, &import_ranks, &import_parts, &exports,
                            &export_gids, &export_lids, &export_ranks, &export_parts),
        "bisect");
    Zoltan_LB_Free_Part(&import_gids, &import_lids, &import_ranks, &import_parts);
    Zoltan_LB_Free_Part(&export_gids, &export_lids, &export_ranks, &export_parts);
    std::vector<Sides> boxes(parts);
    for (std::size_t p = 0; p < parts; ++p) {
        int dimensions = 0;
        std::array<double, 3> low{}, high{};
        check(Zoltan_RCB_Box(zoltan.get(), static_cast<int>(p), &dimensions, &low[0], &low[1],
                             &low[2], &high[0], &high[1], &high[2]),
              "return its regions");
        for (std::size_t a = 0; a < D; ++a) {
            boxes[p].lower[a] = low[a] / lengths[a];
            boxes[p].upper[a] = high[a] / lengths[a];
        }
    }
    return Regions<D>(boxes);
}

template Regions<2> bisect<2>(const Communicator&, std::span<const Vector<double, 2>>,
                              std::span<const double>, const Vector<double, 2>&);
template Regions<3> bisect<3>(const Communicator&, std::span<const Vector<double, 3>>,
                              std::span<const double>, const Vector<double, 3>&);

}  // namespace vicinal::inline VICINAL_API::mpi
