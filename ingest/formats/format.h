#ifndef STEPSIM_INGEST_FORMATS_FORMAT_H
#define STEPSIM_INGEST_FORMATS_FORMAT_H

#include <span>
#include <string_view>

#include "ingest/bytes/input.h"
#include "ingest/parts/part_sink.h"

namespace stepsim::ingest {

/// A trace format: one .cpp in formats/ and one line in formats/CMakeLists.txt, from which
/// CMake generates the table behind formats(). `kineto.cpp` defines `extern const Format kineto_format`.
struct Format {
  std::string_view name;     ///< "kineto"
  std::string_view summary;  ///< one line for --help and docs
  /// How sure the format is that an input is its own, 0 (no) to 100, from its name (without
  /// folders) and its first 64 KiB, inflated. Must not throw.
  int (*recognise)(std::string_view file_name, std::string_view head) = nullptr;
  /// Reads the input and hands the sink at least one part. Throws InputError if nothing in it can be
  /// used. Ctrl-C, progress and the checksum are the input's business: they need no code here.
  void (*read)(Input& input, PartSink& sink) = nullptr;
};

/// All registered formats, in the order of CMakeLists.txt.
[[nodiscard]] std::span<const Format* const> formats();

}  // namespace stepsim::ingest

#endif
