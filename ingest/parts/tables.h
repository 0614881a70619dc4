#ifndef STEPSIM_INGEST_PARTS_TABLES_H
#define STEPSIM_INGEST_PARTS_TABLES_H

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "ingest/parts/part.h"
#include "model/base/count_column.h"
#include "model/base/units.h"

/// One description of all tables of a HostDeviceTrace. What treats all of them alike, such as joining, splitting,
/// comparing and storing traces, follows from what each field is, so a new column is stated here and nowhere else.
namespace stepsim::ingest {

/// What the values of a field are.
enum class Role : std::uint8_t {
  kValue,
  kTime,
  kText,         ///< TextId
  kTrack,        ///< TrackId
  kEvent,        ///< index of an event
  kGroup,        ///< ProcessGroupId
  kDetail,       ///< index into details
  kOperator,     ///< index into operators
  kLaunch,       ///< index into launches
  kCorrelation,  ///< correlation id; negative if there is none
};

/// A field of a row, or a column of the events.
template <Role kOfField, class Value>
struct Field {
  static constexpr Role kRole = kOfField;
  Value& value;
};

template <Role kRole, class Value>
[[nodiscard]] constexpr Field<kRole, Value> field(Value& value) noexcept {
  return {value};
}
/// A field whose type states its role.
template <class Value>
[[nodiscard]] constexpr auto field(Value& value) noexcept {
  using Plain = std::remove_const_t<Value>;
  if constexpr (std::is_same_v<Plain, Time>) {
    return field<Role::kTime>(value);
  } else if constexpr (std::is_same_v<Plain, TextId>) {
    return field<Role::kText>(value);
  } else if constexpr (std::is_same_v<Plain, TrackId>) {
    return field<Role::kTrack>(value);
  } else if constexpr (std::is_same_v<Plain, ProcessGroupId>) {
    return field<Role::kGroup>(value);
  } else {
    return field<Role::kValue>(value);
  }
}
template <class... Value>
[[nodiscard]] constexpr auto plain_fields(Value&... values) noexcept {
  return std::tuple{field(values)...};
}

template <class Row, class Plain>
concept RowOf = std::same_as<std::remove_const_t<Row>, Plain>;

// fields() names every member of a row, so that the compiler rejects a new one until it is named here.

[[nodiscard]] auto fields(RowOf<std::string> auto& text) { return plain_fields(text); }
[[nodiscard]] auto fields(RowOf<Track> auto& row) {
  auto& [process, thread, name, on_device, device, stream] = row;
  return plain_fields(process, thread, name, on_device, device, stream);
}
[[nodiscard]] auto fields(RowOf<EventDetail> auto& row) {
  auto& [bytes, stream, wait_stream, wait_correlation, sequence, elements, collective, group, dtype, peer, sync, from,
         to] = row;
  return std::tuple_cat(plain_fields(bytes, stream, wait_stream),
                        std::tuple{field<Role::kCorrelation>(wait_correlation)},
                        plain_fields(sequence, elements, collective, group, dtype, peer, sync, from, to));
}
[[nodiscard]] auto fields(RowOf<OperatorTable::Operator> auto& row) {
  auto& [name, shapes, work, inputs] = row;
  return plain_fields(name, shapes, work, inputs);
}
[[nodiscard]] auto fields(RowOf<KernelLaunch> auto& row) {
  auto& [blocks, threads, registers, shared_memory] = row;
  return plain_fields(blocks, threads, registers, shared_memory);
}
[[nodiscard]] auto fields(RowOf<TraceTables::Step> auto& row) {
  auto& [event, number] = row;
  return std::tuple{field<Role::kEvent>(event), field(number)};
}
[[nodiscard]] auto fields(RowOf<TraceTables::ModuleCall> auto& row) {
  auto& [track, name, begin, length] = row;
  return plain_fields(track, name, begin, length);
}
[[nodiscard]] auto fields(RowOf<TraceTables::MemoryEvent> auto& row) {
  auto& [time, track, block, device, change, allocated, reserved] = row;
  return plain_fields(time, track, block, device, change, allocated, reserved);
}
[[nodiscard]] auto fields(RowOf<TraceTables::Overhead> auto& row) {
  auto& [kind, start, length, queue_full] = row;
  return plain_fields(kind, start, length, queue_full);
}
[[nodiscard]] auto fields(RowOf<TraceTables::HandOver> auto& row) {
  auto& [from, to] = row;
  return std::tuple{field<Role::kEvent>(from), field<Role::kEvent>(to)};
}
[[nodiscard]] auto fields(RowOf<ProcessGroup> auto& row) {
  auto& [name, size, ranks, own, nodes] = row;
  return plain_fields(name, size, ranks, own, nodes);
}
[[nodiscard]] auto fields(RowOf<TraceTables::StorageUse> auto& row) {
  auto& [event, written, storage] = row;
  return std::tuple{field<Role::kEvent>(event), field(written), field(storage)};
}
[[nodiscard]] auto fields(RowOf<TraceTables::CollectiveCall> auto& row) {
  auto& [event, waits, sequence] = row;
  return std::tuple{field<Role::kEvent>(event), field(waits), field(sequence)};
}
[[nodiscard]] auto fields(RowOf<TraceTables::Window> auto& row) {
  auto& [begin, end] = row;
  return plain_fields(begin, end);
}
[[nodiscard]] auto fields(RowOf<TraceTables::Flops> auto& row) {
  auto& [event, count] = row;
  return std::tuple{field<Role::kEvent>(event), field(count)};
}
[[nodiscard]] auto fields(RowOf<TransportUse::Direction> auto& row) {
  auto& [pieces, bytes, device, peer, network] = row;
  return plain_fields(pieces, bytes, device, peer, network);
}
[[nodiscard]] auto fields(RowOf<TransportUse> auto& row) {
  auto& [group, operation, algorithm, protocol, operations, bytes, sent, received, channels, channel_time] = row;
  return std::tuple_cat(plain_fields(group, operation, algorithm, protocol, operations, bytes), fields(sent),
                        fields(received), plain_fields(channels, channel_time));
}

/// Returns the columns of a trace's events. The values of a column have its role.
[[nodiscard]] auto columns(RowOf<EventColumns> auto& events) {
  auto& [start, duration, kind, name, track, correlation, detail, operator_of, launch_of] = events;
  return std::tuple{field<Role::kTime>(start),
                    field(duration),
                    field(kind),
                    field<Role::kText>(name),
                    field<Role::kTrack>(track),
                    field<Role::kCorrelation>(correlation),
                    field<Role::kDetail>(detail),
                    field<Role::kOperator>(operator_of),
                    field<Role::kLaunch>(launch_of)};
}

/// Returns the other tables, which are vectors of rows.
[[nodiscard]] auto tables(RowOf<TraceTables> auto& trace) {
  auto& [texts, tracks, details, operators, launches, steps, modules, memory, overheads, hand_overs, groups,
         storage_uses, collective_calls, windows, python, flops_of, transports] = trace;
  return std::tie(texts, tracks, details, operators, launches, steps, modules, memory, overheads, hand_overs, groups,
                  storage_uses, collective_calls, windows, python, flops_of, transports);
}

/// Calls visit(...) with the first elements of several tuples of one length, then with the second ones, and so on.
template <class Visit, class First, class... Other>
void for_each_in(Visit&& visit, First first, Other... others) {
  const auto visit_one = [&]<std::size_t kAt>(std::integral_constant<std::size_t, kAt> /*at*/) {
    visit(std::get<kAt>(first), std::get<kAt>(others)...);
  };
  [&]<std::size_t... kAt>(std::index_sequence<kAt...> /*all*/) {
    (visit_one(std::integral_constant<std::size_t, kAt>{}), ...);
  }
  (std::make_index_sequence<std::tuple_size_v<First>>{});
}

template <class Base, class Trace>
[[nodiscard]] auto& base_of(Trace& trace) noexcept {
  return static_cast<std::conditional_t<std::is_const_v<Trace>, const Base, Base>&>(trace);
}

/// Calls visit.column(column...) for each column of the events of one or more traces, and visit.rows(rows...) for each
/// other table.
template <class Visitor, class... Trace>
void for_each_table(Visitor&& visit, Trace&... traces) {
  for_each_in([&](auto... column) { visit.column(column...); }, columns(base_of<EventColumns>(traces))...);
  for_each_in([&](auto&... rows) { visit.rows(rows...); }, tables(base_of<TraceTables>(traces))...);
}

/// Moves all times of a trace to earlier ones, except those beyond in_time().
void move_earlier(HostDeviceTrace& trace, Duration time);

/// Gives row number `row` of a column a value. Precondition: `row` is the number of rows that have one.
template <class Column, class Value>
void append(Column& column, std::size_t row, Value value) {
  if constexpr (requires { column.push_back(value); }) {
    column.push_back(value);
  } else {
    column.set(row, value);
  }
}

}  // namespace stepsim::ingest

#endif
