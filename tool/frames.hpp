// Runs a search for each of the frames that the command line selects.
#pragma once

#include "input.hpp"
#include "output.hpp"
#include "summary.hpp"
#include "text.hpp"

namespace vicinal::tool {

// Checks the files, opens them and calls search(output, inputs, frame), which returns a
// Summary, for each frame. Prints one summary, or with --frame all a line for each frame.
template <class F>
int run_frames(const InputFlags& flags, const OutputFlags& output,
               const std::vector<std::string>& files, const InputFile& first,
               const InputFile& second, const F& search) {
    check_inputs(files);
    output.check(files);
    if (flags.all_frames() && output.file == "-")
        throw UsageError("--frame all writes one file for each frame; give -o a name, not -");
    Inputs inputs(flags, first, second);
    std::vector<Summary> summaries;
    for (const std::size_t frame : inputs.chosen()) {
        OutputFlags to = output;
        if (flags.all_frames()) {
            to = output.for_frame(frame + 1, inputs.chosen().size());
            to.check(files);
        }
        summaries.push_back(search(to, inputs, frame));
        summaries.back().frame = inputs.number(frame);
    }
    if (flags.all_frames())
        output.json ? print(to_json(summaries)) : print(to_text(summaries));
    else
        output.json ? print(to_json(summaries[0]), output.summary_stream())
                    : print(to_text(summaries[0]), output.summary_stream());
    return 0;
}

}  // namespace vicinal::tool
