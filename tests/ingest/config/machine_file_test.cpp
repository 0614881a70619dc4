#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "ingest/config/config.h"
#include "model/base/error.h"
#include "tests/thrown_by.h"

namespace stepsim::ingest::machine_file_test {
namespace {

using ::testing::HasSubstr;

std::string refused(std::string_view text) {
  return stepsim::testing::thrown_by<InputError>([&] { return parse_machine(text, "machine.yaml"); });
}

TEST(MachineFileTest, EveryKeyIsRead) {
  const MeasuredMachine machine = parse_machine(R"(device: NVIDIA H100 80GB HBM3
factors: {kernels: 1.25, products: 0.9, attention: 1.1, calls: 0.5, inside: 1.5, between: 2}
outside_allocator: 1GiB
runs: 3
before: 0.1
after: 0.02
left_out: 0.04
fitted_on: 2026-11-29
)",
                                                "machine.yaml");
  EXPECT_EQ(machine.device, "H100 SXM");
  EXPECT_EQ(machine.factors, (std::array<double, kMachineParts>{1.25, 0.9, 1.1, 0.5, 1.5, 2}));
  EXPECT_EQ(machine.factor(MachinePart::kBetween), 2);
  EXPECT_EQ(machine.outside_allocator, Bytes{1 << 30});
  EXPECT_EQ(machine.runs, 3U);
  EXPECT_EQ(machine.before, 0.1);
  EXPECT_EQ(machine.after, 0.02);
  EXPECT_EQ(machine.left_out, 0.04);
  EXPECT_EQ(machine.fitted_on, "2026-11-29");
}

TEST(MachineFileTest, PartsThatAreNotGivenTakeTheModelledTime) {
  EXPECT_EQ(parse_machine("device: A100\nfactors: {inside: 2}", "machine.yaml").factor(MachinePart::kKernels), 1);
}

TEST(MachineFileTest, WrongFilesAreRefusedWithTheirLine) {
  EXPECT_THAT(refused(""), HasSubstr("the file has no 'device'"));
  EXPECT_THAT(refused("runs: 1"), HasSubstr("the file has no 'device'"));
  EXPECT_THAT(refused("device: A1000"), HasSubstr("machine.yaml:1: 'device' is 'A1000'; expected the name of"));
  EXPECT_THAT(refused("device: A100\nfactors: {kernel: 2}"), HasSubstr("machine.yaml:2"));
  EXPECT_THAT(refused("device: A100\nfactors: {kernels: 0}"), HasSubstr("'kernels' is '0'"));
  EXPECT_THAT(refused("device: A100\nfactors: 2"), HasSubstr("expected a map such as {kernels: 1.05}"));
}

}  // namespace
}  // namespace stepsim::ingest::machine_file_test
