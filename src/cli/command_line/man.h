#pragma once

#include <string>
#include <vector>

#include "cli/command_line/verb.h"

// Manual pages: the texts of --help-all, for man(1). `kitbag --man-pages DIR` writes them; they are
// installed with the program.

namespace kitbag::cli {

/// The option of the program, before the folder.
inline constexpr char kManPagesOption[] = "--man-pages";

/// A page in the language of man(7).
struct ManPage {
  std::string name;  ///< "kitbag-cut.1"
  std::string text;
};

/// The page of the program and one for each verb.
std::vector<ManPage> man_pages(const CLI::App& app);

}  // namespace kitbag::cli
