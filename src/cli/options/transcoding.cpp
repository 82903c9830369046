#include "cli/options/transcoding.h"

#include <filesystem>
#include <span>

#include "kitbag/error.h"
#include "kitbag/file.h"

namespace kitbag::cli {
namespace {

/// More is no file of rules.
constexpr std::uint64_t kMostRuleBytes = 1 << 20;

std::string read_rules(const std::string& path) {
  auto file = open_file(path);
  if (file->size() > kMostRuleBytes) {
    throw Error(ErrorCode::invalid, "the file is too large for conversion rules", path);
  }
  std::string text(static_cast<std::size_t>(file->size()), '\0');
  text.resize(file->read(0, std::as_writable_bytes(std::span(text))));
  return text;
}

}  // namespace

TranscodeOptions TranscodingOptions::with(OnError on_error, TranscodeReport* report) const {
  TranscodeOptions options;
  options.encoding = encoding;
  options.on_error = on_error;
  options.report = report;
  for (const std::string& folder : to_definitions) {
    std::error_code ignored;
    if (!std::filesystem::is_directory(folder, ignored)) {
      throw Error(ErrorCode::not_found, "the definition folder does not exist", folder);
    }
    options.to_definitions.push_back({folder, 0});
  }
  if (migrate.empty()) return options;
  // Rules say how a type becomes another one, and without either of these no type is given to
  // become.
  if (to_definitions.empty() && encoding.empty()) {
    throw Error(ErrorCode::invalid, "--migrate requires --to-definitions DIR or --encoding NAME");
  }
  try {
    options.migration = parse_migration(read_rules(migrate));
  } catch (const Error& error) {
    throw Error(error.code(), error.message(), migrate);
  }
  return options;
}

std::unique_ptr<Source> transcoded(std::unique_ptr<Source> source,
                                   const TranscodingOptions& options, OnError on_error,
                                   TranscodeReport& report, const Context& context) {
  if (!options.any() && options.migrate.empty()) return source;
  return through(std::move(source), transcode(options.with(on_error, &report), context.session));
}

}  // namespace kitbag::cli
