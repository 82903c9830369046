#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "catalog/bag_place.h"
#include "catalog/bag_query.h"

namespace kitbag::catalog {

/// Bags that may be of a query, in its order: all that are, and some others. They come out of the
/// index that has the fewest others, page by page, so that a page costs about what is in it.
class BagOrder {
 public:
  /// Bags behind `after`, if that is given. `database` and `wanted` must outlive it. Throws as
  /// Database::run() does, like the others.
  BagOrder(Database& database, const BagQuery& wanted, bool is_newest_first,
           std::optional<BagPlace> after);

  /// Goes over to the index of texts, if there is a text and some bags were looked at in vain. True
  /// when it does so: most of the bags that come now are of the query.
  bool goes_to_texts();
  /// Returns the next ones, at most `most`, and leaves out `skip` before; fewer: there are no more.
  std::vector<BagPlace> next(std::size_t most, std::uint64_t skip = 0);
  /// All of them are of the query.
  bool is_exact() const { return is_exact_; }

 private:
  const BagStream* rarest_stream();
  std::uint64_t count_up_to(const BagStream& stream, std::uint64_t most);
  /// Conditions for what is behind `last`, with their parameters.
  std::string behind(const std::optional<BagPlace>& last, std::vector<SqlValue>& parameters) const;
  std::string stretch(const std::string& condition, const std::string& behind, std::size_t most,
                      std::uint64_t skip) const;
  std::vector<BagPlace> next_of_stream(std::size_t most, std::uint64_t skip);
  /// Until `loaded_` has `wanted` places, or there are no more.
  void load(std::uint64_t wanted);
  std::vector<BagPlace> next_of_loaded(std::size_t most, std::uint64_t skip);

  Database& database_;
  const BagQuery& wanted_;
  bool is_newest_first_;
  std::optional<BagPlace> last_;               ///< the bags behind this one are to come
  std::optional<std::int64_t> bound_ns_ = {};  ///< the first start that is too far
  BagStream stream_{"bags"};
  bool is_exact_ = false;
  std::uint64_t seen_ = 0;  ///< places that were returned
  /// A statement that gives places in no order.
  struct Loading {
    std::string select;
    std::vector<SqlValue> parameters;
    std::uint64_t most = 0;  ///< places to ask for next; 0: there are no more
  };
  std::optional<Loading> loading_;  ///< what is to come is found by it
  std::vector<BagPlace> loaded_;    ///< the next ones, in order
};

}  // namespace kitbag::catalog
