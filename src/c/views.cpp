#include "c/views.hpp"

#include "c/interrupt.hpp"

namespace vicinal::inline VICINAL_API {
namespace {

std::string type_name(int dimension, int scalar) {
    return std::to_string(dimension) + "-D " + (scalar == VICINAL_FLOAT ? "float" : "double");
}

// A field that is one of the values 0 ... last.
int choice(const char* field, int value, int last) {
    if (value < 0 || value > last)
        refuse(std::string("vicinal_form: ") + field + " is " + std::to_string(value) +
               "; use one of the values in vicinal.h");
    return value;
}

}  // namespace

void check_type(const char* name, int dimension, int scalar, int expected_dimension,
                int expected_scalar) {
    if (dimension == expected_dimension && scalar == expected_scalar) return;
    if (dimension != 2 && dimension != 3)
        refuse(std::string(name) + ": dimension is " + std::to_string(dimension) +
               "; it must be 2 or 3");
    if (scalar != VICINAL_FLOAT && scalar != VICINAL_DOUBLE)
        refuse(std::string(name) + ": scalar is " + std::to_string(scalar) +
               "; it must be VICINAL_FLOAT or VICINAL_DOUBLE");
    refuse(std::string(name) + " are " + type_name(dimension, scalar) +
           ", but the options are " + type_name(expected_dimension, expected_scalar) +
           "; they must be the same");
}

ReachRule rule_of(int rule) {
    switch (rule) {
        case VICINAL_SUM:
            return ReachRule::sum;
        case VICINAL_MAX:
            return ReachRule::max;
        case VICINAL_MIN:
            return ReachRule::min;
        default:
            refuse("vicinal_bodies: there is no rule " + std::to_string(rule) +
                   "; use VICINAL_SUM, VICINAL_MAX or VICINAL_MIN");
    }
}

std::size_t table_size(const vicinal_bodies& b) {
    if (b.kinds == 0 || b.kinds > 65536 || b.cutoffs == nullptr)
        refuse(
            "vicinal_bodies: `kind` needs `cutoffs`, kinds * kinds numbers with 1 to 65536 "
            "kinds; kinds is " +
            std::to_string(b.kinds));
    return b.kinds * b.kinds;
}

std::function<bool()> hook_of(const vicinal_options& o) {
    const auto hook = o.cancelled;
    void* const context = o.cancelled_context;
    if (o.interruptible == 0) {
        if (hook == nullptr) return {};
        return [hook, context] { return hook(context) != 0; };
    }
    return [hook, context] { return interrupted() || (hook != nullptr && hook(context) != 0); };
}

Form form_of(const vicinal_form* given, Columns default_columns) {
    Form form{default_columns, {}};
    if (given == nullptr) return form;
    const vicinal_form& f = checked(given, "vicinal_form");
    if (f.columns != nullptr) form.columns = columns_of(f.columns);
    if (choice("order", f.order, VICINAL_SORTED) == VICINAL_SORTED)
        form.pairs.order = Order::sorted;
    if (choice("kind", f.kind, VICINAL_FULL) != VICINAL_DEFAULT_KIND)
        form.pairs.kind = form.row_kind =
            f.kind == VICINAL_FULL ? RowKind::full : RowKind::half;
    if (choice("layout", f.layout, VICINAL_TWO_BY_N) == VICINAL_TWO_BY_N)
        form.pairs.layout = PairLayout::two_by_n;
    if (choice("row_order", f.row_order, VICINAL_SPATIAL) == VICINAL_SPATIAL)
        form.row_order = RowOrder::spatial;
    form.index = choice("index", f.index, VICINAL_INT64);
    return form;
}

}  // namespace vicinal::inline VICINAL_API
