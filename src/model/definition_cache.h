#pragma once

#include <compare>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "kitbag/message.h"

namespace kitbag {

/// The definitions that a session has found in folders for bags that do not contain them, so that
/// the next bag with the same types reads no files.
///
/// Only a definition whose fingerprint is that of the bag is kept: it is right for as long as the
/// session lives, whatever happens to its file. What was missing, refused or assumed is searched
/// for again, because somebody may have added it meanwhile. Any thread.
class DefinitionCache {
 public:
  /// Where a definition was searched for, and what for.
  struct Key {
    std::string folders;
    std::string language;
    std::string type;
    std::string fingerprint;

    auto operator<=>(const Key&) const = default;
  };
  struct Found {
    SchemaPtr schema;
    /// The current fingerprint of `schema`, where that of the bag is an older form of it; else that
    /// of the bag.
    std::string fingerprint;
    std::string path;  ///< the file
    std::string text;  ///< one line for people
  };

  std::optional<Found> find(const Key& key) const {
    std::lock_guard lock(mutex_);
    auto found = found_.find(key);
    if (found == found_.end()) return std::nullopt;
    return found->second;
  }
  void keep(Key key, Found found) {
    std::lock_guard lock(mutex_);
    found_.insert_or_assign(std::move(key), std::move(found));
  }

 private:
  mutable std::mutex mutex_;
  std::map<Key, Found> found_;
};

}  // namespace kitbag
