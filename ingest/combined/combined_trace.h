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

/// Reads and writes combined traces. A combined trace contains the records of several files, unchanged except for
/// prefixes that keep the files' processes apart.
namespace stepsim::ingest {

/// Returns `text` as a JSON string, quotes included.
[[nodiscard]] std::string json_text(std::string_view text);

/// Names the worker and rank that a file's processes belong to. Both are put in front of the process ids, as in
/// ByteProfile.
struct ProcessPrefix {
  std::string worker;     ///< "wk0."; empty unless the job has several workers
  std::string rank;       ///< "rank1."
  bool on_names = false;  ///< also put `rank` before event names, as BytePS and ByteProfile do
};

/// Returns `event` as a record of the combined trace, with `file` as the number of its file. The worker and rank in
/// `prefix` are put in front of the process id, of ids that connect events, and of names of processes. If the process
/// id already is the rank, only the worker is put in front of it. If prefix.on_names is set, the rank is put in front
/// of the event's name. The event's start moves later by `shift`.
[[nodiscard]] std::string combined_record(const ChromeEvent& event, const ProcessPrefix& prefix, std::size_t file,
                                          Duration shift);

/// Returns the number of the file that a record of a combined trace comes from; nullopt for any other record.
[[nodiscard]] std::optional<std::size_t> file_of(std::string_view record);

/// Reverses combined_record(), except for the shift of the start.
[[nodiscard]] std::string separated_record(const ChromeEvent& event, const ProcessPrefix& prefix);

/// A combined trace holds several files of one job in one Chrome trace. Viewers can show it, and separate() splits it
/// again:
///
///     {"displayTimeUnit":"ns","otherData":{"program":"stepsim","combined":1,...},"traceEvents":[
///     {"ph":"M","name":"stepsim_file","args":{"name":"0/0/comm.json","format":"byteps_comm",
///      "worker":"wk0.","rank":"rank0.","on_names":1},"in_file":0},
///     {"ph":"X","pid":"wk0.rank0.Comm.w","name":"rank0.Comm.w.PUSH",...,"in_file":0},
///     {"ph":"M","name":"stepsim_members","args":{"distributedInfo":{...}},"in_file":0},
///     {"ph":"M","name":"stepsim_text","args":{"text":"graph [..."},"in_file":1}, ...]}
///
/// A file that is not a Chrome trace is stored as text. Members of a trace other than its events are kept only if they
/// identify its rank or host, or give the base time of its clock.

/// One file in a combined trace.
struct CombinedFile {
  std::string name;    ///< path within the job: "0/0/comm.json"
  std::string format;  ///< name of its format
  ProcessPrefix prefix;
};

/// Writes a combined trace, one file after another.
class CombinedTraceWriter {
 public:
  using Sink = std::function<void(std::string_view text)>;
  using Keep = std::function<bool(const ChromeEvent& event)>;

  /// The change that moves a trace's events to the common clock.
  struct Clock {
    Duration shift{};                  ///< added to each start
    std::optional<std::int64_t> base;  ///< new base time, in nanoseconds since 1970; empty: keep the trace's own
  };
  struct Counts {
    std::uint64_t events = 0;    ///< events written
    std::uint64_t left_out = 0;  ///< events that `keep` rejected
  };

  /// `origin` holds members of a JSON object that state which program made the file and from what. It may be empty.
  CombinedTraceWriter(Sink sink, std::string_view origin);

  /// Copies the records of a Chrome trace without holding them all in memory. Throws InputError as ChromeEventReader
  /// does.
  Counts add_trace(ByteSource& source, const CombinedFile& file, const Clock& clock, const Keep& keep,
                   Diagnostics& diagnostics);
  void add_text(std::string_view text, const CombinedFile& file);
  /// Ends the file. Call it once, after all files.
  void finish();

 private:
  void begin_file(const CombinedFile& file);
  void put(std::string_view record);

  Sink sink_;
  std::size_t files_ = 0;
  bool any_ = false;
};

/// Returns true if `head`, the beginning of a file, is that of a combined trace.
[[nodiscard]] bool is_combined_trace(std::string_view head);

/// One file taken out of a combined trace. It equals the original, except that the times of a Chrome trace are on the
/// common clock, and that it lacks what the writer left out: some events, and most top-level members.
struct SeparatedFile {
  std::string name;
  std::string format;
  std::string text;
};

/// Splits a combined trace into its files. Holds all of it in memory. Counts a record that belongs to no file as
/// "bad_record". Throws InputError as ChromeEventReader does.
[[nodiscard]] std::vector<SeparatedFile> separate(ByteSource& source, Diagnostics& diagnostics);

}  // namespace stepsim::ingest

#endif
