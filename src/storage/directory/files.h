#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kitbag/session.h"
#include "storage/rosbag2/metadata.h"

/// The files of a directory, by name and as metadata.yaml lists them.
namespace kitbag::directory {

inline constexpr const char* kMetadataName = "metadata.yaml";
/// Older metadata.yaml do not tell the times of files, so others cannot add theirs.
inline constexpr int kLeastJoined = 4;
inline constexpr const char* kPackedExtension = ".zstd";  ///< of files compressed as a whole

/// A bag in a directory.
struct Member {
  std::string path;
  /// The declared earliest and latest log time and messages; absent: they are not declared.
  struct Declared {
    Time start{};
    Time end{};
    std::uint64_t messages = 0;

    bool agrees(const Declared& other) const {
      if (messages != other.messages) return false;
      return messages == 0 || (start == other.start && end == other.end);
    }
  };
  std::optional<Declared> declared;
  /// The first of its writer: what it repeats belongs to the directory.
  bool is_first = false;
};

/// What metadata.yaml of `folder` says; nothing if there is none, or if it is invalid, which is
/// reported to `on_problem`.
std::optional<rosbag2::BagMetadata> read_metadata(const FileSystem& files,
                                                  const std::string& folder,
                                                  const OnProblem& on_problem);

/// Writes metadata.yaml of `folder`, as a whole or not at all. Throws Error (io).
void write_metadata(const FileSystem& files, const std::string& folder,
                    const rosbag2::BagMetadata& metadata, int version);

/// Makes messages and times of the whole what those of the files are together.
void sum_up(rosbag2::BagMetadata& metadata);

/// Which of `metadata.paths` is called as `path` is.
std::optional<std::size_t> place_of(const rosbag2::BagMetadata& metadata, const std::string& path);

/// Takes the file in this place out of the lists; the values of the whole bag stay.
void remove_file(rosbag2::BagMetadata& metadata, std::size_t place);

/// Which of several writers has written the file at `path`: a name for those of join_to(), nothing
/// for all others together.
std::string writer_of(std::string_view path);

/// A name for a writer that no other has: of the machine, the process and random letters.
std::string new_writer_name();

/// What the files in `folder` begin with: its name, or "bag" for ".".
std::string base_name(std::string_view folder);

/// A writer writes to the file at `path` now, as its lock shows. False where that cannot be known.
bool is_held(const FileSystem& files, const std::string& path);

/// Sets Member::is_first.
void mark_first(std::vector<Member>& members);

/// The files that `metadata` lists. If one is missing, `is_stale` is set, and this is reported to
/// `on_problem`; missing files are left out, and so is one that is listed again. Later files of the
/// same name, which the writer had no time to list, follow, and so do files of other writers of
/// this directory: `unlisted` is their number. Files of the same name in front of these that are
/// not listed are taken if what is listed is not all that `metadata` promises, and `is_stale` is
/// set; else they are left out, with a remark. Throws Error (invalid) for one that lies outside of
/// `folder`, unless `allow_outside`.
std::vector<Member> listed_members(const FileSystem& files, const std::string& folder,
                                   const rosbag2::BagMetadata& metadata,
                                   const OnProblem& on_problem, bool allow_outside, bool& is_stale,
                                   std::size_t& unlisted);

/// Whether the files are called as those of one bag: by one name, with numbers, and one extension.
bool are_of_one_bag(const std::vector<Member>& members);

/// The files in `folder` that are bags of some format, in the order of their numbers.
std::vector<Member> found_members(const std::string& folder, const Session& session);

/// The number at the end of a file's name, "run_12.db3.zstd": 12; nothing where there is none.
std::optional<std::uint64_t> number_of(const std::string& path);

}  // namespace kitbag::directory
