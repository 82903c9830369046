#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/command_line/options.h"
#include "cli/command_line/verb.h"
#include "cli/verbs.h"

namespace kitbag::cli {
namespace {

constexpr VerbText kPlotText{
    .summary = "Plot numbers in messages: on the terminal, or as SVG or PNG.",
    .more = "A field is given by its topic and its path: /odom.pose.pose.position.x",
    .examples = R"(  kitbag plot run.bag /odom.twist.twist.linear.x /odom.twist.twist.angular.z
  kitbag plot run.bag /imu.angular_velocity.{x,y,z} --start +10s --stack -o imu.svg
  kitbag plot run.bag /odom.pose.pose.position.y --against /odom.pose.pose.position.x --equal)",
    .notes = R"(A word that begins with / and names no file is a field. Slashes as in
/odom/twist/twist/linear/x work too, an element of a list is /scan.ranges[3], and a topic alone
stands for its only number. For topics without a / in front, use --topics and --fields.

Every pixel shows the least and the greatest value of its time, so no peak is lost. NaN and
infinite values are gaps, and so are pauses (--gap). Without colors, each curve has a plot of its
own on the terminal if there is room.)"};

constexpr const char kDrawingGroup[] = "Drawing";

bool is_file(const std::string& word) {
  std::error_code ignored;
  return word == "-" || word.find("://") != std::string::npos ||
         std::filesystem::exists(word, ignored);
}

/// A name as people type it: a backslash makes a comma, or a backslash, part of it.
std::string unescaped(const std::string& word) {
  std::string name;
  for (std::size_t i = 0; i < word.size(); ++i) {
    bool is_escape =
        word[i] == '\\' && i + 1 < word.size() && (word[i + 1] == ',' || word[i + 1] == '\\');
    name += word[is_escape ? ++i : i];
  }
  return name;
}

void take_words(const std::vector<std::string>& words, PlotArguments& arguments) {
  for (const std::string& word : words) {
    bool is_field = word.starts_with('/') && !is_file(word);
    if (is_field) {
      for (const std::string& name : split_words(word)) {
        arguments.request.curves.push_back(unescaped(name));
      }
      continue;
    }
    // A word that is neither a file nor begins with a slash is probably a field without its topic.
    // What topics there are is not known before bags are open, so the verb says it. The first word
    // is taken for a bag in any case, so that a mistyped one is reported as a file that is not
    // there.
    bool is_unknown = !arguments.bags.bags.empty() && !is_file(word);
    (is_unknown ? arguments.unknown : arguments.bags.bags).push_back(word);
  }
  if (arguments.bags.bags.empty()) {
    throw_invalid(fmt::format("no bag given; there is no file {}", words.front()));
  }
  for (std::string& field : arguments.request.fields) field = unescaped(field);
}

template <class T>
bool parse_all(std::string_view text, T& number) {
  auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && rest == text.data() + text.size();
}

std::pair<std::uint32_t, std::uint32_t> parse_pixels(const std::string& text) {
  std::size_t sign = text.find('x');
  std::pair<std::uint32_t, std::uint32_t> pixels;
  bool is_valid = sign != std::string::npos &&
                  parse_all(std::string_view(text).substr(0, sign), pixels.first) &&
                  parse_all(std::string_view(text).substr(sign + 1), pixels.second);
  if (!is_valid) {
    throw_invalid(fmt::format("invalid size \"{}\"; expected one such as 1200x600", text));
  }
  for (std::uint32_t each : {pixels.first, pixels.second}) {
    if (each >= PlotStyle::kLeastPixels && each <= PlotStyle::kMostPixels) continue;
    throw_invalid(fmt::format("invalid size \"{}\"; width and height are from {} to {}", text,
                              PlotStyle::kLeastPixels, PlotStyle::kMostPixels));
  }
  return pixels;
}

std::pair<double, double> parse_range(const std::string& text) {
  std::size_t sign = text.find(':');
  std::pair<double, double> range;
  bool is_valid =
      sign != std::string::npos && parse_all(std::string_view(text).substr(0, sign), range.first) &&
      parse_all(std::string_view(text).substr(sign + 1), range.second) &&
      std::isfinite(range.first) && std::isfinite(range.second) && range.first < range.second;
  if (!is_valid) {
    throw_invalid(
        fmt::format("invalid range \"{}\"; expected the least and the greatest value, "
                    "such as 0:5",
                    text));
  }
  return range;
}

PlotFormat format_of(const PlotArguments& arguments) {
  if (arguments.format) return *arguments.format;
  if (arguments.output.empty()) return PlotFormat::text;
  std::string extension = std::filesystem::path(arguments.output).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  if (extension == ".svg") return PlotFormat::svg;
  if (extension == ".png") return PlotFormat::png;
  if (extension == ".txt") return PlotFormat::text;
  throw_invalid(
      fmt::format("cannot determine the format from the name \"{}\"; end it with .svg or "
                  ".png, or use --format",
                  arguments.output));
}

/// An option that would have no effect is refused, with what has it.
void require_options_fit(const PlotArguments& arguments) {
  auto require = [](bool is_met, const char* text) {
    if (!is_met) throw_invalid(text);
  };
  bool is_text = *arguments.format == PlotFormat::text;
  bool is_over_time = arguments.request.against.empty();
  require(is_text || !arguments.output.empty(), "--format svg and png require -o");
  require(!is_text || !arguments.pixels,
          "--size is of SVG and PNG, which require -o; use --width and --height for text");
  require(!is_text || !arguments.is_dark, "--theme is of SVG and PNG, which require -o");
  require(is_text || (!arguments.columns && !arguments.lines),
          "--width and --height are of text; use --size for SVG and PNG");
  require(is_text || !arguments.coloring, "--color is of text; use --theme for SVG and PNG");
  require(!is_over_time || !arguments.style.has_equal_scales, "--equal requires --against");
  require(is_over_time || arguments.style.times == PlotTimes::start,
          "--times is of the axis of time, which --against replaces");
  require(is_over_time || !arguments.request.gap,
          "--gap is of the axis of time, which --against replaces");
  require(!arguments.style.has_equal_scales || !arguments.style.y,
          "--equal and --y exclude each other");
}

void add_drawing(Verb& verb, PlotArguments& arguments) {
  PlotStyle& style = arguments.style;
  verb.common(add_text(verb, "--against", arguments.request.against, "TOPIC.FIELD",
                       "Draw the fields against this one, not against time")
                  ->group(kDrawingGroup));
  verb.common(verb.add_flag("--equal", style.has_equal_scales,
                            "Use the same scale on both axes, as for positions")
                  ->group(kDrawingGroup));
  verb.common(verb.add_flag("--stack", style.is_stacked,
                            "Draw each field in its own plot, one above the other")
                  ->group(kDrawingGroup));
  verb.common(
      add_parsed(verb, "--y", style.y, parse_range, "MIN:MAX", "Set the range of the vertical axis")
          ->group(kDrawingGroup));
  verb.common(add_choice<PlotTimes>(
                  verb, "--times", style.times,
                  {{"start", PlotTimes::start}, {"utc", PlotTimes::utc}},
                  "Select what the axis of time shows: seconds from the start of the bag, or "
                  "UTC. Default: start")
                  ->group(kDrawingGroup));
  add_parsed(verb, "--gap", arguments.request.gap, parse_positive_duration, "DURATION",
             "Stop the line where no value comes for longer than this. Default: 10 mean periods")
      ->group(kDrawingGroup);
  verb.common(add_text(verb, "--title", style.title, "TEXT", "Put this above the plot")
                  ->group(kDrawingGroup));
  verb.common(add_parsed(verb, "--size", arguments.pixels, parse_pixels, "WIDTHxHEIGHT",
                         "Set the size of SVG and PNG in pixels. Default: 1200x600")
                  ->group(kDrawingGroup));
  add_choice<std::optional<bool>>(verb, "--theme", arguments.is_dark,
                                  {{"light", false}, {"dark", true}},
                                  "Select the colors of SVG and PNG. Default: light")
      ->group(kDrawingGroup);
  auto add_count_of = [&](const char* name, std::optional<std::uint32_t>& into, const char* value,
                          const char* description, std::uint32_t least) {
    auto parse = [least](const std::string& text) {
      std::uint32_t number = 0;
      if (parse_all(text, number) && number >= least && number <= PlotStyle::kMostColumns) {
        return number;
      }
      throw_invalid(fmt::format("invalid value \"{}\"; expected an integer from {} to {}", text,
                                least, PlotStyle::kMostColumns));
    };
    add_parsed(verb, name, into, parse, value, description)->group(kDrawingGroup);
  };
  add_count_of("--width", arguments.columns, "COLUMNS",
               "Set the width of text. Default: that of the terminal, or 80",
               PlotStyle::kLeastColumns);
  add_count_of("--height", arguments.lines, "LINES",
               "Set the height of text. Default: that of the terminal, or 24",
               PlotStyle::kLeastLines);
  add_choice<std::optional<Coloring>>(
      verb, "--color", arguments.coloring,
      {{"auto", Coloring::automatic}, {"always", Coloring::always}, {"never", Coloring::never}},
      "Draw text in colors. Default: on a terminal, unless NO_COLOR is set")
      ->group(kDrawingGroup);
}

void add_plot_output(Verb& verb, PlotArguments& arguments) {
  verb.common(add_text(verb, "-o,--output", arguments.output, "FILE",
                       "Write the plot to this file, .svg or .png")
                  ->group(kOutputGroup));
  add_force(verb, arguments.may_replace, "Replace an existing file");
  add_choice<std::optional<PlotFormat>>(
      verb, "--format", arguments.format,
      {{"text", PlotFormat::text}, {"svg", PlotFormat::svg}, {"png", PlotFormat::png}},
      "Select the format of the file. Default: by its name")
      ->group(kOutputGroup);
}

}  // namespace

void add_plot(CommandLine& line) {
  auto arguments = std::make_shared<PlotArguments>();
  auto words = std::make_shared<std::vector<std::string>>();
  Verb& verb =
      line.add_verb("plot", kReadingVerbs, kPlotText, arguments, plot_bags, [arguments, words] {
        take_words(*words, *arguments);
        require_plain_range(arguments->select);
        arguments->format = format_of(*arguments);
        require_options_fit(*arguments);
      });
  PlotRequest& request = arguments->request;
  add_list(verb, "BAG", *words, "BAG... TOPIC.FIELD...",
           "Bags, whose messages are merged, and fields to plot")
      ->required();
  add_plot_output(verb, *arguments);
  add_drawing(verb, *arguments);
  add_topics(verb, arguments->select.select);
  verb.common(add_words(verb, "--fields", request.fields, "FIELD...",
                        "Draw these fields of each selected topic that has them")
                  ->group(kContentGroup));
  add_range(verb, arguments->select);
  add_choice<RowTime>(verb, "--by", request.time,
                      {{"log_time", RowTime::log_time},
                       {"publish_time", RowTime::publish_time},
                       {"header_stamp", RowTime::header_stamp}},
                      "Draw over the time of reception (log_time), of sending (publish_time) or of "
                      "the header. Default: log_time")
      ->group(kTimeGroup);
  verb.common(add_where(verb, arguments->payload.where));
  verb.common(add_count(verb, arguments->select.count));
  add_on_error(verb, request.on_error,
               "Handle messages that cannot be decoded: skip and count them; show them as gaps "
               "(raw); stop. Default: skip");
  add_definitions(verb, arguments->payload.definitions);
  add_recursive(verb, arguments->bags.is_recursive)->group(kReadingGroup);
  add_reading(verb, arguments->reading);
}

}  // namespace kitbag::cli
