#include "storage/directory/files.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <set>
#include <string_view>
#include <tuple>

#include "io/local/file_status.h"
#include "io/local/write_file.h"
#include "io/posix.h"
#include "kitbag/error.h"
#include "kitbag/rosbag2.h"
#include "kitbag/session.h"

namespace kitbag::directory {

namespace fs = std::filesystem;

namespace {

/// A name taken apart: "run", 12, ".db3"; a compressed file's is that of its content.
struct FileName {
  std::string stem;
  std::optional<std::uint64_t> number;
  std::string extension;

  auto operator<=>(const FileName&) const = default;
};

std::string_view name_in(std::string_view path) {
  return path.substr(path.rfind('/') + 1);  // all of it where there is no folder
}

/// "run_12" and ".db3"; a dot in front belongs to the stem.
std::pair<std::string_view, std::string_view> stem_and_extension(std::string_view name) {
  std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot == 0) return {name, {}};
  return {name.substr(0, dot), name.substr(dot)};
}

/// By hand: a directory may have thousands of files, and a path is costly to take apart.
FileName parse_name(std::string_view path) {
  auto [stem, extension] = stem_and_extension(name_in(path));
  if (extension == kPackedExtension) std::tie(stem, extension) = stem_and_extension(stem);
  FileName parsed{std::string(stem), std::nullopt, std::string(extension)};
  std::size_t underscore = parsed.stem.rfind('_');
  if (underscore == std::string::npos) return parsed;
  const char* begin = parsed.stem.data() + underscore + 1;
  const char* end = parsed.stem.data() + parsed.stem.size();
  std::uint64_t number = 0;
  auto [rest, error] = std::from_chars(begin, end, number);
  if (error != std::errc() || rest != end) return parsed;
  parsed.number = number;
  parsed.stem.resize(underscore);
  return parsed;
}

/// "/etc/passwd", "../other/x.db3", "a/../../x.db3"
bool leads_outside(const fs::path& told) {
  fs::path normal = told.lexically_normal();
  return normal.is_absolute() || (!normal.empty() && *normal.begin() == "..");
}

/// Where the file of metadata.yaml lies. Old versions name it from the folder above, and a file may
/// have been compressed, or unpacked, since. Throws Error (invalid) for one that is there, but
/// outside of the folder, where that is not allowed: who gives away a folder decides what is read.
std::optional<std::string> locate(const fs::path& folder, const std::string& told,
                                  bool allow_outside) {
  fs::path name = fs::path(told).filename();
  fs::path unpacked = name.extension() == kPackedExtension ? name.stem() : name;
  bool is_outside = leads_outside(told);
  bool is_there = is_regular_file((folder / told).string());
  if (is_there && (allow_outside || !is_outside)) return (folder / told).string();
  for (const fs::path& path :
       {folder / name, folder / unpacked, folder / (name.string() + kPackedExtension)}) {
    if (is_regular_file(path.string())) return path.string();
  }
  if (!is_there) return std::nullopt;
  throw Error(ErrorCode::invalid,
              fmt::format("{} names {}, which is outside the directory; reading such files must be "
                          "allowed explicitly",
                          kMetadataName, told),
              folder.string());
}

/// Regular files, hidden ones left out, in order of name and number.
std::vector<fs::path> regular_files(const std::string& folder) {
  std::error_code error;
  std::vector<fs::path> files;
  for (fs::directory_iterator it(folder, error); !error && it != fs::directory_iterator();
       it.increment(error)) {
    bool is_hidden = it->path().filename().string().front() == '.';
    if (!is_hidden && is_regular_file(it->path().string())) files.push_back(it->path());
  }
  if (error) throw system_error("list the folder", error.value(), folder);
  std::sort(files.begin(), files.end(), [](const fs::path& a, const fs::path& b) {
    return std::pair(parse_name(a.native()), a) < std::pair(parse_name(b.native()), b);
  });
  // A writer that died between compressing a file and removing it has left it twice.
  auto is_packed = [](const fs::path& plain, const fs::path& other) {
    return other == plain.string() + kPackedExtension;
  };
  files.erase(std::unique(files.begin(), files.end(), is_packed), files.end());
  return files;
}

}  // namespace

std::optional<std::uint64_t> number_of(const std::string& path) {
  return parse_name(path).number;
}

std::optional<rosbag2::BagMetadata> read_metadata(const std::string& folder,
                                                  const OnProblem& on_problem) {
  std::string path = (fs::path(folder) / kMetadataName).string();
  if (!status_of(path)) return std::nullopt;
  auto file = open_file(path);
  constexpr std::uint64_t kMostBytes = 64 << 20;
  std::vector<std::byte> bytes(
      static_cast<std::size_t>(std::min<std::uint64_t>(file->size(), kMostBytes + 1)));
  bytes.resize(file->read(0, bytes));
  try {
    return rosbag2::parse_metadata(as_text(bytes), path);
  } catch (const Error& error) {
    if (!is_damage(error.code())) throw;
    report(on_problem, error);
    return std::nullopt;
  }
}

void write_metadata(const std::string& folder, const rosbag2::BagMetadata& metadata, int version) {
  std::string text = rosbag2::print_metadata(metadata, version, false);
  auto file = create_file((fs::path(folder) / kMetadataName).string(), {.io = Io::buffered});
  file->append(as_bytes(text));
  file->commit();
}

void sum_up(rosbag2::BagMetadata& metadata) {
  metadata.messages = 0;
  metadata.start = rosbag2::kNoStart;
  Time end = Time::min();
  for (const auto& file : metadata.files) {
    metadata.messages += file.messages;
    if (file.messages == 0) continue;
    metadata.start = std::min(metadata.start, file.start);
    end = std::max(end, file.start + file.duration);
  }
  metadata.duration = metadata.messages > 0 ? end - metadata.start : Duration::zero();
}

std::optional<std::size_t> place_of(const rosbag2::BagMetadata& metadata, const std::string& path) {
  for (std::size_t i = metadata.paths.size(); i > 0; --i) {  // mostly it is the last one
    if (name_in(metadata.paths[i - 1]) == name_in(path)) return i - 1;
  }
  return std::nullopt;
}

void remove_file(rosbag2::BagMetadata& metadata, std::size_t place) {
  auto at = static_cast<std::ptrdiff_t>(place);
  metadata.paths.erase(metadata.paths.begin() + at);
  if (place < metadata.files.size()) metadata.files.erase(metadata.files.begin() + at);
}

std::vector<Member> listed_members(const std::string& folder, const rosbag2::BagMetadata& metadata,
                                   const OnProblem& on_problem, bool allow_outside, bool& is_stale,
                                   std::size_t& unlisted) {
  std::vector<Member> members;
  bool has_files = metadata.files.size() == metadata.paths.size();
  for (std::size_t i = 0; i < metadata.paths.size(); ++i) {
    auto path = locate(folder, metadata.paths[i], allow_outside);
    if (!path) {
      is_stale = true;
      std::optional<std::uint64_t> lost;
      if (has_files) lost = metadata.files[i].messages;
      report(on_problem, Error(ErrorCode::corrupt,
                               fmt::format("{} lists {}, which does not exist", kMetadataName,
                                           metadata.paths[i]),
                               folder, Error::kNoOffset, Loss{.messages = lost}));
      continue;
    }
    Member member{*path, std::nullopt};
    if (has_files) {
      const auto& told = metadata.files[i];
      member.told = {told.start, told.start, told.messages};
      if (told.messages > 0) member.told->end = told.start + told.duration;
    }
    members.push_back(std::move(member));
  }
  if (members.empty()) return members;
  // What came behind the last that is told of: its writer has died.
  FileName last = parse_name(members.back().path);
  for (const fs::path& path : regular_files(folder)) {
    FileName name = parse_name(path.native());
    bool is_later = last.number && name.number && name.stem == last.stem &&
                    name.extension == last.extension && *name.number > *last.number;
    if (!is_later) continue;
    ++unlisted;
    members.push_back({path.string(), std::nullopt});
  }
  return members;
}

std::vector<Member> found_members(const std::string& folder, const Session& session) {
  std::set<std::string_view> extensions;
  for (const Format& format : session.registry().formats) {
    if (!format.is_container && !format.extension.empty()) extensions.insert(format.extension);
  }
  std::vector<Member> members;
  for (const fs::path& path : regular_files(folder)) {
    if (extensions.contains(parse_name(path.native()).extension)) {
      members.push_back({path.string(), std::nullopt});
    }
  }
  return members;
}

}  // namespace kitbag::directory
