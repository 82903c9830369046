#include "model/extras.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kitbag {
namespace {

bool is_in_time(const Extra& extra, const Query& query) {
  const auto* attachment = std::get_if<Attachment>(&extra);
  // An attachment without a time, as metadata, belongs to the whole bag.
  bool is_known = attachment && attachment->log_time != Time();
  return !is_known || query.covers(attachment->log_time);
}

}  // namespace

std::vector<Extra> select_extras(std::vector<Extra> extras, const Query& query) {
  std::erase_if(extras, [&](const Extra& extra) { return !is_in_time(extra, query); });
  return extras;
}

void LeftOutExtras::add(const Extra& extra) {
  if (std::holds_alternative<Attachment>(extra)) {
    ++attachments_;
  } else if (std::holds_alternative<Metadata>(extra)) {
    ++metadata_;
  } else {
    ++records_;
  }
}

void LeftOutExtras::tell(std::string_view target, const std::string& path,
                         const OnWarning& on_warning) const {
  std::vector<std::string> kinds;
  auto count = [&](std::uint64_t number, std::string_view one, std::string_view more) {
    if (number > 0) kinds.push_back(fmt::format("{} {}", number, number == 1 ? one : more));
  };
  count(attachments_, "attachment", "attachments");
  count(metadata_, "metadata record", "metadata records");
  count(records_, "private record", "private records");
  count(publish_times_, "publish time", "publish times");
  count(sequences_, "sequence number", "sequence numbers");
  if (kinds.empty() || !on_warning) return;
  on_warning(Error(
      ErrorCode::unsupported,
      fmt::format("{} cannot store the following; left out: {}", target, fmt::join(kinds, ", ")),
      path));
}

}  // namespace kitbag
