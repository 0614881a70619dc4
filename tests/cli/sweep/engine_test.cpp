#include "cli/sweep/engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <string>

#include "tests/sim/temporary_folder.h"

namespace stepsim::cli {
namespace {

using stepsim::testing::read_file;
using stepsim::testing::TemporaryFolder;
using ::testing::ThrowsMessage;

/// Programs of an engine, each a shell script, which this process finds first in PATH while the object exists.
class Programs {
 public:
  Programs() : path_(std::getenv("PATH")) { set_path(folder_.file("") + ":" + path_); }
  ~Programs() { set_path(path_); }
  Programs(const Programs&) = delete;
  Programs& operator=(const Programs&) = delete;

  void add(const std::string& name, const std::string& script) const {
    std::ofstream(folder_.file(name)) << "#!/bin/sh\n" << script << '\n';
    ::chmod(folder_.file(name).c_str(), S_IRWXU);
  }
  [[nodiscard]] std::string file(const std::string& name) const { return folder_.file(name); }

 private:
  static void set_path(const std::string& path) { ::setenv("PATH", path.c_str(), 1); }

  TemporaryFolder folder_;
  std::string path_;
};

constexpr const char* kBusy =
    "echo 'slurm_load_jobs error: Unable to contact slurm controller (connect failure)' >&2; exit 1";

void run(const std::string& engine, const std::string& folder) {
  const std::atomic<bool> stop{false};
  static_cast<void>(run_shards(parse_engine(engine), {.arguments = {"sweep", "a.json"},
                                                      .folder = folder,
                                                      .points = 2,
                                                      .stop = &stop,
                                                      .progress = [](std::size_t, std::size_t) {},
                                                      .patience = std::chrono::milliseconds{1}}));
}

TEST(EngineTest, AJobIsCancelledWhenSlurmHasNotAnsweredForLong) {
  const TemporaryFolder folder;
  const Programs programs;
  programs.add("sbatch", "echo 17");
  programs.add("squeue", kBusy);
  programs.add("scancel", "echo \"$@\" >> " + programs.file("cancelled"));
  EXPECT_THAT([&] { run("slurm:2", folder.file("")); },
              ThrowsMessage<OutputError>(
                  "squeue ended with exit code 1: slurm_load_jobs error: Unable to contact slurm controller (connect "
                  "failure); Slurm job 17 was cancelled, because squeue has failed for 1 ms"));
  EXPECT_EQ(read_file(programs.file("cancelled")), "17\n");
}

TEST(EngineTest, AJobThatCannotBeCancelledIsNamed) {
  const TemporaryFolder folder;
  const Programs programs;
  for (const char* const name : {"squeue", "scancel"}) programs.add(name, kBusy);
  programs.add("sbatch", "echo '17;cluster'");
  EXPECT_THAT(
      [&] { run("slurm:2", folder.file("")); },
      ThrowsMessage<OutputError>(::testing::HasSubstr("; Slurm job 17 may still run, end it with 'scancel 17'")));
}

TEST(EngineTest, TheMessageOfMpirunIsInsideItsLinesOfDashes) {
  const TemporaryFolder folder;
  const Programs programs;
  // What Open MPI 4.1.4 writes.
  programs.add("mpirun", R"(cat >&2 <<'END'
--------------------------------------------------------------------------
There are not enough slots available in the system to satisfy the 7
slots that were requested by the application:

  true

Either request fewer slots for your application, or make more slots
available for use.
--------------------------------------------------------------------------
END
exit 1)");
  EXPECT_THAT([&] { run("mpi:2", folder.file("")); },
              ThrowsMessage<OutputError>("mpirun ended with exit code 1: There are not enough slots available in the "
                                         "system to satisfy the 7 slots that were requested by the application"));
}

TEST(EngineTest, TheErrorOfOneOfOurProcessesComesBeforeThatOfMpirun) {
  const TemporaryFolder folder;
  const Programs programs;
  programs.add("mpirun", R"(cat >&2 <<'END'
error: a.json: no such file or folder
--------------------------------------------------------------------------
Primary job  terminated normally, but 1 process returned
a non-zero exit code. Per user-direction, the job has been aborted.
--------------------------------------------------------------------------
END
exit 2)");
  EXPECT_THAT([&] { run("mpi:2", folder.file("")); }, ThrowsMessage<UsageError>("a.json: no such file or folder"));
}

TEST(EngineTest, OneMachineHasALimitOfProcesses) {
  EXPECT_EQ(parse_engine("local:1024").shards, 1'024U);
  EXPECT_EQ(parse_engine("slurm:1025").shards, 1'025U);
  EXPECT_THAT(
      [] { static_cast<void>(parse_engine("local:1025")); },
      ThrowsMessage<UsageError>("--engine: 'local:1025' is not an engine; expected local:N with N from 2 to 1024"));
}

}  // namespace
}  // namespace stepsim::cli
