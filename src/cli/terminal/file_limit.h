#pragma once

namespace kitbag::cli {

/// Lets the program have as many files open as its user may let it: bags are merged by hundreds.
void raise_file_limit();

}  // namespace kitbag::cli
