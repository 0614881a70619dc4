#include "sim/export/page/page.h"

#include <isa-l/igzip_lib.h>

#include <array>

#include "model/base/error.h"

namespace stepsim::sim {

struct PackedColumn::Deflater {
  Deflater() {
    isal_deflate_init(&stream);
    stream.gzip_flag = IGZIP_GZIP;
    // Levels 1 and 2 of ISA-L 2.30 sometimes write other bytes for the same input.
    stream.level = 3;
    stream.level_buf = level_buffer.data();
    stream.level_buf_size = static_cast<std::uint32_t>(level_buffer.size());
  }
  isal_zstream stream{};
  std::array<std::uint8_t, ISAL_DEF_LVL3_DEFAULT> level_buffer{};
  std::array<char, kChunk> out{};
};

PackedColumn::PackedColumn(OutputFile& out) : out_(out), deflater_(std::make_unique<Deflater>()) {}
PackedColumn::~PackedColumn() = default;

void PackedColumn::add(std::uint64_t number) {
  for (; number >= 0x80; number >>= 7U) plain_ += static_cast<char>(0x80U | (number & 0x7FU));
  plain_ += static_cast<char>(number);
  if (plain_.size() >= kChunk) deflate(false);
}

void PackedColumn::add_signed(std::int64_t number) {
  const auto bits = static_cast<std::uint64_t>(number);
  add((bits << 1U) ^ (number < 0 ? ~std::uint64_t{0} : 0));
}

void PackedColumn::finish() {
  deflate(true);
  write_base64({}, true);
}

void PackedColumn::deflate(bool is_last) {
  isal_zstream& stream = deflater_->stream;
  stream.next_in = reinterpret_cast<std::uint8_t*>(plain_.data());
  stream.avail_in = static_cast<std::uint32_t>(plain_.size());
  stream.end_of_stream = is_last ? 1 : 0;
  do {
    stream.next_out = reinterpret_cast<std::uint8_t*>(deflater_->out.data());
    stream.avail_out = static_cast<std::uint32_t>(deflater_->out.size());
    STEPSIM_ASSERT(isal_deflate(&stream) == COMP_OK, "a stream that is set up as documented deflates");
    write_base64({deflater_->out.data(), deflater_->out.size() - stream.avail_out}, false);
  } while (stream.avail_out == 0);
  plain_.clear();
}

void PackedColumn::write_base64(std::string_view bytes, bool is_last) {
  static constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  pending_ += bytes;
  const std::size_t whole = pending_.size() / 3 * 3;
  std::string text;
  text.reserve(whole / 3 * 4 + 4);
  const auto byte = [this](std::size_t i) -> std::uint32_t {
    return i < pending_.size() ? static_cast<unsigned char>(pending_[i]) : 0U;
  };
  const std::size_t end = is_last ? pending_.size() : whole;
  for (std::size_t i = 0; i < end; i += 3) {
    const std::uint32_t group = byte(i) << 16U | byte(i + 1) << 8U | byte(i + 2);
    for (const std::uint32_t shift : {18U, 12U, 6U, 0U}) text += kDigits[group >> shift & 63U];
  }
  if (end > whole) text.replace(text.size() - (3 - (end - whole)), std::string::npos, 3 - (end - whole), '=');
  pending_.erase(0, end);
  out_.write(text);
}

}  // namespace stepsim::sim
