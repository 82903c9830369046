#include "storage/directory/files.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <string_view>

#include "base/path.h"
#include "kitbag/error.h"
#include "kitbag/rosbag2.h"
#include "kitbag/session.h"

// rosbag2 names files NAME_0.db3, NAME_1.db3, ... The number decides the order, since NAME_10 is
// sorted before NAME_2 as text.
//
// metadata.yaml is a text from somebody else, and it names files. A name that leads outside of the
// folder is refused unless the caller allows it: otherwise a bag could make a server read any file.
// Old versions put the name of the folder in front, and files that were packed or unpacked since
// have another extension than metadata.yaml says. So the last part of the name is tried in the
// folder, with and without the extension of packed files.

namespace kitbag::directory {

namespace {

/// A name taken apart: "run", 12, ".db3"; a compressed file's is that of its content.
struct FileName {
  std::string stem;
  std::optional<std::uint64_t> number;
  std::string extension;

  auto operator<=>(const FileName&) const = default;
};

FileName parse_name(std::string_view path) {
  std::string_view name = file_name(path);
  if (extension(name) == kPackedExtension) name = stem(name);
  FileName parsed{std::string(stem(name)), std::nullopt, std::string(extension(name))};
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
bool leads_outside(std::string_view declared) {
  if (declared.starts_with('/') || declared.find("://") != std::string_view::npos) return true;
  std::ptrdiff_t depth = 0;
  while (!declared.empty() && depth >= 0) {
    std::string_view part = declared.substr(0, declared.find('/'));
    declared.remove_prefix(std::min(part.size() + 1, declared.size()));
    if (part == "..") --depth;
    if (part != ".." && part != "." && !part.empty()) ++depth;
  }
  return depth < 0;
}

bool is_regular_file(const FileSystem& files, const std::string& path) {
  auto status = files.status(path);
  return status && status->is_regular;
}

/// Where the file of metadata.yaml lies. Old versions name it from the folder above, and a file may
/// have been compressed, or unpacked, since. Throws Error (invalid) for one that is there, but
/// outside of the folder, where that is not allowed: otherwise the author of a folder would decide
/// what is read.
std::optional<std::string> locate(const FileSystem& files, const std::string& folder,
                                  const std::string& declared, bool allow_outside) {
  std::string name(file_name(declared));
  std::string unpacked(extension(name) == kPackedExtension ? stem(name) : name);
  bool is_outside = leads_outside(declared);
  bool is_there = is_regular_file(files, join(folder, declared));
  if (is_there && (allow_outside || !is_outside)) return join(folder, declared);
  for (const std::string& path :
       {join(folder, name), join(folder, unpacked), join(folder, name + kPackedExtension)}) {
    if (is_regular_file(files, path)) return path;
  }
  if (!is_there) return std::nullopt;
  throw Error(ErrorCode::invalid,
              fmt::format("{} names {}, which is outside the directory; reading such files must be "
                          "allowed explicitly",
                          kMetadataName, declared),
              folder);
}

/// Regular files, hidden ones left out, in order of name and number.
std::vector<std::string> regular_files(const FileSystem& files, const std::string& folder) {
  std::vector<std::string> paths;
  for (const std::string& name : files.list(folder)) {
    std::string path = join(folder, name);
    if (!name.starts_with('.') && is_regular_file(files, path)) paths.push_back(std::move(path));
  }
  std::sort(paths.begin(), paths.end(), [](const std::string& a, const std::string& b) {
    return std::pair(parse_name(a), a) < std::pair(parse_name(b), b);
  });
  // A writer that died between compressing a file and removing it has left it twice.
  auto is_packed = [](const std::string& plain, const std::string& other) {
    return other == plain + kPackedExtension;
  };
  paths.erase(std::unique(paths.begin(), paths.end(), is_packed), paths.end());
  return paths;
}

/// Files that metadata.yaml does not list, although they are called as those that it lists.
struct Unlisted {
  /// What came behind the last that is listed of its writer, which has died: of a directory of one
  /// writer, files called as the last one; of several, also those of a writer that is not listed at
  /// all, if it has written anything.
  std::vector<std::string> later;
  /// In front of it, or between those that are listed.
  std::vector<std::string> skipped;
};

Unlisted unlisted_files(const FileSystem& files, const std::string& folder,
                        const std::vector<Member>& members) {
  std::map<std::pair<std::string, std::string>, std::uint64_t> last;  // by stem and extension
  std::set<std::string> bases;                                        // of joined files
  std::set<std::string> extensions;                                   // of these
  std::set<FileName> listed;
  for (const Member& member : members) {
    FileName name = parse_name(member.path);
    listed.insert(name);
    std::string writer = writer_of(member.path);
    bool counts = name.number && (!writer.empty() || &member == &members.back());
    if (!counts) continue;
    if (!writer.empty()) {
      bases.insert(name.stem.substr(0, name.stem.size() - writer.size()));
      extensions.insert(name.extension);
    }
    auto& number = last[{name.stem, name.extension}];
    number = std::max(number, *name.number);
  }
  Unlisted found;
  for (const std::string& path : regular_files(files, folder)) {
    FileName name = parse_name(path);
    if (!name.number || listed.contains(name)) continue;
    auto known = last.find({name.stem, name.extension});
    std::string writer = writer_of(path);
    bool is_later = known != last.end() && *name.number > known->second;
    bool is_of_another = known == last.end() && !writer.empty() &&
                         extensions.contains(name.extension) &&
                         bases.contains(name.stem.substr(0, name.stem.size() - writer.size()));
    if (is_of_another) {
      auto status = files.status(path);
      is_later = status && status->size_bytes > 0;
    }
    if (is_later) {
      found.later.push_back(path);
    } else if (known != last.end()) {
      found.skipped.push_back(path);
    }
  }
  return found;
}

/// The messages of all files are known, and are as many as metadata.yaml has in all.
bool are_all_messages(const std::vector<Member>& members, const rosbag2::BagMetadata& metadata) {
  std::uint64_t sum = 0;
  for (const Member& member : members) {
    if (!member.declared) return false;
    sum += member.declared->messages;
  }
  return sum == metadata.messages;
}

/// A file that is not listed was left out on purpose, or metadata.yaml is wrong: then the messages
/// that it promises are in it.
void take_skipped(std::vector<std::string> skipped, const std::string& folder,
                  const rosbag2::BagMetadata& metadata, const OnProblem& on_problem, bool& is_stale,
                  std::vector<Member>& members) {
  if (skipped.empty()) return;
  if (!is_stale && are_all_messages(members, metadata)) {
    for (const std::string& path : skipped) {
      report(on_problem, Error(ErrorCode::remark,
                               fmt::format("{} does not list {}, which is left out", kMetadataName,
                                           file_name(path)),
                               folder));
    }
    return;
  }
  is_stale = true;
  for (std::string& path : skipped) members.push_back({std::move(path), std::nullopt});
  std::stable_sort(members.begin(), members.end(), [](const Member& a, const Member& b) {
    return parse_name(a.path) < parse_name(b.path);
  });
}

}  // namespace

bool is_held(const FileSystem& files, const std::string& path) {
  try {
    files.lock(path, LockKind::exclusive, {});
    return false;
  } catch (const Error& error) {
    return error.code() == ErrorCode::busy;
  }
}

void mark_first(std::vector<Member>& members) {
  std::set<std::string> seen;
  for (Member& member : members) member.is_first = seen.insert(writer_of(member.path)).second;
}

std::optional<std::uint64_t> number_of(const std::string& path) {
  return parse_name(path).number;
}

std::optional<rosbag2::BagMetadata> read_metadata(const FileSystem& files,
                                                  const std::string& folder,
                                                  const OnProblem& on_problem) {
  std::string path = join(folder, kMetadataName);
  if (!files.status(path)) return std::nullopt;
  auto file = files.open(path);
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

void write_metadata(const FileSystem& files, const std::string& folder,
                    const rosbag2::BagMetadata& metadata, int version) {
  std::string text = rosbag2::print_metadata(metadata, version, false);
  auto file = files.create(join(folder, kMetadataName), {.io = Io::buffered});
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
    if (file_name(metadata.paths[i - 1]) == file_name(path)) return i - 1;
  }
  return std::nullopt;
}

void remove_file(rosbag2::BagMetadata& metadata, std::size_t place) {
  auto at = static_cast<std::ptrdiff_t>(place);
  metadata.paths.erase(metadata.paths.begin() + at);
  if (place < metadata.files.size()) metadata.files.erase(metadata.files.begin() + at);
}

std::vector<Member> listed_members(const FileSystem& files, const std::string& folder,
                                   const rosbag2::BagMetadata& metadata,
                                   const OnProblem& on_problem, bool allow_outside, bool& is_stale,
                                   std::size_t& unlisted) {
  std::vector<Member> members;
  bool has_files = metadata.files.size() == metadata.paths.size();
  for (std::size_t i = 0; i < metadata.paths.size(); ++i) {
    auto path = locate(files, folder, metadata.paths[i], allow_outside);
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
    auto is_it = [&](const Member& member) { return member.path == *path; };
    if (std::any_of(members.begin(), members.end(), is_it)) {
      is_stale = true;
      report(on_problem, Error(ErrorCode::corrupt,
                               fmt::format("{} lists {} twice; it is read once", kMetadataName,
                                           metadata.paths[i]),
                               folder));
      continue;
    }
    Member member{*path, std::nullopt};
    if (has_files) {
      const auto& declared = metadata.files[i];
      member.declared = {declared.start, declared.start, declared.messages};
      if (declared.messages > 0) member.declared->end = declared.start + declared.duration;
    }
    members.push_back(std::move(member));
  }
  if (members.empty()) return members;
  Unlisted found = unlisted_files(files, folder, members);
  take_skipped(std::move(found.skipped), folder, metadata, on_problem, is_stale, members);
  unlisted += found.later.size();
  for (std::string& path : found.later) members.push_back({std::move(path), std::nullopt});
  return members;
}

bool are_of_one_bag(const std::vector<Member>& members) {
  std::set<std::pair<std::string, std::string>> names;
  for (const Member& member : members) {
    FileName name = parse_name(member.path);
    if (!name.number && members.size() > 1) return false;
    names.emplace(name.stem.substr(0, name.stem.size() - writer_of(member.path).size()),
                  name.extension);
  }
  return names.size() <= 1;
}

std::vector<Member> found_members(const std::string& folder, const Session& session) {
  std::set<std::string_view> extensions;
  for (const Format& format : session.registry().formats) {
    if (!format.is_container && !format.extension.empty()) extensions.insert(format.extension);
  }
  std::vector<Member> members;
  for (const std::string& path : regular_files(*session.file_system(folder), folder)) {
    if (extensions.contains(parse_name(path).extension)) {
      members.push_back({path, std::nullopt});
    }
  }
  return members;
}

}  // namespace kitbag::directory
