#ifndef STEPSIM_INGEST_STITCH_HOST_DEVICE_STEPS_H
#define STEPSIM_INGEST_STITCH_HOST_DEVICE_STEPS_H

#include "ingest/stitch/host_device/rank_events.h"

namespace stepsim::ingest {

/// Finds the steps of a rank and its main thread, from the annotations of any format: sets RankEvents::steps,
/// step_marks, main_thread and what is known about them. Precondition: all else of `events` is set. O(events log
/// events).
///
/// Steps are torch.profiler's step marks. Without marks they are ranges of one thread and one kind of name, the kind
/// that covers the longest time: ranges that a framework opens once per step ("step[DECODE bs=8]", "execute_...",
/// Lightning's "run_training_batch") or that are named like steps (step_name()). Without those they are the times from
/// the end of one optimizer step to the end of the next, or forward passes if there are several and no backward passes.
/// Ranges that begin within a range that is named as a warm-up do not count.
///
/// Steps are ignored if less device time was launched in them than outside them. If several steps launched device work,
/// only the work between steps counts as outside. Without any, each window of the profiler is a step.
///
/// If a step begins before the previous one has ended, as in a pipeline, the previous one is cut short there: the time
/// between begins is the time of an iteration. The later one is cut short instead if that makes the steps more alike.
///
/// The main thread is the one with the most marks of steps. Without marks, only threads with at least a tenth of the
/// busiest thread's events are considered, and the main thread is the one that begins first, because it starts the
/// others.
void find_steps(RankEvents& events);

}  // namespace stepsim::ingest

#endif
