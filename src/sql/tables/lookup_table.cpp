#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "kitbag/error.h"
#include "sql/transforms.h"

// The tree is made of the table `tf`: of all static transforms, and of those around the time that
// is asked for. Queries ask for one time after the other, so more is read at once than one needs.
//
// It asks the table `tf` by SQL on the same connection, so what counts as a transform is said in
// one place. Log times select what is read, stamps what is used: a transform may be logged later
// than its stamp, and kReach covers that.
//
// A join asks with times that mostly ascend. One minute more is read than needed, in advance, so
// most lookups read nothing. Static transforms are read once, by topics with names that say so.
//
// A null argument gives no row, as SQL expects of a function in a join.

namespace kitbag::sql {

namespace {

/// As tf2 keeps them.
constexpr Duration kMaxGap = std::chrono::seconds(10);
/// Transforms are logged this long before or after their stamps, and `kMaxGap` more.
constexpr Duration kReach = 2 * kMaxGap;
constexpr Duration kReadAtOnce = std::chrono::seconds(60);
/// A transform takes about 200 bytes.
constexpr std::size_t kMostTransforms = 2'000'000;

/// A tree that follows the times that are asked for.
class Transforms {
 public:
  Transforms(sqlite3* database, std::shared_ptr<const BagSet> set)
      : database_(database), set_(std::move(set)) {}

  std::optional<Transform> find(const std::string& target, const std::string& source, Time time) {
    load(time);
    return tree_.find(target, source, time, kMaxGap);
  }

 private:
  void load(Time time) {
    if (!std::exchange(has_fixed_, true)) load_fixed();
    Time first = saturating_add(time, -kReach);
    Time last = saturating_add(time, kReach);
    if (begin_ <= first && last <= end_) return;
    tree_.clear_moving();
    begin_ = first;
    end_ = std::max(last, saturating_add(time, kReadAtOnce));
    try {
      read(fmt::format("NOT is_static AND time BETWEEN {} AND {}", to_ns(begin_), to_ns(end_)));
    } catch (...) {
      begin_ = Time::max();
      throw;
    }
  }

  void load_fixed() {
    for (const std::string& topic : topics_of(*set_)) {
      if (!topic.ends_with("tf_static")) continue;
      std::string literal;
      for (char c : topic) literal += c == '\'' ? "''" : std::string(1, c);
      read(fmt::format("is_static AND topic = '{}' ORDER BY time", literal));
    }
  }

  void read(const std::string& condition) {
    std::string text =
        "SELECT stamp, is_static, parent, child, x, y, z, qx, qy, qz, qw FROM temp.tf WHERE " +
        condition;
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(database_, text.c_str(), -1, &statement, nullptr) != SQLITE_OK) {
      throw_failure(database_);
    }
    std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> owner(
        statement, [](sqlite3_stmt* each) { return sqlite3_finalize(each); });
    std::size_t count = 0;
    int result = sqlite3_step(statement);
    for (; result == SQLITE_ROW; result = sqlite3_step(statement)) {
      if (++count > kMostTransforms) {
        throw Error(ErrorCode::limit,
                    fmt::format("more than {} transforms within {} s", kMostTransforms,
                                kReadAtOnce.count() / 1'000'000'000));
      }
      add(statement);
    }
    if (result != SQLITE_DONE) throw_failure(database_);
  }

  void add(sqlite3_stmt* row) {
    auto text = [&](int column) {
      const auto* all = reinterpret_cast<const char*>(sqlite3_column_text(row, column));
      return std::string(all ? all : "");
    };
    Transform transform;
    for (int i = 0; i < 7; ++i) {
      if (sqlite3_column_type(row, 4 + i) == SQLITE_NULL) return;  // not a number
      auto place = static_cast<std::size_t>(i);
      double value = sqlite3_column_double(row, 4 + i);
      (i < 3 ? transform.translation[place] : transform.rotation[place - 3]) = value;
    }
    tree_.add(text(2), text(3), from_ns(sqlite3_column_int64(row, 0)),
              sqlite3_column_int(row, 1) != 0, transform);
  }

  sqlite3* database_;
  std::shared_ptr<const BagSet> set_;
  FrameTree tree_;
  bool has_fixed_ = false;
  Time begin_ = Time::max();  ///< of the log times that are in the tree
  Time end_ = Time::min();
};

enum LookupColumn : int { kFirstArgument = 7, kTarget = 7, kSource, kLookupTime };

class LookupCursor final : public Cursor {
 public:
  explicit LookupCursor(Transforms& transforms) : transforms_(transforms) {}

  void start(int, const std::string&, std::span<sqlite3_value*> values) override {
    found_.reset();
    bool is_null = std::any_of(values.begin(), values.end(), [](sqlite3_value* each) {
      return sqlite3_value_type(each) == SQLITE_NULL;
    });
    if (is_null) return;
    target_ = reinterpret_cast<const char*>(sqlite3_value_text(values[0]));
    source_ = reinterpret_cast<const char*>(sqlite3_value_text(values[1]));
    time_ns_ = sqlite3_value_int64(values[2]);
    found_ = transforms_.find(target_, source_, from_ns(time_ns_));
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
  Transforms& transforms_;
  std::string target_;
  std::string source_;
  std::int64_t time_ns_ = 0;
  std::optional<Transform> found_;  ///< nothing: at the end
};

class LookupTable final : public Table {
 public:
  LookupTable(sqlite3* database, std::shared_ptr<const BagSet> set)
      : transforms_(database, std::move(set)) {}

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

  std::unique_ptr<Cursor> open() override { return std::make_unique<LookupCursor>(transforms_); }

 private:
  Transforms transforms_;
};

}  // namespace

std::unique_ptr<Table> make_lookup_table(sqlite3* database, std::shared_ptr<const BagSet> set) {
  return std::make_unique<LookupTable>(database, std::move(set));
}

}  // namespace kitbag::sql
