#ifndef STEPSIM_SIM_EXPORT_THRIFT_COMPACT_H
#define STEPSIM_SIM_EXPORT_THRIFT_COMPACT_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace stepsim::sim {

/// Appends the base-128 form of a number, the lowest seven bits first.
void append_varint(std::string& out, std::uint64_t number);

/// Writes a struct in Thrift's compact protocol (thrift-compact-protocol.md of apache/thrift), as far as Parquet needs
/// it. Fields are written by ascending number. What begins must end; begin_struct(0) begins an element of a list.
class ThriftCompact {
 public:
  enum class Type : std::uint8_t { kI32 = 5, kI64 = 6, kBinary = 8, kStruct = 12 };

  ThriftCompact& i32(int field, std::int32_t number);
  ThriftCompact& i64(int field, std::int64_t number);
  ThriftCompact& binary(int field, std::string_view bytes);
  /// Its elements follow: numbers of element() or structs.
  ThriftCompact& list(int field, Type type, std::size_t size);
  ThriftCompact& element(std::int32_t number);
  ThriftCompact& element(std::string_view bytes);
  ThriftCompact& begin_struct(int field = 0);
  ThriftCompact& end_struct();

  /// The bytes, with the end of the outermost struct.
  [[nodiscard]] std::string take();

 private:
  static constexpr std::uint8_t kList = 9;

  void begin_field(int field, std::uint8_t type);
  void append_zigzag(std::int64_t number);

  std::string out_;
  std::vector<int> last_field_{0};  ///< of each struct that is open
};

}  // namespace stepsim::sim

#endif
