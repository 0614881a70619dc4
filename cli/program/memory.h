#ifndef STEPSIM_CLI_PROGRAM_MEMORY_H
#define STEPSIM_CLI_PROGRAM_MEMORY_H

/// How the program takes its memory. Beside the functions, the source replaces operator new: large blocks lie on huge
/// pages.
namespace stepsim::cli {

/// From now on freed blocks of a mebibyte and more go back to the system at once. Otherwise glibc keeps what one phase
/// of a command has freed between blocks that live on, and the next phase comes on top: up to a quarter of the peak.
void return_freed_memory() noexcept;

/// From now on they are kept, for those who take and free the same blocks again and again.
void keep_freed_memory() noexcept;

}  // namespace stepsim::cli

#endif
