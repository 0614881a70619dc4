#pragma once

#include <filesystem>

namespace stepsim {

/// The root of the source tree, for tests and benchmarks that read its samples and documents. A function of one object
/// file, so that the others do not depend on where the tree lies and ccache shares them between checkouts.
const std::filesystem::path& source_folder();

}  // namespace stepsim
