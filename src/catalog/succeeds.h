#pragma once

#include "kitbag/error.h"

namespace kitbag::catalog {

/// Runs `work`; false if a payload or a definition is at fault. Throws what is_final().
template <class Work>
bool succeeds(const Work& work) {
  try {
    work();
    return true;
  } catch (const Error& error) {
    if (is_final(error.code())) throw;
    return false;
  }
}

}  // namespace kitbag::catalog
