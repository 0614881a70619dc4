#ifndef STEPSIM_MODEL_REWRITE_REPEATED_STEP_H
#define STEPSIM_MODEL_REWRITE_REPEATED_STEP_H

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/job/recording.h"

namespace stepsim {

/// The numbers of the steps that can be repeated, ascending: those that another captured step follows, or, if none
/// does, all. Throws CannotAnswer for a capture without marked steps, or whose ranks have different steps.
[[nodiscard]] std::vector<std::int64_t> repeatable_steps(const Capture& capture);

/// The job of `count` iterations, numbered from 0, each of which does what the captured step `number` does:
///
/// * a task takes what it takes in that step;
/// * within an iteration hold the edges and rendezvous of the step;
/// * from one to the next hold the edges from the step to the captured one that follows it, whose tasks are found by
///   their lane, name and place; and threads and streams go on in order. Without a next step only the latter.
///
/// So iterations overlap as the captured ones do: nothing waits for all of the one before. Recorded times are those of
/// the step, each iteration a step's length behind the one before it; no replay uses them but for where ranks begin.
///
/// Throws CannotAnswer where a collective is in several steps, UsageError for a `count` of 0 or more than 10 million
/// tasks. Precondition: `number` is one of repeatable_steps(). O((tasks + edges) log tasks) of the result.
[[nodiscard]] Capture with_repeated_step(const Capture& capture, std::int64_t number, std::size_t count);

}  // namespace stepsim

#endif
