#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kitbag/session.h"
#include "storage/rosbag2/metadata.h"

/// The files of a directory, by name and by what metadata.yaml tells.
namespace kitbag::directory {

inline constexpr const char* kMetadataName = "metadata.yaml";
inline constexpr const char* kPackedExtension = ".zstd";  ///< of files compressed as a whole

/// A bag in a directory.
struct Member {
  std::string path;
  /// What is told of it: earliest and latest log time and messages; absent: nobody tells.
  struct Declared {
    Time start{};
    Time end{};
    std::uint64_t messages = 0;
  };
  std::optional<Declared> declared;
};

/// What metadata.yaml of `folder` says; nothing where there is none, or where it makes no sense,
/// which is told to `on_problem`.
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

/// Takes the file in this place out of the lists; what is told of the whole stays.
void remove_file(rosbag2::BagMetadata& metadata, std::size_t place);

/// The files that `metadata` tells of. Where one is missing, `is_stale` is set, which is told to
/// `on_problem`; those are left out. Later ones of the same name, which its writer had no time to
/// list, stand behind: so many as `unlisted` says. Throws Error (invalid) for one that lies outside
/// of `folder`, unless `allow_outside`.
std::vector<Member> listed_members(const FileSystem& files, const std::string& folder,
                                   const rosbag2::BagMetadata& metadata,
                                   const OnProblem& on_problem, bool allow_outside, bool& is_stale,
                                   std::size_t& unlisted);

/// The files in `folder` that are bags of some format, in the order of their numbers.
std::vector<Member> found_members(const std::string& folder, const Session& session);

/// The number at the end of a file's name, "run_12.db3.zstd": 12; nothing where there is none.
std::optional<std::uint64_t> number_of(const std::string& path);

}  // namespace kitbag::directory
