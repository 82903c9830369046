#include "cli/command_line/options.h"

namespace kitbag::cli {

void add_topics(CLI::App& app, Selection& select) {
  constexpr const char* kGroup = "Topic selection";
  auto add = [&](const char* name, std::vector<std::string>& into, const char* value,
                 const char* description) {
    add_list(app, name, into, value, description)->group(kGroup);
  };
  add("--topics", select.topics, "TOPIC...", "Select topics by name or glob; * and ? also match /");
  add("--regex", select.topic_expressions, "EXPR...",
      "Select topics whose whole name matches a regular\nexpression");
  add("--exclude", select.exclude, "TOPIC...", "Skip topics, by name or glob");
  add("--exclude-regex", select.exclude_expressions, "EXPR...",
      "Skip topics whose whole name matches a regular\nexpression");
  add("--types", select.types, "TYPE...", "Select topics by type, given by name or glob");
}

void add_range(CLI::App& app, SelectOptions& select) {
  constexpr const char* kGroup = "Message selection";
  add_parsed(app, "--start", select.start, parse_time, "TIME", "Skip messages before this time")
      ->group(kGroup);
  add_parsed(app, "--end", select.end, parse_time, "TIME", "Skip messages from this time on")
      ->group(kGroup);
  add_parsed(
      app, "--duration", select.duration, parse_positive_duration, "DURATION",
      "Limit the range to this long, from --start or up\nto --end. Default: from the first message")
      ->group(kGroup);
}

void add_order(CLI::App& app, Order& order, TimeField& by) {
  constexpr const char* kGroup = "Order";
  add_choice<Order>(
      app, "--order", order,
      {{"time", Order::time}, {"reverse_time", Order::reverse_time}, {"file", Order::file}},
      "Order messages by time, by time backwards, or as\nstored. Default: time")
      ->group(kGroup);
  add_by(app, by);
}

void add_by(CLI::App& app, TimeField& by) {
  add_choice<TimeField>(
      app, "--by", by,
      {{"log_time", TimeField::log_time}, {"publish_time", TimeField::publish_time}},
      "Order and select by the time of reception (log_time)\nor of sending (publish_time). "
      "Default: log_time")
      ->group("Order");
}

void add_select(CLI::App& app, SelectOptions& select) {
  constexpr const char* kGroup = "Message selection";
  add_topics(app, select.select);
  add_range(app, select);
  app.add_flag("--latched", select.with_latched,
               "Include the last message of each latched channel\nbefore --start, such as a map")
      ->group(kGroup);
  add_number(app, "--count", select.count, "N", "Stop after the first N selected messages")
      ->group(kGroup);
  add_order(app, select.order, select.by);
}

CLI::Option* add_renames(CLI::App& app, const std::string& name, std::vector<std::string>& into) {
  return add_list(app, name, into, "OLD:=NEW...", "Rename topics")->group("Topic selection");
}

std::vector<std::pair<std::string, std::string>> parse_renames(
    const std::vector<std::string>& texts) {
  std::vector<std::pair<std::string, std::string>> renames;
  for (const std::string& text : texts) {
    std::size_t sign = text.find(":=");
    if (sign == std::string::npos || sign == 0 || sign + 2 == text.size()) {
      throw_invalid(fmt::format("--rename: expected OLD:=NEW, got \"{}\"", text));
    }
    renames.emplace_back(text.substr(0, sign), text.substr(sign + 2));
  }
  return renames;
}

void require_plain_range(const SelectOptions& select) {
  if (select.start && select.end && select.duration) {
    throw_invalid("use at most two of --start, --end and --duration");
  }
  if (select.with_latched && select.order != Order::time) {
    throw_invalid("--latched requires --order time");
  }
}

}  // namespace kitbag::cli
