#include "sql/rows.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "kitbag/error.h"
#include "kitbag/pipeline.h"
#include "kitbag/text.h"

// For tables whose row needs a message from before the first time that is asked for. last_before()
// finds it; the range then begins at its time. A row holds its whole batch alive, and two or three
// are held at a time, so batches are small.

namespace kitbag::sql {

namespace {

/// Batches that a row of each is held of stay small.
constexpr std::uint64_t kFirstRowsOfTopic = 128;
constexpr std::uint64_t kMostRowsOfTopic = 8192;

/// The log time of the last message before `time`; that time if there is none.
Time last_time_before(const std::vector<BagPtr>& bags, Time time, const Selection& select,
                      const Wait& wait) {
  Time last = Time::min();
  for (const BagPtr& bag : bags) {
    Batch state = bag->last_before(time, select, wait);
    for (const Message& message : state.messages()) last = std::max(last, message.log_time);
  }
  return last == Time::min() ? time : last;
}

}  // namespace

Rows::Rows(const BagSet& set, const std::string& topic, std::vector<std::string> fields, Time begin,
           Time end, bool is_state_before)
    : set_(set) {
  std::vector<BagPtr> bags;
  Query query;
  query.on_problem = set.on_problem;
  query.select.topics = {exact_pattern(topic)};
  query.end = end;
  // With the state before it, a bag that ends before the time may have a row, too.
  if (!is_state_before) query.begin = begin;
  for (const NamedBag& each : set.bags) {
    if (!may_have(each, query)) continue;
    if (BagPtr bag = each.open()) bags.push_back(std::move(bag));
  }
  query.begin = begin;
  const Wait wait{set.stop, kNever};
  if (is_state_before && begin > Time::min()) {
    query.begin = last_time_before(bags, begin, query.select, wait);
  }
  ColumnsRequest request;
  request.has_topic = false;
  request.has_fields = !fields.empty();
  request.fields = std::move(fields);
  request.first_batch_rows = kFirstRowsOfTopic;
  request.batch_rows = kMostRowsOfTopic;
  request.on_error = set.on_error;
  request.report = set.report;
  request.on_warning = set.on_warning;
  columns_ = columns(read(bags, query, wait), request, set.session);
  columns_->schema(schema_.fill());
}

HeldRow Rows::next() {
  while (!batch_ || row_ >= (*batch_)->length) {
    throw_if_stopped({set_.stop, kNever});
    auto batch = std::make_shared<Owned<ArrowArray>>();
    if (!columns_->next(batch->fill(), {set_.stop, kNever})) return {};
    batch_ = std::move(batch);
    row_ = 0;
  }
  const ArrowArray& times = *(*batch_)->children[0];
  std::int64_t ns = 0;
  std::memcpy(&ns,
              static_cast<const char*>(times.buffers[1]) +
                  static_cast<std::size_t>(times.offset + row_) * sizeof ns,
              sizeof ns);
  return {batch_, row_++, from_ns(ns)};
}

}  // namespace kitbag::sql
