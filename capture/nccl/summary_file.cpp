#include "capture/nccl/summary_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <thread>
#include <utility>

#include "capture/session/signals.h"
#include "capture/writer/signals_blocked.h"
#include "model/wire/request.h"
#include "model/wire/shared_folder.h"

namespace stepsim::capture::nccl {
namespace {

using std::chrono::steady_clock;

constexpr ::mode_t kMode = 0666;

/// Creates an empty file. Returns false and sets errno on failure, as when it exists.
bool create_empty(const std::string& path) noexcept {
  const int file = wire::open_file(path, O_WRONLY | O_CREAT | O_EXCL, kMode);
  return file >= 0 && ::close(file) == 0;
}

}  // namespace

SummaryFile* SummaryFile::start(const Settings& settings, const Identity& identity) {
  if (settings.directory.empty() || !settings.nccl_summary) return nullptr;
  const auto path = create_file_of_process(settings.directory, ".nccl.json", create_empty);
  if (!path) return nullptr;
  auto* const file = new SummaryFile(settings, identity, *path);
  const SignalsBlocked blocked;
  std::thread([file] { file->run(); }).detach();
  return file;
}

SummaryFile::SummaryFile(const Settings& settings, const Identity& identity, std::string path)
    : path_(std::move(path)), interval_(*settings.nccl_summary), summary_(settings.nccl_ring) {
  const bool refused = settings.signal != 0 && !count_signals(settings.signal);
  properties_.emplace_back("run", json_text(settings.run));
  properties_.emplace_back("host", json_text(wire::host_name()));
  properties_.emplace_back("pid", std::to_string(owner_.pid()));
  properties_.emplace_back("rank", identity.rank ? std::to_string(*identity.rank) : "null");
  properties_.emplace_back("signal_refused", refused ? "true" : "false");
}

void SummaryFile::run() noexcept {
  constexpr std::chrono::milliseconds kPause{100};
  int signals = counted_signals();
  write(false);
  auto written = steady_clock::now();
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, kPause, [this] { return ends_; })) {
    const bool is_due = interval_ > std::chrono::seconds::zero() && steady_clock::now() - written >= interval_;
    const int signals_before = std::exchange(signals, counted_signals());
    if (!is_due && signals == signals_before) continue;
    lock.unlock();
    write(false);
    written = steady_clock::now();
    lock.lock();
  }
  lock.unlock();
  write(true);
  lock.lock();
  is_written_ = true;
  changed_.notify_all();
}

void SummaryFile::write(bool ended) noexcept try {
  Summary::Properties properties = properties_;
  properties.emplace_back("written_ns", std::to_string(system_now()));
  properties.emplace_back("ended", ended ? "true" : "false");
  properties.emplace_back("failed_writes", std::to_string(failed_writes_));
  if (!wire::replace_file(path_, summary_.to_json(properties), kMode)) ++failed_writes_;
} catch (...) {
  ++failed_writes_;
}

void SummaryFile::finish() noexcept try {
  constexpr std::chrono::seconds kLongest{5};
  if (!owner_.is_surely_here()) return;
  std::unique_lock lock(mutex_);
  ends_ = true;
  changed_.notify_all();
  changed_.wait_for(lock, kLongest, [this] { return is_written_; });
} catch (...) {
  return;
}

}  // namespace stepsim::capture::nccl
