#pragma once

#include <dlfcn.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>

// What libraries share that are preloaded into a program and stand before the system's calls. They
// may stand before malloc() too, so nothing here allocates.

/// The function with that name that would have been called without this library.
template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

/// The path of an open file. False: it has none.
template <std::size_t kSize>
bool path_of(int file, char (&path)[kSize]) {
  char link[64];
  std::snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t size = ::readlink(link, path, kSize - 1);
  if (size <= 0) return false;
  path[size] = '\0';
  return true;
}
