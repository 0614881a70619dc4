#ifndef STEPSIM_MODEL_WIRE_ENVIRONMENT_H
#define STEPSIM_MODEL_WIRE_ENVIRONMENT_H

/// The variables by which `stepsim capture` tells the module in the program what to record. docs/capture.md lists them.
namespace stepsim::wire {

inline constexpr char kDirectoryVariable[] = "STEPSIM_CAPTURE_DIR";  ///< where files go; without it nothing is recorded
inline constexpr char kRunVariable[] = "STEPSIM_CAPTURE_RUN";        ///< a name of the run, which is put into its files
inline constexpr char kSkipFirstVariable[] = "STEPSIM_CAPTURE_SKIP_FIRST";  ///< steps; so are the next four
inline constexpr char kWaitVariable[] = "STEPSIM_CAPTURE_WAIT";
inline constexpr char kWarmUpVariable[] = "STEPSIM_CAPTURE_WARMUP";
inline constexpr char kActiveVariable[] = "STEPSIM_CAPTURE_ACTIVE";  ///< 0: all steps
inline constexpr char kRepeatVariable[] = "STEPSIM_CAPTURE_REPEAT";  ///< cycles; 0: to the end
inline constexpr char kRanksVariable[] = "STEPSIM_CAPTURE_RANKS";    ///< "0,4-7": only these; none: all
inline constexpr char kBufferVariable[] = "STEPSIM_CAPTURE_BUFFER_MB";
inline constexpr char kStepRangeVariable[] = "STEPSIM_CAPTURE_STEP_RANGE";  ///< an NVTX range that begins each step
inline constexpr char kSyncVariable[] = "STEPSIM_CAPTURE_SYNC";             ///< 0: no waits and CUDA events
inline constexpr char kNvtxVariable[] = "STEPSIM_CAPTURE_NVTX";             ///< 0: no NVTX ranges
inline constexpr char kNcclVariable[] = "STEPSIM_CAPTURE_NCCL";    ///< 0: nothing of NCCL, though it loads the module
inline constexpr char kTorchVariable[] = "STEPSIM_CAPTURE_TORCH";  ///< 1: by torch.profiler (capture/torch)
inline constexpr char kTorchOptionsVariable[] =
    "STEPSIM_CAPTURE_TORCH_OPTIONS";                                      ///< of torch.profiler: "with_flops,..."
inline constexpr char kStepCallVariable[] = "STEPSIM_CAPTURE_STEP_CALL";  ///< MODULE.FUNCTION: each call ends a step
inline constexpr char kCuptiVariable[] = "STEPSIM_CUPTI_LIBRARY";         ///< libcupti.so to load; else by its names

/// MiB of memory that the module takes where nothing is said.
inline constexpr unsigned kDefaultBufferMb = 64;

}  // namespace stepsim::wire

#endif
