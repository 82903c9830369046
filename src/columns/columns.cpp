#include "kitbag/columns.h"

#include <utility>

#include "columns/column_reader.h"
#include "columns/plan.h"
#include "kitbag/text.h"

namespace kitbag {

std::unique_ptr<Columns> columns(std::unique_ptr<Source> source, const ColumnsRequest& request,
                                 const Session& session) {
  ChannelsPtr channels = source->channels();
  ColumnPlan plan = plan_columns(*channels, request, session);
  return make_column_reader(std::move(source), std::move(plan), request, session);
}

std::unique_ptr<Columns> columns(const Bag& bag, const Query& query, const ColumnsRequest& request,
                                 const Session& session) {
  auto source = bag.read(query);
  if (request.fields.empty() || !request.has_fields) {
    return columns(std::move(source), request, session);
  }
  // Which topics have any of the fields is known only from the channels of the query. So the bag is
  // asked once for these, and again for the topics that are left; the first source reads no
  // message.
  ChannelsPtr channels = source->channels();
  ColumnPlan plan = plan_columns(*channels, request, session);
  Query narrowed = query;
  narrowed.select.topics.clear();
  narrowed.select.topic_expressions.clear();
  for (std::size_t slot = 0; slot < plan.channels.size(); ++slot) {
    const ChannelPtr& channel = (*channels)[slot];
    bool is_wanted = channel && !plan.channels[slot].is_left_out;
    if (is_wanted) narrowed.select.topics.push_back(exact_pattern(channel->topic));
  }
  source = bag.read(narrowed);
  return make_column_reader(std::move(source), std::move(plan), request, session);
}

}  // namespace kitbag
