#include "model/job/task.h"

namespace stepsim {

TaskClass class_of(TaskKind kind) noexcept {
  switch (kind) {
    case TaskKind::kKernel:
    case TaskKind::kMemset:
    case TaskKind::kOperator: return TaskClass::kCompute;
    case TaskKind::kCopy:
    case TaskKind::kCollective:
    case TaskKind::kTransfer:
    case TaskKind::kServer:
    case TaskKind::kControl: return TaskClass::kCommunication;
    case TaskKind::kLoader: return TaskClass::kLoader;
    case TaskKind::kHost:
    case TaskKind::kRuntime: break;
  }
  return TaskClass::kHost;
}

std::string_view to_text(TaskKind kind) noexcept {
  switch (kind) {
    case TaskKind::kHost: return "host";
    case TaskKind::kRuntime: return "runtime";
    case TaskKind::kKernel: return "kernel";
    case TaskKind::kCopy: return "copy";
    case TaskKind::kMemset: return "memset";
    case TaskKind::kCollective: return "collective";
    case TaskKind::kTransfer: return "transfer";
    case TaskKind::kOperator: return "operator";
    case TaskKind::kServer: return "server";
    case TaskKind::kControl: return "control";
    case TaskKind::kLoader: return "loader";
  }
  return "unknown";
}

std::string_view to_text(EdgeKind kind) noexcept {
  switch (kind) {
    case EdgeKind::kProgram: return "program";
    case EdgeKind::kStream: return "stream";
    case EdgeKind::kLaunch: return "launch";
    case EdgeKind::kSync: return "sync";
    case EdgeKind::kHandOff: return "hand-off";
    case EdgeKind::kData: return "data";
    case EdgeKind::kStage: return "stage";
    case EdgeKind::kCrossRank: return "cross-rank";
  }
  return "unknown";
}

}  // namespace stepsim
