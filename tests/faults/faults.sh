#!/usr/bin/env bash
# Does the short suite find faults? Plants faults in a copy of the tree, one at a time, builds
# the suites of the library and runs them as scripts/test.sh does: each fault must make one
# fail. Takes about 15 minutes on two cores with ccache; not part of any test run.
#   tests/faults/faults.sh [NUMBER ...]      only these faults
set -euo pipefail
cd "$(dirname "$0")/../.."
own=$PWD
tree=$own/build/faults
mkdir -p "$tree"
copy() { tar -C "$own" --exclude=./build --exclude=./.git -cf - . | tar -C "$tree" -xf - --skip-old-files; }

# FILE | what to replace (once) | by what | what is wrong
faults=(
    'src/scene/shifts.cpp|std::floor(width - span.lo[k])|std::floor(width - span.lo[k] - 0.001)|no ghost of a body that crosses a face by a thousandth of a period'
    'src/row_grid/strip_join.cpp|scratch.slab_x[hi] <= x + 1|scratch.slab_x[hi] <= x|a strip that ends one cell early'
    'src/row_grid/strips-inl.hpp|hn::FirstN(dc, end - k) : beside|hn::FirstN(dc, end - k - 1) : beside|the last candidate of a strip is masked'
    'src/scene/shape.hpp|half * (1 + 8 * eps)|half * (1 - 8 * eps)|no widening for what rounding accepts'
    'src/sieve/decide.hpp|dot(d, d) <= reach * reach|dot(d, d) < reach * reach|touching does not count'
    'src/row_grid/box_grid.cpp|if (!scene.periodic()) return;|return;|ghosts that claim to be lowest images'
    'src/structures/cell_records.hpp|std::clamp(result.a[k] - 1, below|std::clamp(result.a[k], below|queries that skip the cell before theirs'
    'src/scene/exclusions.cpp|max_gap_ = std::max(max_gap_, entry.j - entry.i);|max_gap_ = entry.j - entry.i;|excluded pairs of bodies with far numbers are reported'
    'src/finder/fat_bounds.cpp|ReachRule::sum ? 0.5 : 1) * width_|ReachRule::sum ? 0.25 : 1) * width_|a skin of half the width promised'
    'src/row_grid/class_test-inl.hpp|hn::And(look_up(high, first), look_up(bit_of[1], second))|hn::Zero(d8)|classes above the eighth never pair'
    'src/row_grid/point_sink.cpp|if (!classes_->allows(|if (false && !classes_->allows(|undecided pairs of classes that may not pair'
    'src/row_grid/point_grid.cpp|of_body[scene.body(instances[e])]} << shift|of_body[e]} << shift|the class of another body'
    'src/base/sort.hpp|at += own + (spare ? own / 8 + min_slack : 0);|at += own + (spare ? own / 8 : 0) - (own > 40 ? 1 : 0);|a bucket that overlaps the next by one record'
)

suites=(unit_core agreement nearest tree_options unit_approximate torture)
found=0
run=0
for number in "${@:-$(seq ${#faults[@]})}"; do
    for n in $number; do
        IFS='|' read -r file old new what <<<"${faults[n - 1]}"
        copy
        python3 - "$own/$file" "$tree/$file" "$old" "$new" <<'P'
import sys
source, target, old, new = sys.argv[1:]
text = open(source).read()
assert text.count(old) >= 1, f"{source}: '{old}' is not there any more"
open(target, "w").write(text.replace(old, new, 1))
P
        (cd "$tree" && cmake --preset release -DVICINAL_TESTS=ON -DVICINAL_EXAMPLES=OFF \
            ${FAULTS_CMAKE:-} && cmake --build build/release --target "${suites[@]}") \
            >"$tree/build.log" 2>&1 || { tail "$tree/build.log" >&2; exit 1; }
        by=
        for suite in "${suites[@]}"; do
            if ! timeout 900 "$tree/build/release/tests/$suite" --gtest_brief=1 \
                --gtest_filter=-*float_2d*:*double_3d* --gtest_fail_fast >"$tree/$suite.log" 2>&1; then
                by=$suite
                break
            fi
        done
        run=$((run + 1))
        [ -z "$by" ] || found=$((found + 1))
        printf '%2d  %-62s %s\n' "$n" "$what" "${by:+found by $by: $(grep -m1 -oE '\[  FAILED  \] [^ ]+' "$tree/$by.log" | cut -c14-)}"
        cp "$own/$file" "$tree/$file"
    done
done
echo "$found of $run faults found"
[ "$found" -eq "$run" ]
