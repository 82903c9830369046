#include "cli/options/fields_to_come.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/terminal/print.h"
#include "kitbag/fields.h"
#include "kitbag/transcode.h"

namespace kitbag::cli {
namespace {

/// The topics that `select` asks for, if it names all of them.
std::vector<std::string> names_in(const Selection& select) {
  bool are_names = select == Selection{.topics = select.topics};
  for (const std::string& topic : select.topics) {
    are_names = are_names && topic.find_first_of("*?[") == std::string::npos;
  }
  return are_names ? select.topics : std::vector<std::string>();
}

}  // namespace

std::optional<Error> missing_field(const Channel& channel, const std::vector<std::string>& fields,
                                   const Session& session) {
  TypePtr type;
  try {
    type = type_of(channel, session);
  } catch (const Error& error) {
    if (is_final(error.code())) throw;
    return std::nullopt;  // it is reported when it is printed
  }
  try {
    for (const std::string& field : fields) {
      if (type) require_field(*type, field);
    }
  } catch (const Error& error) {
    return Error(error.code(), fmt::format("--fields: {}", error.message()));
  }
  return std::nullopt;
}

FieldsToCome::FieldsToCome(std::unique_ptr<Source> source, std::vector<std::string> fields,
                           const Selection& select, const Session& session)
    : source_(std::move(source)),
      fields_(std::move(fields)),
      names_(names_in(select)),
      session_(session),
      has_fields_(fields_.empty()) {}

bool FieldsToCome::read(Batch& batch, const Wait& wait) {
  // Channels are known once their first batch has come, so they are looked at behind it and before
  // it is printed.
  bool more = source_->read(batch, wait);
  look_at_new_channels();
  if (has_fields_ || !reason_) return more;
  if (!more || have_all_come()) require();
  if (!batch.empty() && !std::exchange(has_warned_, true)) {
    print_warning(reason_->message() + "; waiting for a topic that has them");
  }
  return more;
}

void FieldsToCome::look_at_new_channels() {
  if (has_fields_) return;
  ChannelsPtr channels = source_->channels();
  for (; seen_ < channels->size() && !has_fields_; ++seen_) {
    const ChannelPtr& channel = (*channels)[seen_];
    if (!channel) continue;
    auto reason = missing_field(*channel, fields_, session_);
    has_fields_ = !reason;
    if (reason && !reason_) reason_.emplace(*reason);
  }
}

bool FieldsToCome::have_all_come() const {
  ChannelsPtr channels = source_->channels();
  auto has_come = [&](const std::string& name) {
    return std::any_of(channels->begin(), channels->end(), [&](const ChannelPtr& channel) {
      return channel && channel->topic == name;
    });
  };
  return !names_.empty() && std::all_of(names_.begin(), names_.end(), has_come);
}

void FieldsToCome::require() const {
  if (!has_fields_ && reason_) throw Error(*reason_);
}

}  // namespace kitbag::cli
