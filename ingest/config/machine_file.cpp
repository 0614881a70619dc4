#include "ingest/config/config.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "ingest/bytes/input.h"
#include "model/base/error.h"
#include "model/base/yaml.h"
#include "model/base/yaml_keys.h"
#include "model/cost/device/accelerator.h"

namespace stepsim::ingest {
namespace {

constexpr YamlForm kMachineForm{1U << 20U, "device: H100"};
constexpr double kLeastFactor = 0.01;
constexpr double kMostFactor = 100;
constexpr double kMostError = 1e6;
constexpr std::uint32_t kMostRuns = 1'000'000;

using MachineKeys = std::vector<YamlKey<MeasuredMachine>>;

const MachineKeys& factor_keys() {
  static const MachineKeys keys = [] {
    MachineKeys all;
    for (const MachinePart part : kAllMachineParts) {
      all.push_back({std::string(to_text(part)), yaml::number(kLeastFactor, kMostFactor),
                     fmt::format("Time on the machine over the modelled time: {}", description_of(part)),
                     [part](MeasuredMachine& machine, const YamlField& field) {
                       machine.factors[static_cast<std::size_t>(part)] = field.number(kLeastFactor, kMostFactor);
                     }});
    }
    return all;
  }();
  return keys;
}

YamlKey<MeasuredMachine> error_key(std::string name, double MeasuredMachine::*member, std::string what) {
  return {std::move(name), member, yaml::number(0, kMostError), std::move(what)};
}

const MachineKeys& machine_keys() {
  static const MachineKeys keys{
      {"device", yaml::text(), "Name of the accelerator; 'stepsim help devices' lists those with known rates",
       [](MeasuredMachine& machine, const YamlField& field) {
         const std::string& name = field.scalar("the name of an accelerator such as H100");
         const Accelerator* const device = find_accelerator(name);
         if (device == nullptr) field.reject("the name of an accelerator that 'stepsim help devices' lists");
         machine.device = device->name;
       }},
      {"factors", type_of(factor_keys()), "Times of the parts of a step over their modelled times",
       [](MeasuredMachine& machine, const YamlField& field) {
         if (!field.is(YamlValue::Kind::kMap)) field.reject("a map such as {kernels: 1.05}");
         read_map(field, factor_keys(), machine);
       }},
      {"outside_allocator", &MeasuredMachine::outside_allocator, yaml::size(0),
       "What a device has in use besides what its allocator holds (default: 0)"},
      {"runs", yaml::count(0, kMostRuns), "Number of measured steps",
       [](MeasuredMachine& machine, const YamlField& field) { machine.runs = field.count(0, kMostRuns); }},
      error_key("before", &MeasuredMachine::before, "Mean error of their prediction by data sheets"),
      error_key("after", &MeasuredMachine::after, "Mean error with the factors"),
      error_key("left_out", &MeasuredMachine::left_out, "Mean error with the factors of the other steps"),
      {"fitted_on", yaml::text(), "Date of the fit, as 2026-11-29",
       [](MeasuredMachine& machine, const YamlField& field) {
         machine.fitted_on = field.line_of_text("a date such as 2026-11-29");
       }},
  };
  return keys;
}

}  // namespace

YamlType machine_file_type() { return type_of(machine_keys()); }

MeasuredMachine parse_machine(std::string_view text, const std::string& name) {
  const YamlValue root = parse_yaml(text, name, kMachineForm);
  const YamlField file{"the file", &root, &name};
  MeasuredMachine machine;
  if (is_filled_map(file, kMachineForm)) read_map(file, machine_keys(), machine);
  if (machine.device.empty())
    file.fail("the file has no 'device'; expected a file that 'stepsim calibrate --measured RUNS.csv -o' writes");
  return machine;
}

SmallFile read_runs_file(const std::string& path) {
  constexpr std::size_t kLargestTable = std::size_t{4} << 20U;
  SmallFile file = read_small_file(path, kLargestTable);
  if (file.text.size() > kLargestTable)
    throw InputError({path, {}, {}}, "the file is larger than 4 MiB; expected a table of measured steps");
  return file;
}

MeasuredMachine read_machine_file(const std::string& path, std::vector<InputFile>& inputs) {
  SmallFile file = read_small_file(path, kMachineForm.largest);
  inputs.push_back(std::move(file.identity));
  return parse_machine(file.text, path);
}

}  // namespace stepsim::ingest
