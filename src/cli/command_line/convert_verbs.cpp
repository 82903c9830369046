#include "cli/command_line/options.h"
#include "cli/command_line/verb.h"
#include "cli/verbs.h"

namespace kitbag::cli {
namespace {

void add_reading_key(CLI::App& app, ConvertArguments& arguments) {
  add_gpg_key(app, arguments.reading.gpg_key,
              "Decrypt IN with gpg's secret key of USER ('*': any\nkey). OUT is not encrypted");
}

void add_encrypting_key(CLI::App& app, ConvertArguments& arguments) {
  arguments.reading.gpg_key = "*";  // what is encrypted already may be encrypted anew
  add_gpg_key(
      app, arguments.target.write.gpg_key,
      "Encrypt OUT with gpg's public key of USER ('*': the\nfirst key that has a secret key)");
}

void add_decrypting_key(CLI::App& app, ConvertArguments& arguments) {
  arguments.reading.gpg_key = "*";
  add_gpg_key(app, arguments.reading.gpg_key,
              "Decrypt IN with gpg's secret key of USER. Default:\nany key");
}

/// One name of `convert`, with its own defaults and what it insists on.
struct Preset {
  const char* name;
  const char* description;
  const char* footer;
  const char* compression;
  void (*require)(const ConvertArguments&);
  void (*add_key)(CLI::App&, ConvertArguments&) = add_reading_key;
};

void require_nothing(const ConvertArguments&) {}

void require_narrow(const ConvertArguments& arguments) {
  if (arguments.select.is_narrow() || !arguments.payload.where.empty()) return;
  throw_invalid(
      "filter: select the messages to keep, for example with --topics; see kitbag filter --help");
}

void require_range(const ConvertArguments& arguments) {
  const SelectOptions& select = arguments.select;
  if (select.start || select.end || select.duration) return;
  throw_invalid("cut: select the time range with --start, --end or --duration");
}

void require_split(const ConvertArguments& arguments) {
  if (arguments.target.split.any()) return;
  throw_invalid("split: set a limit with --split-size, --split-duration or --split-messages");
}

void require_user(const ConvertArguments& arguments) {
  if (!arguments.target.write.gpg_key.empty()) return;
  throw_invalid(
      "encrypt: specify the recipient with --gpg-key USER; '*' selects gpg's first secret key");
}

constexpr Preset kPresets[] = {
    {"convert", help::kConvert, help::kConvertFooter, "none", require_nothing},
    {"filter", help::kFilter, help::kFilterFooter, "none", require_narrow},
    {"cut", help::kCut, help::kCutFooter, "none", require_range},
    {"merge", help::kMerge, help::kMergeFooter, "none", require_nothing},
    {"split", help::kSplit, help::kSplitFooter, "none", require_split},
    {"compress", help::kCompress, help::kCompressFooter, "lz4", require_nothing},
    {"decompress", help::kDecompress, help::kDecompressFooter, "none", require_nothing},
    {"sort", help::kSort, help::kSortFooter, "none", require_nothing},
    {"encrypt", help::kEncrypt, help::kEncryptFooter, "none", require_user, add_encrypting_key},
    {"decrypt", help::kDecrypt, help::kDecryptFooter, "none", require_nothing, add_decrypting_key},
};

void add_target(CLI::App& app, TargetOptions& target) {
  constexpr const char* kGroup = "Output";
  CLI::Option* append = app.add_flag("--append", target.append, "Append to OUT, which must exist");
  append->group(kGroup);
  add_force(app, target.write.may_replace, "Replace OUT if it exists")->group(kGroup);
  add_storage(app, target.write, target.write.compression);
  for (CLI::Option* option : add_split(app, target.split, "Split into OUT_0, OUT_1, ...")) {
    option->excludes(append);
  }
}

/// What the options of a `convert` mean together.
void complete_convert(ConvertArguments& arguments, const std::vector<std::string>& renames) {
  require_plain_range(arguments.select);
  arguments.target.path = arguments.inputs.back();
  arguments.inputs.pop_back();
  arguments.renames = parse_renames(renames);
}

void add_preset(CommandLine& line, const Preset& preset) {
  auto arguments = std::make_shared<ConvertArguments>();
  auto renames = std::make_shared<std::vector<std::string>>();
  arguments->target.write.compression = preset.compression;
  CLI::App& app =
      line.add_verb(preset.name, preset.description, std::string(help::kTimes) + preset.footer,
                    arguments, convert, [arguments, renames, &preset] {
                      complete_convert(*arguments, *renames);
                      preset.require(*arguments);
                    });
  // OUT is the last of one list: CLI11 would give an OUT before the options to IN.
  add_list(app, "IN...OUT", arguments->inputs, "IN... OUT", "Bags to read and the bag to write")
      ->required()
      ->expected(2, CLI::detail::expected_max_vector_size);
  add_select(app, arguments->select);
  add_renames(app, "--rename", *renames);
  add_transcoding(app, arguments->payload,
                  "Handle what cannot be decoded: stop; skip and count\nthe messages; or copy the "
                  "channel unchanged (raw).\nDefault: stop");
  add_target(app, arguments->target);
  add_strict(app, arguments->reading);
  add_taking_for(app, arguments->reading);
  preset.add_key(app, *arguments);
}

}  // namespace

void add_converts(CommandLine& line) {
  for (const Preset& preset : kPresets) add_preset(line, preset);
}

}  // namespace kitbag::cli
