// Tests how a file into which the traces of several processes were merged is split.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ingest/formats/format.h"
#include "tests/ingest/read_text.h"

namespace stepsim::ingest {
namespace {

using ::testing::ElementsAre;

/// Returns a launch and its kernel, which begins 50 us later.
std::string launched(const std::string& host, const std::string& device, int number, const std::string& name, int at) {
  return R"({"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","tid":1,"pid":)" + host + R"(,"ts":)" +
         std::to_string(at) + R"(,"dur":1,"args":{"correlation":)" + std::to_string(number) + "}}," +
         R"({"ph":"X","cat":"kernel","name":")" + name + R"(","tid":7,"pid":)" + device + R"(,"ts":)" +
         std::to_string(at + 50) + R"(,"dur":1,"args":{"device":0,"stream":7,"correlation":)" + std::to_string(number) +
         "}}";
}

/// Returns the names of the kernels of each rank in a file of these events, in the order of the ranks' parts.
std::vector<std::vector<std::string>> kernels_of(const std::string& events) {
  const std::string text = R"({"baseTimeNanoseconds": 0, "traceEvents": [)" + events + "]}";
  Input input = Input::from_memory(text, "merged.json");
  PartSink sink;
  find_format("kineto")->read(input, sink);
  std::vector<std::vector<std::string>> kernels;
  for (const PartSink::Item& item : sink.parts) {
    const auto& trace = std::get<HostDeviceTrace>(item.part);
    std::vector<std::string>& names = kernels.emplace_back();
    for (std::size_t i = 0; i < trace.size(); ++i) {
      if (trace.kind[i] == EventKind::kKernel) names.push_back(trace.text(trace.name[i]));
    }
    EXPECT_EQ(trace.rank.value_or(-1), sink.parts.size() == 1 ? -1 : static_cast<std::int64_t>(kernels.size() - 1));
  }
  EXPECT_EQ(sink.diagnostics.count_of("several_processes"), kernels.size() == 1 ? 0 : kernels.size());
  return kernels;
}

TEST(ProcessesTest, OneProcessIsOneTrace) {
  EXPECT_THAT(kernels_of(launched("9", "0", 1, "a", 0) + "," + launched("9", "1", 2, "b", 10)),
              ElementsAre(ElementsAre("a", "b")));
}

TEST(ProcessesTest, NumbersOfLaunchesTellWhoseWorkItIs) {
  const std::string events = launched("9", "1", 1, "a", 0) + "," + launched("8", "0", 2, "b", 10) + "," +
                             launched("8", "0", 3, "c", 20) + "," + launched("9", "1", 4, "d", 30);
  EXPECT_THAT(kernels_of(events), ElementsAre(ElementsAre("a", "d"), ElementsAre("b", "c")));
}

TEST(ProcessesTest, EqualNumbersAreToldApartByTheOrderOfTheFile) {
  const std::string first = launched("9", "0", 1, "a", 0) + "," + launched("9", "0", 2, "b", 10);
  const std::string second = launched("8", "1", 1, "c", 0) + "," + launched("8", "1", 2, "d", 10);
  EXPECT_THAT(kernels_of(first + "," + second), ElementsAre(ElementsAre("a", "b"), ElementsAre("c", "d")));
}

TEST(ProcessesTest, LabelsTellWhoseWorkItIs) {
  // In the order of time, with equal numbers and equal numbers of the devices.
  const std::string events = launched(R"("[TP00] 9")", R"("[TP00] 0")", 1, "a", 0) + "," +
                             launched(R"("[TP01] 9")", R"("[TP01] 0")", 1, "b", 1) + "," +
                             launched(R"("[TP00] 9")", R"("[TP00] 0")", 2, "c", 10) + "," +
                             launched(R"("[TP01] 9")", R"("[TP01] 0")", 2, "d", 11);
  EXPECT_THAT(kernels_of(events), ElementsAre(ElementsAre("a", "c"), ElementsAre("b", "d")));
}

}  // namespace
}  // namespace stepsim::ingest
