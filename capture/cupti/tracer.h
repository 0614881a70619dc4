#ifndef STEPSIM_CAPTURE_CUPTI_TRACER_H
#define STEPSIM_CAPTURE_CUPTI_TRACER_H

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "capture/cupti/buffers.h"
#include "capture/cupti/library.h"
#include "capture/cupti/translator.h"
#include "capture/tracer/tracer.h"
#include "capture/writer/writer.h"

namespace stepsim::capture::cupti {

struct TracerSettings {
  std::string library;           ///< path of libcupti.so; empty = search for it
  std::size_t buffer_bytes = 0;  ///< of all buffers that CUPTI fills
  bool waits = true;             ///< record waits and CUDA events
  /// Record each launch of a CUDA graph as one, not its kernels. Device work is then recorded from the start and
  /// dropped until it is wanted, because a program crashes in CUPTI 13.0 when it launches a graph that is older than
  /// this setting.
  bool whole_graphs = false;
  /// Called when the program calls cudaProfilerStart() (true) or cudaProfilerStop() (false). If it is set, CUPTI is
  /// subscribed to until the program ends, and other profilers cannot subscribe.
  std::function<void(bool)> on_profiler_call;
};

/// Records calls and device work of this process through CUPTI.
///
/// CUPTI's switches and callbacks belong to the process. When another profiler appears, nothing is switched off,
/// because that would end the other's recording too; its records are no longer taken, and the file says so.
///
/// Switching, flushing and ending exclude each other: CUPTI 13.0 and 13.1 can deadlock or crash where they overlap
/// (release notes of CUDA 13.0 Update 1 and 13.1 Update 1).
class Tracer : public capture::Tracer {
 public:
  /// `writer` must outlive the tracer. Throws std::bad_alloc.
  Tracer(TracerSettings settings, Writer& writer);

  void start(bool record_at_once) override;
  /// Writes library, devices, contexts, streams, and what does not work.
  void describe_again() noexcept override;
  /// True if CUPTI has no buffer.
  [[nodiscard]] bool has_delivered() const noexcept override { return buffers_.taken() == 0; }
  /// Waits for a flush that is running, but not again for one that took longer than `longest`.
  void record(Recording wanted, std::chrono::milliseconds longest) noexcept override;
  /// Also looks for other profilers.
  void tend() noexcept override;
  void finish() noexcept override;
  /// The buffers that CUPTI still has are lost.
  void abandon() noexcept override;
  [[nodiscard]] std::uint64_t now() const noexcept override;  ///< time on CUPTI's clock; on the system's before start()
  [[nodiscard]] std::uint32_t thread() const noexcept override;

 private:
  /// Prepares the library in library_. Returns why it cannot be used; empty if it can, or another client uses it.
  [[nodiscard]] std::string prepare(bool record_at_once);
  void describe_library();
  /// Keeps a record of a device, context or stream for later files.
  void keep(const std::uint8_t* record) noexcept;
  void choose_calls();
  void apply_wanted() noexcept;
  void set_calls(bool on) noexcept;
  void set_device_work(bool on) noexcept;
  void set(Activity kind, bool on) noexcept;
  void say_refused(Activity kind, Result result);
  void probe() noexcept;
  /// Calls CUPTI's flush. Needs control_. Returns false if CUPTI refuses; may never return.
  bool flush(std::uint32_t flags) noexcept;
  void look_for_other_clients() noexcept;
  /// Subscribes to CUPTI. If another client has done so, sets its name, which may be empty.
  [[nodiscard]] Result subscribe(void** subscriber, Callback callback, std::string& other) const noexcept;
  [[nodiscard]] bool another_client(std::string& name) const noexcept;
  void take_records(void* context, std::uint32_t stream, std::uint8_t* buffer, std::size_t filled) noexcept;

  static void on_buffer_requested(std::uint8_t** buffer, std::size_t* size, std::size_t* most) noexcept;
  static void on_buffer_completed(void* context, std::uint32_t stream, std::uint8_t* buffer, std::size_t size,
                                  std::size_t filled) noexcept;

  TracerSettings settings_;
  Library library_;
  Translator translator_{library_};
  ActivityBuffers buffers_;
  bool system_threads_ = false;  ///< true if CUPTI uses the system's thread ids
  bool subscribed_ = false;
  std::uint64_t started_ = 0;
  std::uint64_t clock_ahead_ = 0;                     ///< of the system's clock, modulo 2^64
  mutable std::atomic<std::uint64_t> clock_lost_{0};  ///< when another client's clock was first seen; 0 = never
  std::string advice_;                                ///< why CUPTI may not work

  /// The beginning of a record that CUPTI makes only once. The names in it live as long as the process.
  using KeptRecord = std::array<std::uint8_t, offset::device::kName + sizeof(const char*)>;
  std::mutex keeping_;  ///< guards kept_
  std::vector<KeptRecord> kept_;

  std::mutex control_;  ///< held while CUPTI is switched or flushed; guards the members up to wanted_
  std::map<Activity, Result> refused_;
  std::vector<std::uint32_t> useless_runtime_calls_;
  std::vector<std::uint32_t> useless_driver_calls_;
  DriverVersion* get_driver_version_ = nullptr;
  std::uint64_t known_deliveries_ = 0;
  std::uint64_t last_delivery_ = 0;
  int silent_rounds_ = 0;
  std::atomic<Recording> wanted_{Recording::kOff};

  std::atomic<std::uint64_t> flush_began_{0};  ///< when the flush that is running began; 0 = none is
  std::atomic<bool> flush_is_late_{false};     ///< record() waited for that flush in vain
  std::atomic<bool> finishes_{false};

  std::atomic<std::uint64_t> deliveries_{0};  ///< how often CUPTI has asked for a buffer or returned one
  std::atomic<bool> probe_seen_{false};
  std::atomic<bool> unreadable_told_{false};
};

}  // namespace stepsim::capture::cupti

#endif
