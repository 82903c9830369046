#pragma once

#include <span>

// The files of web/dist in the program; src/server/CMakeLists.txt makes the source.

namespace kitbag::server {

struct EmbeddedFile {
  const char* name;  ///< "assets/index-x.js"
  const char* begin;
  const char* end;
};

std::span<const EmbeddedFile> embedded_files();

}  // namespace kitbag::server
