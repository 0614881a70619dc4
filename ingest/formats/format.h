#ifndef STEPSIM_INGEST_FORMATS_FORMAT_H
#define STEPSIM_INGEST_FORMATS_FORMAT_H

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "ingest/bytes/byte_source.h"
#include "ingest/parts/part.h"
#include "model/base/diagnostics.h"

namespace stepsim::ingest {

/// What a reader reports while it works, besides its Part.
struct ReadContext {
  Diagnostics diagnostics;
  std::uint64_t events = 0;   ///< records seen
  std::uint64_t skipped = 0;  ///< records that could not be used
  /// Set by Ctrl-C; readers look at it now and then and throw Interrupted. May be null.
  const std::atomic<bool>* stop = nullptr;
  /// Called now and then with the bytes of the file consumed so far. May be empty.
  std::function<void(std::uint64_t)> progress;
};

/// A trace format: one .cpp in formats/ and one line in formats/CMakeLists.txt, from which
/// CMake generates the table behind formats(). `kineto.cpp` defines `extern const Format kineto_format`.
struct Format {
  std::string_view name;     ///< "kineto"
  std::string_view summary;  ///< one line for --help and docs
  /// How sure the format is that a file is its own, 0 (no) to 100, from the file's name
  /// (without folders) and its first 64 KiB, inflated. Must not throw.
  int (*recognise)(std::string_view file_name, std::string_view head) = nullptr;
  /// Reads the whole file. Throws InputError if nothing in it can be used.
  Part (*read)(ByteSource& source, ReadContext& context) = nullptr;
};

/// All registered formats, in the order of CMakeLists.txt.
[[nodiscard]] std::span<const Format* const> formats();

}  // namespace stepsim::ingest

#endif
