#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ingest/formats/format.h"
#include "ingest/formats/nsys/activities.h"
#include "ingest/formats/nsys/collectives.h"
#include "ingest/parts/busy_time.h"
#include "ingest/parts/part.h"
#include "ingest/sqlite/database.h"
#include "model/base/known_diagnostics.h"
#include "model/base/text.h"
#include "model/job/kernel_class.h"

namespace stepsim::ingest {
namespace {

/// Data about the machine and the session.
class Session {
 public:
  explicit Session(NsysTables& tables) {
    static constexpr std::array<std::string_view, 1> kBegin{"utcEpochNs"};
    tables.for_each(
        {"TARGET_INFO_SESSION_START_TIME", kBegin, 1, &diagnostic("missing table: TARGET_INFO_SESSION_START_TIME")},
        [&](const Database::Rows& row) {
          const Time time{Duration{*row.integer(0)}};
          if (in_time(time)) begin = time;
        });
    static constexpr std::array<std::string_view, 2> kEnvironment{"name", "value"};
    tables.for_each({"TARGET_INFO_SYSTEM_ENV", kEnvironment, 0, {}}, [&](const Database::Rows& row) {
      if (host.empty() && row.text(0) == "Hostname") host = row.text(1);
    });
    read_devices(tables);
  }

  /// Returns the number of a process's device within the machine: a process that sees only some devices counts them
  /// from 0.
  [[nodiscard]] std::int64_t gpu_of(std::int64_t process, std::int32_t device) const {
    const auto gpu = gpus_.find({process, device});
    return gpu == gpus_.end() ? device : gpu->second;
  }
  [[nodiscard]] std::string name_of(std::int64_t gpu) const {
    const auto name = names_.find(gpu);
    return name == names_.end() ? std::string{} : name->second;
  }

  std::optional<Time> begin;
  std::string host;

 private:
  void read_devices(NsysTables& tables) {
    static constexpr std::array<std::string_view, 3> kDevices{"gpuId", "cudaId", "pid"};
    tables.for_each({"TARGET_INFO_CUDA_DEVICE", kDevices, kDevices.size(), {}}, [&](const Database::Rows& row) {
      gpus_.try_emplace({*row.integer(2), *row.integer(1)}, *row.integer(0));
    });
    static constexpr std::array<std::string_view, 2> kGpus{"id", "name"};
    tables.for_each({"TARGET_INFO_GPU", kGpus, 1, {}},
                    [&](const Database::Rows& row) { names_.try_emplace(*row.integer(0), row.text(1)); });
  }

  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> gpus_;
  std::map<std::int64_t, std::string> names_;
};

/// Passes on warnings that Nsight Systems recorded about itself.
void pass_on_warnings(NsysTables& tables, const std::string& file, PartSink& sink) {
  static constexpr std::array<std::string_view, 2> kColumns{"severity", "text"};
  constexpr std::int64_t kWarning = 2;
  tables.for_each({"DIAGNOSTIC_EVENT", kColumns, 1, {}}, [&](const Database::Rows& row) {
    if (*row.integer(0) < kWarning) return;
    sink.diagnostics.count(diagnostic("nsys_warning"), {file, {}, {}}, shown(row.text(1)));
  });
}

/// Throws InputError for databases that are not exports of Nsight Systems.
void check_tables(const Database& database, const std::string& file) {
  const auto& tables = database.tables();
  const bool known = std::any_of(tables.begin(), tables.end(), [](const auto& table) {
    return table.first.starts_with("CUPTI_ACTIVITY_KIND_") || table.first == "NVTX_EVENTS" ||
           table.first == "META_DATA_EXPORT";
  });
  if (known) return;
  throw InputError({file, {}, {}},
                   "the database has no table of Nsight Systems; expected one that 'nsys export --type sqlite' wrote");
}

/// A process that may become a rank.
struct Candidate {
  std::int64_t id = 0;
  NsysProcess* process = nullptr;
  std::int64_t gpu = -1;
  std::optional<NsysCollectives::Place> place;
};

/// Returns how useful a process is for a replay: 3 with device work, 2 with CUDA calls, 1 with other events, 0 without
/// events.
int worth(const NsysProcess& process) {
  if (busiest_device(process.trace())) return 3;
  const std::vector<EventKind>& kinds = process.trace().kind;
  if (std::find(kinds.begin(), kinds.end(), EventKind::kRuntimeCall) != kinds.end()) return 2;
  return kinds.empty() ? 0 : 1;
}

std::vector<Candidate> ranks_among(NsysEvents& events, const Session& session, const NsysCollectives& collectives,
                                   const std::string& file, PartSink& sink) {
  int best = 0;
  for (const auto& [id, process] : events.processes()) best = std::max(best, worth(process));
  if (best == 0) {
    throw InputError({file, {}, {}},
                     "the export has no kernel, no CUDA call and no NVTX range; expected a recording by nsys profile "
                     "--trace=cuda,nvtx");
  }
  std::vector<Candidate> found;
  for (auto& [id, process] : events.processes()) {
    if (worth(process) < best) {
      sink.diagnostics.count(diagnostic("process_not_used"), {file, {}, {}},
                             fmt::format("process {}", process.number()));
      continue;
    }
    found.push_back({id, &process, session.gpu_of(process.number(), busiest_device(process.trace()).value_or(-1)),
                     collectives.place_of(id)});
  }
  return found;
}

/// Drops the communicator ranks of all processes if they contradict each other.
void check_places(std::vector<Candidate>& ranks) {
  std::set<std::int64_t> taken;
  const bool agree = std::all_of(ranks.begin(), ranks.end(), [&](const Candidate& rank) {
    return rank.place && rank.place->size == ranks.front().place->size && taken.insert(rank.place->rank).second;
  });
  if (agree) return;
  for (Candidate& rank : ranks) rank.place.reset();
}

bool calls_nccl(const HostDeviceTrace& trace) {
  return std::any_of(trace.texts.begin(), trace.texts.end(),
                     [](const std::string& text) { return communication_kernel(text).has_value(); });
}

/// Reads an export made with `nsys export --type sqlite`. Each process that used a device becomes a part. If no process
/// used a device, each process that called CUDA becomes a part; if no process called CUDA, each process with events
/// does. The rank of a process is its rank in its largest NCCL communicator, if these ranks are consistent: each
/// process has one, the sizes are the same, and no rank occurs twice. Otherwise processes are ordered by device and
/// then by process id. Messages call the database `file`. Throws InputError if there is nothing to replay. Source:
/// "SQLite Export Schema Reference" of NVIDIA's documentation of Nsight Systems, and exports of schema 3.17 and 3.25.
void read_nsys_export(const Database& database, const std::string& file, PartSink& sink) {
  check_tables(database, file);
  if (database.had_log()) {
    sink.diagnostics.count(diagnostic("log_not_read"), {file, {}, {}});
  }
  NsysTables tables(database, file, sink);
  const NsysTexts texts(tables);
  const Session session(tables);
  NsysEvents events(tables, texts, session.begin.value_or(Time{}));
  NsysActivities activities(events, sink, file);
  activities.read();
  NsysRanges ranges(events, sink, file);
  ranges.read();
  NsysCollectives collectives(events);
  collectives.describe(ranges.nccl());
  activities.read_overheads();
  pass_on_warnings(tables, file, sink);
  tables.report_unread();

  std::vector<Candidate> ranks = ranks_among(events, session, collectives, file, sink);
  check_places(ranks);
  std::sort(ranks.begin(), ranks.end(), [](const Candidate& a, const Candidate& b) {
    return std::pair{a.gpu, a.id} < std::pair{b.gpu, b.id};
  });
  sink.parts.reserve(ranks.size());
  for (const Candidate& rank : ranks) {
    const std::int64_t number = rank.process->number();
    HostDeviceTrace trace = std::move(*rank.process).take();
    events.processes().erase(rank.id);  // frees memory: an export may have a process for each kernel
    trace.host_name = session.host;
    trace.has_base_time = session.begin.has_value();
    trace.device_name = session.name_of(rank.gpu);
    if (calls_nccl(trace)) trace.backend = "nccl";
    if (rank.place) {
      trace.rank = rank.place->rank;
      trace.world_size = rank.place->size;
    }
    sink.add(std::move(trace), ranks.size() == 1 ? std::string{} : fmt::format("process {}", number));
  }
}

/// Recognises an export by the statements that created its tables. They are in the first page of the file, unless they
/// need more than one page (byte 100 is 5); then they may be anywhere.
int recognise_nsys(std::string_view, std::string_view head) {
  constexpr int kSure = 90;
  constexpr int kLikely = 60;
  constexpr std::size_t kKindOfPage = 100;
  if (!is_database(head)) return 0;
  if (contains_any(head,
                   {"CUPTI_ACTIVITY_KIND_", "TARGET_INFO_", "NVTX_EVENTS", "META_DATA_EXPORT", "META_DATA_CAPTURE"}))
    return kSure;
  return head.size() > kKindOfPage && head[kKindOfPage] == 5 ? kLikely : 0;
}

void read_nsys(Input& input, PartSink& sink) {
  const Database database(input);
  read_nsys_export(database, input.name(), sink);
}

}  // namespace

extern const Format nsys_format{
    .name = "nsys",
    .summary = "Nsight Systems database (nsys export --type sqlite): calls, kernels and NVTX ranges of each process",
    .recognise = recognise_nsys,
    .read = read_nsys,
};

}  // namespace stepsim::ingest
