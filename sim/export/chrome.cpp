
#include "sim/analysis/critical_path.h"
#include "sim/export/exporter.h"
#include "sim/export/tracks.h"
#include "sim/output/json_writer.h"
#include "sim/report/field.h"
#include "sim/report/path_sections.h"

/// The Trace Event Format for ui.perfetto.dev and chrome://tracing. Processes and tracks are those of tracks.h; a track
/// becomes a thread. Both viewers need the complete events ("X") of a thread to nest, and show overlapping ones
/// incorrectly or not at all. Times are microseconds with three decimals, from the start of the earliest rank.
namespace stepsim::sim {
namespace {

class ChromeTrace {
 public:
  explicit ChromeTrace(JsonWriter& json) : json_(json) {}

  void write(const Tracks& tracks) {
    for (const TrackProcess& process : tracks.processes()) {
      ++process_;
      write_name("process_name", 0, process.name);
      write_sort_index("process_sort_index", 0, process_);
      if (!process.host.empty()) write_labels(process.host);
      tracks.for_each(
          process, [this](const std::string& name, std::size_t thread) { open_thread(name, thread); },
          [&](TaskId task, std::size_t thread) { write_task(process, task, thread); });
    }
  }

 private:
  void open_thread(const std::string& name, std::size_t thread) {
    write_name("thread_name", thread, name);
    write_sort_index("thread_sort_index", thread, thread);
  }

  void write_task(const TrackProcess& process, TaskId task, std::size_t thread) {
    const Dag& dag = process.replay->capture.dag;
    begin_event("X", dag.name(task), thread);
    json_.key("cat").value(to_text(dag.kind(task)));
    json_.key("ts").raw(microseconds(process.start_of(task)));
    json_.key("dur").raw(microseconds(process.finish_of(task) - process.start_of(task)));
    json_.key("args").begin_object().key("task").value(task.value()).key("kind").value(to_text(dag.kind(task)));
    if (const Bytes bytes = dag.bytes(task); bytes.count() != 0) json_.key("bytes").value(bytes.count());
    if (process.replayed) json_.key("released_by").value(released_by_text(dag, process.replay->timeline, task));
    json_.end_object().end_object();
  }

  void write_name(std::string_view what, std::size_t thread, std::string_view name) {
    begin_event("M", what, thread);
    json_.key("args").begin_object().key("name").value(name).end_object().end_object();
  }

  void write_sort_index(std::string_view what, std::size_t thread, std::size_t index) {
    begin_event("M", what, thread);
    json_.key("args").begin_object().key("sort_index").value(index).end_object().end_object();
  }

  void write_labels(std::string_view labels) {
    begin_event("M", "process_labels", 0);
    json_.key("args").begin_object().key("labels").value(labels).end_object().end_object();
  }

  void begin_event(std::string_view phase, std::string_view name, std::size_t thread) {
    json_.new_line().begin_object().key("ph").value(phase).key("name").value(name);
    json_.key("pid").value(process_).key("tid").value(thread);
  }

  JsonWriter& json_;
  std::size_t process_ = 0;  ///< number of the last process
};

void write_chrome_trace(const Answer& answer, OutputFile& out) {
  JsonWriter json{[&out](std::string_view text) { out.write(text); }};
  json.begin_object().key("displayTimeUnit").value("ns").key("otherData");
  json.begin_object().key("program").value("stepsim");
  write_members(json, kProvenanceFields, answer.provenance);
  json.end_object().key("traceEvents").begin_array();
  ChromeTrace(json).write(Tracks(answer));
  json.end_array().end_object();
  json.finish();
}

}  // namespace

extern const Exporter chrome_exporter{
    .name = "chrome",
    .extension = "trace.json",
    .summary = "Chrome trace for ui.perfetto.dev: measured and replayed, or baseline and scenario",
    .accepts = Content::kTimeline,
    .write = write_chrome_trace,
};

}  // namespace stepsim::sim
