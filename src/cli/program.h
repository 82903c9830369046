#pragma once

namespace kitbag::cli {

/// What the program does, with the arguments of main(), from the first descriptor to the last line.
/// Returns the exit code; ends by SIGPIPE where other programs would. Call it once, before there is
/// a second thread.
int run_program(int argc, char** argv);

}  // namespace kitbag::cli
