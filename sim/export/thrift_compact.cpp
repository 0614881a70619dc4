#include "sim/export/thrift_compact.h"

#include <utility>

namespace stepsim::sim {

void append_varint(std::string& out, std::uint64_t number) {
  for (; number >= 0x80; number >>= 7U) out += static_cast<char>(0x80U | (number & 0x7FU));
  out += static_cast<char>(number);
}

ThriftCompact& ThriftCompact::i32(int field, std::int32_t number) {
  begin_field(field, static_cast<std::uint8_t>(Type::kI32));
  append_zigzag(number);
  return *this;
}

ThriftCompact& ThriftCompact::i64(int field, std::int64_t number) {
  begin_field(field, static_cast<std::uint8_t>(Type::kI64));
  append_zigzag(number);
  return *this;
}

ThriftCompact& ThriftCompact::binary(int field, std::string_view bytes) {
  begin_field(field, static_cast<std::uint8_t>(Type::kBinary));
  return element(bytes);
}

ThriftCompact& ThriftCompact::list(int field, Type type, std::size_t size) {
  constexpr std::size_t kShort = 15;
  begin_field(field, kList);
  const std::size_t in_head = size < kShort ? size : kShort;
  out_ += static_cast<char>(in_head << 4U | static_cast<std::uint8_t>(type));
  if (size >= kShort) append_varint(out_, size);
  return *this;
}

ThriftCompact& ThriftCompact::element(std::int32_t number) {
  append_zigzag(number);
  return *this;
}

ThriftCompact& ThriftCompact::element(std::string_view bytes) {
  append_varint(out_, bytes.size());
  out_ += bytes;
  return *this;
}

ThriftCompact& ThriftCompact::begin_struct(int field) {
  if (field != 0) begin_field(field, static_cast<std::uint8_t>(Type::kStruct));
  last_field_.push_back(0);
  return *this;
}

ThriftCompact& ThriftCompact::end_struct() {
  out_ += '\0';
  last_field_.pop_back();
  return *this;
}

std::string ThriftCompact::take() {
  out_ += '\0';
  return std::exchange(out_, {});
}

/// A field that is at most 15 behind the last one: Parquet's all are.
void ThriftCompact::begin_field(int field, std::uint8_t type) {
  const auto ahead = static_cast<unsigned>(field - last_field_.back());
  out_ += static_cast<char>(ahead << 4U | type);
  last_field_.back() = field;
}

void ThriftCompact::append_zigzag(std::int64_t number) {
  append_varint(out_, (static_cast<std::uint64_t>(number) << 1U) ^ static_cast<std::uint64_t>(number >> 63U));
}

}  // namespace stepsim::sim
