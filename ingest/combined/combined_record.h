#ifndef STEPSIM_INGEST_COMBINED_COMBINED_RECORD_H
#define STEPSIM_INGEST_COMBINED_COMBINED_RECORD_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ingest/chrome/chrome_events.h"
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

}  // namespace stepsim::ingest

#endif
