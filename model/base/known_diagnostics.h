#ifndef STEPSIM_MODEL_BASE_KNOWN_DIAGNOSTICS_H
#define STEPSIM_MODEL_BASE_KNOWN_DIAGNOSTICS_H

#include <array>
#include <span>
#include <string_view>

#include "model/base/diagnostic_tables/input_diagnostics.h"
#include "model/base/diagnostic_tables/profiler_diagnostics.h"
#include "model/base/diagnostic_tables/stitch_diagnostics.h"

/// All diagnostics that there are. `stepsim help NAME` explains each in the words of its table; to add one, add its
/// row.
namespace stepsim {

inline constexpr std::array<std::span<const Diagnostic>, 8> kDiagnosticTables{
    kFileDiagnostics,           kKinetoDiagnostics,          kHostDeviceDiagnostics,
    kOtherProfilerDiagnostics,  kParameterServerDiagnostics, kTrialDiagnostics,
    kExecutionTraceDiagnostics, kCaptureDiagnostics};

/// The diagnostic of this name. One that no table has does not compile, so that nothing is reported that
/// `stepsim help` cannot explain.
[[nodiscard]] consteval const Diagnostic& diagnostic(std::string_view name) {
  for (const std::span<const Diagnostic> table : kDiagnosticTables) {
    for (const Diagnostic& known : table) {
      if (known.name == name) return known;
    }
  }
  throw "no table of diagnostics has this name";  // NOLINT: no constant expression, so the compiler stops here
}

}  // namespace stepsim

#endif
