#ifndef STEPSIM_INGEST_FORMATS_KNOWN_OTHERS_H
#define STEPSIM_INGEST_FORMATS_KNOWN_OTHERS_H

#include <span>
#include <string>
#include <string_view>

namespace stepsim::ingest {

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
