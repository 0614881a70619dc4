#ifndef STEPSIM_INGEST_FORMATS_CHAKRA_PROTOBUF_H
#define STEPSIM_INGEST_FORMATS_CHAKRA_PROTOBUF_H

#include <string_view>

#include "ingest/formats/chakra/node.h"

namespace stepsim::ingest {

/// Reads one Node message of et_def.proto into `node`, whose memory is used again. Fields are told by their numbers;
/// those of other versions are skipped. False if the message is damaged, or a field that is used has another type.
[[nodiscard]] bool read_chakra_node(std::string_view message, ChakraNode& node);

/// How sure it is, 0 to 100, that a file that begins so is a Chakra trace in Protobuf: a GlobalMetadata and a Node,
/// each with its length before it.
[[nodiscard]] int looks_like_chakra(std::string_view head) noexcept;

}  // namespace stepsim::ingest

#endif
