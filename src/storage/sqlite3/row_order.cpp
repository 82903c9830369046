#include "storage/sqlite3/row_order.h"

#include <cstdint>
#include <utility>

namespace kitbag::sqlite3 {

namespace {

class IndexOrder final : public RowOrder {
 public:
  IndexOrder(const PageFile& file, std::uint32_t root, const TimeRange& range, std::int64_t last_id,
             bool is_reversed)
      : index_(file, root, is_reversed),
        range_(range),
        last_id_(last_id),
        is_reversed_(is_reversed) {
    // No id is smaller than INT64_MIN, so the bound stands in front of all rows of its time. That
    // excludes the end of the range when the walk runs backwards, and includes its begin when it
    // runs forwards.
    if (is_reversed && range.end != Time::max()) {
      index_.seek({to_ns(range.end), INT64_MIN});
    } else if (!is_reversed && range.begin != Time::min()) {
      index_.seek({to_ns(range.begin), INT64_MIN});
    } else {
      index_.seek_start();
    }
  }

  bool next(TimedRow& row) override {
    do {
      if (!index_.next(row)) return false;
    } while (row.id > last_id_);
    Time time = from_ns(row.time_ns);
    return is_reversed_ ? time >= range_.begin : range_.is_before_end(time);
  }

 private:
  TimeIndex index_;
  TimeRange range_;
  std::int64_t last_id_;
  bool is_reversed_;
};

class ListedOrder final : public RowOrder {
 public:
  explicit ListedOrder(std::vector<TimedRow> rows) : rows_(std::move(rows)) {}

  bool next(TimedRow& row) override {
    if (next_ == rows_.size()) return false;
    row = rows_[next_++];
    return true;
  }

 private:
  std::vector<TimedRow> rows_;
  std::size_t next_ = 0;
};

}  // namespace

std::unique_ptr<RowOrder> index_order(const PageFile& file, std::uint32_t root,
                                      const TimeRange& range, std::int64_t last_id,
                                      bool is_reversed) {
  return std::make_unique<IndexOrder>(file, root, range, last_id, is_reversed);
}

std::unique_ptr<RowOrder> listed_order(std::vector<TimedRow> rows) {
  return std::make_unique<ListedOrder>(std::move(rows));
}

}  // namespace kitbag::sqlite3
