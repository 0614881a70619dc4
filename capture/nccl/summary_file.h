#ifndef STEPSIM_CAPTURE_NCCL_SUMMARY_FILE_H
#define STEPSIM_CAPTURE_NCCL_SUMMARY_FILE_H

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>

#include "capture/nccl/summary.h"
#include "capture/session/settings.h"
#include "capture/writer/process.h"

namespace stepsim::capture::nccl {

/// Writes the summary of this process to DIR/HOST_PID.nccl.json: at the start, at each interval of the settings, at
/// their signal, and at the end. A thread of its own writes, so NCCL's calls never wait for the disk. Each time the
/// file is replaced as a whole. Never destroyed, because NCCL may call the plugin until the process ends.
class SummaryFile {
 public:
  /// Returns null if the settings ask for no summary of this process, or if the file cannot be created.
  [[nodiscard]] static SummaryFile* start(const Settings& settings, const Identity& identity);

  [[nodiscard]] Summary& summary() noexcept { return summary_; }
  [[nodiscard]] const Owner& owner() const noexcept { return owner_; }
  /// Writes the file for the last time. Waits at most 5 s for the disk. Does nothing in a child of fork().
  void finish() noexcept;

 private:
  SummaryFile(const Settings& settings, const Identity& identity, std::string path);
  void run() noexcept;
  void write(bool ended) noexcept;

  const Owner owner_;
  const std::string path_;
  const std::chrono::seconds interval_;
  Summary::Properties properties_;
  Summary summary_;
  std::uint64_t failed_writes_ = 0;
  std::mutex mutex_;  ///< guards ends_ and is_written_
  std::condition_variable changed_;
  bool ends_ = false;
  bool is_written_ = false;
};

}  // namespace stepsim::capture::nccl

#endif
