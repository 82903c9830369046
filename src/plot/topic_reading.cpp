#include "plot/topic_reading.h"

#include <fmt/format.h>

#include <charconv>
#include <memory>
#include <string_view>

#include "columns/plan.h"
#include "kitbag/error.h"

namespace kitbag {

TopicReading::TopicReading(const std::string& topic, const ChannelsPtr& channels,
                           ColumnsRequest request, const Session& session)
    : fields_(request.fields) {
  auto own = std::make_shared<Channels>(*channels);
  for (ChannelPtr& channel : *own) {
    // The others keep their slots, by which messages find their channel.
    if (channel && channel->topic != topic) channel = nullptr;
  }
  ColumnPlan plan = plan_columns(*own, request, session);
  first_field_ = plan.first_field;
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    types_.push_back(plan.table.children[first_field_ + i]);
    if (arrow::Numbers::can_read(types_.back().format)) continue;
    throw Error(ErrorCode::invalid,
                fmt::format("the field {} of {} has different types, which are no number together",
                            fields_[i], topic));
  }
  table_.emplace(std::move(own), std::move(plan), std::move(request), session);
}

std::vector<std::pair<std::int64_t, std::string>> names_of(const arrow::ColumnType& type) {
  if (type.format == "b") return {{0, "false"}, {1, "true"}};
  std::vector<std::pair<std::int64_t, std::string>> names;  // from "0=IDLE,1=MOVING"
  for (const auto& [key, text] : type.metadata) {
    if (key != "kitbag.enumerators") continue;
    for (std::string_view rest = text; !rest.empty();) {
      std::string_view one = rest.substr(0, rest.find(','));
      rest.remove_prefix(std::min(one.size() + 1, rest.size()));
      std::int64_t value = 0;
      auto parsed = std::from_chars(one.data(), one.data() + one.size(), value);
      if (parsed.ec != std::errc() || parsed.ptr == one.data() + one.size()) continue;
      names.emplace_back(value, one.substr(static_cast<std::size_t>(parsed.ptr - one.data()) + 1));
    }
  }
  return names;
}

}  // namespace kitbag
