#ifndef STEPSIM_INGEST_BYTES_BYTE_SOURCE_H
#define STEPSIM_INGEST_BYTES_BYTE_SOURCE_H

#include <cstddef>
#include <span>
#include <string>
#include <utility>

namespace stepsim::ingest {

/// Bytes that are read once, front to back. Memory is bounded by a small buffer, however many
/// there are.
class ByteSource {
 public:
  virtual ~ByteSource() = default;

  /// Fills `out` as far as the source goes; 0 at the end. Throws InputError on a read error.
  [[nodiscard]] virtual std::size_t read(std::span<char> out) = 0;

  /// True once a compressed stream ended before its end or was damaged: what came before is good.
  [[nodiscard]] virtual bool truncated() const noexcept { return false; }
  /// What messages call it: a path, or what stands for one.
  [[nodiscard]] const std::string& name() const noexcept { return name_; }

 protected:
  explicit ByteSource(std::string name) : name_(std::move(name)) {}

 private:
  std::string name_;
};

}  // namespace stepsim::ingest

#endif
