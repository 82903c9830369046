#include "kitbag/open.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "kitbag/error.h"
#include "pipeline/check_definitions.h"

namespace kitbag {
namespace {

void read_head(Input& input) {
  if (!input.file || !input.head.empty()) return;
  std::uint64_t size = std::min<std::uint64_t>(input.file->size(), Input::kHeadBytes);
  input.head.resize(static_cast<std::size_t>(size));
  input.head.resize(input.file->read(0, input.head));
}

Input input_at(const std::string& path) {
  Input input{path, {}, nullptr};
  std::error_code ignored;  // what is wrong with the path, open_file() says better
  if (!std::filesystem::is_directory(path, ignored)) input.file = open_file(path);
  read_head(input);
  return input;
}

/// Throws for a pipe that the format cannot be read from.
void require_places(const Input& input, const Format& format) {
  if (!input.file || !input.file->is_forward_only() || format.can_stream) return;
  throw Error(ErrorCode::unsupported,
              fmt::format("{} is read at many places, so store it in a file first", format.name),
              input.path);
}

/// "rosbag (.bag), mcap (.mcap)"
std::string known_formats(const Registry& registry) {
  std::vector<std::string> names;
  for (const Format& format : registry.formats) {
    names.push_back(format.extension.empty()
                        ? std::string(format.name)
                        : fmt::format("{} ({})", format.name, format.extension));
  }
  return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
}

const Format& format_named(const std::string& name, const Registry& registry) {
  if (const Format* format = find_format(registry, name)) return *format;
  throw Error(ErrorCode::invalid, fmt::format("there is no format \"{}\"; there are {}", name,
                                              known_formats(registry)));
}

/// The format called `name`, or where that is empty the one that the content tells.
const Format& format_of(const Input& input, const std::string& name, const Registry& registry) {
  if (!name.empty()) return format_named(name, registry);
  const Format* best = nullptr;
  int surest = 0;
  for (const Format& format : registry.formats) {
    int sure = format.matches(input);
    if (sure > surest) {
      surest = sure;
      best = &format;
    }
  }
  if (best) return *best;
  if (input.file && input.file->size() == 0) {
    throw Error(ErrorCode::corrupt, "the file is empty", input.path);
  }
  throw Error(ErrorCode::unsupported,
              fmt::format("not a bag that kitbag knows; it knows {}", known_formats(registry)),
              input.path);
}

const Format& format_to_create(const std::string& path, const std::string& name,
                               const Registry& registry) {
  if (!name.empty()) return format_named(name, registry);
  std::string extension = std::filesystem::path(path).extension().string();
  for (const Format& format : registry.formats) {
    if (!extension.empty() && format.extension == extension) return format;
    if (path == "-" && format.can_stream) return format;
  }
  throw Error(ErrorCode::invalid,
              fmt::format("the extension \"{}\" tells no format; there are {}", extension,
                          known_formats(registry)),
              path);
}

/// The compressions of the version that is to be written. Throws Error (invalid) for a version that
/// there is not.
const std::vector<std::string_view>& compressions_of(const Format& format,
                                                     const WriteOptions& options) {
  if (options.format_version.empty()) return format.compressions;
  std::vector<std::string_view> names;
  for (const FormatVersion& version : format.versions) {
    if (version.name == options.format_version) return version.compressions;
    names.push_back(version.name);
  }
  if (names.empty()) {
    throw Error(ErrorCode::invalid, fmt::format("{} has no versions to choose from", format.name));
  }
  throw Error(ErrorCode::invalid,
              fmt::format("{} is not written in version \"{}\"; it is in {}", format.name,
                          options.format_version, fmt::join(names, ", ")));
}

void check_compression(const Format& format, const WriteOptions& options) {
  const auto& known = compressions_of(format, options);
  if (std::find(known.begin(), known.end(), options.compression) != known.end()) return;
  std::string version = options.format_version.empty() ? "" : " " + options.format_version;
  throw Error(ErrorCode::invalid,
              fmt::format("{}{} has no compression \"{}\"; it has {}", format.name, version,
                          options.compression, fmt::join(known, ", ")));
}

void check_preset(const Format& format, const WriteOptions& options) {
  const auto& known = format.presets;
  if (options.preset.empty()) return;
  if (std::find(known.begin(), known.end(), options.preset) != known.end()) return;
  throw Error(ErrorCode::invalid,
              known.empty() ? fmt::format("{} has no presets", format.name)
                            : fmt::format("{} has no preset \"{}\"; it has {}", format.name,
                                          options.preset, fmt::join(known, ", ")));
}

/// What was to be secret must never be written plainly because a format knows no secrets.
void check_encryption(const Format& format, const WriteOptions& options) {
  if (options.gpg_key.empty()) return;
  const std::string& version = options.format_version;
  bool is_newest = version.empty() || format.versions.empty() || format.versions[0].name == version;
  if (format.can_encrypt && is_newest) return;
  throw Error(ErrorCode::unsupported, fmt::format("{}{}{} cannot be encrypted", format.name,
                                                  version.empty() ? "" : " ", version));
}

/// For formats that have nothing to verify: whatever can be read is read.
void read_all(const Format& format, const Input& input, const ReadOptions& options,
              const Registry& registry) {
  BagPtr bag = format.open(input, options, registry);
  std::unique_ptr<Source> source = bag->read(Query{});
  for (Batch batch; source->read(batch, Wait{}); batch.clear()) {
  }
}

/// Looks at what a format leaves opaque. The bag's damage has been told already.
void check_content(const Format& format, const Input& input, const ReadOptions& options,
                   const Registry& registry) {
  ReadOptions quiet = options;
  quiet.on_problem = [](const Error&) {};
  BagPtr bag = format.open(input, quiet, registry);
  check_definitions(*bag, input.path, options.on_problem);
}

}  // namespace

BagPtr open(const std::string& uri, const ReadOptions& options, const Registry& registry) {
  return open(input_at(path_of(uri)), options, registry);
}

BagPtr open(const Input& input, const ReadOptions& options, const Registry& registry) {
  Input whole = input;
  read_head(whole);
  const Format& format = format_of(whole, options.format, registry);
  require_places(whole, format);
  return format.open(whole, options, registry);
}

std::unique_ptr<Writer> create(const std::string& uri, const std::string& format,
                               const WriteOptions& options, const Registry& registry) {
  std::string path = path_of(uri);
  const Format& chosen = format_to_create(path, format, registry);
  if (!chosen.create) {
    throw Error(ErrorCode::unsupported, fmt::format("{} can only be read", chosen.name), path);
  }
  if (path == "-" && !chosen.can_stream) {
    throw Error(ErrorCode::unsupported,
                fmt::format("{} needs a file: it cannot be written to a pipe", chosen.name), path);
  }
  check_compression(chosen, options);
  check_preset(chosen, options);
  check_encryption(chosen, options);
  return chosen.create(path, options, registry);
}

std::unique_ptr<Writer> append(const std::string& uri, const WriteOptions& options,
                               const Registry& registry) {
  std::string path = path_of(uri);
  const Format& format = format_of(input_at(path), {}, registry);
  if (!format.append) {
    throw Error(ErrorCode::unsupported, fmt::format("{} cannot be appended to", format.name), path);
  }
  check_compression(format, options);
  check_preset(format, options);
  check_encryption(format, options);
  return format.append(path, options, registry);
}

void check(const std::string& uri, const ReadOptions& options, const Registry& registry) {
  check(input_at(path_of(uri)), options, registry);
}

void check(const Input& input, const ReadOptions& options, const Registry& registry) {
  Input whole = input;
  read_head(whole);
  const Format& format = format_of(whole, options.format, registry);
  if (whole.file && whole.file->is_forward_only()) {
    throw Error(ErrorCode::unsupported, "only a file can be checked, no pipe", input.path);
  }
  bool is_found = false;
  ReadOptions noticing = options;
  noticing.on_problem = [&](const Error& finding) {
    is_found = true;
    report(options.on_problem, finding);
  };
  if (format.check) {
    format.check(whole, noticing, registry);
  } else {
    read_all(format, whole, noticing, registry);
  }
  try {
    check_content(format, whole, noticing, registry);
  } catch (const Error& error) {
    if (!is_found || error.code() == ErrorCode::io) throw;  // else it is what was found
  }
}

}  // namespace kitbag
