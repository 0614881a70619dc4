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

/// A sign that an input is in a format. It holds if everything holds that it gives.
struct Sign {
  int sure = 0;                               ///< how sure the format then is, from 1 to 100
  std::array<std::string_view, 2> named{};    ///< the file's name is one of these; `*` at an end stands for any text
  std::string_view opens{};                   ///< the first character that is not blank is one of these
  std::string_view begins{};                  ///< the content begins so
  std::array<std::string_view, 4> all{};      ///< the content holds all of these
  std::array<std::string_view, 8> any{};      ///< and one of these
  std::array<std::string_view, 2> without{};  ///< and none of these
};

/// How sure a format is that an input is its own, 0 (no) to 100, from the input's name (without folders) and its first
/// 64 KiB, inflated: as sure as the first of its signs that holds, or as a function says. Does not throw.
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

/// Where the first character of `text` is that is not blank, after a byte order mark; npos if there is none.
[[nodiscard]] std::size_t first_character(std::string_view text) noexcept;

/// A trace format: one .cpp in formats/ and one line in formats/CMakeLists.txt, from which
/// CMake generates the table behind formats(). `kineto.cpp` defines `extern const Format kineto_format`.
struct Format {
  std::string_view name;     ///< "kineto"
  std::string_view summary;  ///< one line for --help and docs
  Recogniser recognise;
  /// Reads the input and hands the sink at least one part. Throws InputError if nothing in it can be
  /// used. Ctrl-C, progress and the checksum are the input's business: they need no code here.
  void (*read)(Input& input, PartSink& sink) = nullptr;
};

/// All registered formats, in the order of CMakeLists.txt.
[[nodiscard]] std::span<const Format* const> formats();

/// A kind of file that people have beside their traces and that cannot be read, with what to do instead.
struct KnownOther {
  std::string_view what;    ///< "an Nsight Systems report"
  std::string_view remedy;  ///< what to give in its place, without a full stop
  /// From its name (without folders) and its first 64 KiB, inflated. Must not throw.
  bool (*recognise)(std::string_view file_name, std::string_view head) = nullptr;
};

/// All of them. What is told by its content stands before what is told by its name.
[[nodiscard]] std::span<const KnownOther> known_others();

/// The first that recognises an input; null if none does.
[[nodiscard]] const KnownOther* find_known_other(std::string_view file_name, std::string_view head);

/// "this is an Nsight Systems report: no trace can be read from it; expected ..."
[[nodiscard]] std::string problem_of(const KnownOther& other);

}  // namespace stepsim::ingest

#endif
