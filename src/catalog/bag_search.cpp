#include "catalog/bag_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "catalog/bag_details.h"
#include "catalog/bag_order.h"
#include "catalog/bag_place.h"
#include "catalog/bag_query.h"
#include "catalog/bag_rows.h"

// Two steps: an index gives numbers of bags in their order (BagOrder), and of these the ones that
// the whole query selects are fetched. So an index is all that is read of bags that are not wanted.

namespace kitbag::catalog {
namespace {

constexpr std::uint64_t kPageBags = 500;  // fetched at once, with all that belongs to them
constexpr std::uint64_t kFewPlaces = 64;  // are looked at first
constexpr std::uint64_t kMostPlaces = 2048;
constexpr std::uint64_t kMostWalked = 1'000'000;  // page by page

std::optional<BagPlace> place_behind(const CatalogQuery& query) {
  if (query.after.empty()) return std::nullopt;
  return place_of_cursor(query.after);
}

/// The condition that a bag is at one of the places and is of the query.
std::string at(const std::vector<BagPlace>& places, const BagQuery& wanted) {
  std::vector<std::int64_t> numbers;
  numbers.reserve(places.size());
  for (const BagPlace& place : places) numbers.push_back(place.bag);
  return fmt::format("{} bags.bag IN ({})", wanted.where.empty() ? "WHERE" : wanted.where + " AND",
                     fmt::join(numbers, ", "));
}

/// The bags of the query at these places, in the order of the places.
std::vector<CatalogBag> bags_at(Database& database, const std::vector<BagPlace>& places,
                                const BagQuery& wanted) {
  std::map<std::int64_t, CatalogBag> found;
  database.run(fmt::format("SELECT {} FROM bags {}", kBagColumns, at(places, wanted)),
               std::span(wanted.parameters), [&](SqlRow& row) {
                 CatalogBag bag = bag_of(row);
                 found.emplace(bag.number, std::move(bag));
               });
  std::vector<CatalogBag> bags;
  bags.reserve(found.size());
  for (const BagPlace& place : places) {
    auto bag = found.find(place.bag);
    if (bag != found.end()) bags.push_back(std::move(bag->second));
  }
  return bags;
}

/// How many places are looked at, one time after the other.
class Steps {
 public:
  /// `are_exact`: all places are of the query, so no more are needed than bags are wanted.
  explicit Steps(bool are_exact) : are_exact_(are_exact) {}
  std::uint64_t next(std::uint64_t wanted) {
    std::uint64_t least = std::exchange(places_, std::min(places_ * 4, kMostPlaces));
    return are_exact_ ? std::min(wanted, kPageBags) : least;
  }

 private:
  bool are_exact_;
  std::uint64_t places_ = kFewPlaces;
};

}  // namespace

void find_bags(Database& database, const CatalogQuery& query,
               const std::function<void(const CatalogBag& bag)>& on_bag) {
  std::optional<BagPlace> after = place_behind(query);
  BagQuery wanted = bag_query(database, query);
  if (wanted.is_empty) return;
  BagOrder order(database, wanted, query.is_newest_first, after);
  Steps steps(order.is_exact());
  std::uint64_t left = query.most;
  std::uint64_t skip = query.skip;
  while (left > 0) {
    // Places come from another index from here on, so few are taken at first.
    if (order.goes_to_texts()) steps = Steps(order.is_exact());
    std::uint64_t step = steps.next(left);
    auto places = order.next(step, order.is_exact() ? std::exchange(skip, 0) : 0);
    if (places.empty()) return;
    std::vector<CatalogBag> bags = bags_at(database, places, wanted);
    std::uint64_t skipped = std::min<std::uint64_t>(skip, bags.size());
    skip -= skipped;
    bags.erase(bags.begin(), bags.begin() + std::ptrdiff_t(skipped));
    if (bags.size() > left) bags.resize(left);
    left -= bags.size();
    add_paths(database, bags);
    if (query.has_details) add_details(database, bags);
    for (const CatalogBag& bag : bags) on_bag(bag);
  }
}

std::uint64_t count_bags(Database& database, const CatalogQuery& query, std::uint64_t most) {
  BagQuery wanted = bag_query(database, query);
  if (wanted.is_empty) return 0;
  auto number = [&](const std::string& statement, const std::vector<SqlValue>& parameters) {
    return static_cast<std::uint64_t>(whole_in(database.run(statement, parameters).at(0), 0));
  };
  if (most > kMostWalked && wanted.text.empty()) {
    // Faster for all of them than page by page.
    return std::min(most, number("SELECT COUNT(*) FROM bags " + wanted.where, wanted.parameters));
  }
  BagOrder order(database, wanted, query.is_newest_first, std::nullopt);
  std::uint64_t step = kFewPlaces;
  std::uint64_t count = 0;
  while (count < most) {
    order.goes_to_texts();
    auto places = order.next(order.is_exact() ? most - count : step);
    if (places.empty()) break;
    count += order.is_exact()
                 ? places.size()
                 : number("SELECT COUNT(*) FROM bags " + at(places, wanted), wanted.parameters);
    step = std::min(step * 4, kMostPlaces);
  }
  return std::min(count, most);
}

}  // namespace kitbag::catalog
