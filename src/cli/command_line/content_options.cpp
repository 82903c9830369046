#include "cli/command_line/options.h"

namespace kitbag::cli {
namespace {

/// OLD may be empty: some topics have no name.
std::pair<std::string, std::string> parse_rename(const std::string& text) {
  std::size_t sign = text.find(":=");
  if (sign == std::string::npos || sign + 2 == text.size()) {
    throw_invalid(fmt::format("--rename: expected OLD:=NEW, got \"{}\"", text));
  }
  return {text.substr(0, sign), text.substr(sign + 2)};
}

}  // namespace

void add_renames(Verb& verb, const std::string& name, Renames& renames) {
  auto take = [&renames](const std::vector<std::string>& texts) {
    for (const std::string& text : texts) {
      for (const std::string& word : split_words(text))
        renames.topics.push_back(parse_rename(word));
    }
  };
  verb.common(verb.add_option_function<std::vector<std::string>>(
                      name, take, "Rename topics; '/a/*:=/b/*' renames all that fit")
                  ->transform(unmarked)
                  ->option_text("OLD:=NEW...")
                  ->group(kContentGroup));
  add_text(verb, "--prefix", renames.prefix, "TEXT", "Put this before the names of all topics")
      ->group(kContentGroup);
}

void add_new_times(Verb& verb, PayloadOptions& payload) {
  add_parsed(
      verb, "--shift", payload.shift, parse_signed_duration, "DURATION",
      "Set all log and publish times later by this, or earlier: -1h. Stamps in messages stay")
      ->group(kContentGroup);
  verb.add_flag("--align-to-header", payload.aligns_to_header,
                "Set log times to header.stamp, where messages have one; the order stays")
      ->group(kContentGroup);
}

void add_no_extras(Verb& verb, PayloadOptions& payload) {
  verb.add_flag("--no-metadata", payload.drops_metadata, "Skip the metadata of the bags")
      ->group(kContentGroup);
  verb.add_flag("--no-attachments", payload.drops_attachments, "Skip the attachments of the bags")
      ->group(kContentGroup);
}

CLI::Option* add_encoding(Verb& verb, TranscodingOptions& transcoding) {
  return add_text(verb, "--encoding", transcoding.encoding, "ros1|cdr|protobuf|json",
                  "Convert payloads and their schemas to this encoding")
      ->group(kContentGroup);
}

CLI::Option* add_encode_video(Verb& verb, std::vector<EncodedTopics>& videos,
                              const std::string& more) {
  auto take = [&videos](const std::vector<std::string>& texts) {
    for (const std::string& text : texts) {
      try {
        videos.push_back(parse_encoded_topics(unmarked(text)));
      } catch (const Error& error) {
        throw_invalid(fmt::format("--encode-video: {}", error.what()));
      }
    }
  };
  return verb
      .add_option_function<std::vector<std::string>>(
          "--encode-video", take,
          "Convert pictures to a video, optionally followed by settings (crf, bitrate, preset, "
          "key, gop) such as h264:crf=23,key=1s. " +
              more)
      ->option_text("TOPIC=h264|h265...")
      ->group(kContentGroup);
}

void add_on_error(Verb& verb, OnError& on_error, const std::string& description) {
  add_choice<OnError>(verb, "--on-error", on_error,
                      {{"stop", OnError::stop}, {"skip", OnError::skip}, {"raw", OnError::raw}},
                      description)
      ->group(kContentGroup);
}

void add_definitions(Verb& verb, std::vector<std::string>& folders) {
  add_list(verb, "--definitions", folders, "DIR...",
           "Search these folders for missing definitions, before the folders in the environment")
      ->group(kContentGroup);
}

void add_evolution(Verb& verb, TranscodingOptions& transcoding) {
  add_list(verb, "--to-definitions", transcoding.to_definitions, "DIR...",
           "Convert messages to the definitions in these folders: copy fields of the same name, "
           "set new ones to their defaults")
      ->group(kContentGroup);
  add_text(verb, "--migrate", transcoding.migrate, "FILE",
           "Read conversion rules: new names of types and fields, and values for new fields")
      ->group(kContentGroup);
}

void add_printing(Verb& verb, PrintingOptions& print) {
  using NotANumber = CodecOptions::NotANumber;
  using Bytes = CodecOptions::Bytes;
  verb.explain_words([](const std::string& word) {
    std::string name = word.substr(0, word.find('='));
    if (name != "-o" && name != "--output") return std::string();
    return fmt::format("unknown option {}; redirect the output with >, or use kitbag export", name);
  });
  verb.common(add_words(verb, "--fields", print.fields, "FIELD...",
                        "Print only these fields, such as pose.position.x,ranges[0], in this order")
                  ->group(kPrintingGroup));
  add_choice<NotANumber>(verb, "--nan", print.codec.not_a_number,
                         {{"null", NotANumber::null}, {"string", NotANumber::text}},
                         "Select how JSON shows NaN and infinities. Default: null")
      ->group(kPrintingGroup);
  add_choice<Bytes>(verb, "--bytes", print.codec.bytes,
                    {{"base64", Bytes::base64}, {"array", Bytes::array}, {"omit", Bytes::omit}},
                    "Select how lists of uint8 are printed. Default: base64")
      ->group(kPrintingGroup);
  add_choice<bool>(verb, "--int64", print.quotes_int64, {{"number", false}, {"string", true}},
                   "Select how JSON shows 64-bit integers. Default: number")
      ->group(kPrintingGroup);
  add_choice<TimeFormat>(
      verb, "--time-format", print.time_format,
      {{"ns", TimeFormat::ns}, {"seconds", TimeFormat::seconds}, {"iso", TimeFormat::iso}},
      "Select how CSV shows times. Default: ns")
      ->group(kPrintingGroup);
  auto* elide = add_parsed(verb, "--elide", print.elided_behind, parse_size, "N",
                           "Limit lists to N elements in JSON and YAML. Default: 16 on a "
                           "terminal, else never");
  elide->group(kPrintingGroup);
  verb.add_flag_callback(
          "--full", [&print] { print.elided_behind = 0; }, "Print lists whole, also on a terminal")
      ->group(kPrintingGroup)
      ->excludes(elide);
  add_choice<Coloring>(
      verb, "--color", print.coloring,
      {{"auto", Coloring::automatic}, {"always", Coloring::always}, {"never", Coloring::never}},
      "Print topics in colors. Default: on a terminal, unless NO_COLOR is set")
      ->group(kPrintingGroup);
  verb.add_flag("--escape-formulas", print.escapes_formulas,
                "Put ' before CSV texts that begin with = + - @, which spreadsheets treat as "
                "formulas")
      ->group(kPrintingGroup);
  add_on_error(verb, print.on_error,
               "Handle messages that cannot be decoded: skip and count them; print their bytes "
               "(raw); or stop. Default: skip");
}

}  // namespace kitbag::cli
