#ifndef STEPSIM_INGEST_COMBINED_COMBINED_TRACE_H
#define STEPSIM_INGEST_COMBINED_COMBINED_TRACE_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/bytes/input.h"
#include "ingest/chrome/chrome_events.h"
#include "model/base/diagnostics.h"
#include "model/base/units.h"

/// The records of a combined trace: those of its files, as they were but for what tells the files' processes apart.
namespace stepsim::ingest {

/// `text` as a JSON string, quotes included.
[[nodiscard]] std::string json_text(std::string_view text);

/// Whose processes a file holds, as ByteProfile puts it in front of their ids: "wk0." and "rank1.".
struct ProcessPrefix {
  std::string worker;     ///< "wk0."; empty where a job has one worker, and for ranks
  std::string rank;       ///< "rank1."
  bool on_names = false;  ///< also in front of events' names, as in files of BytePS and ByteProfile: the rank only
};

/// `event` as a record of the combined trace, from the file numbered `file`: its process has the prefix in front, and
/// so have ids that tie events to each other and the names of processes. It starts later by `shift`. All else is as it
/// was written. A process that is already named like the rank gets the worker in front only.
[[nodiscard]] std::string combined_record(const ChromeEvent& event, const ProcessPrefix& prefix, std::size_t file,
                                          Duration shift);

/// The number of the file that a record of a combined trace is from; nothing for any other record.
[[nodiscard]] std::optional<std::size_t> file_of(std::string_view record);

/// A record as it was before combined_record(), but for its start.
[[nodiscard]] std::string separated_record(const ChromeEvent& event, const ProcessPrefix& prefix);

/// Several files of one job in one Chrome trace, which viewers show and which stepsim divides again:
///
///     {"displayTimeUnit":"ns","otherData":{"program":"stepsim","combined":1,...},"traceEvents":[
///     {"ph":"M","name":"stepsim_file","args":{"name":"0/0/comm.json","format":"byteps_comm",
///      "worker":"wk0.","rank":"rank0.","on_names":1},"in_file":0},
///     {"ph":"X","pid":"wk0.rank0.Comm.w","name":"rank0.Comm.w.PUSH",...,"in_file":0},
///     {"ph":"M","name":"stepsim_members","args":{"distributedInfo":{...}},"in_file":0},
///     {"ph":"M","name":"stepsim_text","args":{"text":"graph [..."},"in_file":1}, ...]}
///
/// A file that is no Chrome trace is there as its text. Of a trace's other members those are kept that say whose trace
/// it is and what its clock counts from.

/// A file of a combined trace.
struct CombinedFile {
  std::string name;    ///< its path within the job: "0/0/comm.json"
  std::string format;  ///< the name of its format
  ProcessPrefix prefix;
};

/// Writes a combined trace, a file after the other.
class CombinedTraceWriter {
 public:
  using Sink = std::function<void(std::string_view text)>;
  using Keep = std::function<bool(const ChromeEvent& event)>;

  /// How a trace's events are put on the common clock.
  struct Clock {
    Duration shift{};                  ///< they start later by this
    std::optional<std::int64_t> base;  ///< and count from this, in nanoseconds since 1970; nothing: as they did
  };
  struct Counts {
    std::uint64_t events = 0;    ///< written
    std::uint64_t left_out = 0;  ///< that `keep` does not keep
  };

  /// `origin`: members of a JSON object, which say who made it from what; may be empty.
  CombinedTraceWriter(Sink sink, std::string_view origin);

  /// Streams the records of a Chrome trace. Throws InputError as ChromeEventReader does.
  Counts add_trace(ByteSource& source, const CombinedFile& file, const Clock& clock, const Keep& keep,
                   Diagnostics& diagnostics);
  void add_text(std::string_view text, const CombinedFile& file);
  /// To be called once, last.
  void finish();

 private:
  void begin_file(const CombinedFile& file);
  void put(std::string_view record);

  Sink sink_;
  std::size_t files_ = 0;
  bool any_ = false;
};

/// Whether a file that begins so is a combined trace.
[[nodiscard]] bool is_combined_trace(std::string_view head);

/// A file of a combined trace as it was, but for its clock.
struct SeparatedFile {
  std::string name;
  std::string format;
  std::string text;
};

/// Divides a combined trace. Holds all of it in memory. A record of no file is counted as "bad_record". Throws
/// InputError as ChromeEventReader does.
[[nodiscard]] std::vector<SeparatedFile> separate(ByteSource& source, Diagnostics& diagnostics);

}  // namespace stepsim::ingest

#endif
