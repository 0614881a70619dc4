#include "ingest/config/config.h"

#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/bytes/input.h"
#include "model/base/error.h"
#include "model/base/pattern.h"
#include "model/base/yaml.h"
#include "model/base/yaml_keys.h"
#include "model/job/parameter_server/server_rules.h"

namespace stepsim::ingest {
namespace {

// A job.yaml has about twenty lines. For tens of megabytes yaml-cpp takes seconds and gigabytes of memory.
constexpr YamlForm kJobForm{1U << 20U, "workers: 2"};
constexpr std::uint32_t kMostMembers = 1'000'000'000;

using Keys = std::vector<YamlKey<Job>>;

/// Matches the names that YamlField::word() accepts.
constexpr const char* kWord = "[-A-Za-z0-9_.+]{1,60}";

const Keys& network_keys() {
  static const Keys keys{
      {"bandwidth", &Job::bandwidth, yaml::rate(), "Rate of each host's link, each way (default: calibrated)"},
      {"latency", &Job::latency, yaml::time(), "Latency of each link (default: 5us)"},
  };
  return keys;
}

/// Returns the text of a regular expression that has the group `rank`.
std::string pattern_with_rank(const YamlField& field) {
  constexpr std::string_view kForm = "a regular expression in the syntax of RE2, such as 'trace_(?P<rank>[0-9]+)'";
  std::string text = field.scalar(kForm);
  try {
    if (!Pattern(text).has_group("rank"))
      field.fail(fmt::format("'{}' has no group with the name 'rank'; expected {}", field.name, kForm));
  } catch (const PatternProblem& problem) {
    field.fail(fmt::format("'{}' is not a regular expression ({}); expected {}", field.name, problem.what(), kForm));
  }
  return text;
}

const Keys& job_keys() {
  static const Keys keys{
      {"framework", yaml::text(kWord), "What ran the job: byteps, pytorch-ddp, pytorch-fsdp, horovod, ...",
       [](Job& job, const YamlField& field) { job.framework = field.word("a framework's name such as byteps"); }},
      {"backend", yaml::text(kWord), "What carried the collectives: nccl or gloo",
       [](Job& job, const YamlField& field) { job.backend = field.word("a backend's name such as nccl"); }},
      {"workers", &Job::workers, yaml::count(1, kMostMembers), "Workers of the job (default: the captured ones)"},
      {"servers", &Job::servers, yaml::count(1, kMostMembers), "Parameter servers"},
      {"local_size", &Job::local_size, yaml::count(1, kMostMembers), "GPUs per worker (default: the captured ones)"},
      {"server_threads", &Job::server_threads, yaml::count(1, kMostMembers), "Summing threads per server (default: 1)"},
      {"key_hash", &Job::key_hash, yaml::one_of(server_rule_names(false)),
       "Rule that places partitions on servers (default: djb2)"},
      {"partition_bytes", &Job::partition_bytes, yaml::size(1),
       "Largest size of a partition, rounded up to 4096 bytes per GPU (default: 4096000)"},
      {"exact", &Job::exact, yaml::flag(), "Do not round partition_bytes up (default: false)"},
      {"bucket_bytes", &Job::bucket_bytes, yaml::size(1),
       "Size of the buckets in which gradients are reduced (default: as recorded)"},
      {"schedule", &Job::schedule, yaml::one_of<Schedule>({"fifo", "priority"}),
       "Partition that is sent first: the first released, or the first declared (default: fifo)"},
      {"credit_bytes", &Job::credit_bytes, yaml::size(0), "Most bytes of pushes in flight (default: 0, no bound)"},
      {"barrier", &Job::barrier, yaml::one_of<Barrier>({"global", "cross"}),
       "A step waits for all tensors, or each layer only for its own (default: global)"},
      {"control", &Job::control, yaml::one_of<Control>({"first", "inline"}),
       "Acknowledgements and requests overtake bulk data, or queue with it (default: inline)"},
      {"measured_step", yaml::time(), "Time of a step without a profiler, above 0",
       [](Job& job, const YamlField& field) {
         job.measured_step = field.duration();
         if (*job.measured_step <= Duration{}) field.reject("a time above 0 such as 530ms");
       }},
      {"profiler_cost", &Job::profiler_cost, yaml::time(), "CPU time that the profiler adds for each recorded event"},
      {"batch_size", &Job::batch_size, yaml::count(1, kMostMembers), "Samples per worker and step"},
      {"loader_workers", &Job::loader_workers, yaml::count(1, kMostMembers), "Data-loading processes per rank"},
      {"machine", yaml::text(), "machine.yaml with which what-ifs correct modelled times, beside this file",
       [](Job& job, const YamlField& field) { job.machine = field.line_of_text("the path of a machine.yaml"); }},
      {"rank_in_name", yaml::text(), "Regular expression whose group 'rank' finds the rank in a trace's path",
       [](Job& job, const YamlField& field) { job.rank_in_name = pattern_with_rank(field); }},
      {"network", type_of(network_keys()), "Links of the hosts",
       [](Job& job, const YamlField& field) {
         if (!field.is(YamlValue::Kind::kMap)) field.reject("a map with bandwidth and latency");
         read_map(field, network_keys(), job);
       }},
  };
  return keys;
}

}  // namespace

YamlType job_file_type() { return type_of(job_keys()); }

Job parse_job(std::string_view text, const std::string& name) {
  const YamlValue root = parse_yaml(text, name, kJobForm);
  const YamlField file{"the file", &root, &name};
  Job job;
  if (is_filled_map(file, kJobForm)) read_map(file, job_keys(), job);  // an empty file is allowed
  return job;
}

Job read_job_file(const std::string& path, std::vector<InputFile>& inputs) {
  SmallFile file = read_small_file(path, kJobForm.largest);
  inputs.push_back(std::move(file.identity));
  Job job = parse_job(file.text, path);
  if (job.machine) job.machine = (std::filesystem::path(path).parent_path() / *job.machine).string();
  return job;
}

}  // namespace stepsim::ingest
