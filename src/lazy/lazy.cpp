#include "lazy/lazy.h"

#include <dlfcn.h>

#include <array>
#include <cerrno>
#include <string>
#include <system_error>

#include "kitbag/system_error.h"

namespace kitbag::lazy {

namespace {

/// What may keep the system from loading a library that is there.
constexpr std::array kRefusals = {EMFILE, ENFILE, ENOMEM, EACCES, EPERM, EIO};

/// The dynamic linker gives its reason as a text, which names the library and ends with the text of
/// the errno.
[[noreturn]] void throw_error(const char* file) {
  const char* why = ::dlerror();  // NOLINT(concurrency-mt-unsafe): it is of this thread
  std::string text = std::string("cannot load a shared library: ") + (why ? why : file);
  for (int number : kRefusals) {
    if (text.ends_with(std::generic_category().message(number))) {
      throw SystemError(Error(ErrorCode::io, text), number);
    }
  }
  throw Error(ErrorCode::unsupported, text + "; install its package");
}

}  // namespace

void* find(const char* file, const char* function) {
  // It stays loaded: each call after the first one only counts.
  void* library = ::dlopen(file, RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
  void* found = library ? ::dlsym(library, function) : nullptr;
  if (!found) throw_error(file);
  return found;
}

}  // namespace kitbag::lazy
