#ifndef STEPSIM_INGEST_FORMATS_EXECUTION_TRACE_OBSERVED_OPERATOR_H
#define STEPSIM_INGEST_FORMATS_EXECUTION_TRACE_OBSERVED_OPERATOR_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/json/json_reader.h"

namespace stepsim::ingest {

/// A node of PyTorch's execution trace as its file says it. Lists are the JSON text of the file. Absent is empty.
struct ObservedOperator {
  std::optional<std::int64_t> id;
  std::int64_t parent = 0;  ///< "parent", since schema 1.0.2 "ctrl_deps"
  std::string name;
  std::string schema;
  std::string inputs, input_shapes, input_types, outputs;
  std::string collective, group;  ///< attributes collective_name and pg_name of schema 1.1.1

  void clear();
};

/// Takes a node, in the flat form of schema 1.0.1 or that of 1.0.2 and later. Throws InputError where it is no JSON.
void read_observed_operator(JsonReader& json, ObservedOperator& node);

/// A tensor among the values of a node: [tensor, storage, offset, elements, bytes of an element, device].
struct ObservedTensor {
  std::int64_t storage = 0;
  std::int64_t bytes = 0;
  bool on_device = false;
};

/// The tensors among the values, those in lists too. What is too deep or no tensor is left out.
void append_tensors(std::string_view values, std::vector<ObservedTensor>& tensors);

/// The types of a node as Kineto writes them: ["Tensor(float)", "GenericList[Tensor(long int)]"] is
/// ["float","long int"].
[[nodiscard]] std::string kineto_types(std::string_view types);

/// What "record_param_comms" was told: tensors, then number, group, rank, operation, sizes. Told by their kinds,
/// because versions differ in how many there are.
struct CommunicationCall {
  std::string operation;  ///< "allreduce", "wait"
  std::string group;      ///< its name; else what the process calls it, a number
  bool is_local = false;  ///< the group is named by a number that other ranks do not share
  std::int64_t sequence = -1;
};
[[nodiscard]] CommunicationCall communication_call(const ObservedOperator& node);

}  // namespace stepsim::ingest

#endif
