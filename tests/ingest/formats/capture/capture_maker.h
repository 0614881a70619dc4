#ifndef STEPSIM_TESTS_INGEST_FORMATS_CAPTURE_CAPTURE_MAKER_H
#define STEPSIM_TESTS_INGEST_FORMATS_CAPTURE_CAPTURE_MAKER_H

#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/wire/block.h"
#include "model/wire/record.h"

namespace stepsim::testing {

/// Makes the bytes of a capture file, block by block.
class CaptureMaker {
 public:
  explicit CaptureMaker(std::uint16_t producer = 0) : producer_(producer) {}

  CaptureMaker& add(const wire::Record& record) {
    const std::size_t at = records_.size();
    records_.resize(at + wire::slots_of(record) * wire::kRecordBytes);
    wire::write(record, std::as_writable_bytes(std::span(records_)).data() + at);
    return *this;
  }
  /// Returns the number of a text. Adds a record that defines the text at its first use.
  std::uint32_t text(std::string_view text) {
    const auto [known, added] = texts_.try_emplace(std::string{text}, static_cast<std::uint32_t>(texts_.size() + 1));
    if (!added) return known->second;
    add({.kind = wire::Kind::kText, .which = known->second, .a = text.size()});
    records_ += text;
    records_.resize((records_.size() + wire::kRecordBytes - 1) / wire::kRecordBytes * wire::kRecordBytes, '\0');
    return known->second;
  }
  CaptureMaker& session(std::string_view key, std::string_view value) {
    const std::uint32_t which = text(key);
    return add({.kind = wire::Kind::kSession, .which = which, .a = text(value)});
  }
  CaptureMaker& call(std::string_view name, std::uint64_t start, std::uint64_t duration, std::uint32_t correlation) {
    const std::uint32_t which = text(name);
    return add({.kind = wire::Kind::kCall,
                .which = which,
                .start = start,
                .duration = duration,
                .correlation = correlation,
                .stream = 100});
  }
  CaptureMaker& kernel(std::string_view name, std::uint64_t start, std::uint64_t duration, std::uint32_t correlation,
                       std::uint32_t stream = 7) {
    const std::uint32_t which = text(name);
    return add({.kind = wire::Kind::kKernel,
                .device = 0,
                .which = which,
                .start = start,
                .duration = duration,
                .correlation = correlation,
                .stream = stream});
  }
  /// Adds a collective that NCCL enqueued, by default on the thread that call() uses, or a message if `what` begins
  /// with "Send" or "Recv".
  CaptureMaker& nccl(std::string_view what, std::uint64_t start, std::uint64_t elements, std::uint32_t number,
                     std::uint64_t sequence_or_peer, std::uint64_t communicator, std::uint64_t group,
                     std::uint32_t thread = 100) {
    const std::uint32_t which = text(what);
    const bool is_message = what.starts_with("Send") || what.starts_with("Recv");
    return add({.kind = is_message ? wire::Kind::kNcclMessage : wire::Kind::kNcclCollective,
                .which = which,
                .start = start,
                .duration = elements,
                .correlation = number,
                .stream = thread,
                .a = sequence_or_peer,
                .b = communicator + (group << 32U)});
  }
  /// Adds a launch by NCCL for these calls, on the thread that call() uses, and the calls of an operation.
  CaptureMaker& nccl_launch(std::uint32_t calls, std::uint64_t start, std::uint64_t duration,
                            std::uint64_t communicator, bool captured = false) {
    return add({.kind = wire::Kind::kNcclLaunch,
                .detail = static_cast<std::uint8_t>(captured),
                .which = calls,
                .start = start,
                .duration = duration,
                .stream = 100,
                .a = communicator});
  }
  CaptureMaker& nccl_calls(std::uint32_t calls, std::uint32_t operation, std::uint64_t start, bool captured = false) {
    return add({.kind = wire::Kind::kNcclCalls,
                .detail = static_cast<std::uint8_t>(captured),
                .which = operation,
                .start = start,
                .correlation = calls});
  }
  CaptureMaker& nccl_communicator(std::uint32_t number, std::uint64_t id, std::uint64_t size, std::uint64_t rank,
                                  std::uint32_t nodes = wire::Record::kNoStream) {
    return add({.kind = wire::Kind::kNcclCommunicator,
                .detail = 6,
                .start = 1,
                .correlation = number,
                .stream = nodes,
                .a = id,
                .b = size + ((rank + 1) << 32U)});
  }
  CaptureMaker& step(std::uint64_t number, std::uint64_t start, wire::Phase phase = wire::Phase::kActive) {
    return add({.kind = wire::Kind::kStep,
                .detail = static_cast<std::uint8_t>(phase),
                .start = start,
                .stream = 100,
                .a = number});
  }
  CaptureMaker& status(wire::Status status, std::uint64_t by_cupti = 0, std::uint64_t by_writer = 0) {
    return add({.kind = wire::Kind::kStatus,
                .detail = static_cast<std::uint8_t>(status),
                .start = 1,
                .a = by_cupti,
                .b = by_writer});
  }

  /// Ends a block. The block gets the next number, or the given one.
  CaptureMaker& block() { return block(next_block_); }
  CaptureMaker& block(std::uint64_t number, std::uint16_t version = wire::kVersion) {
    wire::BlockHeader header{.version = version,
                             .producer = producer_,
                             .bytes = static_cast<std::uint32_t>(records_.size()),
                             .number = number};
    header.checksum = wire::block_checksum(header, std::as_bytes(std::span(records_)));
    file_.append(reinterpret_cast<const char*>(&header), sizeof header);
    file_ += records_;
    records_.clear();
    next_block_ = number + 1;
    return *this;
  }
  /// Ends the file with a last block, which contains the remaining records and the status that the capture was closed,
  /// and returns the file.
  [[nodiscard]] std::string closed() {
    status(wire::Status::kClosed).block();
    return file_;
  }
  [[nodiscard]] const std::string& file() const { return file_; }

 private:
  std::uint16_t producer_;
  std::uint64_t next_block_ = 0;
  std::map<std::string, std::uint32_t> texts_;
  std::string records_;
  std::string file_;
};

}  // namespace stepsim::testing

#endif
