#include <gtest/gtest.h>

#include <array>
#include <cctype>
#include <cstdint>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "ingest/formats/format.h"
#include "ingest/load/load.h"
#include "tests/source_folder.h"

namespace stepsim::ingest {

extern const Format kineto_format;

namespace {

// The numbers were counted with Python's json module, not with this program. `records` is the number of records in
// traceEvents. `of_kind` is the number of records with ph X and a category of each event kind, without device work that
// has ts 0 and dur 0.
struct Counts {
  const char* file;
  std::uint64_t records;
  std::array<std::uint64_t, 8> of_kind;  // counts in the order of EventKind
  bool is_sample = false;                // the operators' ids ("External id") span more than twice their number
};

constexpr Counts kCaptures[] = {
    {"kineto/alexnet-syncs.json.gz", 1408, {359, 8, 361, 79, 16, 3, 41, 0}},
    {"kineto/ddp-a100-rank0of2.json.gz", 40573, {14346, 42, 8740, 2700, 960, 114, 0, 30}},
    {"kineto/device-pairs/Qwen_Qwen1.5-0.5B-Chat-h100.json.gz", 18221, {4186, 1, 1922, 1465, 1, 241, 0, 1}},
    {"kineto/device-pairs/Qwen_Qwen1.5-0.5B-Chat-mi300.json.gz", 18090, {4619, 1, 1707, 1516, 1, 0, 0, 1}},
    {"kineto/device-pairs/gaunernst_bert-small-uncased-h100.json.gz", 2551, {479, 1, 132, 60, 1, 0, 0, 1}},
    {"kineto/device-pairs/gaunernst_bert-small-uncased-mi300.json.gz", 2653, {519, 1, 161, 60, 1, 0, 0, 1}},
    {"kineto/diff-control-a100-rank3of8.json.gz", 109123, {40506, 288, 24692, 8568, 228, 654, 0, 0}},
    {"kineto/diff-test-v100-rank1of2.json.gz", 105167, {31236, 288, 21167, 9876, 4856, 900, 0, 0}},
    {"kineto/dlrm-8ranks/worker0_step_12.1694128201545.pt.trace.json.gz", 3290, {1633, 40, 525, 245, 16, 0, 0, 0}},
    {"kineto/dlrm-8ranks/worker1_step_12.1694128201556.pt.trace.json.gz", 3424, {1633, 40, 527, 310, 16, 0, 0, 0}},
    {"kineto/dlrm-8ranks/worker2_step_12.1694128201554.pt.trace.json.gz", 3268, {1633, 40, 513, 246, 16, 0, 0, 0}},
    {"kineto/dlrm-8ranks/worker3_step_12.1694128201557.pt.trace.json.gz", 3474, {1633, 40, 541, 315, 16, 6, 0, 0}},
    {"kineto/dlrm-8ranks/worker4_step_12.1694128201547.pt.trace.json.gz", 3310, {1633, 40, 523, 251, 16, 6, 0, 0}},
    {"kineto/dlrm-8ranks/worker5_step_12.1694128201549.pt.trace.json.gz", 3250, {1633, 40, 505, 245, 16, 0, 0, 0}},
    {"kineto/dlrm-8ranks/worker6_step_12.1694128201553.pt.trace.json.gz", 3272, {1633, 40, 515, 246, 16, 0, 0, 0}},
    {"kineto/dlrm-8ranks/worker7_step_12.1694128201553.pt.trace.json.gz", 3250, {1633, 40, 504, 246, 16, 0, 0, 0}},
    {"kineto/edge-cpu_only.json.gz", 30, {4, 11, 0, 0, 0, 0, 0, 0}},
    {"kineto/edge-distributed_info_unavailable.json.gz", 2467, {2424, 43, 0, 0, 0, 0, 0, 0}},
    {"kineto/edge-rank_non_gpu.json.gz", 2467, {2424, 43, 0, 0, 0, 0, 0, 0}},
    {"kineto/edge-rank_unavailable.json.gz", 2467, {2424, 43, 0, 0, 0, 0, 0, 0}},
    {"kineto/edge-triton_example.json.gz", 71, {3, 1, 2, 1, 0, 0, 0, 0}},
    {"kineto/event-sync.json.gz", 92, {10, 1, 12, 4, 1, 0, 4, 0}},
    {"kineto/ns-resolution-5steps.json.gz", 68692, {23910, 70, 15329, 4350, 1600, 145, 0, 15}},
    {"kineto/resnet-2080ti.json.gz", 111631, {39416, 90, 25928, 9628, 123, 362, 0, 0}},
    {"kineto/rocm-mi210-gpu-only.json.gz", 2443, {0, 0, 631, 562, 0, 0, 0, 0}},
    {"kineto/rocm-mi250.json.gz", 220, {70, 3, 21, 14, 2, 0, 0, 2}},
    {"kineto/sampled-rank0-mismatched.json.gz", 4855, {2329, 73, 1204, 1154, 40, 10, 0, 0}, true},
    {"kineto/sampled-rank1-mismatched.json.gz", 4720, {2302, 65, 1154, 1104, 40, 10, 0, 0}, true},
    {"kineto/simple-add-critical-path-by-hta.json.gz", 1732, {359, 8, 331, 79, 16, 3, 41, 0}},
    {"kineto/simple-add-syncs.json.gz", 1348, {359, 8, 331, 79, 16, 3, 41, 0}},
    {"kineto/v100-rank1of2-5steps.json.gz", 216092, {56680, 2035, 42373, 19370, 2040, 880, 0, 0}},
    {"pytorch-cpu/transformer-all-options.pt.trace.json.gz", 13823, {6406, 12, 0, 0, 0, 0, 0, 0}},
};

class KinetoCaptureTest : public ::testing::TestWithParam<Counts> {};

TEST_P(KinetoCaptureTest, EveryEventIsReadAsPythonCountsIt) {
  const std::string path = (shared_folder() / "traces/").string() + GetParam().file;
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not there: the captures lie beside the checkout";
  Input input = Input::open(path);
  PartSink sink;

  kineto_format.read(input, sink);

  ASSERT_EQ(sink.parts.size(), 1U);
  const auto& trace = std::get<HostDeviceTrace>(sink.parts[0].part);
  std::array<std::uint64_t, 8> of_kind{};
  for (const EventKind kind : trace.kind) ++of_kind[static_cast<std::size_t>(kind)];
  EXPECT_EQ(sink.events, GetParam().records);
  EXPECT_EQ(sink.skipped, 0U);
  EXPECT_EQ(of_kind, GetParam().of_kind);
  EXPECT_EQ(sink.diagnostics.count_of("sampled_operators"), GetParam().is_sample ? GetParam().of_kind[0] : 0);
  for (const Diagnostics::Entry& entry : sink.diagnostics.entries()) {
    EXPECT_TRUE(entry.severity == Severity::kInfo || entry.name == "sampled_operators") << entry.name;
  }
}

std::string name_of(const ::testing::TestParamInfo<Counts>& capture) {
  std::string name = capture.param.file;
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(Shared, KinetoCaptureTest, ::testing::ValuesIn(kCaptures), name_of);

/// Eight processes use the devices 0 to 7 of one machine, although their files are named like those of eight hosts.
TEST(KinetoHostsTest, DoNotFollowFromWhatFilesAreCalled) {
  const std::filesystem::path captured = shared_folder() / "traces/kineto/dlrm-8ranks";
  if (!std::filesystem::exists(captured)) GTEST_SKIP() << captured << " is absent";
  const std::filesystem::path renamed = std::filesystem::path(::testing::TempDir()) / "renamed ranks";
  std::filesystem::create_directories(renamed);
  for (const auto& file : std::filesystem::directory_iterator(captured)) {
    const std::string name = file.path().filename().string();
    std::filesystem::copy_file(file.path(), renamed / (name.substr(0, name.find('_')) + ".json.gz"),
                               std::filesystem::copy_options::overwrite_existing);
  }
  for (const std::filesystem::path& folder : {captured, renamed}) {
    const Capture capture = load(std::vector{folder.string()}, {});
    EXPECT_EQ(capture.recording.ranks.size(), 8U);
    EXPECT_EQ(capture.recording.clocks.size(), 1U) << folder;
    for (const Lane& lane : capture.dag.lanes()) EXPECT_EQ(lane.host, "") << folder;
  }
  std::filesystem::remove_all(renamed);
}

}  // namespace

}  // namespace stepsim::ingest
