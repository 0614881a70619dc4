#include "ingest/formats/kineto/categories.h"

#include <algorithm>
#include <array>

namespace stepsim::ingest {

const KinetoCategory* find_kineto_category(std::string_view name) noexcept {
  using enum EventKind;
  // Current names, then those of 2021; the commonest first.
  static constexpr std::array<KinetoCategory, 46> kCategories = {{
      {"cpu_op", kOp, true},
      {"cuda_runtime", kRuntimeCall, true},
      {"kernel", kKernel, true},
      {"python_function", kOp, false},
      {"user_annotation", kAnnotation, true},
      {"cuda_driver", kRuntimeCall, true},
      {"gpu_memcpy", kMemcpy, true},
      {"gpu_memset", kMemset, true},
      {"gpu_user_annotation", kDeviceAnnotation, true},
      {"cuda_sync", kSync, true},
      {"mtia_ccp_events", kKernel, true},
      {"mtia_runtime", kRuntimeCall, true},
      {"xpu_runtime", kRuntimeCall, true},
      {"xpu_driver", kRuntimeCall, true},
      {"xpu_sync", kSync, true},
      {"hpu_op", kRuntimeCall, true},
      {"glow_runtime", kRuntimeCall, true},
      {"privateuse1_runtime", kRuntimeCall, true},
      {"privateuse1_driver", kRuntimeCall, true},
      {"collective_comm", kAnnotation, true},
      {"Operator", kOp, true},
      {"Runtime", kRuntimeCall, true},
      {"Kernel", kKernel, true},
      {"Memcpy", kMemcpy, true},
      {"Memset", kMemset, true},
      {"hip_runtime", kRuntimeCall, true},
      {"hip_driver", kRuntimeCall, true},
      {"runtime", kRuntimeCall, true},
      {"enqueue", kOp, true},  // torch_npu
      {"dequeue", kOp, true},
      {"cpu_instant_event", kOp, false},
      {"cuda_event", kOp, false},
      {"overhead", kOp, false},
      {"Trace", kOp, false},
      {"external_correlation", kOp, false},
      {"mtia_insight", kOp, false},
      {"mtia_counters", kOp, false},
      {"cuda_profiler_range", kOp, false},
      {"xpu_scope_profiler", kOp, false},
      {"hardware_counters", kOp, false},
      {"ac2g", kOp, false},
      {"fwdbwd", kOp, false},
      {"async", kOp, false},
      {"async_gpu", kOp, false},
      {"async_cpu_to_gpu", kOp, false},
      {"critical_path", kOp, false},
  }};
  if (name.empty()) return nullptr;
  const auto* const found = std::find_if(kCategories.begin(), kCategories.end(), [name](const KinetoCategory& known) {
    return known.name.size() == name.size() && known.name.front() == name.front() && known.name == name;
  });
  return found == kCategories.end() ? nullptr : found;
}

}  // namespace stepsim::ingest
