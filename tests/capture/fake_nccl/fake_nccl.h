#ifndef STEPSIM_TESTS_CAPTURE_FAKE_NCCL_FAKE_NCCL_H
#define STEPSIM_TESTS_CAPTURE_FAKE_NCCL_FAKE_NCCL_H

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

/// A fake NCCL that moves no data. Like NCCL, it loads the profiler plugin named by NCCL_PROFILER_PLUGIN and reports
/// events to it. FAKE_NCCL_VERSION is the version of the plugin interface that it uses (default 6). On the caller's
/// thread it reports the calls and launches of kernels on the fake CUDA (from version 5 on), and, directly after each
/// launch, what is enqueued. On a separate proxy thread it reports the channels and transfers. Times are simulated, and
/// calls wait for the proxy thread, so every run is the same.
namespace fake_nccl {

/// How long a transfer waits, in nanoseconds. A sent transfer waits for the device, then for the peer (only from
/// version 4 on), then for the network. A received transfer waits for the network, then for the flush, then for the
/// device.
inline constexpr std::int64_t kDeviceWait = 300;
inline constexpr std::int64_t kPeerWait = 500;
inline constexpr std::int64_t kNetworkWait = 700;
inline constexpr std::int64_t kFlushWait = 200;
inline constexpr std::uint64_t kBytesOfTransfer = 4096;
inline constexpr int kTransfers = 3;  ///< number of transfers per channel and direction
inline constexpr int kChannels = 2;
inline constexpr std::int64_t kChannelTime = 5'000;  ///< GPU time of a channel in ns
inline constexpr std::int64_t kLaunchTime = 500;     ///< what a launch takes before CUDA's call, in ns

struct Operation {
  const char* function = "AllReduce";  ///< or "Send", "Recv", ...
  std::uint64_t elements = 0;
  const char* element_type = "ncclFloat32";
  int peer = -1;  ///< rank of the peer of a send or receive; -1 for collectives
};

/// Ways in which the fake NCCL may misbehave.
struct Mischief {
  bool leave_open = false;        ///< transfers and channels never end
  std::uint32_t flood = 0;        ///< if not 0, each group ends with this many transfers in progress at the same time
  bool of_other_process = false;  ///< proxy operations belong to another process, as with PXN
};

class Communicator;

/// Operations that a communicator runs as one kernel of `duration` nanoseconds.
struct Call {
  Communicator* communicator = nullptr;
  std::vector<Operation> operations;
  std::int64_t duration = 0;
  std::uint32_t stream = 0;
};

/// The thread on which NCCL reports what is enqueued. After a CUDA graph was captured, that may be a thread of CUDA,
/// which runs the callbacks of several communicators in any order: here in the opposite one.
enum class ReportedBy { kCaller, kCallback };

/// Calls of one outermost group, and the plugin's handles of the group and of each call's operations.
struct Graph {
  std::vector<Call> calls;
  void* group = nullptr;
  std::vector<std::vector<void*>> handles;
};

class Communicator {
 public:
  Communicator(std::uint64_t id, const char* name, int ranks, int rank);
  ~Communicator();  ///< calls the plugin's finalize
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  /// Runs the calls of one outermost group.
  static void run(const std::vector<Call>& calls, ReportedBy by = ReportedBy::kCaller);
  /// Captures the calls in a CUDA graph, or runs the graph as the one of this number. NCCL reports what is enqueued at
  /// each run, on a thread of CUDA.
  [[nodiscard]] static Graph capture(const std::vector<Call>& calls);
  static void replay(const Graph& graph, std::uint32_t number, std::uint32_t stream);
  /// Runs a group of operations as one kernel of `duration` nanoseconds.
  void run(const std::vector<Operation>& group, std::int64_t duration, std::uint32_t stream);
  Mischief mischief;

 private:
  static Graph ask(const std::vector<Call>& calls, bool captured);
  struct Inner;
  std::unique_ptr<Inner> inner_;
};

}  // namespace fake_nccl

#endif
