#include "cli/program/error.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <new>

#include "model/base/error.h"
#include "model/job/dag.h"
#include "model/job/dag_builder.h"

namespace stepsim::cli {
namespace {

template <class Error>
Failure described(const Error& error) {
  return describe(std::make_exception_ptr(error));
}

TEST(FailureTest, EveryKindOfErrorHasItsExitCode) {
  EXPECT_EQ(described(InputError({"a.json", 12, std::nullopt}, "x; expected y")).code, ExitCode::kUnusable);
  EXPECT_EQ(described(OutputError("out.json: disk full")).code, ExitCode::kUnusable);
  EXPECT_EQ(described(CycleError("a -> b -> a", {})).code, ExitCode::kUnusable);
  EXPECT_EQ(described(std::bad_alloc()).code, ExitCode::kUnusable);
  // the message of oneTBB if no thread can be started
  EXPECT_EQ(described(std::runtime_error("pthread_create has failed: no luck")).code, ExitCode::kUnusable);
  EXPECT_EQ(described(std::filesystem::filesystem_error("stat", "a", std::make_error_code(std::errc::io_error))).code,
            ExitCode::kUnusable);
  EXPECT_EQ(described(UsageError("unknown")).code, ExitCode::kWrongUsage);
  EXPECT_EQ(described(GateFailed("slower")).code, ExitCode::kGateFailed);
  EXPECT_EQ(described(CannotAnswer({"a.json", {}, {}}, "x; expected y")).code, ExitCode::kCannotAnswer);
  EXPECT_EQ(described(Interrupted()).code, ExitCode::kInterrupted);
  EXPECT_EQ(described(InternalError("broken")).code, ExitCode::kOurBug);
  EXPECT_EQ(described(std::runtime_error("from a library")).code, ExitCode::kOurBug);
  EXPECT_EQ(described(42).code, ExitCode::kOurBug);
}

TEST(FailureTest, AnErrorIsOneSafeLineWhateverItSays) {
  EXPECT_EQ(described(UsageError("bad\nerror: forged\x1b[31m")).line, "error: bad\\nerror: forged\\x1b[31m\n");
}

TEST(FailureTest, AnInputErrorKeepsItsPlace) {
  EXPECT_EQ(described(InputError({"a.json", 12, std::nullopt}, "x; expected y")).line,
            "error: a.json@12: x; expected y\n");
}

}  // namespace
}  // namespace stepsim::cli
