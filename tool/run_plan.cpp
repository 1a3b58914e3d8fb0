#include "run_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <set>

#include "common/choices.hpp"
#include "common/text.hpp"
#include "text.hpp"

#include <vicinal/error.hpp>

namespace vicinal::tool {
namespace {

using Json = nlohmann::ordered_json;

// The other keys of a scene file, in the form of settings.
std::vector<sim::Setting> run_settings(const RunPlan& plan) {
    return {{"steps", plan.steps, ""},
            {"every", plan.frame_interval(), ""},
            {"checkpoint", plan.checkpoint, ""},
            {"method", plan.how.method, ""},
            {"threads", static_cast<std::uint64_t>(plan.how.threads), ""}};
}

void take_run_settings(const std::vector<sim::Setting>& list, RunPlan& plan) {
    const auto whole = [&](std::size_t k) { return std::get<std::uint64_t>(list[k].value); };
    plan.steps = whole(0);
    plan.every = whole(1);
    plan.checkpoint = whole(2);
    plan.how.method = std::get<std::string>(list[3].value);
    constexpr std::uint64_t max_threads = std::numeric_limits<int>::max();
    plan.how.threads = static_cast<int>(std::min(whole(4), max_threads));
}

std::string expected(const sim::Setting::Value& value) {
    constexpr const char* names[] = {"a whole number >= 0", "a number", "true or false",
                                     "a string"};
    return names[value.index()];
}

[[noreturn]] void fail_in(const std::string& where, const std::string& what) {
    throw Error(Error::Kind::input, fmt::format("{}: {}", where, what));
}

// Takes the value of `json` if it is of the same type.
bool take(const Json& json, sim::Setting::Value& value) {
    if (auto* whole = std::get_if<std::uint64_t>(&value)) {
        if (!json.is_number_unsigned()) return false;
        *whole = json.get<std::uint64_t>();
    } else if (auto* number = std::get_if<double>(&value)) {
        if (!json.is_number()) return false;
        *number = json.get<double>();
    } else if (auto* truth = std::get_if<bool>(&value)) {
        if (!json.is_boolean()) return false;
        *truth = json.get<bool>();
    } else {
        if (!json.is_string()) return false;
        std::get<std::string>(value) = json.get<std::string>();
    }
    return true;
}

void assign(sim::Setting::Value& value, const Json& json, const std::string& where) {
    if (take(json, value)) return;
    fail_in(where, fmt::format("{} is not {}",
                               json.dump(-1, ' ', false, Json::error_handler_t::replace),
                               expected(value)));
}

sim::Setting* find(std::vector<sim::Setting>& settings, const std::string& name) {
    const auto found = std::ranges::find(settings, name, &sim::Setting::name);
    return found == settings.end() ? nullptr : &*found;
}

std::vector<sim::Setting> both(std::vector<sim::Setting> list,
                               const std::vector<sim::Setting>& more) {
    list.insert(list.end(), more.begin(), more.end());
    return list;
}

[[noreturn]] void fail_unknown(const std::string& key, const RunPlan& plan) {
    auto run = run_settings(plan);
    const std::string nearest = common::near_miss(key, both(plan.settings, run));
    throw UsageError(fmt::format("{} has no setting '{}'{}", plan.simulation, key,
                                 find(run, nearest) != nullptr
                                     ? fmt::format("; use the flag --{}", nearest)
                                     : common::choices(key, plan.settings)));
}

// Rejects repeated keys, because it is undefined which value would be used.
Json parse_file(const std::string& file) {
    if (std::filesystem::is_directory(file)) fail_in(file, "is a folder; name a scene file");
    std::ifstream in(file, std::ios::binary);
    const std::string text(std::istreambuf_iterator<char>(in), {});
    if (!in) fail_in(file, "cannot be read; check the name");
    std::set<std::string> seen;
    std::string twice;
    const auto watch = [&](int depth, Json::parse_event_t event, Json& parsed) {
        if (event == Json::parse_event_t::key && depth == 1 &&
            !seen.insert(parsed.get<std::string>()).second)
            twice = parsed.get<std::string>();
        return true;
    };
    Json json;
    try {
        json = Json::parse(text, watch);
    } catch (const Json::exception& error) {  // also numbers that are too large
        const std::string message = error.what();
        fail_in(file, "is not valid JSON:" +
                          message.substr(std::min(message.find("] ") + 1, message.size())));
    }
    if (!twice.empty())
        fail_in(fmt::format("{}: /{}", file, twice), "is given twice; keep one");
    return json;
}

}  // namespace

RunPlan::RunPlan(const std::string& simulator) {
    const sim::Simulator& found = sim::find_simulator(simulator);
    simulation = found.name;
    settings = found.settings;
    steps = found.steps;
}

std::uint64_t RunPlan::frame_interval() const {
    constexpr std::uint64_t interval = 10, max_frames = 1000;
    return every.value_or(std::max(interval, steps / max_frames + (steps % max_frames != 0)));
}

std::unique_ptr<sim::Simulation> RunPlan::make() const {
    return sim::find_simulator(simulation).make(settings, how);
}

void assign(sim::Setting& setting, const std::string& text, const std::string& where) {
    Json json = text;
    double number = 0;
    // A whole number may be larger than a double holds exactly; JSON reads it digit by digit.
    if (std::holds_alternative<std::uint64_t>(setting.value) ||
        std::holds_alternative<bool>(setting.value))
        json = Json::parse(text, nullptr, false);
    else if (std::holds_alternative<double>(setting.value) && common::parse(text, number))
        json = number;
    if (json.is_discarded() || !take(json, setting.value))
        throw UsageError(
            fmt::format("{}: '{}' is not {}", where, text, expected(setting.value)));
}

RunPlan plan_from(const Json& json, const std::string& name) {
    if (!json.is_object()) fail_in(name, "is not a JSON object; write { ... }");
    if (!json.contains("simulation") || !json["simulation"].is_string())
        fail_in(name + ": /simulation", "is missing or not a string; name a simulation");
    RunPlan plan = [&] {
        try {
            return RunPlan(json["simulation"].get<std::string>());
        } catch (const Error& error) {
            fail_in(name + ": /simulation", error.what());
        }
    }();
    std::vector<sim::Setting> run = run_settings(plan);
    for (auto item = json.begin(); item != json.end(); ++item) {
        if (item.key() == "simulation") continue;
        const std::string where = fmt::format("{}: /{}", name, item.key());
        sim::Setting* setting = find(run, item.key());
        if (setting == nullptr) setting = find(plan.settings, item.key());
        if (setting == nullptr)
            fail_in(where,
                    "unknown key" +
                        common::choices(item.key(), both(both({{"simulation", "", ""}}, run),
                                                         plan.settings)));
        assign(setting->value, item.value(), where);
    }
    take_run_settings(run, plan);
    if (!json.contains("every")) plan.every.reset();  // --steps may still change the steps
    return plan;
}

RunPlan read_plan(const std::string& what, const std::vector<std::string>& words) {
    RunPlan plan = what.ends_with(".json") ? plan_from(parse_file(what), what) : RunPlan(what);
    std::set<std::string> seen;
    for (const std::string& word : words) {
        const std::size_t at = word.find('=');
        if (at == std::string::npos)
            throw UsageError(fmt::format("'{}' is not a setting; write key=value", word));
        sim::Setting* setting = find(plan.settings, word.substr(0, at));
        auto run = run_settings(plan);
        if (find(run, word.substr(0, at)) != nullptr)
            throw UsageError(fmt::format("'{}' is not a setting but a flag; write --{} {}",
                                         word, word.substr(0, at), word.substr(at + 1)));
        if (setting == nullptr) fail_unknown(word.substr(0, at), plan);
        if (!seen.insert(setting->name).second)
            throw UsageError(fmt::format("'{}' is given twice; give it once", setting->name));
        assign(*setting, word.substr(at + 1), setting->name);
    }
    return plan;
}

Json to_json(const RunPlan& plan) {
    Json json{{"simulation", plan.simulation}};
    for (const auto& list : {run_settings(plan), plan.settings})
        for (const sim::Setting& setting : list)
            std::visit([&](const auto& value) { json[setting.name] = value; }, setting.value);
    return json;
}

}  // namespace vicinal::tool
