// Shared by the tests of the simulators.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sim/checkpoint.hpp"
#include "sim/simulation.hpp"

namespace vicinal::test {

// Overwrites arrays of the state by name, to place bodies for a test.
class Put : public sim::StateVisitor {
  public:
    explicit Put(std::map<std::string, std::vector<double>> arrays)
        : arrays_(std::move(arrays)) {}
    ~Put() override { EXPECT_EQ(done_, arrays_.size()) << "the state has no such arrays"; }

  private:
    void bytes(std::string_view name, void* data, std::size_t size) override {
        const auto found = arrays_.find(std::string(name));
        if (found == arrays_.end() || found->second.size() * sizeof(double) != size) return;
        std::memcpy(data, found->second.data(), size);
        ++done_;
    }
    std::map<std::string, std::vector<double>> arrays_;
    std::size_t done_ = 0;
};

inline void put(sim::Simulation& simulation,
                std::map<std::string, std::vector<double>> arrays) {
    Put visitor(std::move(arrays));
    simulation.visit(visitor);
}

inline std::vector<double> get(const sim::Simulation& simulation, const std::string& name) {
    for (const sim::Field& field : simulation.fields())
        if (field.name == name) return {field.values.begin(), field.values.end()};
    ADD_FAILURE() << "no field " << name;
    return {};
}

inline void run(sim::Simulation& simulation, int steps) {
    for (int k = 0; k < steps; ++k) simulation.step();
}

}  // namespace vicinal::test
