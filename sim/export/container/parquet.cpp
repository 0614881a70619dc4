#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/base/error.h"
#include "sim/export/relation.h"
#include "sim/output/write_file.h"

// An Apache Parquet file (parquet.thrift of apache/parquet-format) with the tasks of a replay, or the rows of an answer
// without a replay. Rows are in groups of at most 65,536. In a group, each column is one data page of version 1 with
// optional INT64, DOUBLE or UTF-8 values; texts use a dictionary. Pages are compressed with gzip. Memory: one column of
// a group at a time.

namespace stepsim::sim {
namespace {

/// Writes a struct in Thrift's compact protocol (thrift-compact-protocol.md of apache/thrift), as far as Parquet needs
/// it. Fields must be written by ascending number. Every begin needs an end; begin_struct(0) begins an element of a
/// list.
class ThriftCompact {
 public:
  enum class Type : std::uint8_t { kI32 = 5, kI64 = 6, kBinary = 8, kStruct = 12 };

  ThriftCompact& i32(int field, std::int32_t number);
  ThriftCompact& i64(int field, std::int64_t number);
  ThriftCompact& binary(int field, std::string_view bytes);
  /// Begins a list. Its elements follow as element() calls or structs.
  ThriftCompact& list(int field, Type type, std::size_t size);
  ThriftCompact& element(std::int32_t number);
  ThriftCompact& element(std::string_view bytes);
  ThriftCompact& begin_struct(int field = 0);
  ThriftCompact& end_struct();

  /// Returns the bytes, including the end of the outermost struct.
  [[nodiscard]] std::string take();

 private:
  static constexpr std::uint8_t kList = 9;

  void begin_field(int field, std::uint8_t type);
  void append_zigzag(std::int64_t number);

  std::string out_;
  std::vector<int> last_field_{0};  ///< last field of each open struct
};

/// Appends a number in base 128, the lowest seven bits first.
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

/// Writes the header of a field whose number is at most 15 above the last one. This is the case for all fields of
/// Parquet.
void ThriftCompact::begin_field(int field, std::uint8_t type) {
  const auto ahead = static_cast<unsigned>(field - last_field_.back());
  out_ += static_cast<char>(ahead << 4U | type);
  last_field_.back() = field;
}

void ThriftCompact::append_zigzag(std::int64_t number) {
  append_varint(out_, (static_cast<std::uint64_t>(number) << 1U) ^ static_cast<std::uint64_t>(number >> 63U));
}

constexpr std::string_view kMagic = "PAR1";
constexpr std::size_t kRowsOfGroup = std::size_t{1} << 16U;

// Constants of parquet.thrift.
enum PhysicalType : std::int32_t { kInt64 = 2, kDouble = 5, kByteArray = 6 };
enum Encoding : std::int32_t { kPlain = 0, kRle = 3, kRleDictionary = 8 };
enum PageType : std::int32_t { kDataPage = 0, kDictionaryPage = 2 };
constexpr std::int32_t kOptional = 1;
constexpr std::int32_t kUtf8 = 0;
constexpr std::int32_t kGzip = 2;

PhysicalType physical(ValueType type) {
  static constexpr PhysicalType kTypes[] = {kByteArray, kInt64, kDouble};
  return kTypes[static_cast<std::size_t>(type)];
}

template <class Number>
void append_little_endian(std::string& out, Number number) {
  static_assert(std::endian::native == std::endian::little);
  out.append(reinterpret_cast<const char*>(&number), sizeof number);
}

/// Encodes numbers in the RLE/bit-packing hybrid of parquet-format/Encodings.md, without its length prefix: one run if
/// all numbers are equal, otherwise all packed with `width` bits, lowest first.
std::string hybrid(const std::vector<std::uint32_t>& numbers, unsigned width) {
  std::string out;
  if (numbers.empty()) return out;
  if (std::all_of(numbers.begin(), numbers.end(), [&](std::uint32_t n) { return n == numbers.front(); })) {
    append_varint(out, numbers.size() << 1U);
    for (unsigned shift = 0; shift < width; shift += 8) out += static_cast<char>(numbers.front() >> shift & 0xFFU);
    return out;
  }
  constexpr std::size_t kOfGroup = 8;
  const std::size_t groups = (numbers.size() + kOfGroup - 1) / kOfGroup;
  append_varint(out, groups << 1U | 1U);
  std::uint64_t bits = 0;
  unsigned held = 0;
  for (std::size_t i = 0; i < groups * kOfGroup; ++i) {
    bits |= std::uint64_t{i < numbers.size() ? numbers[i] : 0} << held;
    for (held += width; held >= 8; held -= 8, bits >>= 8U) out += static_cast<char>(bits & 0xFFU);
  }
  return out;
}

/// The encoded values of a column in a group of rows.
struct Page {
  std::vector<std::uint32_t> present;  ///< indexed by row: 1 if there is a value, else 0
  std::string values;                  ///< values of a column of numbers
  std::vector<std::uint32_t> places;   ///< values of a column of texts, as indices into the dictionary
  std::map<std::string, std::uint32_t, std::less<>> dictionary;
  std::vector<std::string_view> words;  ///< the dictionary's words, by index

  void add(const Value& value) {
    present.push_back(value.index() == 0 ? 0 : 1);
    if (const auto* const integer = std::get_if<std::int64_t>(&value)) append_little_endian(values, *integer);
    if (const auto* const real = std::get_if<double>(&value)) append_little_endian(values, *real);
    if (const auto* const text = std::get_if<std::string_view>(&value)) places.push_back(place_of(*text));
  }

 private:
  std::uint32_t place_of(std::string_view text) {
    std::string storage;
    const std::string_view utf8 = as_utf8(text, storage);
    const auto known = dictionary.find(utf8);
    if (known != dictionary.end()) return known->second;
    const auto added = dictionary.emplace(utf8, static_cast<std::uint32_t>(words.size())).first;
    words.emplace_back(added->first);
    return added->second;
  }
};

/// The position of a group's column in the file.
struct Chunk {
  std::int64_t dictionary = -1;  ///< offset of the dictionary; -1 if there is none
  std::int64_t data = 0;
  std::int64_t plain_bytes = 0;
  std::int64_t bytes = 0;
};

struct Group {
  std::vector<Chunk> chunks;
  std::size_t rows = 0;
};

class ParquetFile {
 public:
  ParquetFile(const Relation& relation, OutputFile& out) : relation_(relation), out_(out) {}

  void write(const Provenance& provenance) {
    put(kMagic);
    for (std::size_t first = 0; first < relation_.rows; first += kRowsOfGroup)
      write_group(first, std::min(relation_.rows, first + kRowsOfGroup));
    const std::string footer = footer_of(provenance);
    put(footer);
    std::string length;
    append_little_endian(length, static_cast<std::uint32_t>(footer.size()));
    put(length);
    put(kMagic);
  }

 private:
  void put(std::string_view bytes) {
    out_.write(bytes);
    offset_ += static_cast<std::int64_t>(bytes.size());
  }

  void write_group(std::size_t first, std::size_t end) {
    Group group{.chunks = {}, .rows = end - first};
    for (const RelationColumn& column : relation_.columns) {
      Page page;
      for (std::size_t row = first; row < end; ++row) page.add(column.value(row));
      group.chunks.push_back(write_chunk(column.type, page));
    }
    groups_.push_back(std::move(group));
  }

  Chunk write_chunk(ValueType type, const Page& page) {
    Chunk chunk;
    const std::int64_t begin = offset_;
    const bool text = type == ValueType::kText;
    if (text) {
      chunk.dictionary = offset_;
      write_dictionary(page, chunk);
    }
    chunk.data = offset_;
    const std::string levels = hybrid(page.present, 1);
    std::string body;
    append_little_endian(body, static_cast<std::uint32_t>(levels.size()));
    body += levels;
    body += text ? places_of(page) : page.values;
    write_page(kDataPage, body, chunk, [&](ThriftCompact& header) {
      header.begin_struct(5).i32(1, static_cast<std::int32_t>(page.present.size()));
      header.i32(2, text ? kRleDictionary : kPlain).i32(3, kRle).i32(4, kRle).end_struct();
    });
    chunk.bytes = offset_ - begin;
    return chunk;
  }

  void write_dictionary(const Page& page, Chunk& chunk) {
    std::string body;
    for (const std::string_view word : page.words) {
      append_little_endian(body, static_cast<std::uint32_t>(word.size()));
      body += word;
    }
    write_page(kDictionaryPage, body, chunk, [&](ThriftCompact& header) {
      header.begin_struct(7).i32(1, static_cast<std::int32_t>(page.words.size())).i32(2, kPlain).end_struct();
    });
  }

  static std::string places_of(const Page& page) {
    const std::size_t largest = page.words.empty() ? 0 : page.words.size() - 1;
    const unsigned width = std::max(1U, static_cast<unsigned>(std::bit_width(largest)));
    return static_cast<char>(width) + hybrid(page.places, width);
  }

  template <class Describe>
  void write_page(PageType type, const std::string& body, Chunk& chunk, Describe describe) {
    if (body.size() > std::size_t{std::numeric_limits<std::int32_t>::max()}) {
      throw OutputError(fmt::format("{}: cannot be written: {} names take more than 2 GiB", out_.path(), kRowsOfGroup));
    }
    Gzip gzip;
    std::string packed;
    gzip.add(body, packed);
    gzip.finish(packed);
    ThriftCompact header;
    header.i32(1, type).i32(2, static_cast<std::int32_t>(body.size())).i32(3, static_cast<std::int32_t>(packed.size()));
    describe(header);
    const std::string head = header.take();
    chunk.plain_bytes += static_cast<std::int64_t>(head.size() + body.size());
    put(head);
    put(packed);
  }

  [[nodiscard]] std::string footer_of(const Provenance& provenance) const {
    ThriftCompact footer;
    footer.i32(1, 1).list(2, ThriftCompact::Type::kStruct, relation_.columns.size() + 1);
    footer.begin_struct().binary(4, relation_.name).i32(5, static_cast<std::int32_t>(relation_.columns.size()));
    footer.end_struct();
    for (const RelationColumn& column : relation_.columns) describe(column, footer);
    footer.i64(3, static_cast<std::int64_t>(relation_.rows)).list(4, ThriftCompact::Type::kStruct, groups_.size());
    for (const Group& group : groups_) describe(group, footer);
    describe(provenance, footer);
    footer.binary(6, fmt::format("stepsim version {} (build {})", provenance.version, provenance.commit));
    return footer.take();
  }

  static void describe(const RelationColumn& column, ThriftCompact& footer) {
    std::string storage;
    footer.begin_struct().i32(1, physical(column.type)).i32(3, kOptional).binary(4, as_utf8(column.name, storage));
    if (column.type == ValueType::kText)
      footer.i32(6, kUtf8).begin_struct(10).begin_struct(1).end_struct().end_struct();
    footer.end_struct();
  }

  void describe(const Group& group, ThriftCompact& footer) const {
    std::int64_t bytes = 0;
    footer.begin_struct().list(1, ThriftCompact::Type::kStruct, group.chunks.size());
    for (std::size_t i = 0; i < group.chunks.size(); ++i) {
      const Chunk& chunk = group.chunks[i];
      const bool text = chunk.dictionary >= 0;
      bytes += chunk.plain_bytes;
      footer.begin_struct().i64(2, text ? chunk.dictionary : chunk.data).begin_struct(3);
      footer.i32(1, physical(relation_.columns[i].type));
      footer.list(2, ThriftCompact::Type::kI32, text ? 3 : 2).element(kPlain).element(kRle);
      if (text) footer.element(kRleDictionary);
      std::string storage;
      footer.list(3, ThriftCompact::Type::kBinary, 1).element(as_utf8(relation_.columns[i].name, storage));
      footer.i32(4, kGzip).i64(5, static_cast<std::int64_t>(group.rows)).i64(6, chunk.plain_bytes).i64(7, chunk.bytes);
      footer.i64(9, chunk.data);
      if (text) footer.i64(11, chunk.dictionary);
      footer.end_struct().end_struct();
    }
    footer.i64(2, bytes).i64(3, static_cast<std::int64_t>(group.rows)).end_struct();
  }

  static void describe(const Provenance& provenance, ThriftCompact& footer) {
    const auto add = [&footer](std::string_view key, std::string_view value) {
      std::string storage;
      footer.begin_struct().binary(1, key).binary(2, as_utf8(value, storage)).end_struct();
    };
    footer.list(5, ThriftCompact::Type::kStruct, 4 + provenance.inputs.size());
    add("program", "stepsim");
    add("version", provenance.version);
    add("commit", provenance.commit);
    add("command", provenance.command);
    for (std::size_t i = 0; i < provenance.inputs.size(); ++i)
      add(fmt::format("input.{}", i), to_text(provenance.inputs[i]));
  }

  const Relation& relation_;
  OutputFile& out_;
  std::int64_t offset_ = 0;
  std::vector<Group> groups_;
};

void write_parquet(const Answer& answer, OutputFile& out) {
  const Relation relation = answer.replays.empty()
                                ? relation_of(std::string(kRows), "All rows", answer.document->rows())
                                : task_relation(answer);
  ParquetFile(relation, out).write(answer.provenance);
}

}  // namespace

extern const Exporter parquet_exporter{
    .name = "parquet",
    .extension = "parquet",
    .summary = "Parquet: all tasks of the replay, or the rows of the answer",
    .accepts = Content::kDocument,
    .gzip = false,
    .write = write_parquet,
};

}  // namespace stepsim::sim
