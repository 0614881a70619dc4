#ifndef STEPSIM_TESTS_CAPTURE_FAKE_NCCL_FAKE_NCCL_H
#define STEPSIM_TESTS_CAPTURE_FAKE_NCCL_FAKE_NCCL_H

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

/// A fake NCCL that moves no data. Like NCCL, it loads the profiler plugin named by NCCL_PROFILER_PLUGIN, through the
/// symbol of version FAKE_NCCL_VERSION of its interface (default 6), and reports events to it. On the caller's thread
/// it reports what is enqueued, directly after the launch of the kernel on the fake CUDA. On a separate proxy thread
/// it reports the channels and transfers. Times are simulated, and calls wait for the proxy, so every run is the same.
namespace fake_nccl {

/// The waits of a transfer in nanoseconds, in this order. For received transfers the first two are NCCL's wait for
/// data and its flush. Before version 4 a transfer does not wait for the peer.
inline constexpr std::int64_t kDeviceWait = 300;
inline constexpr std::int64_t kPeerWait = 500;
inline constexpr std::int64_t kNetworkWait = 700;
inline constexpr std::int64_t kFlushWait = 200;
inline constexpr std::uint64_t kBytesOfTransfer = 4096;
inline constexpr int kTransfers = 3;  ///< per channel and direction
inline constexpr int kChannels = 2;
inline constexpr std::int64_t kChannelTime = 5'000;  ///< on the device, in ns

struct Operation {
  const char* function = "AllReduce";  ///< or "Send", "Recv", ...
  std::uint64_t elements = 0;
  const char* element_type = "ncclFloat32";
  int peer = -1;  ///< for a send or receive
};

/// Ways to misbehave.
struct Mischief {
  bool leave_open = false;        ///< transfers and channels never end
  std::uint32_t flood = 0;        ///< the number of transfers in progress at the same time, at the end
  bool of_other_process = false;  ///< proxy operations belong to another process, as with PXN
};

class Communicator {
 public:
  Communicator(std::uint64_t id, const char* name, int ranks, int rank);
  ~Communicator();  ///< calls the plugin's finalize
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  /// Runs a group as one kernel of this duration.
  void run(const std::vector<Operation>& group, std::int64_t duration, std::uint32_t stream);
  Mischief mischief;

 private:
  struct Inner;
  std::unique_ptr<Inner> inner_;
};

}  // namespace fake_nccl

#endif
