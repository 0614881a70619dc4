#include "sim/output/gzip.h"

#include <isa-l/igzip_lib.h>

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "model/base/error.h"

namespace stepsim::sim {

struct Gzip::State {
  isal_zstream stream{};
  std::vector<std::uint8_t> level = std::vector<std::uint8_t>(ISAL_DEF_LVL3_DEFAULT);
  std::array<std::uint8_t, std::size_t{1} << 16U> out{};
};

Gzip::Gzip() : state_(std::make_unique<State>()) {
  isal_zstream& stream = state_->stream;
  isal_deflate_init(&stream);
  stream.gzip_flag = IGZIP_GZIP;
  stream.level = 3;  // 1 and 2 give other bytes now and then (ISA-L 2.30)
  stream.level_buf = state_->level.data();
  stream.level_buf_size = static_cast<std::uint32_t>(state_->level.size());
}

Gzip::~Gzip() = default;

void Gzip::add(std::string_view text, std::string& out) {
  constexpr std::size_t kMost = std::numeric_limits<std::uint32_t>::max();
  for (; !text.empty(); text.remove_prefix(std::min(text.size(), kMost))) deflate(text.substr(0, kMost), out);
}

void Gzip::finish(std::string& out) {
  state_->stream.end_of_stream = 1;
  deflate({}, out);
}

void Gzip::deflate(std::string_view text, std::string& out) {
  isal_zstream& stream = state_->stream;
  // The library reads only; its pointer is not const.
  stream.next_in = reinterpret_cast<std::uint8_t*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<std::uint32_t>(text.size());
  do {
    stream.next_out = state_->out.data();
    stream.avail_out = static_cast<std::uint32_t>(state_->out.size());
    const int result = isal_deflate(&stream);
    STEPSIM_ASSERT(result == COMP_OK, "the compression is set up");
    out.append(reinterpret_cast<const char*>(state_->out.data()), state_->out.size() - stream.avail_out);
  } while (stream.avail_out == 0);
}

}  // namespace stepsim::sim
