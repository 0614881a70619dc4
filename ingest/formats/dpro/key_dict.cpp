// key_dict.txt of a dPRO trial with BytePS: the keys of each tensor's partitions.
//
//   byteps.gradient_0: 0 1
//   DistributedGradientTape_BytePSPushPull.1_0: 65536
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "ingest/bytes/text_input.h"
#include "ingest/formats/format.h"
#include "model/base/known_diagnostics.h"
#include "model/base/number.h"
#include "model/base/text.h"

namespace stepsim::ingest {
namespace {

constexpr std::size_t kLongestLine = 1U << 20U;
constexpr std::size_t kMostKeys = 65'536;  // a key has 16 bits for the partition

class KeyDictReader {
 public:
  KeyDictReader(Input& input, PartSink& sink) : text_(input.stream()), sink_(sink) {}

  [[nodiscard]] KeyTable read() {
    while (text_.peek() != TextInput::kEnd) {
      const InputLocation where = text_.at_line(text_.line());
      const std::string line = next_line(where);
      if (line.find_first_not_of(" \t\r") != std::string::npos) add(line, where);
    }
    if (text_.source().truncated()) {
      sink_.skip(diagnostic("truncated_file"), text_.at_offset(text_.offset()), "the gzip stream is cut short");
    }
    if (table_.tensors.empty())
      throw InputError(text_.at_line(1), "no tensor in the file; expected lines such as 'byteps.gradient_0: 0 1'");
    return std::move(table_);
  }

 private:
  std::string next_line(const InputLocation& where) {
    std::string line;
    while (text_.peek() != TextInput::kEnd && text_.peek() != '\n') {
      if (line.size() > kLongestLine)
        throw InputError(where, "a line of more than 1 MiB; expected a tensor's name and its keys");
      line.push_back(static_cast<char>(text_.get()));
    }
    text_.get();
    return line;
  }

  void add(const std::string& line, const InputLocation& where) {
    ++sink_.events;
    const std::size_t colon = line.rfind(':');
    KeyTable::Tensor tensor{line.substr(0, colon), {}};
    const bool usable = colon != std::string::npos && colon > 0 && read_keys(line.substr(colon + 1), tensor);
    if (usable) return table_.tensors.push_back(std::move(tensor));
    sink_.skip(diagnostic("bad_key_line"), where, shown(line, 60));
  }

  static bool read_keys(std::string_view keys, KeyTable::Tensor& tensor) {
    for (std::size_t begin = 0; begin < keys.size();) {
      const std::size_t end = std::min(keys.find_first_of(" \t\r", begin), keys.size());
      if (end > begin) {
        const auto key = parse_number<std::int64_t>(keys.substr(begin, end - begin));
        if (!key.has_value() || tensor.keys.size() == kMostKeys) return false;
        tensor.keys.push_back(*key);
      }
      begin = end + 1;
    }
    return !tensor.keys.empty();
  }

  TextInput text_;
  PartSink& sink_;
  KeyTable table_;
};

constexpr Sign kKeyDictSigns[]{{.sure = 95, .named = {"key_dict.txt", "key_dict.txt.gz"}}};

void read_key_dict(Input& input, PartSink& sink) { sink.add(KeyDictReader(input, sink).read()); }

}  // namespace

extern const Format key_dict_format;
const Format key_dict_format{"key_dict", "dPRO trial, key_dict.txt: keys of BytePS partitions by tensor", kKeyDictSigns,
                             read_key_dict};

}  // namespace stepsim::ingest
