#include "kitbag/system_error.h"

namespace kitbag {

SystemError::SystemError(const Error& error, int number) : Error(error), number_(number) {}

int errno_of(const Error& error) {
  const auto* of_system = dynamic_cast<const SystemError*>(&error);
  return of_system ? of_system->number() : 0;
}

void throw_as(const Error& named, const Error& error) {
  int number = errno_of(error);
  if (number == 0) throw Error(named);
  throw SystemError(named, number);
}

}  // namespace kitbag
