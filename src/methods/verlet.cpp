// Verlet list around another method (Verlet 1967): the finder lists all pairs of enlarged
// bodies by that method and, while no body leaves its fat bounds, only filters the list. The
// layer itself is finder/skin.hpp; the registry sees it as the inner method with a skin width.
#include "methods/registry.hpp"

namespace vicinal::inline VICINAL_API {
namespace {

template <Real T, int D>
std::unique_ptr<Method<T, D>> make_inner(const Choice& choice) {
    return make_method<T, D>(choose_method(choice.word("inner")));
}

}  // namespace

MethodEntry describe_verlet() {
    return {
        {"verlet",
         "a Verlet list of near pairs, filtered each step and rebuilt when bodies have moved",
         {{"inner",
           "row_grid",
           "the method that makes the list",
           0,
           0,
           {},
           OptionInfo::Kind::method},
          {"skin",
           "auto",
           "width of the skin; auto: chosen from motion and counts; 0: no list",
           0,
           1e30,
           {"auto"}}}},
        make_inner<float, 2>,
        make_inner<float, 3>,
        make_inner<double, 2>,
        make_inner<double, 3>};
}

}  // namespace vicinal::inline VICINAL_API
