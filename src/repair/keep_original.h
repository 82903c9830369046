#pragma once

#include <string>

#include "kitbag/session.h"

namespace kitbag {

/// Throws Error (invalid) if the original of the file at `place` (no URI) was kept before.
void require_no_original(const std::string& place, const Session& session);

/// Gives the file at `place` its second name, original_path(place). Throws Error as
/// require_no_original() does, and io.
void keep_original(const std::string& place, const Session& session);

/// Keeps the original where a new bag takes the name as soon as it is complete, before that; it is
/// removed again unless keep() is called.
class EarlyOriginal {
 public:
  /// Throws as keep_original().
  EarlyOriginal(std::string place, const Session& session);
  ~EarlyOriginal();
  EarlyOriginal(const EarlyOriginal&) = delete;
  EarlyOriginal& operator=(const EarlyOriginal&) = delete;

  /// The new bag has the name.
  void keep() { is_kept_ = true; }

 private:
  std::string place_;
  Session session_;
  bool is_kept_ = false;
};

}  // namespace kitbag
