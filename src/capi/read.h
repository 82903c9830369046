#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "capi/handles.h"
#include "kitbag/stream.h"

namespace kitbag::c {

/// What a query of C selects, as a query of C++; `where` and the counts behind it are separate.
struct Wanted {
  Wanted(const kitbag_query* given, kitbag_order order);

  Query query;
  std::string where;
  std::uint64_t max_bytes;
};

/// The messages that are wanted. Throws Error (not_found) for a topic that the bag does not have.
std::unique_ptr<Source> read(const kitbag_bag& bag, const Wanted& wanted);

/// The messages of a query, batch by batch, in the form of C. Keeps alive what it needs.
class MessageReader {
 public:
  MessageReader(const kitbag_bag& bag, const Wanted& wanted);

  /// Fills `batch`; false: at the end, or `wait` ended.
  bool read(Batch& batch, const Wait& wait = {});
  kitbag_serialized_data data_of(const Message& message) const;
  kitbag_value decode(const Message& message);

  std::uint64_t max_bytes() const { return max_bytes_; }

 private:
  std::unique_ptr<Source> source_;
  std::shared_ptr<Topics> topics_;
  std::vector<const kitbag_topic*> topic_of_slot_;
  std::shared_ptr<ValueReader> values_;
  std::uint64_t max_bytes_;
};

}  // namespace kitbag::c

struct kitbag_iterator {
  kitbag_iterator(const kitbag_bag& bag, const kitbag_query* query, kitbag_order order)
      : messages(bag, kitbag::c::Wanted(query, order)) {}

  /// The next message, of that topic unless it is null; null: the end.
  const kitbag::Message* next(const kitbag_topic* topic);

  kitbag::c::MessageReader messages;
  kitbag::Batch batch;
  std::size_t at = 0;
  std::optional<kitbag_value> value;
};

struct kitbag_messages {
  std::shared_ptr<kitbag::c::Topics> topics;
  std::vector<kitbag::Batch> batches;  ///< that hold the payloads
  std::vector<kitbag_serialized_data> data;
  std::deque<kitbag_value> values;
};

namespace kitbag::c {

std::unique_ptr<kitbag_messages> read_all(const kitbag_bag& bag, const kitbag_query* query,
                                          kitbag_order order, bool is_decoded);

}  // namespace kitbag::c
