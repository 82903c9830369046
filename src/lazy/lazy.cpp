#include "lazy/lazy.h"

#include <dlfcn.h>

#include <stdexcept>
#include <string>

namespace kitbag::lazy {

void* find(const char* file, const char* function) {
  // It stays loaded: each call after the first one only counts.
  void* library = ::dlopen(file, RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
  void* found = library ? ::dlsym(library, function) : nullptr;
  if (found) return found;
  const char* why = ::dlerror();  // NOLINT(concurrency-mt-unsafe): it is of this thread
  throw std::runtime_error("a shared library is needed that cannot be loaded: " +
                           std::string(why ? why : file));
}

}  // namespace kitbag::lazy
