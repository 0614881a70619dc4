#include "ingest/config/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "model/base/error.h"
#include "tests/thrown_by.h"

namespace stepsim::ingest::job_file_test {
namespace {

using stepsim::testing::thrown_by;

using ::testing::HasSubstr;

std::string refused(std::string_view text) {
  return thrown_by<InputError>([&] { return parse_job(text, "job.yaml"); }, "");
}

TEST(JobFileTest, EveryKeyIsRead) {
  const Job job = parse_job(R"(framework: byteps
backend: gloo
workers: 2
servers: 3
local_size: 4
server_threads: 5
key_hash: sdbm
partition_bytes: 1024000
exact: true
bucket_bytes: 25MiB
schedule: priority
credit_bytes: 0
barrier: cross
control: inline
measured_step: 530ms
batch_size: 64
loader_workers: 4
machine: machine.yaml
rank_in_name: 'worker(?P<rank>\d+)'
network: {bandwidth: 1000Mb/s, latency: 10us}
)",
                            "job.yaml");
  EXPECT_EQ(job.framework, "byteps");
  EXPECT_EQ(job.backend, "gloo");
  EXPECT_EQ(job.workers, 2U);
  EXPECT_EQ(job.servers, 3U);
  EXPECT_EQ(job.local_size, 4U);
  EXPECT_EQ(job.server_threads, 5U);
  EXPECT_EQ(job.key_hash, "sdbm");
  EXPECT_EQ(job.partition_bytes, Bytes{1'024'000});
  EXPECT_EQ(job.exact, true);
  EXPECT_EQ(job.bucket_bytes, Bytes{26'214'400});
  EXPECT_EQ(job.schedule, Schedule::kPriority);
  EXPECT_EQ(job.credit_bytes, Bytes{0});
  EXPECT_EQ(job.barrier, Barrier::kCross);
  EXPECT_EQ(job.control, Control::kInline);
  EXPECT_EQ(job.bandwidth, Bandwidth::from_bits_per_second(1e9));
  EXPECT_EQ(job.latency, Duration{10'000});
  EXPECT_EQ(job.measured_step, Duration{530'000'000});
  EXPECT_EQ(job.batch_size, 64U);
  EXPECT_EQ(job.loader_workers, 4U);
  EXPECT_EQ(job.machine, "machine.yaml");
  EXPECT_EQ(job.rank_in_name, R"(worker(?P<rank>\d+))");
}

TEST(JobFileTest, AnEmptyFileSaysNothing) {
  EXPECT_FALSE(parse_job("", "job.yaml").workers.has_value());
  EXPECT_FALSE(parse_job("# only a comment\n", "job.yaml").workers.has_value());
}

TEST(JobFileTest, AnAliasOfAValueIsTaken) {
  const Job job = parse_job("workers: &n 4\nservers: *n\n", "job.yaml");
  EXPECT_EQ(job.servers, 4U);
}

struct BadJob {
  const char* text;
  const char* message;
};

class JobRefusalTest : public ::testing::TestWithParam<BadJob> {};

TEST_P(JobRefusalTest, SaysFileLineWhatWasFoundAndWhatWasExpected) {
  const std::string message = refused(GetParam().text);
  EXPECT_THAT(message, ::testing::StartsWith(GetParam().message)) << GetParam().text;
  EXPECT_THAT(message, HasSubstr("expected")) << GetParam().text;
  EXPECT_EQ(message.find('\n'), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(
    Malformed, JobRefusalTest,
    ::testing::Values(
        BadJob{"workers: 2\nworker: 3\n",
               "job.yaml:2: unknown key 'worker'; did you mean 'workers'? expected framework"},
        BadJob{"zzzzzzzzz: 3\n", "job.yaml:1: unknown key 'zzzzzzzzz'; expected framework"},
        BadJob{"workers: 2\nservers: 1\nworkers: 2\n", "job.yaml:3: 'workers' is given twice, first in line 1"},
        BadJob{"network: {latency: 1us, latency: 1us}\n", "job.yaml:1: 'latency' is given twice"},
        BadJob{"network:\n  bandwith: 1Gb/s\n", "job.yaml:2: unknown key 'bandwith'; did you mean 'bandwidth'?"},
        BadJob{"network: 1Gb/s\n", "job.yaml:1: 'network' is '1Gb/s'; expected a map"},
        BadJob{"network: {bandwidth: 1000}\n", "job.yaml:1: 'bandwidth': "},
        BadJob{"network: {bandwidth: 0Gb/s}\n", "job.yaml:1: 'bandwidth': "},
        BadJob{"network: {bandwidth: -1Gb/s}\n", "job.yaml:1: 'bandwidth': "},
        BadJob{"network: {bandwidth: [1]}\n", "job.yaml:1: 'bandwidth' is a list"},
        BadJob{"network: {latency: 5}\n", "job.yaml:1: 'latency': "},
        BadJob{"network: {latency: -5us}\n", "job.yaml:1: 'latency' is '-5us'"},
        BadJob{"measured_step: 530\n", "job.yaml:1: 'measured_step': '530' is not a duration"},
        BadJob{"measured_step: 0ms\n", "job.yaml:1: 'measured_step' is '0ms'; expected a time above 0"},
        BadJob{"measured_step: -5ms\n", "job.yaml:1: 'measured_step' is '-5ms'"},
        BadJob{"rank_in_name: 'rank(?P<rank>'\n",
               "job.yaml:1: 'rank_in_name' is not a regular expression (missing ): rank(?P<rank>)"},
        BadJob{"rank_in_name: rank([0-9]+)\n", "job.yaml:1: 'rank_in_name' has no group with the name 'rank'"},
        BadJob{"batch_size: 0\n", "job.yaml:1: 'batch_size' is '0'"},
        BadJob{"\nworkers: 0\n", "job.yaml:2: 'workers' is '0'"},
        BadJob{"workers: -1\n", "job.yaml:1: 'workers' is '-1'"},
        BadJob{"workers: 2.5\n", "job.yaml:1: 'workers' is '2.5'"},
        BadJob{"workers: two\n", "job.yaml:1: 'workers' is 'two'"},
        BadJob{"workers: 99999999999999999999\n", "job.yaml:1: 'workers' is '99999999999999999999'"},
        BadJob{"workers: 4000000000\n", "job.yaml:1: 'workers' is '4000000000'"},
        BadJob{"workers:\n", "job.yaml:1: 'workers' is nothing"},
        BadJob{"workers: [1, 2]\n", "job.yaml:1: 'workers' is a list"},
        BadJob{"workers: {a: 1}\n", "job.yaml:1: 'workers' is a map"},
        BadJob{"partition_bytes: 0\n", "job.yaml:1: 'partition_bytes' is '0'"},
        BadJob{"partition_bytes: -4\n", "job.yaml:1: 'partition_bytes' is '-4'"},
        BadJob{"partition_bytes: 4Mb\n", "job.yaml:1: 'partition_bytes': "},
        BadJob{"credit_bytes: -1\n", "job.yaml:1: 'credit_bytes' is '-1'"},
        BadJob{"exact: yes\n", "job.yaml:1: 'exact' is 'yes'"},
        BadJob{"schedule: fast\n", "job.yaml:1: 'schedule' is 'fast'; expected fifo or priority"},
        BadJob{"schedule: fifos\n",
               "job.yaml:1: 'schedule' is 'fifos'; expected fifo or priority (did you mean 'fifo'?)"},
        BadJob{"barrier: none\n", "job.yaml:1: 'barrier' is 'none'"},
        BadJob{"control: last\n", "job.yaml:1: 'control' is 'last'"},
        BadJob{"key_hash: md5\n", "job.yaml:1: 'key_hash' is 'md5'"},
        BadJob{"framework:\n", "job.yaml:1: 'framework' is nothing"},
        BadJob{"- workers: 2\n", "job.yaml:1: the file is a list"},
        BadJob{"just text\n", "job.yaml:1: the file is a value"},
        BadJob{"workers: 2\n---\nservers: 2\n", "job.yaml:2: a second document"},
        BadJob{"workers: 2\n bad: [\n", "job.yaml:"}, BadJob{"{workers: 2\n", "job.yaml:"},
        BadJob{"workers: *missing\n", "job.yaml:1: "}, BadJob{"? [a, b]\n: 2\n", "job.yaml:1: a key is a list"},
        BadJob{"<<: {workers: 2}\n", "job.yaml:1: unknown key '<<'"}, BadJob{"\tworkers: 2\n", "job.yaml:1:1: a tab"}));

TEST(JobFileTest, NestingWithoutBoundIsRefusedInOneLine) {
  for (const char* open : {"[", "{a: ", "- ", "? "}) {
    std::string text;
    for (int i = 0; i < 100'000; ++i) text += open;
    EXPECT_THAT(refused(text), HasSubstr("job.yaml:1: ")) << open;
  }
}

// Found by fuzzing: for this text, yaml-cpp's LoadAll returns documents without end.
TEST(JobFileTest, CommasOutsideAnyListAreRefused) {
  EXPECT_THAT(refused(",,,-@"), HasSubstr("job.yaml:1: a second document, or text outside the first"));
}

TEST(JobFileTest, AnAliasBombIsRefusedBeforeItIsLarge) {
  std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string last = "*a" + std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + last + "," + last + "," + last + "," + last +
            "]\n";
  }
  EXPECT_THAT(refused(text), HasSubstr("anchors and aliases expand to more than 1000000 values"));
}

TEST(JobFileTest, AnchorsWithinAnchorsDoNotMultiplyAFile) {
  std::string text = "framework: ";
  for (int i = 0; i < 100; ++i) text += "[&a" + std::to_string(i) + " ";
  for (int i = 0; i < 200'000; ++i) text += "x,";
  EXPECT_THAT(refused(text + "x" + std::string(100, ']')), HasSubstr("expand to more than 1000000 values"));
}

TEST(JobFileTest, AnAliasWithinWhatItStandsForIsRefused) {
  EXPECT_THAT(refused("network: &n\n  bandwidth: *n\n"), HasSubstr("job.yaml:2: an alias is inside"));
}

TEST(JobFileTest, AFileOfTenMegabytesIsRefused) {
  EXPECT_THAT(refused("framework: " + std::string(10'000'000, 'x')), HasSubstr("larger than 1 MiB"));
}

TEST(JobFileTest, AMissingFileIsNamed) {
  std::vector<InputFile> inputs;
  EXPECT_THROW(static_cast<void>(read_job_file("/nonexistent/job.yaml", inputs)), InputError);
  EXPECT_TRUE(inputs.empty());
}

}  // namespace
}  // namespace stepsim::ingest::job_file_test
