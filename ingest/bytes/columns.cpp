#include "ingest/bytes/columns.h"

#include <isa-l/crc64.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "model/base/error.h"

namespace stepsim::ingest {
namespace {

constexpr std::size_t kBlock = 1024;  // values

/// The first byte of a block is the number of bytes of each value, plus this if they are differences of neighbours.
constexpr std::uint8_t kDifferences = 16;

// All arithmetic is modulo 2^64, so that differences of any two values fit.
std::uint64_t bits(std::int64_t value) noexcept { return static_cast<std::uint64_t>(value); }
std::int64_t number_of(std::uint64_t bits) noexcept { return static_cast<std::int64_t>(bits); }

/// Numbers near 0 become small, whatever their sign.
std::uint64_t folded(std::uint64_t bits) noexcept { return (bits << 1U) ^ (0 - (bits >> 63U)); }
std::uint64_t unfolded(std::uint64_t bits) noexcept { return (bits >> 1U) ^ (0 - (bits & 1U)); }

/// Every value takes a byte at least, so that the memory that a file asks for is limited by its size.
std::size_t bytes_for(std::uint64_t most) noexcept { return (std::max<std::size_t>(1, std::bit_width(most)) + 7) / 8; }

}  // namespace

void ColumnWriter::number(std::int64_t value) {
  std::uint64_t rest = folded(bits(value));
  for (; rest >= 0x80; rest >>= 7U) out_ += static_cast<char>(rest | 0x80);
  out_ += static_cast<char>(rest);
}

void ColumnWriter::text(std::string_view text) {
  number(static_cast<std::int64_t>(text.size()));
  out_ += text;
}

void ColumnWriter::column(std::span<const std::int64_t> values) {
  for (; values.size() > kBlock; values = values.subspan(kBlock)) block(values.first(kBlock));
  if (!values.empty()) block(values);
}

void ColumnWriter::block(std::span<const std::int64_t> values) {
  const std::int64_t least = *std::min_element(values.begin(), values.end());
  std::uint64_t most = 0;
  std::uint64_t most_between = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    most = std::max(most, bits(values[i]) - bits(least));
    if (i > 0) most_between = std::max(most_between, folded(bits(values[i]) - bits(values[i - 1])));
  }
  const bool differences = bytes_for(most_between) < bytes_for(most);
  const std::size_t width = bytes_for(differences ? most_between : most);
  out_ += static_cast<char>(width + (differences ? kDifferences : 0));
  number(differences ? values.front() : least);
  for (std::size_t i = differences ? 1 : 0; i < values.size(); ++i) {
    std::uint64_t rest = differences ? folded(bits(values[i]) - bits(values[i - 1])) : bits(values[i]) - bits(least);
    for (std::size_t byte = 0; byte < width; ++byte, rest >>= 8U) out_ += static_cast<char>(rest & 0xFFU);
  }
}

std::string ColumnWriter::take() { return std::exchange(out_, {}); }

void ColumnReader::fail() const {
  throw InputError({name_, at_, {}}, "this part is damaged; expected one that 'stepsim convert' wrote");
}

std::string_view ColumnReader::take(std::size_t size) {
  if (size > bytes_.size() - at_) fail();
  const std::string_view taken = bytes_.substr(at_, size);
  at_ += size;
  return taken;
}

std::int64_t ColumnReader::number() {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    const auto byte = static_cast<std::uint8_t>(take(1).front());
    value |= std::uint64_t{byte & 0x7FU} << shift;
    if (byte < 0x80) return number_of(unfolded(value));
  }
  fail();
}

std::size_t ColumnReader::count() {
  const std::int64_t count = number();
  if (count < 0 || std::cmp_greater(count, bytes_.size())) fail();
  return static_cast<std::size_t>(count);
}

std::string ColumnReader::text() { return std::string(take(count())); }

std::vector<std::int64_t> ColumnReader::column(std::size_t count) {
  std::vector<std::int64_t> values(count);
  for (std::size_t begin = 0; begin < count; begin += kBlock) {
    const std::size_t end = std::min(begin + kBlock, count);
    const auto head = static_cast<std::uint8_t>(take(1).front());
    const bool differences = head >= kDifferences;
    const std::size_t width = head - (differences ? kDifferences : 0U);
    if (width == 0 || width > 8) fail();
    const std::int64_t first = number();
    std::size_t i = begin;
    if (differences) values[i++] = first;
    const std::string_view stored = take((end - i) * width);
    for (std::size_t at = 0; i < end; ++i) {
      std::uint64_t value = 0;
      for (unsigned byte = 0; byte < width; ++byte)
        value |= std::uint64_t{static_cast<std::uint8_t>(stored[at++])} << 8 * byte;
      values[i] = number_of(differences ? bits(values[i - 1]) + unfolded(value) : bits(first) + value);
    }
  }
  return values;
}

std::uint64_t checksum(std::uint64_t before, std::string_view bytes) noexcept {
  return crc64_ecma_refl(before, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
}

}  // namespace stepsim::ingest
