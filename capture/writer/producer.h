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
#include "model/wire/text_hash.h"

namespace stepsim::capture {

/// The launch parameters of a kernel.
struct Launch {
  std::uint64_t blocks = 0;
  std::uint32_t threads = 0;  ///< threads per block
  std::uint32_t registers = 0;
  std::uint64_t shared_memory = 0;  ///< bytes per block
  friend bool operator==(const Launch&, const Launch&) noexcept = default;
};

/// Puts records into buffers. Only one thread at a time may use a producer. Records that do not fit are lost and
/// counted; no call waits or throws. Adding a record copies 40 bytes; adding a known text takes one lookup in a hash
/// table.
class Producer {
 public:
  /// `buffers` and `lost` must outlive the producer. `lost` counts lost records.
  Producer(Buffers& buffers, std::atomic<std::uint64_t>& lost, std::uint16_t number) noexcept
      : buffers_(buffers), lost_(lost), number_(number) {}

  /// Forgets the texts and launches, and records that were not submitted, if `file` is not the file of the last call.
  void use_for(std::uint32_t file) noexcept;
  void add(const wire::Record& record) noexcept;
  /// Adds a property of the whole capture.
  void describe(std::string_view key, std::string_view value) noexcept {
    add({.kind = wire::Kind::kSession, .which = text(key), .a = text(value)});
  }

  /// Returns the number that refers to a text in this producer's records; 0 if the text could not be stored.
  [[nodiscard]] std::uint32_t text(std::string_view text) noexcept { return this->text(text, text); }
  /// Like text(text), but looks the text up by `key`; for example, a demangled name has the mangled name as its key.
  /// Writes `text` if `key` is new.
  [[nodiscard]] std::uint32_t text(std::string_view key, std::string_view text) noexcept;
  /// Returns the number of the text with this key; 0 if there is none yet.
  [[nodiscard]] std::uint32_t known_text(std::string_view key) const noexcept;
  [[nodiscard]] std::uint32_t launch(const Launch& launch) noexcept;

  /// Passes the records added so far to the writing thread.
  void submit() noexcept;

 private:
  /// Maximum number of texts. It limits the memory of the table. Only programs that generate texts exceed it.
  static constexpr std::size_t kMostTexts = 200'000;
  static constexpr std::size_t kMostLaunches = 200'000;

  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const noexcept { return hash_of(text); }
  };
  struct LaunchHash {
    std::size_t operator()(const Launch& launch) const noexcept;
  };

  /// Returns space for `records` records in one buffer. If no buffer is free, counts one lost record and returns null.
  [[nodiscard]] std::byte* room(std::size_t records) noexcept;
  bool define_text(std::uint32_t number, std::string_view text) noexcept;

  Buffers& buffers_;
  std::atomic<std::uint64_t>& lost_;
  std::uint16_t number_;
  std::uint32_t file_ = 0;
  std::optional<std::uint32_t> buffer_;
  std::size_t used_ = 0;
  std::unordered_map<std::string, std::uint32_t, TextHash, std::equal_to<>> texts_;
  std::unordered_map<Launch, std::uint32_t, LaunchHash> launches_;
};

}  // namespace stepsim::capture

#endif
