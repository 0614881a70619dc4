#ifndef STEPSIM_INGEST_FORMATS_FORMAT_H
#define STEPSIM_INGEST_FORMATS_FORMAT_H

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "ingest/bytes/input.h"
#include "ingest/parts/part.h"

namespace stepsim::ingest {

/// A sign that an input is in a format. All conditions that are set must be true.
struct Sign {
  int sure = 0;                               ///< certainty if the sign matches, 1 to 100
  std::array<std::string_view, 2> named{};    ///< the file name is one of these; `*` at an end matches any text
  std::string_view opens{};                   ///< the first non-blank character is one of these
  std::string_view begins{};                  ///< the content begins with this
  std::array<std::string_view, 4> all{};      ///< the content contains all of these
  std::array<std::string_view, 8> any{};      ///< the content contains at least one of these
  std::array<std::string_view, 2> without{};  ///< the content contains none of these
};

/// Returns the certainty, 0 (no) to 100, that an input is in a format, from the input's name (without folders) and its
/// first 64 KiB, decompressed. The result is that of the first matching sign, or of a function. Does not throw.
class Recogniser {
 public:
  using Function = int (*)(std::string_view file_name, std::string_view head);

  template <std::size_t Count>
  constexpr Recogniser(const Sign (&signs)[Count]) noexcept : signs_(signs) {}  // NOLINT(google-explicit-constructor)
  constexpr Recogniser(Function function) noexcept : function_(function) {}     // NOLINT(google-explicit-constructor)

  [[nodiscard]] int operator()(std::string_view file_name, std::string_view head) const;

 private:
  std::span<const Sign> signs_;
  Function function_ = nullptr;
};

/// Returns the position of the first character of `text` that is neither blank nor part of a byte order mark; npos if
/// there is none.
[[nodiscard]] std::size_t first_character(std::string_view text) noexcept;

/// A trace format. Each has one .cpp in formats/ and one line in formats/CMakeLists.txt, from which CMake generates the
/// table that formats() returns. `kineto.cpp` defines `extern const Format kineto_format`.
struct Format {
  std::string_view name;     ///< "kineto"
  std::string_view summary;  ///< one line for --help and docs
  Recogniser recognise;
  /// Reads the input and gives the sink at least one part. Throws InputError if nothing in it is usable. Ctrl-C,
  /// progress and the checksum are handled by Input and need no code here.
  void (*read)(Input& input, PartSink& sink) = nullptr;
  bool is_chrome_trace = false;  ///< the files have a profiler's events ("traceEvents"), beside other members
};

/// All registered formats, in the order of CMakeLists.txt.
[[nodiscard]] std::span<const Format* const> formats();

/// Returns the format with this name, or null.
[[nodiscard]] const Format* find_format(std::string_view name);

/// A kind of file that users have next to their traces and that stepsim cannot read, with a remedy.
struct KnownOther {
  std::string_view what;    ///< "an Nsight Systems report"
  std::string_view remedy;  ///< what to use instead, without a full stop
  /// True if a file is of this kind, judged by its name (without folders) and its first 64 KiB, decompressed. Must not
  /// throw.
  bool (*recognise)(std::string_view file_name, std::string_view head) = nullptr;
};

/// Returns all known kinds. Those recognised by content come before those recognised by name.
[[nodiscard]] std::span<const KnownOther> known_others();

/// Returns the first kind that matches an input; null if none does.
[[nodiscard]] const KnownOther* find_known_other(std::string_view file_name, std::string_view head);

/// Returns for example "this is an Nsight Systems report: no trace can be read from it; expected ...".
[[nodiscard]] std::string problem_of(const KnownOther& other);

}  // namespace stepsim::ingest

#endif
