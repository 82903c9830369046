#include "storage/rosbag/format.h"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>

#include "kitbag/error.h"
#include "kitbag/session.h"
#include "model/with_head.h"
#include "storage/rosbag/recovery/search.h"
#include "storage/rosbag/versions.h"

// One format, six versions. The first line decides, and the version without one comes last. A line
// of the family with an unknown number is claimed, too (90): so the error can name the version,
// where it would otherwise say that the format is not recognised.
//
// A damaged first line makes a file unrecognizable, but not unreadable: if ReadOptions::format says
// that it is a bag, the line is guessed.

namespace kitbag {

namespace rosbag {

int match_line(const Input& input, std::string_view line) {
  if (!input.file || input.head.empty()) return 0;
  std::string_view head = as_text(input.head);
  if (head.starts_with(line)) return 100;
  return line.starts_with(head) ? 10 : 0;
}

namespace {

/// How much of a foreign first line is shown.
constexpr std::size_t kShownLine = 40;

bool is_of_text(char c) {
  return (c >= ' ' && c <= '~') || c == '\n';
}

/// With question marks for what is no text; what() of an error ends at a NUL.
std::string printable(std::string_view line) {
  std::string shown(line);
  std::replace_if(shown.begin(), shown.end(), std::not_fn(is_of_text), '?');
  return shown;
}

/// Newest first; the one without a magic last.
std::array<Version, 6> versions() {
  return {version_2_0(), version_1_3(), version_1_2(), version_1_1(), version_1_0(), version_0()};
}

/// The version that is surest of `input`; nothing if none is.
std::optional<Version> find_version(const Input& input) {
  auto all = versions();
  auto best = std::max_element(all.begin(), all.end(), [&](const Version& a, const Version& b) {
    return a.matches(input) < b.matches(input);
  });
  if (best->matches(input) > 0) return *best;
  return std::nullopt;
}

/// The same. Throws Error (unsupported) for a version that is none of
/// these.
Version version_of(const Input& input) {
  if (auto version = find_version(input)) return *version;
  std::string_view head = as_text(input.head);
  std::string_view line = head.substr(0, std::min(head.find('\n'), kShownLine));
  throw Error(ErrorCode::unsupported,
              "the first line is '" + printable(line) +
                  "', which is not a supported version of ROS 1 bags (0, 1.0 to 1.3, 2.0)",
              input.path, 0);
}

int matches(const Input& input) {
  int certainty = 0;
  for (const Version& version : versions()) {
    certainty = std::max(certainty, version.matches(input));
  }
  std::string_view head = as_text(input.head);
  bool is_family = head.starts_with("#ROSBAG V") || head.starts_with("#ROSRECORD V") ||
                   head.starts_with("#ROSLOG V");
  return std::max(certainty, is_family ? 90 : 0);
}

/// The first line that `input` most likely had. "": nothing in it looks like a bag.
std::string_view likely_line(const Input& input) {
  constexpr std::size_t kLength = sizeof(std::uint32_t);
  std::size_t fewest = kMostDamagedBytes + 1;
  std::string_view likely;
  for (const Version& version : versions()) {
    for (std::string_view line : version.lines) {
      std::string_view head = as_text(input.head);
      if (head.size() < line.size() + kLength) continue;
      std::string_view behind = head.substr(line.size(), kLength);
      bool is_text = std::all_of(behind.begin(), behind.end(), is_of_text);
      std::size_t differing = difference_to_head(input, line);
      if (is_text != version.is_text || differing >= fewest) continue;
      fewest = differing;
      likely = line;
    }
  }
  if (!likely.empty()) return likely;
  // Of a bag of 2.0 more may be lost: its records can be found.
  std::uint64_t size = input.file->size();
  bool has_records = RecordSearch(*input.file, size).find_structure(kVersionLine.size()) < size;
  return has_records ? kVersionLine : std::string_view();
}

/// `input`, with a first line that is put right where it is damaged, which is reported: but only if
/// somebody has said that this is a bag.
Input mended(const Input& input, const ReadOptions& options) {
  bool is_known = input.file && !options.format.empty() && !input.file->is_forward_only();
  if (!is_known || find_version(input)) return input;
  std::string_view line = likely_line(input);
  if (line.empty()) return input;
  std::string_view shown = line.substr(1, line.size() - 2);
  report(
      options.on_problem,
      Error(ErrorCode::corrupt,
            "the first line is damaged; the bag is read as " + std::string(shown), input.path, 0));
  return with_head(input, line);
}

BagPtr open(const Input& input, const ReadOptions& options, const Session& session) {
  Input whole = mended(input, options);
  return version_of(whole).open(whole, options, session);
}

void check_input(const Input& input, const ReadOptions& options, const Session&) {
  Input whole = mended(input, options);
  version_of(whole).check(whole, options);
}

std::unique_ptr<Writer> create(const std::string& path, const WriteOptions& options,
                               const Session& session) {
  if (!options.ros_distro.empty()) {
    throw Error(ErrorCode::invalid,
                "ROS 2 cannot read the format rosbag; write MCAP, SQLite or a directory for " +
                    options.ros_distro,
                path);
  }
  if (options.metadata_version != 0) {
    throw Error(ErrorCode::invalid,
                "a bag of ROS 1 has no metadata.yaml; leave out the metadata version", path);
  }
  for (const Version& version : versions()) {
    bool is_asked = options.format_version.empty() || options.format_version == version.name;
    if (is_asked && version.create) return version.create(path, options, session);
  }
  throw Error(
      ErrorCode::invalid,
      "unsupported version " + options.format_version + "; supported versions: 2.0, 1.2 and 1.1",
      path);
}

std::unique_ptr<Writer> append(const std::string& path, const WriteOptions& options,
                               const Session& session) {
  Input input = session.input_at(path);
  Version version = version_of(input);
  if (!options.format_version.empty() && options.format_version != version.name) {
    throw Error(
        ErrorCode::invalid,
        "the bag has version " + std::string(version.name) + ", not " + options.format_version,
        path);
  }
  if (!version.append) {
    throw Error(ErrorCode::unsupported,
                "cannot append to a bag of version " + std::string(version.name) +
                    "; convert it to 2.0 first",
                path);
  }
  return version.append(path, options, session);
}

}  // namespace
}  // namespace rosbag

Format rosbag_format() {
  return {.name = "rosbag",
          .extension = ".bag",
          .description = "ROS 1 bag: all versions are read; 2.0, 1.2 and 1.1 are written",
          .matches = rosbag::matches,
          .open = rosbag::open,
          .check = rosbag::check_input,
          .create = rosbag::create,
          .append = rosbag::append,
          .compressions = {"none", "lz4", "bz2"},
          .versions = {{"2.0", {"none", "lz4", "bz2"}},
                       {"1.2",
                        {"none"},
                        /*holds_metadata=*/false,
                        /*holds_definitions=*/true,
                        /*is_indexed=*/true,
                        /*is_redundant=*/false},
                       {"1.1", {"none"}, false, false, false, false}},
          .aliases = {"rosbag_v2"},
          .can_encrypt = true,
          .usual_encoding = "ros1"};
}

}  // namespace kitbag
