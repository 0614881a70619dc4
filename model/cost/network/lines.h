#ifndef STEPSIM_MODEL_COST_NETWORK_LINES_H
#define STEPSIM_MODEL_COST_NETWORK_LINES_H

#include <cstdint>
#include <vector>

#include "model/base/units.h"
#include "model/cost/network/channels.h"

namespace stepsim {

/// Who is ahead of whom where several senders cross a link: what NetworkParameters::sharing
/// below 1 goes by. After the measurement that of several TCP connections into one link the one
/// that was first keeps most of the rate, and that senders fall out of step by it
/// (docs/models.md, "Sharing").
///
/// On each link the senders that have messages under way over it stand in line, the one that
/// came first in front, of those of one instant the smaller endpoint. A sender keeps its place
/// until its last message over the link has left; with the next one it comes anew, at the same
/// instant too, unless senders keep their turn. The messages of a channel weigh sharing^k, where k is the number of
/// senders in front of theirs in the longest line that they stand in. Sharing 0 counts as 2^-40, which leaves those
/// behind a millionth of a millionth of what is not taken anyway.
class Lines {
 public:
  Lines(double sharing, std::size_t links, bool keep_turn = false);

  /// The next channel, numbered from 0.
  void add_channel(const Channel& channel);
  /// A message of the channel is handed over, or has left.
  void enter(ChannelId channel, Time now);
  void leave(ChannelId channel);

  /// All that happens at an instant is known: gives the channels whose weight may have changed,
  /// each once or more often. O(channels of the links whose line changed * their senders).
  [[nodiscard]] const std::vector<ChannelId>& settle();
  [[nodiscard]] double weight(ChannelId channel) const;

 private:
  struct Place {
    EndpointId sender;
    Time since;
    std::uint32_t messages = 0;
  };
  struct Line {
    std::vector<Place> places;
    std::vector<ChannelId> channels;  ///< that cross the link
    bool changed = false;
  };

  Place& place_of(std::uint32_t link, EndpointId sender, Time now);
  void change(std::uint32_t link);

  bool keep_turn_;
  double ratio_;
  std::vector<double> powers_{1};  ///< of ratio_, for the longest line so far
  std::vector<Line> lines_;        ///< by link
  std::vector<Channel> channels_;
  std::vector<std::uint32_t> changed_;  ///< links
  std::vector<ChannelId> settled_;
};

}  // namespace stepsim

#endif
