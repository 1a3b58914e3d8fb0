// H5MD files, made here with the HDF5 library.
#include <hdf5.h>

#include "support.hpp"

namespace vicinal::io {
namespace {

using Sizes = std::vector<hsize_t>;

class H5File {
  public:
    explicit H5File(const fs::path& path)
        : file_(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)),
          link_(H5Pcreate(H5P_LINK_CREATE)) {
        H5Pset_create_intermediate_group(link_, 1);
    }
    ~H5File() {
        H5Pclose(link_);
        H5Fclose(file_);
    }

    void group(const std::string& name) {
        H5Gclose(H5Gcreate2(file_, name.c_str(), link_, H5P_DEFAULT, H5P_DEFAULT));
    }

    // A null `values` writes nothing.
    void dataset(const std::string& name, hid_t type, const Sizes& sizes, const void* values,
                 const std::int64_t* fill = nullptr) {
        const hid_t space = sizes.empty() ? H5Screate(H5S_SCALAR)
                                          : H5Screate_simple(static_cast<int>(sizes.size()),
                                                             sizes.data(), nullptr);
        const hid_t list = H5Pcreate(H5P_DATASET_CREATE);
        if (fill != nullptr) H5Pset_fill_value(list, H5T_NATIVE_INT64, fill);
        const hid_t set =
            H5Dcreate2(file_, name.c_str(), type, space, link_, list, H5P_DEFAULT);
        if (values != nullptr) H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
        H5Dclose(set);
        H5Pclose(list);
        H5Sclose(space);
    }
    void doubles(const std::string& name, const Sizes& sizes, const Values& values) {
        dataset(name, H5T_NATIVE_DOUBLE, sizes, values.data());
    }
    void integers(const std::string& name, const Sizes& sizes,
                  const std::vector<std::int64_t>& values, const std::int64_t* fill = nullptr) {
        dataset(name, H5T_NATIVE_INT64, sizes, values.data(), fill);
    }

    // Words of variable length as h5py writes them, or of a fixed one.
    void words(const std::string& object, const std::string& attribute,
               const std::vector<std::string>& values, bool variable) {
        const hid_t type = H5Tcopy(H5T_C_S1);
        H5Tset_size(type, variable ? H5T_VARIABLE : 10);
        const hsize_t count = values.size();
        const hid_t space = H5Screate_simple(1, &count, nullptr);
        const hid_t at = H5Oopen(file_, object.c_str(), H5P_DEFAULT);
        const hid_t a =
            H5Acreate2(at, attribute.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT);
        std::vector<const char*> pointers;
        std::string fixed;
        for (const std::string& value : values) {
            pointers.push_back(value.c_str());
            fixed += value + std::string(10 - value.size(), '\0');
        }
        H5Awrite(a, type, variable ? static_cast<const void*>(pointers.data()) : fixed.data());
        H5Aclose(a);
        H5Oclose(at);
        H5Sclose(space);
        H5Tclose(type);
    }

  private:
    hid_t file_, link_;
};

const std::string all = "/particles/all/";

// Two frames of two particles.
void add_positions(H5File& file, const std::string& group = all) {
    file.doubles(group + "position/value", {2, 2, 3}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
    file.integers(group + "position/step", {2}, {0, 100});
}

TEST(H5md, FramesAndBox) {
    const Folder folder;
    for (const bool variable : {false, true}) {
        {
            H5File file(folder / "a.h5");
            add_positions(file);
            file.integers(all + "id/value", {2, 2}, {5, 6, 7, 8});
            const float radius[] = {0.5f, 0.25f};
            file.dataset(all + "radius", H5T_NATIVE_FLOAT, {2}, radius);
            file.doubles(all + "velocity/value", {2, 2, 3}, Values(12));
            file.doubles(all + "box/edges/value", {2, 3}, {4, 5, 6, 7, 8, 9});
            file.words(all + "box", "boundary", {"periodic", "none", "periodic"}, variable);
        }
        TableFile file(folder / "a.h5");
        EXPECT_TRUE(file.has_frames());
        EXPECT_EQ(file.frames(), 2u);
        const Table table = file.read(1);
        EXPECT_EQ(table.rows, 2u);
        EXPECT_EQ(names(table), (std::vector<std::string>{"x", "y", "z", "id", "radius"}));
        EXPECT_EQ(column(table, "x"), (Values{6, 9}));
        EXPECT_EQ(column(table, "id"), (Values{7, 8}));
        EXPECT_EQ(column(table, "radius"), (Values{0.5, 0.25}));
        ASSERT_TRUE(table.cell);
        EXPECT_EQ(table.cell->vectors[1], (std::array<double, 3>{0, 8, 0}));
        EXPECT_EQ(table.cell->periodic, (std::array<bool, 3>{true, false, true}));
        EXPECT_EQ(column(file.read(0), "x"), (Values{0, 3}));
        expect_words(message([&] { file.read(2); }), "a.h5", {"no frame 3", "2 frames"});
    }
}

TEST(H5md, ConstantElementsAndLatticeVectors) {
    const Folder folder;
    {
        H5File file(folder / "a.h5md");
        file.doubles(all + "position", {1, 2}, {1, 2});
        file.doubles(all + "box/edges", {2, 2}, {4, 0, 1, 5});
        file.words(all + "box", "boundary", {"periodic", "periodic"}, true);
    }
    const Table table = read_table(folder / "a.h5md");
    EXPECT_EQ(names(table), (std::vector<std::string>{"x", "y"}));
    EXPECT_EQ(table.cell.value().vectors[1], (std::array<double, 3>{1, 5, 0}));
    EXPECT_FALSE(table.cell->periodic[2]);
}

// The box was written less often: the last one that is not later counts.
TEST(H5md, StepsOfTheBox) {
    const Folder folder;
    const auto length = [&](std::size_t frame, const Sizes& sizes,
                            const std::vector<std::int64_t>& steps) {
        {
            H5File file(folder / "a.h5");
            file.doubles(all + "position/value", {4, 1, 3}, Values(12));
            file.integers(all + "position/step", {4}, {0, 10, 20, 30});
            file.doubles(all + "box/edges/value", {2, 3}, {4, 4, 4, 5, 5, 5});
            file.integers(all + "box/edges/step", sizes, steps);
            file.words(all + "box", "boundary", {"periodic", "periodic", "periodic"}, true);
        }
        return TableFile(folder / "a.h5").read(frame).cell.value().vectors[0][0];
    };
    EXPECT_EQ(length(1, {2}, {0, 20}), 4);
    EXPECT_EQ(length(2, {2}, {0, 20}), 5);
    EXPECT_EQ(length(3, {2}, {0, 20}), 5);
    EXPECT_EQ(length(2, {}, {30}), 4);  // every 30 steps
    EXPECT_EQ(length(3, {}, {30}), 5);
    expect_words(message([&] { length(0, {2}, {5, 20}); }), "a.h5", {"edges"});
}

// A particle whose id is the fill value does not exist in the frame.
TEST(H5md, NumbersOfParticlesThatVary) {
    const Folder folder;
    const std::int64_t absent = -1;
    {
        H5File file(folder / "a.h5");
        add_positions(file);
        file.integers(all + "id/value", {2, 2}, {5, 6, -1, 6}, &absent);
    }
    TableFile file(folder / "a.h5");
    EXPECT_EQ(file.read(0).rows, 2u);
    const Table table = file.read(1);
    EXPECT_EQ(table.rows, 1u);
    EXPECT_EQ(column(table, "x"), (Values{9}));
    EXPECT_EQ(column(table, "id"), (Values{6}));
}

TEST(H5md, Groups) {
    const Folder folder;
    {
        H5File file(folder / "a.h5");
        add_positions(file, "/particles/ions/");
        file.doubles("/particles/water/position", {1, 3}, {7, 8, 9});
    }
    const std::string name = folder / "a.h5";
    EXPECT_EQ(column(read_table(name + ":water"), "x"), (Values{7}));
    EXPECT_EQ(column(read_table(name + ":ions"), "x"), (Values{0, 3}));
    expect_words(message([&] { read_table(name); }), "a.h5", {"ions, water", "a.h5:ions"});
    expect_words(message([&] { read_table(name + ":salt"); }), "a.h5", {"/particles/salt"});
}

TEST(H5md, Refusals) {
    const Folder folder;
    const fs::path path = folder / "a.h5";
    const auto refused = [&](const std::vector<std::string>& words) {
        expect_words(message([&] { read_table(path); }), "a.h5", words);
    };
    put(path, "no HDF5 here");
    refused({"HDF5"});
    {
        H5File file(path);
    }
    refused({"/particles"});
    {
        H5File(path).group("/particles");
    }
    refused({"empty"});
    {
        H5File(path).group(all + "box");
    }
    refused({"no positions", "/particles/all"});
    {
        H5File(path).doubles(all + "position", {2, 4}, Values(8));
    }
    refused({"no positions", "2 or 3"});
    {
        H5File(path).doubles(all + "position/value", {0, 1, 3}, {});
    }
    refused({"no frame"});
    // Declared, but never written.
    {
        H5File(path).dataset(all + "position", H5T_NATIVE_DOUBLE, {1'000'000'000, 3}, nullptr);
    }
    refused({"more positions than it holds"});
    {
        H5File file(path);
        add_positions(file);
        file.doubles(all + "box/edges", {2}, {1, 1});
    }
    refused({"edges", "3 lengths"});
    {
        H5File file(path);
        add_positions(file);
        file.doubles(all + "box/edges", {3}, {1, 1, 1});
    }
    refused({"boundary", "periodic or none"});
    {
        H5File file(path);
        add_positions(file);
    }
    const std::string bytes = get(path);
    for (std::size_t size = 1; size < bytes.size(); size += 97) {
        put(path, bytes.substr(0, size));
        EXPECT_NE(message([&] { read_table(path); }), "no error") << size;
    }
}

}  // namespace
}  // namespace vicinal::io
