#include "ingest/formats/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>

#include "ingest/sqlite/database.h"
#include "model/base/text.h"

namespace stepsim::ingest {
namespace {

constexpr std::string_view kKineto = "the trace of torch.profiler (export_chrome_trace or tensorboard_trace_handler)";

constexpr std::string_view kXla = "a profile of XLA (JAX or TensorFlow)";
constexpr std::string_view kNotXla = "a trace of PyTorch or BytePS; stepsim cannot read XLA profiles yet";

std::string_view without_leading_blanks(std::string_view text) {
  const std::size_t first = first_character(text);
  return first == std::string_view::npos ? std::string_view{} : text.substr(first);
}

bool is_json(std::string_view head) {
  const std::string_view text = without_leading_blanks(head);
  return text.starts_with('{') || text.starts_with('[');
}

bool begins_as(std::string_view head, std::string_view in_lower_case) {
  return lower_case(without_leading_blanks(head).substr(0, in_lower_case.size())) == in_lower_case;
}

bool is_empty(std::string_view, std::string_view head) { return head.empty(); }

bool is_web_page(std::string_view, std::string_view head) {
  return begins_as(head, "<!doctype html") || begins_as(head, "<html");
}

bool is_other_database(std::string_view, std::string_view head) { return is_database(head); }

bool is_rocpd(std::string_view, std::string_view head) { return is_database(head) && contains(head, "rocpd_"); }

/// True for msprof_*.db and ascend_pytorch_profiler.db.
bool is_msprof_database(std::string_view file_name, std::string_view head) {
  return is_database(head) && (file_name.starts_with("msprof") || file_name.starts_with("ascend_pytorch_profiler") ||
                               contains_any(head, {"CANN_API", "COMPUTE_TASK_INFO"}));
}

/// True for what TORCH_NCCL_DUMP_ON_TIMEOUT, or the functions that dump the recorder, write: a pickle or JSON.
bool is_flight_recorder(std::string_view, std::string_view head) {
  return contains(head, "pg_config") && contains_any(head, {"nccl_version", "pg_status", "entries"});
}

bool is_nccl_inspector(std::string_view, std::string_view head) {
  return is_json(head) && contains_any(head, {"\"coll_perf\"", "\"inspector_output_format_version\""});
}

/// True for what NCCL's example of a profiler plugin writes: groups, collectives and the work of proxies.
bool is_nccl_profiler(std::string_view, std::string_view head) {
  return is_json(head) && contains(head, "\"GROUP\"") && contains_any(head, {"\"COLL\"", "\"P2P\"", "\"PROXY\""});
}

/// True for what export_memory_timeline writes: times and sizes, or rows of time, action, bytes and category.
bool is_memory_timeline(std::string_view, std::string_view head) {
  const std::string_view text = without_leading_blanks(head);
  return text.starts_with('[') && without_leading_blanks(text.substr(1)).starts_with('[');
}

/// True for a trace viewer's file, which XLA's profiler writes next to its .xplane.pb.
bool is_xla_trace(std::string_view, std::string_view head) {
  return is_json(head) && contains(head, "\"highres-ticks\"") && contains_any(head, {"/host:", "/device:"});
}

/// True for files that dPRO derives from a trial and stores in it. stepsim does not use them.
bool is_trial_cache(std::string_view file_name, std::string_view) {
  constexpr std::array<std::string_view, 5> kNames{"statistic.txt", "nccl_graph.txt", "bps_cache.pickle",
                                                   "tensor_size2avg.txt", "queue_status.json"};
  return std::find(kNames.begin(), kNames.end(), file_name) != kNames.end();
}

/// True for a TFRecord file of TensorBoard: 8 bytes of length, 4 of checksum, then a message that begins with the wall
/// time and the version "brain.Event:".
bool is_tensorboard(std::string_view file_name, std::string_view head) {
  constexpr std::size_t kFirstRecord = 64;
  return contains(head.substr(0, kFirstRecord), "brain.Event:") || contains(file_name, ".tfevents.");
}

bool is_pickle(std::string_view, std::string_view head) {
  return head.size() > 2 && head[0] == '\x80' && head[1] >= '\x02' && head[1] <= '\x05' && !is_json(head);
}

bool is_nccl_tests(std::string_view, std::string_view head) {
  return contains(head, "# nThread ") && contains(head, "busbw");
}

bool is_perfetto(std::string_view file_name, std::string_view) {
  return file_name.ends_with(".pftrace") || file_name.ends_with(".perfetto-trace");
}

bool is_nsys_report(std::string_view file_name, std::string_view head) {
  return (file_name.ends_with(".nsys-rep") || file_name.ends_with(".qdrep")) && !is_json(head);
}

bool is_ncu_report(std::string_view file_name, std::string_view) { return file_name.ends_with(".ncu-rep"); }

bool is_xplane(std::string_view file_name, std::string_view head) {
  return file_name.ends_with(".xplane.pb") ||
         (!is_json(head) && contains(head.substr(0, 256), "/host:metadata") && head.starts_with('\n'));
}

bool is_yaml(std::string_view file_name, std::string_view head) {
  return (file_name.ends_with(".yaml") || file_name.ends_with(".yml")) && !is_json(head);
}

bool is_byteprofile_source(std::string_view file_name, std::string_view) {
  return file_name == "temp.json" || file_name == "io.json";
}

constexpr std::array kOthers{
    KnownOther{
        "empty",
        "a complete file: let the profiler finish (the end of its 'with' block, or stop()), or copy the file again",
        is_empty},
    KnownOther{"a web page", "the file itself; a download link that needs a login, or leads to a web page, gives this",
               is_web_page},
    KnownOther{"a database of rocprofv3 (rocpd)", kKineto, is_rocpd},
    KnownOther{"a database of Ascend's msprof", "trace_view.json of the same run", is_msprof_database},
    KnownOther{"a SQLite database", "one that 'nsys export --type sqlite' wrote", is_other_database},
    KnownOther{"a file of TensorBoard events, which has scalars but no trace",
               "the *.pt.trace.json files that tensorboard_trace_handler writes", is_tensorboard},
    KnownOther{"what nccl-tests printed", "it as input of 'stepsim calibrate --nccl-tests'", is_nccl_tests},
    KnownOther{"what dPRO made of a trial", "the trial's folder, with the files that were recorded", is_trial_cache},
    KnownOther{"a dump of PyTorch's Flight Recorder, which has collectives but no kernels", kKineto,
               is_flight_recorder},
    KnownOther{"a log of NCCL's Inspector, which has collectives but no kernels", kKineto, is_nccl_inspector},
    KnownOther{"a trace of NCCL's profiler plugin, which has collectives but no kernels", kKineto, is_nccl_profiler},
    KnownOther{"a memory timeline of PyTorch, which has sizes but no work", kKineto, is_memory_timeline},
    KnownOther{"a pickled object, such as a memory snapshot of PyTorch", kKineto, is_pickle},
    KnownOther{"an Nsight Systems report", "the database that 'nsys export --type sqlite REPORT' makes of it",
               is_nsys_report},
    KnownOther{"an Nsight Compute report, which has single kernels and no steps", kKineto, is_ncu_report},
    KnownOther{kXla, kNotXla, is_xplane},
    KnownOther{kXla, kNotXla, is_xla_trace},
    KnownOther{"a trace in Perfetto's own form", "the JSON trace that it was made from", is_perfetto},
    KnownOther{"a source file of ByteProfile",
               "its folder, after 'stepsim collect --in-place' has made the merged trace", is_byteprofile_source},
    KnownOther{"a YAML file", "it with its option: --job for job.yaml, --cluster for hardware, -s for a scenario",
               is_yaml},
};

}  // namespace

std::span<const KnownOther> known_others() { return kOthers; }

const KnownOther* find_known_other(std::string_view file_name, std::string_view head) {
  const auto* const found = std::find_if(kOthers.begin(), kOthers.end(),
                                         [&](const KnownOther& other) { return other.recognise(file_name, head); });
  return found == kOthers.end() ? nullptr : found;
}

std::string problem_of(const KnownOther& other) {
  return fmt::format("this is {}, which stepsim cannot replay; expected {}", other.what, other.remedy);
}

}  // namespace stepsim::ingest
