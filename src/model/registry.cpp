#include "kitbag/registry.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/path.h"
#include "kitbag/error.h"
#include "kitbag/file_system.h"
#include "model/open_by.h"

// Parts are found by going through lists: there are some tens of each kind, and they are looked up
// once for a file or a channel.
//
// What a format cannot do is refused before a file is created. Options are never ignored, and least
// of all the key that a bag is to be encrypted for.

namespace kitbag {
namespace {

bool is_called(const Format& format, std::string_view name) {
  const auto& aliases = format.aliases;
  return format.name == name || std::find(aliases.begin(), aliases.end(), name) != aliases.end();
}

/// The compressions of the version to be written. Throws Error (invalid) for an unknown version.
const std::vector<std::string_view>& compressions_of(const Format& format,
                                                     const WriteOptions& options) {
  if (options.format_version.empty()) return format.compressions;
  std::vector<std::string_view> names;
  for (const FormatVersion& version : format.versions) {
    if (version.name == options.format_version) return version.compressions;
    names.push_back(version.name);
  }
  if (names.empty()) {
    throw Error(ErrorCode::invalid,
                fmt::format("{} has only one version; do not specify one", format.name));
  }
  throw Error(ErrorCode::invalid,
              fmt::format("{} cannot be written in version \"{}\"; supported versions: {}",
                          format.name, options.format_version, fmt::join(names, ", ")));
}

void check_compression(const Format& format, const WriteOptions& options) {
  const auto& known = compressions_of(format, options);
  if (std::find(known.begin(), known.end(), options.compression) != known.end()) return;
  std::string version = options.format_version.empty() ? "" : " " + options.format_version;
  throw Error(ErrorCode::invalid,
              fmt::format("{}{} does not support the compression \"{}\"; supported: {}",
                          format.name, version, options.compression, fmt::join(known, ", ")));
}

void check_preset(const Format& format, const WriteOptions& options) {
  const auto& known = format.presets;
  if (options.preset.empty()) return;
  if (std::find(known.begin(), known.end(), options.preset) != known.end()) return;
  throw Error(ErrorCode::invalid,
              known.empty() ? fmt::format("{} does not support presets", format.name)
                            : fmt::format("{} does not support the preset \"{}\"; supported: {}",
                                          format.name, options.preset, fmt::join(known, ", ")));
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

}  // namespace

const Codec* find_codec(const Registry& registry, std::string_view encoding) {
  auto found = std::find_if(registry.codecs.begin(), registry.codecs.end(),
                            [&](const Codec& codec) { return codec.encoding == encoding; });
  return found == registry.codecs.end() ? nullptr : &*found;
}

const Language* find_language(const Registry& registry, std::string_view name) {
  auto is_called = [&](const Language& language) {
    const auto& aliases = language.aliases;
    return language.name == name ||
           std::find(aliases.begin(), aliases.end(), name) != aliases.end();
  };
  auto found = std::find_if(registry.languages.begin(), registry.languages.end(), is_called);
  return found == registry.languages.end() ? nullptr : &*found;
}

const Transport* find_transport(const Registry& registry, std::string_view scheme) {
  auto found = std::find_if(registry.transports.begin(), registry.transports.end(),
                            [&](const Transport& one) { return one.scheme == scheme; });
  return found == registry.transports.end() ? nullptr : &*found;
}

const VideoCodec* find_video_codec(const Registry& registry, std::string_view format) {
  auto found = std::find_if(registry.video_codecs.begin(), registry.video_codecs.end(),
                            [&](const VideoCodec& one) { return one.format == format; });
  return found == registry.video_codecs.end() ? nullptr : &*found;
}

const Format* find_format(const Registry& registry, std::string_view name) {
  auto found = std::find_if(registry.formats.begin(), registry.formats.end(),
                            [&](const Format& format) { return is_called(format, name); });
  return found == registry.formats.end() ? nullptr : &*found;
}

const Format* format_of_name(const Registry& registry, std::string_view path) {
  // A recording that runs has the suffix behind the extension.
  if (path.ends_with(kActiveSuffix)) path.remove_suffix(std::string_view(kActiveSuffix).size());
  std::string_view ending = extension(path);
  if (ending.empty()) return nullptr;
  auto found = std::find_if(registry.formats.begin(), registry.formats.end(),
                            [&](const Format& format) { return format.extension == ending; });
  return found == registry.formats.end() ? nullptr : &*found;
}

const Format* match_format(const Registry& registry, const Input& input) {
  const Format* best = nullptr;
  int surest = 0;
  for (const Format& format : registry.formats) {
    int sure = format.matches(input);
    // Of two that are equally sure, the one that was registered first.
    if (sure <= surest) continue;
    surest = sure;
    best = &format;
  }
  return best;
}

void check_options(const Format& format, const WriteOptions& options) {
  check_compression(format, options);
  check_preset(format, options);
  check_encryption(format, options);
}

void check_by(const Format& format, const Input& input, const ReadOptions& options,
              const Session& session) {
  if (format.check) return format.check(input, options, session);
  // Reading is the check: what is wrong is reported to options.on_problem on the way.
  BagPtr bag = open_by(format, input, options, session);
  std::unique_ptr<Source> source = bag->read(Query{});
  for (Batch batch; source->read(batch, Wait{}); batch.clear()) {
  }
}

}  // namespace kitbag
