#ifndef STEPSIM_CAPTURE_WRITER_PRODUCER_H
#define STEPSIM_CAPTURE_WRITER_PRODUCER_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "capture/writer/buffers.h"
#include "model/wire/record.h"

namespace stepsim::capture {

/// How a kernel was launched.
struct Launch {
  std::uint64_t blocks = 0;
  std::uint32_t threads = 0;  ///< of a block
  std::uint32_t registers = 0;
  std::uint64_t shared_memory = 0;  ///< bytes of a block
  friend bool operator==(const Launch&, const Launch&) noexcept = default;
};

/// Puts records into buffers: one thread at a time. What does not fit is lost and counted, at once: no call waits, and
/// none throws. A record costs a copy of 40 bytes; a text that is known, a look into a hash table.
class Producer {
 public:
  /// Both must outlive the producer; `lost` counts records.
  Producer(Buffers& buffers, std::atomic<std::uint64_t>& lost, std::uint16_t number) noexcept
      : buffers_(buffers), lost_(lost), number_(number) {}

  void add(const wire::Record& record) noexcept;

  /// The number of a text in records of this producer; 0 if it could not be kept.
  [[nodiscard]] std::uint32_t text(std::string_view text) noexcept { return this->text(text, text); }
  /// The same for a text that stands for `key`, as a demangled name does for the mangled one. `text` is what is
  /// written, where the key is new.
  [[nodiscard]] std::uint32_t text(std::string_view key, std::string_view text) noexcept;
  /// The number of the text that stands for `key`; 0 if there is none yet.
  [[nodiscard]] std::uint32_t known_text(std::string_view key) const noexcept;
  [[nodiscard]] std::uint32_t launch(const Launch& launch) noexcept;

  /// Hands over what was recorded so far to be written.
  void submit() noexcept;

 private:
  /// A program with more texts has made them up; a table without bounds would eat its memory.
  static constexpr std::size_t kMostTexts = 200'000;
  static constexpr std::size_t kMostLaunches = 200'000;

  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const noexcept { return std::hash<std::string_view>{}(text); }
  };
  struct LaunchHash {
    std::size_t operator()(const Launch& launch) const noexcept;
  };

  /// Room for so many records in one buffer; null, and they count as lost, if there is none.
  [[nodiscard]] std::byte* room(std::size_t records) noexcept;
  bool define_text(std::uint32_t number, std::string_view text) noexcept;

  Buffers& buffers_;
  std::atomic<std::uint64_t>& lost_;
  std::uint16_t number_;
  std::optional<std::uint32_t> buffer_;
  std::size_t used_ = 0;
  std::unordered_map<std::string, std::uint32_t, TextHash, std::equal_to<>> texts_;
  std::unordered_map<Launch, std::uint32_t, LaunchHash> launches_;
};

}  // namespace stepsim::capture

#endif
