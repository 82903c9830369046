#include "cli/command_line/options.h"
#include "cli/command_line/unknown_names.h"
#include "cli/command_line/verb.h"
#include "cli/verbs.h"

namespace kitbag::cli {
namespace {

constexpr VerbText kLsText{
    .summary = "List files in folders and object stores, or print links to share them.",
    .more =
        R"(In a quoted glob, * and ? match any characters but /, and ** is any number of folders.)",
    .examples = R"(  kitbag ls -l s3://bags/2026-11-26
  kitbag ls -l --bags 's3://bags/**/*.mcap'
  kitbag ls --link 1h s3://bags/2026-11-26/drive.mcap)"};

constexpr VerbText kCpText{
    .summary = "Copy files as they are, between disks, object stores and web servers.",
    .more =
        R"(A file whose content is already there is skipped. A copy appears when it is complete.)",
    .examples = R"(  kitbag cp drive.mcap s3://bags/2026-11-26/
  kitbag cp -r -j 4 s3://bags/2026-11-26 /data/
  kitbag cp 'https://bags.example.org/drive.mcap?X-Amz-Signature=...' /data/)"};

}  // namespace

void add_ls(CommandLine& line) {
  auto arguments = std::make_shared<LsArguments>();
  Verb& verb = line.add_verb("ls", kReadingVerbs, kLsText, arguments, ls, [arguments] {
    if (arguments->paths.empty()) arguments->paths = {"."};
  });
  add_list(verb, "PATH", arguments->paths, "[PATH...]",
           "Folders, files and globs. Default: this folder");
  verb.common(verb.add_flag("-l,--long", arguments->is_long, "Print sizes and times"));
  verb.common(verb.add_flag("-r,--recursive", arguments->is_recursive,
                            "Print all files in folders, and in the folders below them"));
  verb.common(verb.add_flag("--bags", arguments->opens_bags,
                            "Print the format, duration and messages of bags, which are opened"));
  verb.common(add_parsed(verb, "--link", arguments->link, parse_positive_duration, "DURATION",
                         "Print links by which anybody can read the files for this long, at most "
                         "7 days: object stores only"));
  verb.common(verb.add_flag("--json", arguments->as_json,
                            "Print a JSON object for each file, on a line of its own"));
}

void add_cp(CommandLine& line) {
  auto arguments = std::make_shared<CpArguments>();
  constexpr int kMost = CLI::detail::expected_max_vector_size;
  Verb& verb = line.add_verb("cp", kWritingVerbs, kCpText, arguments, cp, [arguments] {
    arguments->target = arguments->sources.back();
    arguments->sources.pop_back();
  });
  add_list(
      verb, kSourcesAndTarget, arguments->sources, "SRC... DST",
      "Files, folders and globs; DST is a new name or, if it ends with / or is a folder, where "
      "the copies go")
      ->required()
      ->expected(2, kMost);
  add_force(verb, arguments->may_replace, "Replace files that have another content");
  verb.common(verb.add_flag("-r,--recursive", arguments->is_recursive,
                            "Copy folders, with everything below them")
                  ->group(kOutputGroup));
  verb.common(add_number(verb, "-j,--jobs", arguments->jobs, "N",
                         "Copy N files at the same time. Default: 1", 1U, kMostThreads)
                  ->group(kOutputGroup));
  verb.common(verb.add_flag("--verify", arguments->reads_again,
                            "Read each copy and compare it with its source")
                  ->group(kOutputGroup));
  verb.common(verb.add_flag("--json", arguments->as_json,
                            "Print a JSON object for each file or bag, on a line of its own")
                  ->group(kOutputGroup));
}

}  // namespace kitbag::cli
