#ifndef STEPSIM_CLI_PROGRAM_MEMORY_H
#define STEPSIM_CLI_PROGRAM_MEMORY_H

/// Settings of the program's memory allocation. The source also replaces operator new, which places large blocks on
/// huge pages.
namespace stepsim::cli {

/// Makes the allocator return freed blocks of a mebibyte or more to the system immediately, from now on. By default,
/// glibc keeps memory that one phase of a command freed if it lies between blocks in use. The next phase then needs
/// more memory in addition, up to a quarter of the peak.
void return_freed_memory() noexcept;

/// Makes the allocator keep freed blocks from now on, for work that allocates and frees the same blocks repeatedly.
void keep_freed_memory() noexcept;

}  // namespace stepsim::cli

#endif
