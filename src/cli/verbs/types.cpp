#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <set>

#include "cli/options/definitions.h"
#include "cli/options/inputs.h"
#include "cli/terminal/json.h"
#include "cli/terminal/output.h"
#include "cli/terminal/print.h"
#include "cli/terminal/table.h"
#include "cli/verbs.h"
#include "kitbag/session.h"
#include "kitbag/transcode.h"

namespace kitbag::cli {
namespace {

void print_names(const Channels& channels, bool as_json, const Context& context) {
  std::map<std::pair<std::string, std::string>, std::set<std::string>> topics;
  for (const ChannelPtr& channel : channels) {
    const Schema* schema = channel->schema.get();
    topics[{channel->type(), schema ? schema->language : ""}].insert(channel->topic);
  }
  if (as_json) {
    context.out.write(types_json(topics) + "\n");
    return;
  }
  std::vector<Cells> lines = {{"type", "language", "topics"}};
  for (const auto& [type, its_topics] : topics) {
    lines.push_back({type.first, type.second, fmt::format("{}", fmt::join(its_topics, " "))});
  }
  context.out.write(layout_table(lines, {false, false, false}, context.out.is_terminal()));
}

/// The definition in `language`, or as it is stored where that is empty.
std::string definition_in(const Channel& channel, const std::string& name, const Session& session) {
  if (name.empty() || name == channel.schema->language) {
    const Language* stored = find_language(session.registry(), channel.schema->language);
    if (stored && !stored->is_text) {
      throw Error(ErrorCode::invalid,
                  fmt::format("the definition of {} in {} is not text; choose a --language",
                              channel.type(), stored->name));
    }
    return channel.schema->text;
  }
  const Language* language = find_language(session.registry(), name);
  if (!language || !language->print || !language->is_text) {
    throw Error(ErrorCode::invalid,
                fmt::format("definitions cannot be printed in the language \"{}\"", name));
  }
  TypePtr type = type_of(channel, session);
  if (!type) {
    throw Error(ErrorCode::not_found, fmt::format("{} has no definition", channel.type()));
  }
  // ROS 1's names and times are other types in ROS 2; adapt() puts those of the language in their
  // place.
  return language->print(language->adapt ? *language->adapt(*type) : *type).text;
}

}  // namespace

int types(const TypesArguments& arguments, const Context& context) {
  Definitions definitions(arguments.definitions, context.session);
  Inputs inputs({arguments.bag}, arguments.reading, context, {.definitions = &definitions});
  inputs.read_stream(context.stop);
  ChannelsPtr channels = inputs.bags().front()->channels();
  if (arguments.type.empty()) {
    print_names(*channels, arguments.as_json, context);
    return inputs.warn();
  }
  for (const ChannelPtr& channel : *channels) {
    if (channel->type() != arguments.type || !channel->schema) continue;
    std::string text = definition_in(*channel, arguments.language, context.session);
    if (arguments.as_json) {
      const std::string& stored = channel->schema->language;
      context.out.write(
          values_json({{"type", std::string(channel->type())},
                       {"language", arguments.language.empty() ? stored : arguments.language},
                       {"definition", text}}) +
          "\n");
    } else {
      context.out.write_content(text);
      if (!text.ends_with('\n')) context.out.write("\n");
    }
    int code = inputs.warn();
    definitions.warn();
    return code;
  }
  throw Error(ErrorCode::not_found,
              fmt::format("no channel has the type {}; list the types with kitbag types BAG",
                          arguments.type),
              arguments.bag);
}

}  // namespace kitbag::cli
