#ifndef STEPSIM_TESTS_CAPTURE_FAKE_NCCL_FAKE_NCCL_H
#define STEPSIM_TESTS_CAPTURE_FAKE_NCCL_FAKE_NCCL_H

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

/// An NCCL that moves nothing: it loads the profiler plugin that NCCL_PROFILER_PLUGIN names, as NCCL does, by the
/// symbol of version FAKE_NCCL_VERSION of its interface (6 unless set), and tells it what NCCL would: on the caller's
/// thread what is enqueued, right after the launch of its kernel on the fake CUDA, and on a thread of its own, a proxy,
/// what the channels and transfers of it do. Times are simulated, and the proxy is waited for, so all is the same in
/// every run.
namespace fake_nccl {

/// What a transfer waits for, in nanoseconds, in this order; of received ones the first two are NCCL's wait for data
/// and its flush. Before version 4 a transfer does not wait for the peer.
inline constexpr std::int64_t kDeviceWait = 300;
inline constexpr std::int64_t kPeerWait = 500;
inline constexpr std::int64_t kNetworkWait = 700;
inline constexpr std::int64_t kFlushWait = 200;
inline constexpr std::uint64_t kBytesOfTransfer = 4096;
inline constexpr int kTransfers = 3;  ///< of each channel in each direction
inline constexpr int kChannels = 2;
inline constexpr std::int64_t kChannelTime = 5'000;  ///< on the device

struct Operation {
  const char* function = "AllReduce";  ///< or "Send", "Recv", ...
  std::uint64_t elements = 0;
  const char* element_type = "ncclFloat32";
  int peer = -1;  ///< of a send or receive
};

/// What is done beside what a good program does.
struct Mischief {
  bool leave_open = false;        ///< transfers and channels do not end
  std::uint32_t flood = 0;        ///< so many transfers are in progress at once, at the end
  bool of_other_process = false;  ///< proxy operations are another process's, as with PXN
};

class Communicator {
 public:
  Communicator(std::uint64_t id, const char* name, int ranks, int rank);
  ~Communicator();  ///< finalizes
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  /// One group, one kernel of this length.
  void run(const std::vector<Operation>& group, std::int64_t duration, std::uint32_t stream);
  Mischief mischief;

 private:
  struct Inner;
  std::unique_ptr<Inner> inner_;
};

}  // namespace fake_nccl

#endif
