#ifndef STEPSIM_INGEST_STITCH_HOST_DEVICE_CLOCK_H
#define STEPSIM_INGEST_STITCH_HOST_DEVICE_CLOCK_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/base/units.h"
#include "model/job/recording.h"

namespace stepsim::ingest {

/// What ties two clocks, the weakest first.
enum class ClockTie : std::uint8_t {
  kRooted,            ///< a broadcast, reduce, gather or scatter on hosts: some members do not wait for others
  kMessage,           ///< a send and its receive
  kHostCollective,    ///< on hosts, and no member ends before every member has begun
  kDeviceCollective,  ///< kernels of one collective, which end together
};

/// One collective or message, seen by the clocks of two hosts.
struct ClockPair {
  std::uint32_t host_a = 0;
  std::uint32_t host_b = 0;
  ClockTie tie = ClockTie::kRooted;
  Duration ahead{};               ///< end on b's clock, less the end on a's
  std::optional<Duration> least;  ///< b's clock cannot be ahead by less: b began before a ended
  std::optional<Duration> most;   ///< nor by more: a began before b ended
  Duration alone_a{};             ///< the least time that a transfer of this kind took on host a, waiting included
  Duration alone_b{};             ///< the same for host b
};

/// Finds one offset for each host from what ties it to others. For two hosts only their strongest tie counts:
///
/// * Kernels of a collective end together: the median difference of the ends.
/// * Collectives and messages on hosts end apart, by what TCP still has to deliver. Causes come before their
///   effects, which bounds the difference from both sides (`least`, `most`), and so does the time that the
///   transfer takes at least. The median difference of the ends is taken where these bounds allow it, else
///   their middle. A message has no common end: the middle (as in NTP, the quickest messages of both
///   directions count; RFC 5905, clock filter).
///
/// Hosts are joined by least squares over the graph of hosts, weighted by the number of pairs (sparse Cholesky
/// on the graph's Laplacian). The first host of each connected part is its reference, with offset 0.
///
/// Returns one clock for each name in `hosts`, in order. Its residual is what the pairs leave open, summed over the
/// shortest way to the reference. On hosts that is as far as causes allow, as NTP's half of a round trip is:
/// links that are slower in one direction make all ends late alike, and nothing in the traces would show it.
/// On devices it is the range of the ends. Its spread is the largest disagreement of the host's ends.
/// `part[h]` receives the first host of the connected part of host h, so that the caller can refuse hosts
/// that nothing connects with the others. O(pairs log pairs + hosts * pairs of hosts), besides the solver.
[[nodiscard]] std::vector<HostClock> align_clocks(const std::vector<std::string>& hosts,
                                                  const std::vector<ClockPair>& pairs,
                                                  std::vector<std::uint32_t>& part);

}  // namespace stepsim::ingest

#endif
