#include "cli/command_line/options.h"
#include "cli/command_line/unknown_names.h"
#include "cli/command_line/verb.h"
#include "cli/verbs.h"

// One verb under many names. A name brings a default or a requirement, and everything else stays
// possible, so `cut --compression zstd` need not be two passes. kPresets says what each name
// brings:
//
//   filter, cut, split     refuse a line without their own option, as it would be a plain copy
//   compress, decompress,
//   encrypt, decrypt       change bags in place unless a target is named, as rosbag's verbs do
//   sort, merge            are what people look for; convert does the same

namespace kitbag::cli {
namespace {

constexpr VerbText kConvertText{
    .summary = "Write a new bag: select, cut, merge, split, rename, compress in one pass.",
    .more = "OUT appears complete or not at all. An existing OUT is replaced only with --force.",
    .examples = R"(  kitbag convert run.bag out.mcap --compression zstd
  kitbag convert a.bag b.bag -o both.bag --rename /scan:=/laser --exclude /camera/raw
  kitbag convert *.bag --output-dir small --compression lz4 -j 4)",
    .notes =
        R"(The verbs filter, cut, merge, split, compress, decompress, sort, encrypt and decrypt are
convert with another default or a required option.

The last name is OUT, unless -o names it or --output-dir gives each IN an output of its own. With
several IN, and for merge, an existing file is replaced only if -o names it and --force is given: a
pattern such as *.bag may end with a bag that nobody meant. With --output-dir, a bag that fails does
not stop the others; the exit code is that of the worst, and the last line sums up. OUT may be in an
object store: s3://BUCKET/KEY.

With --start, the frames of a video from its last key frame on come too, with their own times, if
its first frame could not be decoded without them; --no-key-frames leaves them out.

Definitions that IN lacks are searched for in --definitions, in the environment variables
KITBAG_DEFINITIONS, ROS_PACKAGE_PATH and AMENT_PREFIX_PATH, and in /usr/share; those with the right
MD5 sum are added to OUT.

More examples:
  kitbag convert run.bag part.bag --split-size 1GB     write part_0.bag, part_1.bag, ...
  kitbag convert extra.bag run.bag --append            append the messages of extra.bag to run.bag
  kitbag convert old.bag new.bag --definitions msgs    find types in msgs/PACKAGE/msg/TYPE.msg)"};

constexpr VerbText kFilterText{
    .summary = "Keep selected messages: convert with a required selection.",
    .examples = R"(  kitbag filter run.bag scans.bag --topics '/scan*' /tf
  kitbag filter run.bag light.bag --exclude '/camera/*'
  kitbag filter run.bag fast.bag --topics /cmd_vel --where 'linear.x > 0.5')"};

constexpr VerbText kCutText{
    .summary = "Keep a time range: convert with a required --start, --end or --duration.",
    .examples = R"(  kitbag cut run.bag middle.bag --start +10s --end -10s
  kitbag cut run.bag last.bag --start -5s
  kitbag cut run.bag crash.bag --start 2026-11-20T14:30:00Z --duration 30s)"};

constexpr VerbText kMergeText{
    .summary = "Merge several bags into one, ordered by time: convert with several IN.",
    .examples = R"(  kitbag merge front.bag rear.bag both.bag
  kitbag merge part_*.bag -o whole.bag --compression lz4)"};

constexpr VerbText kSplitText{
    .summary = "Split a bag into several: convert with a required --split option.",
    .more = "The files are named after OUT: part.bag gives part_0.bag, part_1.bag, ...",
    .examples = R"(  kitbag split run.bag part.bag --split-size 1GB
  kitbag split run.bag part.bag --split-duration 10m
  kitbag split run.bag part.bag --split-messages 100000)"};

constexpr char kInPlaceMore[] =
    "x.bag is kept as x.orig.bag, which is never replaced, unless -o or --output-dir is given.";

constexpr VerbText kCompressText{
    .summary = "Compress bags in place: convert with --compression lz4.",
    .more = kInPlaceMore,
    .examples = R"(  kitbag compress *.bag
  kitbag compress *.bag --output-dir small --compression bz2 -j 4)"};

constexpr VerbText kDecompressText{
    .summary = "Decompress bags in place: convert with --compression none.",
    .more = kInPlaceMore,
    .examples = R"(  kitbag decompress *.bag
  kitbag decompress small.bag -o run.bag)"};

constexpr VerbText kSortText{.summary = "Store messages in time order: convert with --order time.",
                             .examples = R"(  kitbag sort run.bag sorted.bag
  kitbag sort run.bag sorted.bag --by publish_time)"};

constexpr VerbText kEncryptText{
    .summary = "Encrypt bags in place for the owner of a GnuPG key: convert to encrypted bags.",
    .more = kInPlaceMore,
    .examples = R"(  kitbag encrypt *.bag --gpg-key jane@example.com
  kitbag encrypt secret.bag -o part.bag --gpg-key '*' --start +10s)",
    .notes =
        R"(An original that is kept, x.orig.bag, is not encrypted.

Messages, topics and types are encrypted; times, counts and sizes are not. rosbag can
read OUT. The passphrase comes from gpg's agent or from ROSBAG_GPG_PASSPHRASE.)"};

constexpr VerbText kDecryptText{
    .summary = "Decrypt bags in place: convert with a GnuPG secret key for the bags.",
    .more = kInPlaceMore,
    .examples = R"(  kitbag decrypt secret.bag
  kitbag decrypt secret.bag -o run.bag --gpg-key jane@example.com)"};

void add_reading_key(Verb& verb, ConvertArguments& arguments) {
  add_gpg_key(verb, arguments.reading.gpg_key,
              "Decrypt IN with gpg's secret key of USER ('*': any key). OUT is not encrypted");
}

void add_encrypting_key(Verb& verb, ConvertArguments& arguments) {
  arguments.reading.gpg_key = "*";  // IN may be encrypted too
  verb.common(add_gpg_key(
      verb, arguments.target.write.gpg_key,
      "Encrypt OUT with gpg's public key of USER ('*': the first key that has a secret key)"));
}

void add_decrypting_key(Verb& verb, ConvertArguments& arguments) {
  arguments.reading.gpg_key = "*";
  verb.common(add_gpg_key(verb, arguments.reading.gpg_key,
                          "Decrypt IN with gpg's secret key of USER. Default: any key"));
}

void add_sorting(Verb& verb, ConvertArguments& arguments) {
  verb.common(verb.get_option("--by"));
  add_reading_key(verb, arguments);
}

/// One name of `convert`, with its defaults and requirements.
struct Preset {
  const char* name;
  VerbText text;
  const char* compression;
  void (*require)(const ConvertArguments&);
  void (*add_own)(Verb&, ConvertArguments&) = add_reading_key;
  OutputOptions::Default output = OutputOptions::Default::last_name;
};

void require_nothing(const ConvertArguments&) {}

void require_narrow(const ConvertArguments& arguments) {
  if (arguments.select.is_narrow() || arguments.payload.selects()) return;
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

constexpr auto kInPlace = OutputOptions::Default::in_place;

constexpr Preset kPresets[] = {
    {"convert", kConvertText, "none", require_nothing},
    {"filter", kFilterText, "none", require_narrow},
    {"cut", kCutText, "none", require_range},
    {"merge", kMergeText, "none", require_nothing, add_reading_key,
     OutputOptions::Default::last_of_several},
    {"split", kSplitText, "none", require_split},
    {"compress", kCompressText, "lz4", require_nothing, add_reading_key, kInPlace},
    {"decompress", kDecompressText, "none", require_nothing, add_reading_key, kInPlace},
    {"sort", kSortText, "none", require_nothing, add_sorting},
    {"encrypt", kEncryptText, "none", require_user, add_encrypting_key, kInPlace},
    {"decrypt", kDecryptText, "none", require_nothing, add_decrypting_key, kInPlace},
};

void add_target(Verb& verb, TargetOptions& target) {
  CLI::Option* append = verb.add_flag("--append", target.append, "Append to OUT, which must exist");
  append->group(kOutputGroup);
  add_force(verb, target.write.may_replace, "Replace OUT if it exists");
  add_storage(verb, target.write, target.write.compression);
  for (CLI::Option* option : add_split(verb, target.split)) option->excludes(append);
}

/// Checks the options of `convert` and completes the arguments.
void complete_convert(const char* name, ConvertArguments& arguments) {
  require_plain_range(arguments.select);
  require_thinning_fits(arguments.payload, arguments.select);
  take_target(arguments.output, arguments.inputs, arguments.target, name);
}

void add_preset(CommandLine& line, const Preset& preset) {
  auto arguments = std::make_shared<ConvertArguments>();
  arguments->target.write.compression = preset.compression;
  Verb& verb = line.add_verb(preset.name, kWritingVerbs, preset.text, arguments, convert,
                             [arguments, &preset] {
                               complete_convert(preset.name, *arguments);
                               preset.require(*arguments);
                             });
  arguments->output.by_default = preset.output;
  CLI::Option* inputs = nullptr;
  if (preset.output == kInPlace) {
    add_bags(verb, arguments->inputs, "Bags to change in place");
  } else {
    // IN and OUT are one list: as two arguments, CLI11 would add an OUT before the options to IN.
    inputs = add_list(verb, kInputsAndOutput, arguments->inputs, "IN... [OUT]",
                      "Bags to read; then OUT, unless an option names it");
    inputs->required();
  }
  add_output(verb, arguments->output, inputs);
  add_jobs(verb, arguments->output);
  add_select(verb, arguments->select);
  add_no_key_frames(verb, arguments->select.with_key_frames);
  verb.common(add_where(verb, arguments->payload.where));
  add_count(verb, arguments->select.count);
  add_thinning(verb, arguments->payload);
  add_renames(verb, "--rename", arguments->renames);
  add_new_times(verb, arguments->payload);
  add_no_extras(verb, arguments->payload);
  verb.common(add_encoding(verb, arguments->payload.transcoding));
  add_encode_video(verb, arguments->payload.videos, "Raw pictures and JPEGs become smaller");
  add_on_error(verb, arguments->payload.on_error,
               "Handle what cannot be decoded: stop; skip and count the messages; or copy the "
               "channel unchanged (raw). Default: stop");
  add_definitions(verb, arguments->payload.definitions);
  add_evolution(verb, arguments->payload.transcoding);
  add_target(verb, arguments->target);
  add_strict(verb, arguments->reading);
  add_input(verb, arguments->reading);
  preset.add_own(verb, *arguments);
}

}  // namespace

void add_converts(CommandLine& line) {
  for (const Preset& preset : kPresets) {
    if (line.wants(preset.name)) add_preset(line, preset);
  }
}

}  // namespace kitbag::cli
