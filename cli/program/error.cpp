#include "cli/program/error.h"

#include <fmt/core.h>
#include <sys/resource.h>

#include <filesystem>
#include <new>

#include "cli/program/last_resort.h"
#include "cli/program/output.h"
#include "model/base/cannot_answer.h"
#include "model/base/error.h"
#include "model/base/text.h"
#include "model/base/units.h"
#include "model/job/dag_builder.h"

namespace stepsim::cli {
namespace {

// Messages escape the names in them. This catches what is left, such as a library's what(), so that an
// error is always one line.
constexpr std::size_t kLineLimit = 2000;
constexpr std::string_view kMark = "error:";  // kNoThreadsLine begins so too

Failure failure(ExitCode code, std::string_view what) {
  return {code, fmt::format("{} {}\n", kMark, shown(what, kLineLimit))};
}

std::string memory_text() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
    return "out of memory; free some, or read fewer files, --ranks or --steps at a time";
  }
  return fmt::format(
      "out of memory under the limit of {} (ulimit -v); raise it, or read fewer files, --ranks or --steps at a time",
      to_text(Bytes{static_cast<std::int64_t>(limit.rlim_cur)}));
}

Failure describe_rethrown(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const CannotAnswer& e) {
    return failure(ExitCode::kCannotAnswer, e.what());
  } catch (const InputError& e) {
    return failure(ExitCode::kUnusable, e.what());
  } catch (const OutputError& e) {
    return failure(ExitCode::kUnusable, e.what());
  } catch (const CycleError& e) {
    return failure(ExitCode::kUnusable, e.what());
  } catch (const UsageError& e) {
    return failure(ExitCode::kWrongUsage, e.what());
  } catch (const GateFailed& e) {
    return failure(ExitCode::kGateFailed, e.what());
  } catch (const Interrupted& e) {
    return failure(ExitCode::kInterrupted, e.what());
  } catch (const std::bad_alloc&) {
    return failure(ExitCode::kUnusable, memory_text());
  } catch (const std::filesystem::filesystem_error& e) {
    return failure(ExitCode::kUnusable, fmt::format("{}: the file system refuses it: {}; expected a file in reach",
                                                    shown(e.path1().string()), e.code().message()));
  } catch (const std::exception& e) {
    if (is_thread_shortage(e)) return {ExitCode::kUnusable, std::string(kNoThreadsLine)};
    return failure(ExitCode::kOurBug,
                   fmt::format("a bug in stepsim: {}; please report it with the command line", e.what()));
  } catch (...) {
    return failure(ExitCode::kOurBug,
                   "a bug in stepsim: an exception of unknown type; please report it with the command line");
  }
}

}  // namespace

Failure describe(const std::exception_ptr& error) {
  // What memory that ran out led to is often another exception: text that was cut, an archive that seems damaged.
  return memory_ran_out() ? failure(ExitCode::kUnusable, memory_text()) : describe_rethrown(error);
}

ExitCode report(const std::exception_ptr& error, const sim::TextStyle& style) noexcept {
  try {
    const Failure failure = describe(error);
    write_error(sim::toned(kMark, sim::Tone::kWarning, style) + failure.line.substr(kMark.size()));
    return failure.code;
  } catch (...) {
    write_error(kNoMemoryLine);
    return ExitCode::kUnusable;
  }
}

}  // namespace stepsim::cli
