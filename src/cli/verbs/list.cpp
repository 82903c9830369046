#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <utility>

#include "cli/options/inputs.h"
#include "cli/terminal/json.h"
#include "cli/terminal/output.h"
#include "cli/terminal/print.h"
#include "cli/terminal/table.h"
#include "cli/verbs.h"
#include "kitbag/registry.h"
#include "kitbag/text.h"

namespace kitbag::cli {
namespace {

/// What one verb prints in two ways: its values are texts or numbers.
struct Listing {
  std::vector<std::string> names;  ///< of the columns; keys of the JSON
  std::vector<bool> are_numbers;
  std::vector<Cells> rows;
};

std::string time_of(Time time) {
  return time == Time() ? "-" : format_time(time);
}

Listing list_topics(const Bag& bag) {
  Listing list{{"topic", "type", "encoding", "messages"}, {false, false, false, true}, {}};
  const Summary& summary = bag.summary();
  std::map<std::array<std::string, 3>, std::uint64_t> counts;
  for (std::size_t slot = 0; slot < summary.channels->size(); ++slot) {
    const ChannelPtr& channel = (*summary.channels)[slot];
    if (!channel) continue;
    // Channels that differ in nothing that is shown are one line.
    counts[{channel->topic, channel->type(), channel->encoding}] += summary.message_counts.at(slot);
  }
  for (const auto& [names, messages] : counts) {
    list.rows.push_back({names[0], names[1], names[2], std::to_string(messages)});
  }
  return list;
}

Listing list_schemas(const Bag& bag) {
  Listing list{{"name", "language", "size_bytes", "channels"}, {false, false, true, true}, {}};
  std::map<std::array<std::string, 3>, std::uint64_t> channels;
  for (const ChannelPtr& channel : *bag.channels()) {
    if (!channel || !channel->schema) continue;
    const Schema& schema = *channel->schema;
    ++channels[{schema.name, schema.language, schema.text}];
  }
  for (const auto& [names, count] : channels) {
    list.rows.push_back(
        {names[0], names[1], std::to_string(names[2].size()), std::to_string(count)});
  }
  return list;
}

Listing list_chunks(const Bag& bag) {
  Listing list{{"offset", "stored_bytes", "bytes", "compression", "messages", "start", "end"},
               {true, true, true, false, true, false, false},
               {}};
  for (const ChunkSummary& chunk : bag.chunks()) {
    list.rows.push_back({std::to_string(chunk.offset), std::to_string(chunk.stored_bytes),
                         std::to_string(chunk.bytes), chunk.compression,
                         std::to_string(chunk.messages), format_time(chunk.start),
                         format_time(chunk.end)});
  }
  return list;
}

Listing list_attachments(const Bag& bag) {
  Listing list{{"name", "media_type", "size_bytes", "log_time", "create_time"},
               {false, false, true, false, false},
               {}};
  for (const Extra& extra : bag.extras()) {
    const auto* attachment = std::get_if<Attachment>(&extra);
    if (!attachment) continue;
    list.rows.push_back({attachment->name, attachment->media_type,
                         std::to_string(attachment->data->size()), time_of(attachment->log_time),
                         time_of(attachment->create_time)});
  }
  return list;
}

Listing list_metadata(const Bag& bag) {
  Listing list{{"name", "key", "value"}, {false, false, false}, {}};
  for (const Extra& extra : bag.extras()) {
    const auto* metadata = std::get_if<Metadata>(&extra);
    if (!metadata) continue;
    for (const auto& [key, value] : metadata->values) {
      list.rows.push_back({metadata->name, key, value});
    }
    if (metadata->values.empty()) list.rows.push_back({metadata->name, "", ""});
  }
  return list;
}

Listing list_of(Listed what, const Bag& bag) {
  switch (what) {
    case Listed::topics:
      return list_topics(bag);
    case Listed::schemas:
      return list_schemas(bag);
    case Listed::chunks:
      return list_chunks(bag);
    case Listed::attachments:
      return list_attachments(bag);
    case Listed::metadata:
      return list_metadata(bag);
    case Listed::formats:
    case Listed::encodings:
      break;
  }
  return {};
}

Listing list_formats(const Registry& registry) {
  Listing list{{"name", "extension", "written", "compressions", "description"},
               {false, false, false, false, false},
               {}};
  for (const Format& format : registry.formats) {
    list.rows.push_back(
        {std::string(format.name), std::string(format.extension), format.create ? "yes" : "no",
         fmt::format("{}", fmt::join(format.compressions, ", ")), std::string(format.description)});
  }
  return list;
}

Listing list_encodings(const Registry& registry) {
  Listing list{{"name", "language"}, {false, false}, {}};
  for (const Codec& codec : registry.codecs) {
    list.rows.push_back({std::string(codec.encoding), std::string(codec.language)});
  }
  return list;
}

void print(Listing list, bool as_json, const Context& context) {
  if (as_json) {
    context.out.write(table_json(list.names, list.are_numbers, list.rows) + "\n");
  } else if (!list.rows.empty()) {
    list.rows.insert(list.rows.begin(), list.names);
    context.out.write(layout_table(list.rows, list.are_numbers, context.out.is_terminal()));
  }
}

int list_bag(const std::string& path, const ListArguments& arguments, bool is_first,
             const Context& context) {
  bool are_several = arguments.bags.are_several(context);
  Inputs inputs({path}, arguments.reading, context, {.recursive = "-r"});
  if (inputs.has_stream() && arguments.what == Listed::chunks) {
    throw Error(ErrorCode::unsupported,
                "the chunks of a bag in a pipe cannot be listed; save the bag to a file first",
                path);
  }
  inputs.read_stream(context.stop);
  Listing list = list_of(arguments.what, *inputs.bags().front());
  if (arguments.as_json && are_several) {
    context.out.write(rows_json(path, list.names, list.are_numbers, list.rows));
    return inputs.warn();
  }
  if (are_several) print_bag_heading(path, is_first, context.out);
  print(std::move(list), arguments.as_json, context);
  return inputs.warn();
}

}  // namespace

int list(const ListArguments& arguments, const Context& context) {
  const Registry& registry = context.session.registry();
  if (arguments.what == Listed::formats) {
    print(list_formats(registry), arguments.as_json, context);
    return kDone;
  }
  if (arguments.what == Listed::encodings) {
    print(list_encodings(registry), arguments.as_json, context);
    return kDone;
  }
  bool is_first = true;
  auto list_one = [&](const std::string& path) {
    return list_bag(path, arguments, std::exchange(is_first, false), context);
  };
  return for_each_bag(arguments.bags.paths(context), context, list_one);
}

}  // namespace kitbag::cli
