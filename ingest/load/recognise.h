#ifndef STEPSIM_INGEST_LOAD_RECOGNISE_H
#define STEPSIM_INGEST_LOAD_RECOGNISE_H

#include <string>
#include <string_view>

#include "ingest/formats/format.h"

namespace stepsim::ingest {

/// Returns the format that is most certain to match `input`; if several are equally certain, the first registered one.
/// Returns null if none matches, or if none is certain and recognise_other() knows the file.
[[nodiscard]] const Format* recognise(const Input& input);
/// Returns the name of the format of the file at `path`; empty if no format matches. Throws InputError if the file
/// cannot be read.
[[nodiscard]] std::string_view format_of_file(const std::string& path);
/// Returns the kind of `input` if it is a known kind of file that is not a trace; else null.
[[nodiscard]] const KnownOther* recognise_other(const Input& input);

/// True if `head` is the beginning of a file that `-o` of stepsim writes: an answer, or a replay in another form. Every
/// workbook counts, because no capture is a workbook. Markdown and Parquet files of stepsim cannot be recognised; no
/// input format matches them anyway.
[[nodiscard]] bool is_own_export(std::string_view head);
/// True for a Chrome trace of tasks that sim/export wrote for viewers, and for a combined trace.
[[nodiscard]] bool is_own_timeline(std::string_view head);

/// True if `head` is the beginning of what --json prints, or what `-o` writes to a .json file.
[[nodiscard]] bool is_own_answer(std::string_view head);

/// Returns a phrase for error messages that lists the most common formats and how to find all: "a PyTorch profiler
/// .json or .json.gz, ...".
[[nodiscard]] std::string_view known_formats() noexcept;

}  // namespace stepsim::ingest

#endif
