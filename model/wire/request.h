#ifndef STEPSIM_MODEL_WIRE_REQUEST_H
#define STEPSIM_MODEL_WIRE_REQUEST_H

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// How `stepsim capture --attach` reaches processes that run with the capture module but record nothing yet: through
/// files in the folder that kIdleVariable names. Files also reach programs that close all descriptors, and processes of
/// other hosts.
///
/// Each process that can be asked to record has a file `HOST_PID.idle` there. The process removes it when it begins to
/// record, and creates it again when the recording is complete. It then holds a Reply. The request is in the file
/// kRequestFile, which is replaced as a whole. A process looks for it every 0.1 s and obeys it if it comes from its
/// own user or root.
namespace stepsim::wire {

inline constexpr char kIdleExtension[] = ".idle";
inline constexpr char kRequestFile[] = "stepsim.request";
/// Largest files that are read, in bytes.
inline constexpr std::size_t kLargestReply = std::size_t{64} << 10U;
inline constexpr std::size_t kLargestRequest = std::size_t{1} << 20U;
/// The N-th recording that a signal starts is in the folder DIR + kSignalFolder + N, so that those of all ranks are in
/// one folder.
inline constexpr char kSignalFolder[] = "/signal-";

/// What a process is to do: record with these settings, or end its recording.
struct Request {
  std::string run;                     ///< distinguishes this request from all others, and is the run of its files
  std::vector<std::string> processes;  ///< the processes that are meant, by their process_name()
  bool stop = false;                   ///< end the recording
  /// Values of environment variables (environment.h), which replace those that the process has.
  std::vector<std::pair<std::string, std::string>> variables;

  [[nodiscard]] bool means(std::string_view process) const noexcept;
};

/// What a process has to say about the last request that it obeyed.
struct Reply {
  std::string run;      ///< of the request; empty if there was none
  std::string problem;  ///< why nothing was recorded; empty if it was
};

/// Returns the name of this host; "host" if it is not known.
[[nodiscard]] std::string host_name();

/// Returns the name of a process in the names of its files: "HOST_PID". Characters of `host` that are unsafe in a file
/// name become '-'.
[[nodiscard]] std::string process_name(std::string_view host, long pid);

/// Converts to and from the contents of the files. A request is a sequence of texts NAME=VALUE, each with a zero byte
/// at its end. from_text() returns nothing for a file that is not a request.
[[nodiscard]] std::string to_text(const Request& request);
[[nodiscard]] std::optional<Request> request_from_text(std::string_view text);
[[nodiscard]] std::string to_text(const Reply& reply);
[[nodiscard]] Reply reply_from_text(std::string_view text);

}  // namespace stepsim::wire

#endif
