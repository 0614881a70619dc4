#ifndef STEPSIM_MODEL_WIRE_ENVIRONMENT_H
#define STEPSIM_MODEL_WIRE_ENVIRONMENT_H

/// Environment variables by which `stepsim capture` tells the module in the captured program what to record.
/// docs/guides/record.md lists them.
namespace stepsim::wire {

inline constexpr char kDirectoryVariable[] = "STEPSIM_CAPTURE_DIR";  ///< output folder; nothing is recorded without it
inline constexpr char kRunVariable[] = "STEPSIM_CAPTURE_RUN";        ///< name of the run, stored in its files
/// Number of steps to skip at the start. WAIT, WARMUP and ACTIVE are also numbers of steps.
inline constexpr char kSkipFirstVariable[] = "STEPSIM_CAPTURE_SKIP_FIRST";
inline constexpr char kWaitVariable[] = "STEPSIM_CAPTURE_WAIT";
inline constexpr char kWarmUpVariable[] = "STEPSIM_CAPTURE_WARMUP";
inline constexpr char kActiveVariable[] = "STEPSIM_CAPTURE_ACTIVE";  ///< number of steps to record; 0 = all
inline constexpr char kRepeatVariable[] = "STEPSIM_CAPTURE_REPEAT";  ///< number of cycles; 0 = until the program ends
inline constexpr char kRanksVariable[] = "STEPSIM_CAPTURE_RANKS";    ///< "0,4-7": only these ranks; empty = all
inline constexpr char kDelayVariable[] = "STEPSIM_CAPTURE_DELAY";    ///< seconds; record only after this time
inline constexpr char kDurationVariable[] = "STEPSIM_CAPTURE_DURATION";  ///< seconds; 0 = without end
inline constexpr char kMaxSizeVariable[] = "STEPSIM_CAPTURE_MAX_MB";     ///< MiB of a file; 0 = without end
/// 1 = record between cudaProfilerStart() and cudaProfilerStop().
inline constexpr char kProfilerApiVariable[] = "STEPSIM_CAPTURE_PROFILER_API";
/// Folder in which the process waits for requests (request.h). It then records nothing before it is asked to.
inline constexpr char kIdleVariable[] = "STEPSIM_CAPTURE_IDLE";
inline constexpr char kSignalVariable[] = "STEPSIM_CAPTURE_SIGNAL";  ///< number of a signal that starts and ends it
inline constexpr char kBufferVariable[] = "STEPSIM_CAPTURE_BUFFER_MB";
inline constexpr char kStepRangeVariable[] = "STEPSIM_CAPTURE_STEP_RANGE";  ///< NVTX range that starts each step
inline constexpr char kSyncVariable[] = "STEPSIM_CAPTURE_SYNC";             ///< 0 = do not record waits and CUDA events
inline constexpr char kNvtxVariable[] = "STEPSIM_CAPTURE_NVTX";             ///< 0 = do not record NVTX ranges
inline constexpr char kWholeGraphsVariable[] =
    "STEPSIM_CAPTURE_WHOLE_GRAPHS";                              ///< 1 = record no kernels of CUDA graphs
inline constexpr char kNcclVariable[] = "STEPSIM_CAPTURE_NCCL";  ///< 0 = no NCCL records, even if NCCL loads the module
/// Seconds between two writes of the summary of NCCL's collectives, 0 = write it at the end only. If it is set, NCCL's
/// plugin records nothing else.
inline constexpr char kNcclSummaryVariable[] = "STEPSIM_CAPTURE_NCCL_SUMMARY";
inline constexpr char kNcclRingVariable[] = "STEPSIM_CAPTURE_NCCL_RING";  ///< collectives per communicator in it
inline constexpr char kTorchVariable[] = "STEPSIM_CAPTURE_TORCH";  ///< 1 = record with torch.profiler (capture/torch)
inline constexpr char kTorchOptionsVariable[] =
    "STEPSIM_CAPTURE_TORCH_OPTIONS";  ///< options of torch.profiler: "with_flops,..."
inline constexpr char kStepCallVariable[] = "STEPSIM_CAPTURE_STEP_CALL";  ///< MODULE.FUNCTION: each call ends a step
inline constexpr char kCuptiVariable[] = "STEPSIM_CUPTI_LIBRARY";  ///< libcupti.so to load; default: its usual names

/// Bounds of a recording in which no step is marked, unless DURATION or MAX_MB are set.
inline constexpr unsigned kUnmarkedSeconds = 60;
inline constexpr unsigned kUnmarkedMb = 2048;

/// Defaults of a summary of NCCL's collectives.
inline constexpr unsigned kSummarySeconds = 60;
inline constexpr unsigned kSummaryRing = 1024;
inline constexpr unsigned kLargestSummaryRing = 1'000'000;

/// Default buffer size of the module in MiB.
inline constexpr unsigned kDefaultBufferMb = 64;

}  // namespace stepsim::wire

#endif
