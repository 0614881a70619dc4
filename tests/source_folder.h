#pragma once

#include <filesystem>

namespace stepsim {

/// Returns the root of the source tree, for tests and benchmarks that read its samples and documents. The path is
/// compiled into a single object file, so the others do not depend on where the tree is, and ccache can share them
/// between checkouts.
const std::filesystem::path& source_folder();

/// Our own measured runs (ps, byteps, ddp, fsdp) and the answers of other simulators (oracles), unpacked from
/// tests/truth/data.
const std::filesystem::path& measured_folder();

/// The optional folder of captures made by others (docs/internals/test-data.md). It may be absent.
const std::filesystem::path& shared_folder();

}  // namespace stepsim
