#ifndef STEPSIM_INGEST_BYTES_BYTE_SOURCE_H
#define STEPSIM_INGEST_BYTES_BYTE_SOURCE_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace stepsim::ingest {

/// Reads a file front to back, inflating it if it is gzip (told by its first bytes, not by
/// its name). Memory is bounded by a small buffer, whatever the file's size.
class ByteSource {
 public:
  virtual ~ByteSource() = default;

  /// Opens a regular file. Throws InputError if it cannot be opened or is not one.
  [[nodiscard]] static std::unique_ptr<ByteSource> open(const std::string& path);
  /// A source over bytes in memory, which must outlive it: tests and fuzzers. `name` stands
  /// for the path in messages. Gzip is inflated here too.
  [[nodiscard]] static std::unique_ptr<ByteSource> from_memory(std::span<const char> bytes, std::string name);

  /// Fills `out` as far as the source goes; 0 at the end. Throws InputError on a read error.
  [[nodiscard]] virtual std::size_t read(std::span<char> out) = 0;

  /// True once a gzip stream ended before its trailer or was damaged: what came before is good.
  [[nodiscard]] virtual bool truncated() const noexcept { return false; }
  /// Bytes of the file on disk consumed so far and in all, for progress.
  [[nodiscard]] virtual std::uint64_t consumed() const noexcept = 0;
  [[nodiscard]] virtual std::uint64_t file_size() const noexcept = 0;
  [[nodiscard]] const std::string& name() const noexcept { return name_; }

 protected:
  explicit ByteSource(std::string name) : name_(std::move(name)) {}

 private:
  std::string name_;
};

}  // namespace stepsim::ingest

#endif
