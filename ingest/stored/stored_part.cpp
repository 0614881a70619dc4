#include "ingest/stored/stored_part.h"

#include <fmt/format.h>

#include <bit>
#include <functional>
#include <iterator>
#include <limits>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include "ingest/bytes/columns.h"
#include "ingest/bytes/input.h"
#include "ingest/parts/names.h"
#include "ingest/parts/tables.h"
#include "model/base/count_column.h"
#include "model/base/error.h"
#include "model/base/text.h"

namespace stepsim::ingest {
namespace {

constexpr std::string_view kBeginning = "stepsim part ";
/// Another one is needed after any change of visit(), of a table (tables.h), or of the order of an enumeration that is
/// stored.
constexpr std::string_view kVersion = "5";
constexpr std::size_t kChecksumBytes = 8;

// ---- values as whole numbers

template <class Value>
concept IsId = requires(Value value) {
  value.valid();
};
template <class Value>
concept IsCount = requires(Value value) {
  value.count();
};
template <class Value>
concept IsTime = requires(Value value) {
  value.time_since_epoch();
};

template <class Value>
concept IsList = requires(Value value) {
  value.insert(value.end(), value.begin(), value.end());
};
template <class Rows, class Row>
concept RowsOf = std::is_same_v<std::remove_const_t<Rows>, std::vector<Row>>;

template <class Value>
std::int64_t to_integer(const Value& value) {
  if constexpr (std::is_same_v<Value, double>) {
    return std::bit_cast<std::int64_t>(value);
  } else if constexpr (IsId<Value>) {
    return value.value();
  } else if constexpr (IsTime<Value>) {
    return value.time_since_epoch().count();
  } else if constexpr (IsCount<Value>) {
    return value.count();
  } else {
    return static_cast<std::int64_t>(value);
  }
}

/// Return the number of the last value of an enumeration.
std::int64_t most(EventKind /*kind*/) { return static_cast<std::int64_t>(EventKind::kDeviceAnnotation); }
std::int64_t most(SyncKind /*kind*/) { return static_cast<std::int64_t>(SyncKind::kDevice); }
std::int64_t most(MemoryKind /*kind*/) { return static_cast<std::int64_t>(MemoryKind::kOther); }
std::int64_t most(KernelClass /*kind*/) { return static_cast<std::int64_t>(kKernelClassCount) - 1; }
std::int64_t most(Precision /*precision*/) { return static_cast<std::int64_t>(kPrecisionCount) - 1; }
std::int64_t most(ElementKind /*kind*/) { return static_cast<std::int64_t>(ElementKind::kOther); }
std::int64_t most(Severity /*severity*/) { return static_cast<std::int64_t>(Severity::kDataLoss); }

/// Converts a number back; nothing if it is no such value.
template <class Value>
std::optional<Value> from_integer(std::int64_t number) {
  if constexpr (std::is_same_v<Value, double>) {
    return std::bit_cast<double>(number);
  } else if constexpr (std::is_enum_v<Value>) {
    if (number < 0 || number > most(Value{})) return std::nullopt;
    return static_cast<Value>(number);
  } else if constexpr (IsId<Value>) {
    if (number < 0 || number > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
    return number == Value{}.value() ? Value{} : Value{number};
  } else if constexpr (IsTime<Value>) {
    return Value{Duration{number}};
  } else if constexpr (IsCount<Value>) {
    return Value{number};
  } else if constexpr (std::is_same_v<Value, bool>) {
    if (number < 0 || number > 1) return std::nullopt;
    return number == 1;
  } else if constexpr (std::is_same_v<Value, std::uint64_t>) {
    return static_cast<Value>(number);
  } else {
    if (!std::in_range<Value>(number)) return std::nullopt;
    return static_cast<Value>(number);
  }
}

// ---- one description of the layout, for writing and reading

/// Writes the fields that visit() names.
class Writing {
 public:
  static constexpr bool kReads = false;

  template <class Value>
  void one(const Value& value) {
    out_.number(to_integer(value));
  }
  void one(const std::string& text) { out_.text(text); }
  template <class Value>
  void one(const std::optional<Value>& value) {
    out_.number(value.has_value() ? 1 : 0);
    if (value) one(*value);
  }

  /// Writes a list of values, whose length is part of it.
  template <class List>
  void list(const List& values) {
    one(values.size());
    write_column(values.size(), [&values](std::size_t i) { return values[i]; });
  }
  /// Writes a list of structures, a column for each field.
  template <class Row, class... Field>
  void rows(const std::vector<Row>& rows, Field... fields) {
    one(rows.size());
    (write_column(rows.size(), [&rows, fields](std::size_t i) { return std::invoke(fields, rows[i]); }), ...);
  }
  void count(std::size_t size) { one(size); }
  /// Writes the first `size` rows of a column, whose number is not part of it.
  template <class Column>
  void column(const Column& values, std::size_t size) {
    write_column(size, [&values](std::size_t i) { return values[i]; });
  }
  [[nodiscard]] std::string take() { return out_.take(); }

 private:
  template <class Get>
  void write_column(std::size_t size, Get get) {
    using Value = std::decay_t<decltype(get(0))>;
    if constexpr (std::is_same_v<Value, std::string>) {
      for (std::size_t i = 0; i < size; ++i) out_.text(get(i));
    } else if constexpr (IsList<Value>) {
      Value all;
      for (std::size_t i = 0; i < size; ++i) {
        const Value& values = get(i);
        all.insert(all.end(), values.begin(), values.end());
      }
      write_column(size, [&get](std::size_t i) { return get(i).size(); });
      list(all);
    } else {
      std::vector<std::int64_t> values(size);
      for (std::size_t i = 0; i < size; ++i) values[i] = to_integer(get(i));
      out_.column(values);
    }
  }

  ColumnWriter out_;
};

/// Reads the fields that visit() names.
class Reading {
 public:
  static constexpr bool kReads = true;

  Reading(std::string_view bytes, const std::string& name) : in_(bytes, name) {}

  template <class Value>
  void one(Value& value) {
    value = checked<Value>(in_.number());
  }
  void one(std::string& text) { text = in_.text(); }
  template <class Value>
  void one(std::optional<Value>& value) {
    if (checked<bool>(in_.number())) one(value.emplace());
  }

  template <class List>
  void list(List& values) {
    const std::size_t size = in_.count();
    values.reserve(size);
    using Value = std::decay_t<decltype(values[0])>;
    if constexpr (std::is_same_v<Value, std::string>) {
      for (std::size_t i = 0; i < size; ++i) values.push_back(in_.text());
    } else {
      const bool is_count = std::is_same_v<List, CountColumn<Duration>>;
      for (const std::int64_t number : in_.column(size)) {
        expect(!is_count || number >= 0);
        values.push_back(checked<Value>(number));
      }
    }
  }
  template <class Row, class... Field>
  void rows(std::vector<Row>& rows, Field... fields) {
    rows.resize(in_.count());
    (read_column(rows, fields), ...);
  }

  void count(std::size_t& size) { size = in_.count(); }
  template <class Column>
  void column(Column& values, std::size_t size) {
    using Value = std::decay_t<decltype(values[0])>;
    const bool is_count = std::is_same_v<Column, CountColumn<Duration>>;
    const std::vector<std::int64_t> numbers = in_.column(size);
    for (std::size_t i = 0; i < size; ++i) {
      expect(!is_count || numbers[i] >= 0);
      append(values, i, checked<Value>(numbers[i]));
    }
  }

  /// Throws InputError unless `holds`.
  void expect(bool holds) const {
    if (!holds) in_.fail();
  }
  [[nodiscard]] bool at_end() const noexcept { return in_.at_end(); }

 private:
  template <class Value>
  [[nodiscard]] Value checked(std::int64_t number) const {
    const std::optional<Value> value = from_integer<Value>(number);
    if (!value) in_.fail();
    return *value;
  }
  template <class Row, class Field>
  void read_column(std::vector<Row>& rows, Field field) {
    using Value = std::decay_t<decltype(std::invoke(field, rows[0]))>;
    if constexpr (std::is_same_v<Value, std::string>) {
      for (Row& row : rows) std::invoke(field, row) = in_.text();
    } else if constexpr (IsList<Value>) {
      const std::vector<std::int64_t> sizes = in_.column(rows.size());
      Value all;
      list(all);
      auto rest = all.begin();
      for (std::size_t i = 0; i < rows.size(); ++i) {
        expect(sizes[i] >= 0 && sizes[i] <= all.end() - rest);
        std::invoke(field, rows[i]).assign(rest, rest + sizes[i]);
        rest += sizes[i];
      }
      expect(rest == all.end());
    } else {
      const std::vector<std::int64_t> values = in_.column(rows.size());
      for (std::size_t i = 0; i < rows.size(); ++i) std::invoke(field, rows[i]) = checked<Value>(values[i]);
    }
  }

  ColumnReader in_;
};

/// The inputs of all operators are one list.
template <class Io, class Operators>
void visit_operators(Io& io, Operators& operators) {
  using Operator = OperatorTable::Operator;
  io.rows(
      operators, &Operator::name, &Operator::shapes,  //
      [](auto& one) -> auto& { return one.work.kind; }, [](auto& one) -> auto& { return one.work.flops; },
      [](auto& one) -> auto& { return one.work.bytes; }, [](auto& one) -> auto& { return one.work.precision; },
      [](auto& one) -> auto& { return one.work.shape.count; }, [](auto& one) -> auto& { return one.work.shape.rows; },
      [](auto& one) -> auto& { return one.work.shape.columns; },
      [](auto& one) -> auto& { return one.work.shape.inner; });
  std::vector<std::uint64_t> inputs_of;  // each operator
  std::vector<TensorShape> inputs;
  if constexpr (!Io::kReads) {
    for (const Operator& one : operators) {
      inputs_of.push_back(one.inputs.size());
      inputs.insert(inputs.end(), one.inputs.begin(), one.inputs.end());
    }
  }
  io.list(inputs_of);
  io.rows(inputs, &TensorShape::element_bytes, &TensorShape::precision, &TensorShape::element, &TensorShape::sizes);
  if constexpr (Io::kReads) {
    io.expect(inputs_of.size() == operators.size());
    auto rest = std::make_move_iterator(inputs.begin());
    const auto end = std::make_move_iterator(inputs.end());
    for (std::size_t i = 0; i < operators.size(); ++i) {
      io.expect(std::cmp_less_equal(inputs_of[i], end - rest));
      const auto next = rest + static_cast<std::ptrdiff_t>(inputs_of[i]);
      operators[i].inputs.assign(rest, next);
      rest = next;
    }
  }
}

/// Visits the tables of a trace.
template <class Io>
class TablesOf {
 public:
  /// `events` is the number of events.
  TablesOf(Io& io, std::size_t events) : io_(io), events_(events) {}

  template <Role kRole, class Column>
  void column(Field<kRole, Column> column) {
    io_.column(column.value, events_);
  }
  void rows(RowsOf<std::string> auto& texts) { io_.list(texts); }
  void rows(RowsOf<OperatorTable::Operator> auto& operators) { visit_operators(io_, operators); }
  template <class Rows>
  void rows(Rows& rows) {
    using Row = typename Rows::value_type;
    constexpr std::size_t kFields = std::tuple_size_v<decltype(fields(std::declval<Row&>()))>;
    [&]<std::size_t... kAt>(std::index_sequence<kAt...> /*all*/) {
      io_.rows(
          rows, [](auto& row) -> auto& { return std::get<kAt>(fields(row)).value; }...);
    }
    (std::make_index_sequence<kFields>{});
  }

 private:
  Io& io_;
  std::size_t events_;
};

template <class Io, class Trace>
void visit(Io& io, Trace& trace) {
  std::size_t events = trace.size();
  io.count(events);
  for_each_table(TablesOf<Io>(io, events), trace);
  auto& [rank, world_size, ranks_of_batch, backend, host_name, device_name, device_memory, modelled, samples,
         has_base_time, base_time] = base_of<TraceProperties>(trace);
  const auto visit_all = [&io](auto&... properties) { (io.one(properties), ...); };
  visit_all(rank, world_size, ranks_of_batch, backend, host_name, device_name, device_memory, modelled, samples,
            has_base_time, base_time);
}

template <class Io>
void visit_diagnostics(Io& io, std::vector<Diagnostics::Entry>& entries) {
  using Entry = Diagnostics::Entry;
  io.rows(
      entries, &Entry::name, &Entry::severity, &Entry::remedy, &Entry::detail, &Entry::count,
      [](auto& one) -> auto& { return one.first.file; });
  for (auto& one : entries) {
    io.one(one.first.byte_offset);
    io.one(one.first.line);
    io.one(one.first.column);
  }
}

void write(Writing& out, const Diagnostics& diagnostics) {
  std::vector<Diagnostics::Entry> entries = diagnostics.entries();
  visit_diagnostics(out, entries);
}

Diagnostics read_diagnostics(Reading& in) {
  std::vector<Diagnostics::Entry> entries;
  visit_diagnostics(in, entries);
  Diagnostics diagnostics;
  for (const Diagnostics::Entry& one : entries)
    diagnostics.count({one.name, one.severity, one.remedy, {}}, one.first, one.detail, one.count);
  return diagnostics;
}

template <class Io, class Part>
void visit_head(Io& io, Part& part) {
  io.rows(part.files, &InputFile::name, &InputFile::size, &InputFile::checksum, &InputFile::opened);
  io.one(part.job_name);
  io.one(part.job_text);
}

template <class Io, class Input>
void visit_head_of_input(Io& io, Input& input) {
  io.one(input.name);
  io.one(input.gpu_folder);
  io.one(input.worker_folder);
  io.one(input.format);
  io.one(input.sink.events);
  io.one(input.sink.skipped);
}

// ---- checks of what was read

/// Throws InputError if an index in a trace leads outside its table, or if an event is beyond the times that
/// readers accept.
class Checking {
 public:
  Checking(const Reading& in, const HostDeviceTrace& trace) : in_(in), trace_(trace) {}

  template <Role kRole, class Column>
  void column(Field<kRole, Column> column) const {
    for (std::size_t i = 0; i < trace_.size(); ++i) {
      const auto value = column.value[i];
      in_.expect(is_good<kRole>(value));
      if constexpr (kRole == Role::kTime)
        in_.expect(value >= Time{Duration{-kLatestTime}} && value <= Time{Duration{kLatestTime}});
      if constexpr (std::is_same_v<decltype(value), const Duration>) in_.expect(value.count() <= kLatestTime);
    }
  }
  template <class Row>
  void rows(const std::vector<Row>& rows) const {
    for (const Row& row : rows) {
      for_each_in(
          [this](auto field) {
            constexpr Role kRole = decltype(field)::kRole;
            constexpr bool kOptional = std::is_same_v<Row, EventDetail> || std::is_same_v<Row, ProcessGroup>;
            if constexpr (kOptional && (kRole == Role::kText || kRole == Role::kGroup)) {
              if (!field.value.valid()) return;
            }
            in_.expect(is_good<kRole>(field.value));
          },
          fields(row));
      if constexpr (std::is_same_v<Row, ProcessGroup>) in_.expect(row.name.valid() || row.own < 0);
    }
  }

 private:
  template <Role kRole, class Value>
  [[nodiscard]] bool is_good(const Value& value) const {
    const auto is_in = [](std::uint32_t index, std::size_t size) {
      return index == HostDeviceTrace::kNone || index < size;
    };
    if constexpr (kRole == Role::kText) return value.value() < trace_.texts.size();
    if constexpr (kRole == Role::kTrack) return value.value() < trace_.tracks.size();
    if constexpr (kRole == Role::kGroup) return value.value() < trace_.groups.size();
    if constexpr (kRole == Role::kEvent) return value < trace_.size();
    if constexpr (kRole == Role::kDetail) return is_in(value, trace_.details.size());
    if constexpr (kRole == Role::kOperator) return is_in(value, trace_.operators.size());
    if constexpr (kRole == Role::kLaunch) return is_in(value, trace_.launches.size());
    return true;
  }

  const Reading& in_;
  const HostDeviceTrace& trace_;
};

void forget_details(HostDeviceTrace& trace) {
  trace.python = {};
  trace.flops_of = {};
  trace.transports = {};
}

std::uint64_t stored_checksum(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i > 0; --i) value = value << 8U | static_cast<std::uint8_t>(bytes[i - 1]);
  return value;
}

}  // namespace

std::string to_bytes(const StoredPart& part) {
  Writing out;
  visit_head(out, part);
  write(out, part.diagnostics);
  out.one(part.inputs.size());
  for (const StoredInput& input : part.inputs) {
    visit_head_of_input(out, input);
    write(out, input.sink.diagnostics);
    out.one(input.sink.parts.size());
    for (const PartSink::Item& item : input.sink.parts) {
      const auto* const trace = std::get_if<HostDeviceTrace>(&item.part);
      if (trace == nullptr) {
        throw UsageError(
            fmt::format("{} is of the format {}, of which no part can be stored; expected traces with host "
                        "and device events, such as those of PyTorch's profiler",
                        shown(input.name), input.format));
      }
      out.one(item.of);
      visit(out, *trace);
    }
  }
  std::string bytes = fmt::format("{}{}\n{}", kBeginning, kVersion, out.take());
  std::uint64_t sum = checksum(0, bytes);
  for (std::size_t i = 0; i < kChecksumBytes; ++i, sum >>= 8U) bytes += static_cast<char>(sum & 0xFFU);
  return bytes;
}

bool is_stored_part(std::string_view head) { return head.starts_with(kBeginning); }

StoredPart read_stored_part(ByteSource& source, bool details) {
  const std::string bytes = read_text(source, std::numeric_limits<std::size_t>::max() - 1);
  const InputLocation where{source.name(), {}, {}};
  std::string_view rest = std::string_view(bytes).substr(std::min(kBeginning.size(), bytes.size()));
  const std::string_view version = rest.substr(0, std::min(rest.find('\n'), std::size_t{20}));
  if (version != kVersion) {
    throw InputError(where, fmt::format("this part is of version '{}'; expected version {}, which this stepsim writes: "
                                        "convert the traces again",
                                        shown(version), kVersion));
  }
  const std::size_t sealed = bytes.size() < kChecksumBytes ? 0 : bytes.size() - kChecksumBytes;
  if (sealed < kBeginning.size() + version.size() + 1 || checksum(0, std::string_view(bytes).substr(0, sealed)) !=
                                                             stored_checksum(std::string_view(bytes).substr(sealed))) {
    throw InputError(where,
                     "this part is damaged or cut off (wrong checksum); expected it as 'stepsim convert' wrote it");
  }
  rest = std::string_view(bytes).substr(0, sealed).substr(kBeginning.size() + version.size() + 1);

  Reading in(rest, source.name());
  StoredPart part;
  visit_head(in, part);
  part.diagnostics = read_diagnostics(in);
  std::uint64_t inputs = 0;
  for (in.one(inputs); inputs > 0; --inputs) {
    StoredInput& input = part.inputs.emplace_back();
    visit_head_of_input(in, input);
    input.sink.diagnostics = read_diagnostics(in);
    std::uint64_t parts = 0;
    for (in.one(parts); parts > 0; --parts) {
      std::string of;
      in.one(of);
      HostDeviceTrace trace;
      visit(in, trace);
      for_each_table(Checking(in, trace), std::as_const(trace));
      if (!details) forget_details(trace);
      input.sink.add(std::move(trace), std::move(of));
    }
  }
  in.expect(in.at_end());
  return part;
}

}  // namespace stepsim::ingest
