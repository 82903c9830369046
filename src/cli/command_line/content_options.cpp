#include "cli/command_line/options.h"

namespace kitbag::cli {

void add_evolution(CLI::App& app, TranscodingOptions& transcoding) {
  constexpr const char* kGroup = "Message content";
  add_list(app, "--to-definitions", transcoding.to_definitions, "DIR...",
           "Convert messages to the definitions in these folders:\ncopy fields of the same name, "
           "set new ones to their\ndefaults")
      ->group(kGroup);
  add_text(app, "--migrate", transcoding.migrate, "FILE",
           "Read conversion rules: new names of types and fields,\nand values for new fields")
      ->group(kGroup);
}

void add_payload(CLI::App& app, PayloadOptions& payload) {
  add_text(app, "--where", payload.where, "CONDITION",
           "Select messages whose fields meet a condition, such as\n'linear.x > 0.5 && frame == "
           "\"map\"'")
      ->group("Message selection");
  add_definitions(app, payload.definitions);
  add_evolution(app, payload.transcoding);
}

void add_on_error(CLI::App& app, OnError& on_error, const std::string& description) {
  add_choice<OnError>(app, "--on-error", on_error,
                      {{"stop", OnError::stop}, {"skip", OnError::skip}, {"raw", OnError::raw}},
                      description)
      ->group("Message content");
}

void add_transcoding(CLI::App& app, PayloadOptions& payload, const std::string& on_error) {
  add_payload(app, payload);
  add_text(app, "--encoding", payload.transcoding.encoding, "ros1|cdr|protobuf|json",
           "Convert payloads and their schemas to this encoding.\nDefault: unchanged")
      ->group("Message content");
  add_on_error(app, payload.on_error, on_error);
}

void add_print(CLI::App& app, PrintOptions& print) {
  constexpr const char* kGroup = "Message content";
  using NotANumber = CodecOptions::NotANumber;
  using Bytes = CodecOptions::Bytes;
  add_list(app, "--fields", print.fields, "PATH...",
           "Print only these fields, such as pose.position.x")
      ->delimiter(',')
      ->group(kGroup);
  add_choice<NotANumber>(app, "--nan", print.codec.not_a_number,
                         {{"null", NotANumber::null}, {"string", NotANumber::text}},
                         "Select how JSON shows NaN and infinities. Default:\nnull")
      ->group(kGroup);
  add_choice<Bytes>(app, "--bytes", print.codec.bytes,
                    {{"base64", Bytes::base64}, {"array", Bytes::array}, {"omit", Bytes::omit}},
                    "Select how lists of uint8 are printed. Default: base64")
      ->group(kGroup);
  app.add_flag(
         "--escape-formulas", print.escapes_formulas,
         "Put ' before CSV texts that begin with = + - @, which\nspreadsheets treat as formulas")
      ->group(kGroup);
  add_on_error(app, print.on_error,
               "Handle messages that cannot be decoded: skip and\ncount them; print their bytes "
               "(raw); or stop.\nDefault: skip");
}

}  // namespace kitbag::cli
