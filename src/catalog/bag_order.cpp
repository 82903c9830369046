#include "catalog/bag_order.h"

#include <fmt/format.h>

#include <algorithm>

#include "catalog/bag_rows.h"

// A database would have to guess which index makes a query fast, and both guess wrong for some:
// they sort a million bags for a page of 50, or read the list to its end for a bag that is not in
// it. Here it is counted, up to a bound, how many bags each part of the query leaves, and those
// that the rarest one leaves are looked at in their order.
//
// The index of texts has no order: it is asked as a whole, which takes long if many bags have the
// text. But then a page is full soon. So it is asked only when some bags were looked at in vain. Of
// what it finds, the first places in the order of the list are taken; it is asked again for more of
// them if these are not enough.

namespace kitbag::catalog {
namespace {

constexpr std::size_t kMostStretches = 32;         // that are merged
constexpr std::uint64_t kMostCounted = 20'000;     // rows, to compare indexes
constexpr std::uint64_t kSeenBeforeTexts = 1'000;  // bags, before the index of texts is asked
constexpr std::uint64_t kFirstLoaded = 4'096;      // places; each time after it, kMoreLoaded times
constexpr std::uint64_t kMoreLoaded = 16;          // as many

std::vector<BagPlace> places_of(Database& database, const std::string& select,
                                const std::vector<SqlValue>& parameters) {
  std::vector<BagPlace> places;
  database.run(select, std::span(parameters), [&](SqlRow& row) {
    places.push_back({whole_in(row, 0), whole_in(row, 1)});
  });
  return places;
}

}  // namespace

BagOrder::BagOrder(Database& database, const BagQuery& wanted, bool is_newest_first,
                   std::optional<BagPlace> after)
    : database_(database), wanted_(wanted), is_newest_first_(is_newest_first), last_(after) {
  // A bound on the side where the order begins is a place from which it begins.
  std::optional<BagPlace> begin;
  if (is_newest_first) {
    if (wanted.end_ns) begin = BagPlace{*wanted.end_ns, INT64_MIN};
    if (begin && (!last_ || *begin < *last_)) last_ = begin;
    bound_ns_ = wanted.least_ns;
  } else {
    if (wanted.least_ns) begin = BagPlace{*wanted.least_ns, INT64_MIN};
    if (begin && (!last_ || *last_ < *begin)) last_ = begin;
    bound_ns_ = wanted.end_ns;
  }
  const BagStream* rarest = rarest_stream();
  if (rarest) stream_ = *rarest;
  is_exact_ = wanted.is_one_stream && (rarest || wanted.streams.empty());
  if (stream_.stretches.size() > kMostStretches) {
    loading_ = {
        fmt::format("SELECT start_ns, bag FROM {} WHERE {}", stream_.table, stream_.condition),
        stream_.parameters, kFirstLoaded};
  }
}

/// Nothing: all bags are to be looked at.
const BagStream* BagOrder::rarest_stream() {
  const BagStream* rarest = nullptr;
  std::uint64_t least = UINT64_MAX;
  for (const BagStream& stream : wanted_.streams) {
    bool can_be_merged = stream.stretches.size() <= kMostStretches;
    if (can_be_merged && wanted_.streams.size() == 1) return &stream;
    std::uint64_t count = count_up_to(stream, kMostCounted);
    if (count >= least || (!can_be_merged && count == kMostCounted)) continue;
    least = count;
    rarest = &stream;
  }
  return rarest;
}

std::uint64_t BagOrder::count_up_to(const BagStream& stream, std::uint64_t most) {
  auto rows = database_.run(
      fmt::format("SELECT COUNT(*) FROM (SELECT 1 FROM {} WHERE {} LIMIT {}) AS counted",
                  stream.table, stream.condition, most),
      stream.parameters);
  return static_cast<std::uint64_t>(whole_in(rows.at(0), 0));
}

std::string BagOrder::behind(const std::optional<BagPlace>& last,
                             std::vector<SqlValue>& parameters) const {
  std::string conditions;
  if (last) {
    parameters.emplace_back(last->start_ns);
    parameters.emplace_back(last->bag);
    conditions += fmt::format(" AND (start_ns, bag) {} (${}, ${})", is_newest_first_ ? "<" : ">",
                              parameters.size() - 1, parameters.size());
  }
  if (bound_ns_) {
    parameters.emplace_back(*bound_ns_);
    conditions +=
        fmt::format(" AND start_ns {} ${}", is_newest_first_ ? ">=" : "<", parameters.size());
  }
  return conditions;
}

std::string BagOrder::stretch(const std::string& condition, const std::string& behind,
                              std::size_t most, std::uint64_t skip) const {
  const char* order = is_newest_first_ ? "DESC" : "ASC";
  return fmt::format(
      "SELECT start_ns, bag FROM {} WHERE {}{} ORDER BY start_ns {}, bag {} LIMIT {}{}",
      stream_.table, condition, behind, order, order, most,
      skip > 0 ? fmt::format(" OFFSET {}", skip) : "");
}

std::vector<BagPlace> BagOrder::next_of_stream(std::size_t most, std::uint64_t skip) {
  std::vector<SqlValue> parameters = stream_.parameters;
  std::string behind_last = behind(last_, parameters);
  if (stream_.stretches.size() <= 1) {
    const std::string& condition = stream_.stretches.empty() ? "1 = 1" : stream_.stretches[0];
    return places_of(database_, stretch(condition, behind_last, most, skip), parameters);
  }
  // The first bags of all stretches are among the first ones of each.
  std::vector<std::string> each;
  for (const std::string& condition : stream_.stretches) {
    each.push_back(fmt::format("SELECT start_ns, bag FROM ({}) AS part{}",
                               stretch(condition, behind_last, most + skip, 0), each.size()));
  }
  const char* order = is_newest_first_ ? "DESC" : "ASC";
  return places_of(
      database_,
      fmt::format("SELECT start_ns, bag FROM ({}) AS parts ORDER BY start_ns {}, bag {} LIMIT {} "
                  "OFFSET {}",
                  fmt::join(each, " UNION "), order, order, most, skip),
      parameters);
}

void BagOrder::load(std::uint64_t wanted) {
  const char* order = is_newest_first_ ? "DESC" : "ASC";
  while (loading_->most > 0 && loaded_.size() < wanted) {
    std::vector<SqlValue> parameters = loading_->parameters;
    std::string behind_loaded =
        behind(loaded_.empty() ? last_ : std::optional(loaded_.back()), parameters);
    std::vector<BagPlace> found =
        places_of(database_,
                  fmt::format("SELECT start_ns, bag FROM ({}) AS found WHERE 1 = 1{} "
                              "ORDER BY start_ns {}, bag {} LIMIT {}",
                              loading_->select, behind_loaded, order, order, loading_->most),
                  parameters);
    loading_->most = found.size() < loading_->most ? 0 : loading_->most * kMoreLoaded;
    // A bag is found by each of its channels or texts, which stand together in this order.
    found.erase(std::unique(found.begin(), found.end()), found.end());
    loaded_.insert(loaded_.end(), found.begin(), found.end());
  }
}

std::vector<BagPlace> BagOrder::next_of_loaded(std::size_t most, std::uint64_t skip) {
  load(skip + std::min<std::uint64_t>(most, UINT64_MAX - skip));
  auto from = loaded_.begin() + std::ptrdiff_t(std::min<std::uint64_t>(loaded_.size(), skip));
  auto left = static_cast<std::uint64_t>(loaded_.end() - from);
  auto end = from + std::ptrdiff_t(std::min<std::uint64_t>(left, most));
  std::vector<BagPlace> places(from, end);
  if (end == loaded_.end() && end != loaded_.begin()) last_ = loaded_.back();
  loaded_.erase(loaded_.begin(), end);
  return places;
}

bool BagOrder::goes_to_texts() {
  if (loading_ || wanted_.text.empty() || seen_ < kSeenBeforeTexts) return false;
  TextQuery texts = text_query(database_.dialect(), wanted_.text);
  loading_ = {std::move(texts.select), std::move(texts.parameters), kFirstLoaded};
  return true;
}

std::vector<BagPlace> BagOrder::next(std::size_t most, std::uint64_t skip) {
  std::vector<BagPlace> places = loading_ ? next_of_loaded(most, skip) : next_of_stream(most, skip);
  seen_ += places.size();
  if (!places.empty()) last_ = places.back();
  return places;
}

}  // namespace kitbag::catalog
