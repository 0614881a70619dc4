#ifndef STEPSIM_CAPTURE_SESSION_REQUESTS_H
#define STEPSIM_CAPTURE_SESSION_REQUESTS_H

#include <sys/types.h>

#include <cstdint>
#include <ctime>
#include <optional>
#include <string>

#include "model/wire/request.h"

namespace stepsim::capture {

/// The requests of `stepsim capture --attach` to this process (model/wire/request.h). A program may rely on the lowest
/// free descriptor, so looking for a request opens no file unless there is a new one.
class Requests {
 public:
  /// `folder` is that of the requests, `process` the wire::process_name() of this process. A request that is there
  /// already is ignored, because it is older than this process. Throws std::bad_alloc.
  Requests(std::string folder, std::string process);

  /// Tells that this process can be asked to record, and what became of the last request.
  void announce(const wire::Reply& reply) noexcept;
  /// Tells that this process cannot be asked now.
  void withdraw() noexcept;
  /// Returns a new request to this process, once. O(1) without one: a single call of lstat().
  [[nodiscard]] std::optional<wire::Request> poll() noexcept;

  [[nodiscard]] const std::string& folder() const noexcept { return folder_; }

 private:
  /// Distinguishes a file from another that replaces it.
  struct Version {
    ::ino_t inode = 0;
    std::int64_t seconds = 0;
    std::int64_t nanoseconds = 0;
    friend bool operator==(const Version&, const Version&) noexcept = default;
  };

  std::string folder_;
  std::string process_;
  std::string request_path_;
  std::string idle_path_;
  Version seen_;
};

}  // namespace stepsim::capture

#endif
