#pragma once

#include <utility>
#include <vector>

#include "kitbag/arrow.h"

/// Schemas and arrays of the Arrow C data interface that own nothing: a test has their parts on its
/// stack, and nobody releases them.
namespace kitbag::test {

/// A schema of structs on the stack.
struct StackSchema : ArrowSchema {
  explicit StackSchema(const char* as, const char* called = "x",
                       std::vector<ArrowSchema*> fields = {})
      : ArrowSchema{}, pointers(std::move(fields)) {
    format = as;
    name = called;
    flags = ARROW_FLAG_NULLABLE;
    n_children = static_cast<std::int64_t>(pointers.size());
    children = pointers.data();
  }
  std::vector<ArrowSchema*> pointers;
};

/// An array of buffers of others. It does not say how many of its values are null.
struct StackArray : ArrowArray {
  StackArray(std::int64_t values, std::vector<const void*> at, std::vector<ArrowArray*> fields = {})
      : ArrowArray{}, addresses(std::move(at)), pointers(std::move(fields)) {
    length = values;
    null_count = -1;
    n_buffers = static_cast<std::int64_t>(addresses.size());
    buffers = addresses.data();
    n_children = static_cast<std::int64_t>(pointers.size());
    children = pointers.data();
  }
  std::vector<const void*> addresses;
  std::vector<ArrowArray*> pointers;
};

}  // namespace kitbag::test
