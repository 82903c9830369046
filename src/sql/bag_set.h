#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "kitbag/bag.h"
#include "kitbag/session.h"
#include "kitbag/transcode.h"

namespace kitbag::sql {

/// A bag of a database, and the name that people know it by.
struct NamedBag {
  std::string name;
  BagPtr bag;
};

/// What the tables of a database read. Shared by all of them.
struct BagSet {
  Session session;
  std::vector<NamedBag> bags;         ///< the earliest first
  OnError on_error = OnError::stop;   ///< of messages that cannot be decoded
  TranscodeReport* report = nullptr;  ///< as in ColumnsRequest
  /// Called with the damage that a query meets; empty: that of the bag is.
  OnProblem on_problem = {};
  OnWarning on_warning = {};  ///< likewise
  std::stop_token stop = {};  ///< ends a query
};

/// Returns the topics of all bags, sorted.
std::vector<std::string> topics_of(const BagSet& set);

/// Returns the bags that `path` stands for: those in a folder, or itself. Throws Error: io;
/// not_found if there are none in the folder.
std::vector<std::string> bags_at(const std::string& path, const Session& session);

/// Puts the bags in the order of their start times.
void sort_bags(BagSet& set);

}  // namespace kitbag::sql
