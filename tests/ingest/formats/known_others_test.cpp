#include "ingest/formats/format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "ingest/load/load.h"
#include "model/base/error.h"
#include "tests/source_folder.h"

namespace stepsim::ingest {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// Returns the description by which a file with this name and beginning is recognised; empty if it is unknown.
std::string recognised_as(std::string_view name, std::string_view head) {
  const KnownOther* const other = find_known_other(name, head);
  return other == nullptr ? "" : std::string(other->what);
}

struct Sample {
  std::string name;
  std::string head;
  std::string what;  ///< a part of the expected description
};

TEST(KnownOthersTest, AreToldByWhatTheyHold) {
  using std::string_literals::operator""s;
  const std::vector<Sample> samples{
      {"trace.json", "", "empty"},
      {"trace.json", "\n <!DOCTYPE HTML><html><head>", "web page"},
      {"x", "SQLite format 3\0"s + std::string(200, ' ') + "CREATE TABLE users", "SQLite"},
      {"statistic.txt", "2,3,1,16.25\n{'FW.a': {}}\n", "what dPRO made of a trial"},
      {"x",
       "\x18\0\0\0\0\0\0\0abcd\x09\0\0\0\0\0\0\0\0\x1a\x0d"
       "brain.Event:2"s,
       "TensorBoard"},
      {"x.db", "SQLite format 3\0"s + std::string(200, ' ') + "CREATE TABLE rocpd_string", "rocprofv3"},
      {"x.db", "SQLite format 3\0"s + std::string(200, ' ') + "CREATE TABLE CANN_API", "msprof"},
      {"nccl_trace_rank_0",
       "\x80\x05\x95}(\x8c\x09pg_config}\x8c\x07"
       "entries",
       "Flight Recorder"},
      {"fr.json", R"({"version": "2.4", "pg_config": {}, "pg_status": {}, "entries": []})", "Flight Recorder"},
      {"log", R"({"header": {"rank": 0}, "coll_perf": {"coll": "AllReduce"}})", "Inspector"},
      {"x.json", R"([{"name": "Group", "cat": "GROUP", "ph": "b"}, {"cat": "COLL", "ph": "b"}])", "profiler plugin"},
      {"memory.json", "[[1, 2, 3], [[0, 8], [0, 16]]]", "memory timeline"},
      {"vm.trace.json",
       R"({"metadata": {"highres-ticks": true}, "traceEvents": [{"args": {"name": "/device:GPU:0"}}]})", "XLA"},
      {"snapshot.pickle", "\x80\x04\x95rest", "pickled"},
      {"log", "# nThread 1 nGpus 8\n#  size  count  type  redop  time  algbw  busbw\n", "nccl-tests"},
  };
  for (const Sample& sample : samples)
    EXPECT_THAT(recognised_as(sample.name, sample.head), HasSubstr(sample.what)) << sample.what;
}

TEST(KnownOthersTest, AreToldByTheirNamesWhereTheContentDoesNotTell) {
  EXPECT_THAT(recognised_as("report1.nsys-rep", "\x01\x02\x03"), HasSubstr("Nsight Systems report"));
  EXPECT_THAT(recognised_as("kernels.ncu-rep", "\x01\x02\x03"), HasSubstr("Nsight Compute"));
  EXPECT_THAT(recognised_as("host.xplane.pb", "\n\x02\x03"), HasSubstr("XLA"));
  EXPECT_THAT(recognised_as("events.out.tfevents.1700000000.host.1.0", "\x01"), HasSubstr("TensorBoard"));
  EXPECT_THAT(recognised_as("scenario.yaml", "changes:\n"), HasSubstr("YAML"));
}

TEST(KnownOthersTest, TracesAreNone) {
  EXPECT_EQ(recognised_as("rank0.json", R"({"schemaVersion": 1, "traceEvents": [{"ph": "X", "cat": "kernel"}]})"), "");
  EXPECT_EQ(recognised_as("notes.txt", "just a text"), "");
}

TEST(KnownOthersTest, EachSaysWhatToDo) {
  for (const KnownOther& other : known_others()) {
    EXPECT_FALSE(other.what.empty());
    EXPECT_THAT(problem_of(other), AllOf(HasSubstr("this is "), HasSubstr("; expected "))) << other.what;
    EXPECT_FALSE(other.remedy.ends_with('.')) << other.remedy;
  }
}

}  // namespace
}  // namespace stepsim::ingest
