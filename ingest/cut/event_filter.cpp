#include "ingest/cut/event_filter.h"

#include <cstddef>
#include <string>

#include "ingest/bytes/each_byte.h"

namespace stepsim::ingest {
namespace {

class EventFilter {
 public:
  EventFilter(ByteSource& source, const std::vector<std::uint64_t>& kept,
              const std::function<void(std::string_view)>& out)
      : source_(source), kept_(kept), out_(out) {}

  void run() {
    for_each_byte(
        source_,
        [this](char c) {
          take(c);
          ++offset_;
        },
        [this] { flush(); });
    close_what_is_cut();
    flush();
  }

 private:
  void take(char c) {
    if (in_string_) {
      put(c);
      take_in_string(c);
    } else if (c == '"') {
      in_string_ = true;
      key_.clear();
      put(c);
    } else if (c == '{' || c == '[') {
      open(c);
    } else if (c == '}' || c == ']') {
      close(c);
    } else if (!between_events()) {
      put(c);
    }
  }

  void take_in_string(char c) {
    if (escaped_) {
      escaped_ = false;
    } else if (c == '\\') {
      escaped_ = true;
    } else if (c == '"') {
      in_string_ = false;
      return;
    }
    if (depth_ == 1 && key_.size() < 32) key_ += c;
  }

  void open(char c) {
    const bool is_list = c == '[' && !seen_events_ && (depth_ == 0 || (depth_ == 1 && key_ == "traceEvents"));
    if (between_events()) begin_event();
    put(c);
    ++depth_;
    if (!is_list) return;
    seen_events_ = true;
    events_depth_ = depth_;
  }

  void close(char c) {
    if (depth_ > 0) --depth_;
    if (events_depth_ != 0 && depth_ + 1 == events_depth_) {
      events_depth_ = 0;
      ready_ += '\n';
    }
    put(c);
    if (events_depth_ != 0 && depth_ == events_depth_) writing_ = true;  // the event ends; dropped text ends with it
  }

  [[nodiscard]] bool between_events() const { return events_depth_ != 0 && depth_ == events_depth_ && !in_string_; }

  void begin_event() {
    while (next_ < kept_.size() && kept_[next_] < offset_) ++next_;
    writing_ = next_ < kept_.size() && kept_[next_] == offset_;
    if (!writing_) return;
    ready_ += any_ ? ",\n" : "\n";
    any_ = true;
  }

  void put(char c) {
    if (writing_) ready_ += c;
  }

  /// The records that are kept are whole: what follows them is not.
  void close_what_is_cut() {
    if (events_depth_ != 0) ready_ += events_depth_ == 2 ? "\n]}" : "\n]";
  }

  void flush() {
    if (!ready_.empty()) out_(ready_);
    ready_.clear();
  }

  ByteSource& source_;
  const std::vector<std::uint64_t>& kept_;
  const std::function<void(std::string_view)>& out_;
  std::size_t next_ = 0;
  std::string ready_;
  std::uint64_t offset_ = 0;
  bool in_string_ = false;
  bool escaped_ = false;
  std::string key_;               ///< the last string of the outermost object
  std::size_t depth_ = 0;         ///< open brackets
  std::size_t events_depth_ = 0;  ///< of the list of events while it is open
  bool seen_events_ = false;
  bool writing_ = true;
  bool any_ = false;
};

}  // namespace

void filter_events(ByteSource& source, const std::vector<std::uint64_t>& kept,
                   const std::function<void(std::string_view)>& out) {
  EventFilter(source, kept, out).run();
}

}  // namespace stepsim::ingest
