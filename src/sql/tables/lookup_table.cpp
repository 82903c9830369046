#include "sql/tables/lookup_table.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kitbag/error.h"
#include "kitbag/transforms.h"

// A null argument gives no row, as SQL expects of a function in a join.
//
// Arguments of such a function are hidden columns (docs of SQLite: "Table-valued Functions"). Where
// one is a column of another table of the join, SQLite also asks for plans that read this table
// first. These are refused (NoPlan), so that it reads the other one first.

namespace kitbag::sql {

namespace {

Transforms transforms_of(const BagSet& set) {
  std::vector<BagPtr> bags;
  Query query;
  for (const TransformForm& form : transform_forms()) {
    query.select.types.insert(query.select.types.end(), form.types.begin(), form.types.end());
  }
  for (const NamedBag& each : set.bags) {
    if (!may_have(each, query)) continue;
    if (BagPtr bag = each.open()) bags.push_back(std::move(bag));
  }
  TransformOptions options;
  options.on_error = set.on_error;
  options.report = set.report;
  options.on_problem = set.on_problem;
  return {std::move(bags), set.session, options};
}

enum LookupColumn : int { kFirstArgument = 7, kTarget = 7, kSource, kLookupTime };

class LookupCursor final : public Cursor {
 public:
  LookupCursor(const BagSet& set, Transforms& transforms) : set_(set), transforms_(transforms) {}

  void start(int, const std::string&, std::span<sqlite3_value*> values) override {
    found_.reset();
    bool is_null = std::any_of(values.begin(), values.end(), [](sqlite3_value* each) {
      return sqlite3_value_type(each) == SQLITE_NULL;
    });
    if (is_null) return;
    target_ = reinterpret_cast<const char*>(sqlite3_value_text(values[0]));
    source_ = reinterpret_cast<const char*>(sqlite3_value_text(values[1]));
    time_ns_ = sqlite3_value_int64(values[2]);
    auto found = transforms_.find(target_, source_, from_ns(time_ns_), {set_.stop, kNever});
    if (found.outcome == TransformLookup::Outcome::found) found_ = found.transform;
  }
  void next() override { found_.reset(); }
  bool is_end() const override { return !found_; }
  std::int64_t row_number() const override { return 0; }
  void value(sqlite3_context* context, int column) override {
    auto give_text = [&](const std::string& text) {
      sqlite3_result_text64(context, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
    };
    if (column == kTarget) return give_text(target_);
    if (column == kSource) return give_text(source_);
    if (column == kLookupTime) return sqlite3_result_int64(context, time_ns_);
    auto place = static_cast<std::size_t>(column);
    sqlite3_result_double(context,
                          place < 3 ? found_->translation[place] : found_->rotation[place - 3]);
  }

 private:
  const BagSet& set_;
  Transforms& transforms_;
  std::string target_;
  std::string source_;
  std::int64_t time_ns_ = 0;
  std::optional<Transform> found_;  ///< nothing: at the end
};

class LookupTable final : public Table {
 public:
  explicit LookupTable(std::shared_ptr<const BagSet> set)
      : set_(std::move(set)), transforms_(transforms_of(*set_)) {}

  std::string declaration() const override {
    return "CREATE TABLE x(x REAL, y REAL, z REAL, qx REAL, qy REAL, qz REAL, qw REAL, "
           "target TEXT HIDDEN, source TEXT HIDDEN, time INTEGER HIDDEN)";
  }

  std::string plan(sqlite3_index_info& query) const override {
    bool waits = false;
    std::array<bool, 3> is_given = {};
    for (int i = 0; i < query.nConstraint; ++i) {
      const auto& condition = query.aConstraint[i];
      bool is_argument =
          condition.iColumn >= kFirstArgument && condition.op == SQLITE_INDEX_CONSTRAINT_EQ;
      if (!is_argument) continue;
      if (!condition.usable) {
        waits = true;
        continue;
      }
      int argument = condition.iColumn - kFirstArgument;
      bool& is_known = is_given.at(static_cast<std::size_t>(argument));
      if (std::exchange(is_known, true)) continue;
      query.aConstraintUsage[i].argvIndex = argument + 1;
      query.aConstraintUsage[i].omit = 1;
    }
    bool has_all = is_given[0] && is_given[1] && is_given[2];
    if (!has_all && waits) throw NoPlan();
    if (!has_all) {
      throw Error(ErrorCode::invalid, "tf_lookup takes a target frame, a source frame and a time");
    }
    query.estimatedRows = 1;
    query.estimatedCost = 10;
    return {};
  }

  std::unique_ptr<Cursor> open() override {
    return std::make_unique<LookupCursor>(*set_, transforms_);
  }

 private:
  std::shared_ptr<const BagSet> set_;
  Transforms transforms_;
};

}  // namespace

std::unique_ptr<Table> make_lookup_table(std::shared_ptr<const BagSet> set) {
  return std::make_unique<LookupTable>(std::move(set));
}

}  // namespace kitbag::sql
