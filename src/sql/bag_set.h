#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "kitbag/bag.h"
#include "kitbag/catalog.h"
#include "kitbag/session.h"
#include "kitbag/transcode.h"

namespace kitbag::sql {

/// A bag of a catalog, which is opened only to read its messages. One thread.
class ClosedBag {
 public:
  virtual ~ClosedBag() = default;
  /// What the catalog says of it.
  virtual const CatalogBag& known() const = 0;
  /// The same, as of an open bag; the slots of its channels are others.
  virtual const Summary& summary() const = 0;
  /// Returns between which log times messages may meet the condition of `query` in its topics.
  /// Nothing: none does.
  virtual std::optional<CatalogTimes> possible_times(const FindQuery& query) const = 0;
  /// Opens it. Null: it cannot be read, which was reported, and is left out. Throws Error for what
  /// ends a query (is_final()).
  virtual BagPtr open() const = 0;
};

/// A bag of a database, and the name that people know it by.
struct NamedBag {
  std::string name;
  BagPtr bag;                                         ///< null: it is closed
  std::shared_ptr<const ClosedBag> closed = nullptr;  ///< null: it is open

  const Summary& summary() const { return bag ? bag->summary() : closed->summary(); }
  const Summary& outline() const { return bag ? bag->outline() : closed->summary(); }
  const ChannelsPtr& channels() const { return outline().channels; }
  /// To read messages. Null: it is left out.
  BagPtr open() const { return bag ? bag : closed->open(); }
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
  bool is_catalog = false;    ///< all bags are of a catalog, and may be closed
  /// Who asks is not trusted with the machine: what a query may take is limited.
  bool is_for_strangers = false;
};

/// Returns whether a bag has a channel that `select` selects, and messages in the time of `query`,
/// by its summary.
bool may_have(const NamedBag& bag, const Query& query);

/// Returns the topics of all bags, sorted.
std::vector<std::string> topics_of(const BagSet& set);

/// Returns the bags that `path` stands for: those in a folder, or itself. Throws Error: io;
/// not_found if there are none in the folder.
std::vector<std::string> bags_at(const std::string& path, const Session& session);

/// Puts the bags in the order of their start times.
void sort_bags(BagSet& set);

}  // namespace kitbag::sql
