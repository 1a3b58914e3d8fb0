// Embree 3: rtcCollide of a scene with itself. The boxes are user geometry; the tree is built
// with low quality, which its documentation recommends for scenes rebuilt every frame. Embree
// reports candidates from several threads; the callback decides.
#include <embree3/rtcore.h>

#include <atomic>
#include <stdexcept>

#include "bench/peers/peer.hpp"
#include "common/stopwatch.hpp"

namespace vicinal::peers {
namespace {

struct Box {
    float lower[3], upper[3];
};

bool meet(const Box& a, const Box& b) {
    for (int x = 0; x < 3; ++x)
        if (a.lower[x] > b.upper[x] || b.lower[x] > a.upper[x]) return false;
    return true;
}

// A unique index for each thread that calls back during a run.
class ThreadNumbers {
  public:
    std::size_t mine() {
        thread_local std::uint64_t run = 0;
        thread_local std::size_t number = 0;
        if (run != run_) {
            run = run_;
            number = next_++;
        }
        return number;
    }
    void new_run() {
        ++run_;
        next_ = 0;
    }

  private:
    std::uint64_t run_ = 0;
    std::atomic<std::size_t> next_ = 0;
};

ThreadNumbers thread_numbers;

// The only device. Devices share their threads, so a device for one thread would use the
// threads of another device. A row with another number of threads replaces the device, outside
// the timed part.
class Device {
  public:
    ~Device() { release(); }

    RTCDevice with(int threads) {
        if (threads_ == threads) return device_;
        release();
        const std::string setting = "start_threads=1,threads=" + std::to_string(threads);
        device_ = rtcNewDevice(setting.c_str());
        if (device_ == nullptr) throw std::runtime_error("Embree failed to create a device");
        threads_ = threads;
        rtcSetDeviceErrorFunction(
            device_,
            [](void* error, RTCError, const char* text) {
                *static_cast<std::string*>(error) = text;
            },
            &error_);
        return device_;
    }
    void check() const {
        if (!error_.empty()) throw std::runtime_error(error_);
    }

  private:
    void release() {
        if (device_ != nullptr) rtcReleaseDevice(device_);
        device_ = nullptr;
        threads_ = 0;
    }

    RTCDevice device_ = nullptr;
    int threads_ = 0;
    std::string error_;
};

Device the_device;

struct Output {
    const std::vector<Box>& boxes;
    Found& found;
};

class Embree : public Peer {
  public:
    void prepare(const Problem& problem) override {
        boxes_.resize(problem.size());
        for (std::size_t i = 0; i < boxes_.size(); ++i)
            for (std::size_t a = 0; a < 3; ++a) {
                boxes_[i].lower[a] = static_cast<float>(problem.position[i * 3 + a]);
                boxes_[i].upper[a] = static_cast<float>(problem.upper[i * 3 + a]);
            }
    }

    void run(int threads, Found& found) override {
        const RTCDevice device = the_device.with(threads);
        found.clear(threads);
        thread_numbers.new_run();
        Output output{boxes_, found};
        const common::Stopwatch watch;
        RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_USER);
        rtcSetGeometryUserPrimitiveCount(geometry, static_cast<unsigned>(boxes_.size()));
        rtcSetGeometryUserData(geometry, boxes_.data());
        rtcSetGeometryBuildQuality(geometry, RTC_BUILD_QUALITY_LOW);
        rtcSetGeometryBoundsFunction(geometry, bounds, nullptr);
        rtcCommitGeometry(geometry);
        RTCScene scene = rtcNewScene(device);
        rtcSetSceneBuildQuality(scene, RTC_BUILD_QUALITY_LOW);
        rtcAttachGeometry(scene, geometry);
        rtcCommitScene(scene);
        rtcCollide(scene, scene, collide, &output);
        found.seconds = watch.seconds();
        rtcReleaseGeometry(geometry);
        rtcReleaseScene(scene);
        the_device.check();
    }

  private:
    static void bounds(const RTCBoundsFunctionArguments* arguments) {
        const Box& box = static_cast<const Box*>(arguments->geometryUserPtr)[arguments->primID];
        RTCBounds& result = *arguments->bounds_o;
        result.lower_x = box.lower[0], result.upper_x = box.upper[0];
        result.lower_y = box.lower[1], result.upper_y = box.upper[1];
        result.lower_z = box.lower[2], result.upper_z = box.upper[2];
    }

    static void collide(void* user, RTCCollision* collisions, unsigned count) {
        auto& [boxes, found] = *static_cast<Output*>(user);
        auto& out = found.parts.at(thread_numbers.mine());
        for (unsigned k = 0; k < count; ++k) {
            const Index i = collisions[k].primID0, j = collisions[k].primID1;
            if (i < j && meet(boxes[i], boxes[j])) out.push_back({i, j});
        }
    }

    std::vector<Box> boxes_;
};

}  // namespace

PeerInfo embree() {
    return {"embree",
            "boxes in 3-D, float",
            [](const Problem& problem) {
                return problem.shape == Shape::boxes && problem.dim == 3 && problem.single;
            },
            true,
            true,
            [](const Problem&) -> std::unique_ptr<Peer> { return std::make_unique<Embree>(); }};
}

}  // namespace vicinal::peers
