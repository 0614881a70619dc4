#ifndef STEPSIM_INGEST_LOAD_RECOGNISE_H
#define STEPSIM_INGEST_LOAD_RECOGNISE_H

#include <string>
#include <string_view>

#include "ingest/formats/format.h"

namespace stepsim::ingest {

/// The format that is surest that `input` is its own, the first registered of equals; null if none is, or if none is
/// sure of what recognise_other() knows.
[[nodiscard]] const Format* recognise(const Input& input);
/// Whether the file at `path` is in the format of this name. Throws InputError if it cannot be read.
[[nodiscard]] bool is_in_format(const std::string& path, std::string_view format);
/// What `input` is, if it is known as no trace; else null.
[[nodiscard]] const KnownOther* recognise_other(const Input& input);

/// Whether an input that begins so is what `-o` of stepsim writes: an answer, or a replay in another form. Every
/// workbook counts, because no capture is one. Markdown and Parquet do not begin as ours: they are in no known format.
[[nodiscard]] bool is_own_export(std::string_view head);

/// Whether an input that begins so is what --json prints, or `-o` with the extension .json writes.
[[nodiscard]] bool is_own_answer(std::string_view head);

/// "kineto, byteps_comm or gml"
[[nodiscard]] std::string known_formats();

}  // namespace stepsim::ingest

#endif
