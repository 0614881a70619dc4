#ifndef STEPSIM_MODEL_BASE_KNOWN_DIAGNOSTICS_H
#define STEPSIM_MODEL_BASE_KNOWN_DIAGNOSTICS_H

#include <array>
#include <span>
#include <string_view>

#include "model/base/diagnostic_tables/input_diagnostics.h"
#include "model/base/diagnostic_tables/profiler_diagnostics.h"
#include "model/base/diagnostic_tables/stitch_diagnostics.h"

/// Lists all diagnostics. `stepsim help NAME` explains each with the texts of its table. To add a diagnostic, add a row
/// to a table.
namespace stepsim {

inline constexpr std::array<std::span<const Diagnostic>, 8> kDiagnosticTables{
    kFileDiagnostics,           kKinetoDiagnostics,          kHostDeviceDiagnostics,
    kOtherProfilerDiagnostics,  kParameterServerDiagnostics, kTrialDiagnostics,
    kExecutionTraceDiagnostics, kCaptureDiagnostics};

/// Returns the diagnostic with this name. An unknown name does not compile, so every reported diagnostic has an
/// explanation in `stepsim help`.
[[nodiscard]] consteval const Diagnostic& diagnostic(std::string_view name) {
  for (const std::span<const Diagnostic> table : kDiagnosticTables) {
    for (const Diagnostic& known : table) {
      if (known.name == name) return known;
    }
  }
  throw "no table of diagnostics has this name";  // NOLINT: not a constant expression, so the compiler stops here
}

}  // namespace stepsim

#endif
