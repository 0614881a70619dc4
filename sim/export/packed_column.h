#ifndef STEPSIM_SIM_EXPORT_PACKED_COLUMN_H
#define STEPSIM_SIM_EXPORT_PACKED_COLUMN_H

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "sim/output/write_file.h"

namespace stepsim::sim {

/// Streams whole numbers to a page: LEB128 (seven bits a byte, the lowest first), gzip, base64. Small numbers take
/// little room whatever their type, and none is too large. Memory: about half a MiB.
///
///     PackedColumn column{out};
///     for (...) column.add(duration.count());
///     column.finish();
class PackedColumn {
 public:
  explicit PackedColumn(OutputFile& out);
  ~PackedColumn();
  PackedColumn(const PackedColumn&) = delete;
  PackedColumn& operator=(const PackedColumn&) = delete;

  void add(std::uint64_t number);
  /// 0, -1, 1, -2, ... are added as 0, 1, 2, 3, ...
  void add_signed(std::int64_t number);
  /// Writes what is left. Nothing may be added after that.
  void finish();

 private:
  static constexpr std::size_t kChunk = std::size_t{64} << 10U;
  struct Deflater;

  void deflate(bool is_last);
  void write_base64(std::string_view bytes, bool is_last);

  OutputFile& out_;
  std::string plain_;    ///< not yet deflated
  std::string pending_;  ///< deflated; fewer than three bytes that are not yet written
  std::unique_ptr<Deflater> deflater_;
};

}  // namespace stepsim::sim

#endif
