#include "ingest/stored/stored_part.h"

#include <fmt/format.h>

#include <bit>
#include <functional>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include "ingest/bytes/columns.h"
#include "ingest/bytes/input.h"
#include "ingest/parts/names.h"
#include "model/base/count_column.h"
#include "model/base/error.h"
#include "model/base/text.h"

namespace stepsim::ingest {
namespace {

constexpr std::string_view kBeginning = "stepsim part ";
/// Another one is needed after any change of visit(), or of the order of an enumeration that is stored.
constexpr std::string_view kVersion = "4";
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
  [[nodiscard]] std::string take() { return out_.take(); }

 private:
  template <class Get>
  void write_column(std::size_t size, Get get) {
    if constexpr (std::is_same_v<std::decay_t<decltype(get(0))>, std::string>) {
      for (std::size_t i = 0; i < size; ++i) out_.text(get(i));
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
    } else {
      const std::vector<std::int64_t> values = in_.column(rows.size());
      for (std::size_t i = 0; i < rows.size(); ++i) std::invoke(field, rows[i]) = checked<Value>(values[i]);
    }
  }

  ColumnReader in_;
};

template <class Io, class Pairs>
void visit_pairs(Io& io, Pairs& pairs) {
  using Pair = typename std::decay_t<Pairs>::value_type;
  io.rows(pairs, &Pair::first, &Pair::second);
}

/// The inputs of all operators are one list, and so are their dimensions.
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
  std::vector<std::uint64_t> sizes_of;   // each input
  std::vector<TensorShape> inputs;
  std::vector<std::int64_t> sizes;
  if constexpr (!Io::kReads) {
    for (const Operator& one : operators) {
      inputs_of.push_back(one.inputs.size());
      for (const TensorShape& input : one.inputs) {
        sizes_of.push_back(input.sizes.size());
        sizes.insert(sizes.end(), input.sizes.begin(), input.sizes.end());
        inputs.push_back({{}, input.element_bytes, input.precision, input.element});
      }
    }
  }
  io.list(inputs_of);
  io.rows(inputs, &TensorShape::element_bytes, &TensorShape::precision, &TensorShape::element);
  io.list(sizes_of);
  io.list(sizes);
  if constexpr (Io::kReads) {
    io.expect(inputs_of.size() == operators.size() && sizes_of.size() == inputs.size());
    std::size_t input = 0;
    std::size_t size = 0;
    for (std::size_t i = 0; i < operators.size(); ++i) {
      io.expect(inputs_of[i] <= inputs.size() - input);
      for (std::uint64_t k = 0; k < inputs_of[i]; ++k, ++input) {
        io.expect(sizes_of[input] <= sizes.size() - size);
        const auto first = sizes.begin() + static_cast<std::ptrdiff_t>(size);
        size += sizes_of[input];
        inputs[input].sizes.assign(first, sizes.begin() + static_cast<std::ptrdiff_t>(size));
        operators[i].inputs.push_back(std::move(inputs[input]));
      }
    }
  }
}

template <class Io, class Trace>
void visit(Io& io, Trace& trace) {
  using Event = HostDeviceTrace;
  io.list(trace.start);
  io.list(trace.duration);
  io.list(trace.kind);
  io.list(trace.name);
  io.list(trace.track);
  io.list(trace.correlation);
  io.list(trace.detail);
  io.rows(trace.details, &EventDetail::bytes, &EventDetail::stream, &EventDetail::wait_stream,
          &EventDetail::wait_correlation, &EventDetail::sequence, &EventDetail::elements, &EventDetail::collective,
          &EventDetail::group, &EventDetail::dtype, &EventDetail::peer);
  io.rows(trace.tracks, &Track::process, &Track::thread, &Track::name, &Track::on_device, &Track::device,
          &Track::stream);
  io.list(trace.texts);
  visit_operators(io, trace.operators);
  visit_pairs(io, trace.operator_of);
  io.rows(trace.launches, &KernelLaunch::blocks, &KernelLaunch::threads, &KernelLaunch::registers,
          &KernelLaunch::shared_memory);
  visit_pairs(io, trace.launch_of);
  for (auto* const calls : {&trace.modules, &trace.python}) {
    io.rows(*calls, &Event::ModuleCall::track, &Event::ModuleCall::name, &Event::ModuleCall::begin,
            &Event::ModuleCall::length);
  }
  io.rows(trace.memory, &Event::MemoryEvent::time, &Event::MemoryEvent::track, &Event::MemoryEvent::block,
          &Event::MemoryEvent::device, &Event::MemoryEvent::change, &Event::MemoryEvent::allocated,
          &Event::MemoryEvent::reserved);
  visit_pairs(io, trace.flops_of);
  io.rows(trace.overheads, &Event::Overhead::kind, &Event::Overhead::start, &Event::Overhead::length);
  visit_pairs(io, trace.hand_overs);
  io.rows(trace.communicators, &Event::Communicator::group, &Event::Communicator::rank, &Event::Communicator::size,
          &Event::Communicator::nodes);
  io.rows(trace.transports, &TransportUse::group, &TransportUse::operation, &TransportUse::algorithm,
          &TransportUse::protocol, &TransportUse::operations, &TransportUse::bytes, &TransportUse::channels,
          &TransportUse::channel_time);
  for (const auto direction : {&TransportUse::sent, &TransportUse::received}) {
    io.rows(
        trace.transports,  //
        [direction](auto& use) -> auto& { return (use.*direction).pieces; },
        [direction](auto& use) -> auto& { return (use.*direction).bytes; },
        [direction](auto& use) -> auto& { return (use.*direction).device; },
        [direction](auto& use) -> auto& { return (use.*direction).peer; },
        [direction](auto& use) -> auto& { return (use.*direction).network; });
  }
  io.one(trace.rank);
  io.one(trace.world_size);
  io.one(trace.ranks_of_batch);
  io.one(trace.backend);
  io.one(trace.host_name);
  visit_pairs(io, trace.windows);
  io.one(trace.device_name);
  io.one(trace.device_memory);
  io.one(trace.modelled);
  io.one(trace.samples);
  io.one(trace.has_base_time);
  io.one(trace.base_time);
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

/// Throws InputError if an index in the trace leads outside its table, if its columns differ in length, or if a time is
/// beyond those that readers accept.
void check(const Reading& in, const HostDeviceTrace& trace) {
  const std::size_t events = trace.size();
  in.expect(trace.duration.size() == events && trace.kind.size() == events && trace.name.size() == events &&
            trace.track.size() == events && trace.correlation.size() == events && trace.detail.size() == events);
  const auto is_text = [&](TextId id) { return id.valid() && id.index() < trace.texts.size(); };
  const auto is_text_or_none = [&](TextId id) { return !id.valid() || is_text(id); };
  const auto is_track = [&](TrackId id) { return id.valid() && id.index() < trace.tracks.size(); };
  for (std::size_t i = 0; i < events; ++i) {
    in.expect(is_text(trace.name[i]) && is_track(trace.track[i]));
    const std::int64_t start = trace.start[i].time_since_epoch().count();
    in.expect(start >= -kLatestTime && start <= kLatestTime && trace.duration[i].count() <= kLatestTime);
    in.expect(trace.detail[i] == HostDeviceTrace::kNoDetail || trace.detail[i] < trace.details.size());
  }
  for (const EventDetail& one : trace.details)
    in.expect(is_text_or_none(one.collective) && is_text_or_none(one.group) && is_text_or_none(one.dtype));
  const auto expect_uses = [&](const auto& uses, std::size_t things) {
    std::uint32_t last = 0;
    for (const auto& [event, which] : uses) {
      in.expect(event < events && event >= last && which < things);
      last = event;
    }
  };
  expect_uses(trace.operator_of, trace.operators.size());
  expect_uses(trace.launch_of, trace.launches.size());
  for (const auto& [event, flops] : trace.flops_of) in.expect(event < events);
  for (const auto& [from, to] : trace.hand_overs) in.expect(from < events && to < events);
  for (const auto* const calls : {&trace.modules, &trace.python}) {
    for (const HostDeviceTrace::ModuleCall& one : *calls) in.expect(is_track(one.track) && is_text(one.name));
  }
  for (const HostDeviceTrace::MemoryEvent& one : trace.memory) in.expect(is_track(one.track));
  for (const HostDeviceTrace::Overhead& one : trace.overheads) in.expect(is_text(one.kind));
  for (const HostDeviceTrace::Communicator& one : trace.communicators) in.expect(is_text(one.group));
}

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
      check(in, trace);
      if (!details) forget_details(trace);
      input.sink.add(std::move(trace), std::move(of));
    }
  }
  in.expect(in.at_end());
  return part;
}

}  // namespace stepsim::ingest
