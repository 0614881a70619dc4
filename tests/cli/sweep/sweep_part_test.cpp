#include "cli/sweep/part.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "model/base/error.h"
#include "tests/nightly.h"
#include "tests/thrown_by.h"

namespace stepsim::cli {
namespace {

using stepsim::testing::thrown_by;

namespace fs = std::filesystem;
using scenarios::Outcome;
using ::testing::HasSubstr;

constexpr std::size_t kPoints = 6;

SweepHead sample_head() {
  SweepHead head;
  head.provenance = {"0.1.0", "abc", "stepsim sweep 'a b'", {{"traces/a\tb.json", 12, 0xabcdef}}};
  head.name = "a name";
  head.network = "maxmin";
  head.changes = {"network.latency=1us"};
  head.assumptions = {{"link_latency", "one\nline"}, {"copies", "another"}};
  head.baseline = {.iteration = Duration{1'000},
                   .of_captured_steps = Duration{1'010},
                   .as_captured = Duration{1'020},
                   .measured = Duration{990}};
  head.work = {.workers = 4, .devices = 2, .batches = 1, .batch_size = 64, .assumed = true};
  head.points.axes = {{"network.bandwidth", {"1x", "2x", "4x"}}, {"comm.barrier", {"global", "cross"}}};
  return head;
}

Outcome outcome_of(std::size_t point) {
  if (point == 4 || point == 5) {
    Outcome refused{std::nullopt, "s.yaml:3: cannot\tbe had"};
    refused.refusal = point == 4 ? scenarios::Refusal::kCapture : scenarios::Refusal::kQuestion;
    return refused;
  }
  const Duration iteration{static_cast<std::int64_t>(1'000 - 10 * point)};
  Outcome outcome{scenarios::Range<Duration>{iteration - Duration{7}, iteration, iteration + Duration{9}},
                  {},
                  2,
                  1.0 / static_cast<double>(1 + point),
                  4};
  if (point == 2) outcome.note = "83 % of the device time\thas no shapes";
  if (point == 2) outcome.memory = {{3, "NVIDIA A10", {Bytes{19}, Bytes{20}, Bytes{21}}, Bytes{24}}};
  if (point == 3) outcome.by_data_sheet = Duration{1'234};
  if (point == 3) outcome.memory = {{0, "CPU", {Bytes{20}, Bytes{20}, Bytes{20}}, std::nullopt}};
  return outcome;
}

void expect_outcome(std::size_t point, const Outcome& outcome) {
  EXPECT_EQ(outcome.iteration, outcome_of(point).iteration) << point;
  EXPECT_EQ(outcome.problem, outcome_of(point).problem) << point;
  EXPECT_EQ(outcome.refusal, outcome_of(point).refusal) << point;
  EXPECT_EQ(outcome.workers, outcome_of(point).workers) << point;
  EXPECT_EQ(outcome.batches, outcome_of(point).batches) << point;
  EXPECT_EQ(outcome.devices, outcome_of(point).devices) << point;
  EXPECT_EQ(outcome.note, outcome_of(point).note) << point;
  EXPECT_EQ(outcome.memory, outcome_of(point).memory) << point;
  EXPECT_EQ(outcome.by_data_sheet, outcome_of(point).by_data_sheet) << point;
}

std::string text_in(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

class SweepPartTest : public ::testing::Test {
 protected:
  SweepPartTest() : folder_(fs::temp_directory_path() / ("stepsim-sweep-part-" + std::to_string(::getpid()))) {
    fs::remove_all(folder_);
    fs::create_directory(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string path(const std::string& name) const { return (folder_ / name).string(); }
  void put(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
  }
  /// Completes the points of a shard that its journal does not contain yet.
  void finish(const std::string& name, const Shard& shard, bool resume) const {
    SweepJournal journal(path(name), sample_head(), shard, resume);
    std::vector<bool> done(kPoints);
    for (const auto& [point, outcome] : journal.done()) {
      expect_outcome(point, outcome);
      done[point] = true;
    }
    for (const std::size_t point : shard.deal(sample_head().points)) {
      if (!done[point]) journal.add(point, outcome_of(point));
    }
  }
  [[nodiscard]] std::string merge_error(const std::vector<std::string>& names) const {
    const auto merge = [&] {
      std::vector<SweepPart> parts;
      parts.reserve(names.size());
      for (const std::string& name : names) parts.push_back(read_part(path(name)));
      return merged(parts);
    };
    return thrown_by<InputError>(merge, "no error");
  }

 private:
  fs::path folder_;
};

TEST_F(SweepPartTest, SaysAllThatWasPutIn) {
  finish("part", {1, 2, {}}, false);
  const SweepPart part = read_part(path("part"));
  const SweepHead expected = sample_head();
  EXPECT_EQ(part.shard.to_text(), "1/2");
  EXPECT_EQ(part.done.size(), 3U);
  EXPECT_EQ(part.head.provenance.command, expected.provenance.command);
  EXPECT_EQ(part.head.provenance.inputs.at(0).name, expected.provenance.inputs[0].name);
  EXPECT_EQ(part.head.provenance.inputs.at(0).checksum, expected.provenance.inputs[0].checksum);
  EXPECT_EQ(part.head.assumptions, expected.assumptions);
  EXPECT_EQ(part.head.baseline, expected.baseline);
  EXPECT_EQ(to_text(part.head.points.at(3)), "network.bandwidth=2x, comm.barrier=cross");
}

TEST_F(SweepPartTest, GoesOnFromWhereverAKillCutIt) {
  finish("whole", {}, false);
  const std::string whole = text_in(path("whole"));
  for (std::size_t length = 0; length <= whole.size(); ++length) {
    const bool at_end_of_line = whole.substr(length == 0 ? 0 : length - 1, 2).find('\n') != std::string::npos;
    if (length % stepsim::testing::stride(29) != 0 && !at_end_of_line) continue;
    put("cut", whole.substr(0, length));
    finish("cut", {}, true);
    ASSERT_EQ(text_in(path("cut")), whole) << "cut after " << length << " bytes";
  }
}

TEST_F(SweepPartTest, EveryBitThatTurnsIsRefusedOrChangesNothing) {
  finish("whole", {}, false);
  const std::string whole = text_in(path("whole"));
  for (std::size_t byte = 0; byte < whole.size(); byte += stepsim::testing::stride(7)) {
    std::string damaged = whole;
    damaged[byte] = static_cast<char>(damaged[byte] ^ (1 << (byte % 8)));
    put("damaged", damaged);
    try {
      finish("damaged", {}, true);
      EXPECT_EQ(text_in(path("damaged")), whole) << "byte " << byte;
    } catch (const InputError&) {
      EXPECT_EQ(text_in(path("damaged")), damaged) << "byte " << byte;
    }
  }
}

TEST_F(SweepPartTest, OfAnotherSweepOrShardIsRefusedAndKept) {
  finish("part", {0, 2, {}}, false);
  const std::string before = text_in(path("part"));
  SweepHead other = sample_head();
  other.provenance.inputs[0].checksum = 1;
  EXPECT_THROW(SweepJournal(path("part"), other, {0, 2, {}}, true), InputError);
  EXPECT_THROW(SweepJournal(path("part"), sample_head(), {1, 2, {}}, true), InputError);
  put("text", "dear diary\n");
  EXPECT_THROW(SweepJournal(path("text"), sample_head(), {}, true), InputError);
  EXPECT_EQ(text_in(path("part")), before);
}

TEST_F(SweepPartTest, PointsAreNotLostUnasked) {
  const auto error_of = [this](const std::string& name) {
    return thrown_by<InputError>([&] { SweepJournal(path(name), sample_head(), {}, false); }, "no error");
  };
  finish("whole", {}, false);
  const std::string whole = text_in(path("whole"));
  EXPECT_EQ(
      error_of("whole"),
      path("whole") +
          ": contains 6 points of a sweep; expected --resume to continue, or that the file is removed to start again");
  EXPECT_EQ(text_in(path("whole")), whole);

  put("diary", "dear diary\n");
  EXPECT_EQ(error_of("diary"),
            path("diary") + ": exists already and does not contain points of a sweep; choose another file");
  EXPECT_EQ(text_in(path("diary")), "dear diary\n");

  std::string damaged = whole;
  damaged[40] ^= 1;
  put("damaged", damaged);
  EXPECT_THAT(error_of("damaged"), HasSubstr("contains 0 points of a sweep and is damaged; expected --resume"));

  { const SweepJournal killed(path("begun"), sample_head(), {}, false); }  // stopped before the first point
  EXPECT_EQ(error_of("begun"), "no error");
  put("empty", "");
  EXPECT_EQ(error_of("empty"), "no error");
}

TEST_F(SweepPartTest, OneAnswerAPoint) {
  SweepJournal(path("part"), sample_head(), {}, false).add(0, outcome_of(0));
  SweepJournal(path("part"), sample_head(), {}, true).add(0, outcome_of(0));  // adds point 0 again
  EXPECT_EQ(read_part(path("part")).done.size(), 1U);
  SweepJournal(path("part"), sample_head(), {}, true)
      .add(0, Outcome{scenarios::Range<Duration>{Duration{4}, Duration{5}, Duration{6}}, {}});
  const std::string problem =
      "has 5 ns, from 4 to 6 for network.bandwidth=1x, comm.barrier=global, and line 20 has 1000 ns, from 993 to 1009; "
      "expected one answer per point";
  EXPECT_EQ(merge_error({"part"}), path("part") + ":22: " + problem);
  EXPECT_THROW(SweepJournal(path("part"), sample_head(), {}, true), InputError);
}

TEST_F(SweepPartTest, NumbersBeyondTimeAndPointsBeyondTheSweepAreRefused) {
  finish("part", {}, false);
  const std::string whole = text_in(path("part"));
  put("part", whole + sealed({"point", "0", "9223372036854775808"}));
  EXPECT_THAT(merge_error({"part"}), HasSubstr("'point' is not what this version writes"));
  for (const char* const batches : {"0", "-1", "inf", "nan", ""}) {
    put("part", whole + sealed({"point", "0", "1000", "990", "1010", "2", batches, "1", ""}));
    EXPECT_THAT(merge_error({"part"}), HasSubstr("'point' is not what this version writes")) << batches;
  }
  put("part", whole + sealed({"refused", "0", "nobody", "cannot be had"}));
  EXPECT_THAT(merge_error({"part"}), HasSubstr("'refused' is not what this version writes"));
  put("part", whole + sealed({"point", "6", "1000", "990", "1010", "2", "0.5", "1", ""}));
  EXPECT_THAT(merge_error({"part"}), HasSubstr("has point 6 of 6; expected a point of the sweep"));
}

TEST_F(SweepPartTest, ASpecialFileKeepsNoPoints) {
  for (const char* const name : {"/dev/zero", "/dev/null", "/dev/full"}) {
    EXPECT_THROW(SweepJournal(name, sample_head(), {}, true), OutputError) << name;
  }
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_THROW(SweepJournal(path("pipe"), sample_head(), {}, true), OutputError);
  put("endless", "");
  fs::resize_file(path("endless"), std::uintmax_t{2} << 30U);
  EXPECT_THROW(SweepJournal(path("endless"), sample_head(), {}, true), InputError);
}

TEST_F(SweepPartTest, PartsInAnyOrderAreTheWhole) {
  for (std::size_t i = 0; i < 4; ++i) finish(std::to_string(i), {i, 4, {}}, false);
  const SweepAnswer answer =
      merged({read_part(path("2")), read_part(path("0")), read_part(path("3")), read_part(path("1"))});
  ASSERT_EQ(answer.outcomes.size(), kPoints);
  for (std::size_t point = 0; point < kPoints; ++point) expect_outcome(point, answer.outcomes[point]);
}

TEST_F(SweepPartTest, LostShardsAndMissingPointsAreNamed) {
  for (std::size_t i = 0; i < 3; ++i) finish(std::to_string(i), {i, 3, {}}, false);
  EXPECT_THAT(merge_error({"0", "2"}), HasSubstr("2 of 6 points are missing in all parts together: all of shard 1/3;"));
  const std::string whole = text_in(path("1"));
  put("1", whole.substr(0, whole.size() - 3));  // cuts off the end of point 4
  EXPECT_THAT(merge_error({"0", "1", "2"}), HasSubstr("network.bandwidth=4x, comm.barrier=global of shard 1/3"));
}

TEST_F(SweepPartTest, PartsThatDoNotBelongTogetherAreRefused) {
  finish("0", {0, 2, {}}, false);
  SweepHead other = sample_head();
  other.name = "another";
  { const SweepJournal made(path("1"), other, {1, 2, {}}, false); }
  EXPECT_THAT(merge_error({"0", "1"}), HasSubstr("belongs to another sweep than"));
  SweepJournal(path("2"), sample_head(), {0, 2, {}}, false)
      .add(0, Outcome{scenarios::Range<Duration>{Duration{4}, Duration{5}, Duration{6}}, {}});
  EXPECT_THAT(merge_error({"0", "2"}),
              HasSubstr("has 5 ns, from 4 to 6 for network.bandwidth=1x, comm.barrier=global, and " + path("0") +
                        " has 1000 ns"));
}

TEST_F(SweepPartTest, IsWrittenByOneProcessAtATime) {
  const SweepJournal journal(path("part"), sample_head(), {}, false);
  EXPECT_THROW(SweepJournal(path("part"), sample_head(), {}, true), OutputError);
}

TEST_F(SweepPartTest, PartOfAnOldVersionIsRefusedAndSaysItsVersion) {
  EXPECT_EQ(thrown_by<InputError>([&] { return parse_part("stepsim.sweep.points\t5\t94004881087f47f5\n", "old"); }),
            "old:1: is a part of version 5; expected version 13");
  EXPECT_EQ(
      thrown_by<InputError>([&] { return parse_part(R"(["stepsim.sweep.points","9","e520a3f0de266743"])", "old"); }),
      "old:1: is a part of version 9; expected version 13");
}

}  // namespace
}  // namespace stepsim::cli
