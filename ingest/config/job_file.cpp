#include "ingest/config/config.h"

#include <vector>

#include "ingest/bytes/input.h"
#include "model/base/error.h"
#include "model/base/yaml.h"
#include "model/job/parameter_server/server_rules.h"

namespace stepsim::ingest {
namespace {

// A job.yaml has about twenty lines. For tens of megabytes yaml-cpp takes seconds and gigabytes of memory.
constexpr YamlForm kJobForm{1U << 20U, "workers: 2"};
constexpr std::uint32_t kMostMembers = 1'000'000'000;

using Keys = std::vector<YamlKey<Job>>;

const Keys& network_keys() {
  static const Keys keys{
      {"bandwidth", [](Job& job, const YamlField& field) { job.bandwidth = field.bandwidth(); }},
      {"latency", [](Job& job, const YamlField& field) { job.latency = field.duration(); }},
  };
  return keys;
}

const Keys& job_keys() {
  static const Keys keys{
      {"framework",
       [](Job& job, const YamlField& field) { job.framework = field.word("a framework's name such as byteps"); }},
      {"backend", [](Job& job, const YamlField& field) { job.backend = field.word("a backend's name such as nccl"); }},
      {"workers", [](Job& job, const YamlField& field) { job.workers = field.count(1, kMostMembers); }},
      {"servers", [](Job& job, const YamlField& field) { job.servers = field.count(1, kMostMembers); }},
      {"local_size", [](Job& job, const YamlField& field) { job.local_size = field.count(1, kMostMembers); }},
      {"server_threads", [](Job& job, const YamlField& field) { job.server_threads = field.count(1, kMostMembers); }},
      {"key_hash",
       [](Job& job, const YamlField& field) {
         const std::vector<std::string> rules = server_rule_names(false);
         job.key_hash = rules[field.one_of_words(rules)];
       }},
      {"partition_bytes", [](Job& job, const YamlField& field) { job.partition_bytes = field.bytes(1); }},
      {"exact", [](Job& job, const YamlField& field) { job.exact = field.flag(); }},
      {"bucket_bytes", [](Job& job, const YamlField& field) { job.bucket_bytes = field.bytes(1); }},
      {"schedule",
       [](Job& job, const YamlField& field) {
         job.schedule = field.one_of_words({"fifo", "priority"}) == 0 ? Schedule::kFifo : Schedule::kPriority;
       }},
      {"credit_bytes", [](Job& job, const YamlField& field) { job.credit_bytes = field.bytes(0); }},
      {"barrier",
       [](Job& job, const YamlField& field) {
         job.barrier = field.one_of_words({"global", "cross"}) == 0 ? Barrier::kGlobal : Barrier::kCross;
       }},
      {"control",
       [](Job& job, const YamlField& field) {
         job.control = field.one_of_words({"first", "inline"}) == 0 ? Control::kFirst : Control::kInline;
       }},
      {"measured_step",
       [](Job& job, const YamlField& field) {
         job.measured_step = field.duration();
         if (*job.measured_step <= Duration{}) field.reject("a time above 0 such as 530ms");
       }},
      {"batch_size", [](Job& job, const YamlField& field) { job.batch_size = field.count(1, kMostMembers); }},
      {"loader_workers", [](Job& job, const YamlField& field) { job.loader_workers = field.count(1, kMostMembers); }},
      {"network",
       [](Job& job, const YamlField& field) {
         if (!field.is(YamlValue::Kind::kMap)) field.reject("a map with bandwidth and latency");
         read_map(field, network_keys(), job);
       }},
  };
  return keys;
}

}  // namespace

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
  return parse_job(file.text, path);
}

}  // namespace stepsim::ingest
