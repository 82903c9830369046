#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/path.h"
#include "kitbag/error.h"
#include "kitbag/escape.h"
#include "storage/directory/change_metadata.h"
#include "storage/directory/joined.h"
#include "storage/directory/store.h"
#include "storage/directory/writer.h"
#include "storage/writing/create_by.h"

// Several writers, one directory. Each writes files of its own, which nobody else touches:
//
//     today_robot1-4711-x7k2qf_0.mcap, today_robot1-4711-x7k2qf_1.mcap    one writer
//     today_robot2-93-m3a7bd_0.mcap                                       another
//
// The only thing that they share is metadata.yaml, and each adds only its own entries to what is
// there, in turn (change_metadata.h): an empty one when a file begins, and the right one when the
// file is complete. A file is created before it is listed, so nothing that is listed is missing;
// no message is in it before it is listed.
//
// What was found there when a file is complete decides:
//
//     no entry, or an empty one     the usual case: the entry is added
//     the same entry                a repair has looked into the complete file before: nothing to
//     do another entry                 the file was looked into before it was complete, where no
//     locks
//                                   are: metadata.yaml is made again from the files
//     metadata.yaml is damaged      the same
//
// The lock on the folder is shared by these writers. It keeps away a writer that needs the folder
// alone, such as an append.

namespace kitbag::directory {

namespace {

/// Throws Error (invalid) unless files may be added at `folder`: it is a bag, or becomes one.
void require_joinable(const FileSystem& files, const std::string& folder) {
  auto there = files.status(folder);
  if (!there) return;
  if (!there->is_folder) {
    throw Error(ErrorCode::invalid,
                "a file cannot be recorded into by several; name a directory, such as runs/today/",
                folder);
  }
  if (files.status(join(folder, kMetadataName))) return;
  for (const std::string& name : files.list(folder)) {
    if (name.starts_with('.') || !writer_of(name).empty() || name == kMetadataName) continue;
    throw Error(ErrorCode::invalid,
                fmt::format("the directory is no bag: it has other files, such as {}, and no {}; "
                            "name a new directory, or repair this one",
                            escaped(name), kMetadataName),
                folder);
  }
}

}  // namespace

std::unique_ptr<DirectoryWriter> DirectoryWriter::joined(const std::string& path,
                                                         const std::string& writer,
                                                         std::uint64_t number,
                                                         const WriteOptions& options,
                                                         const Session& session) {
  std::string target = without_slash(path);
  FileSystemPtr files = session.file_system(target);
  require_joinable(*files, target);
  files->make_folder(target);
  bool is_first = number == 0;  // later it goes on, whatever others do to metadata.yaml
  rosbag2::BagMetadata there;
  auto found = read_metadata(
      *files, target, is_first ? OnProblem() : [](const Error&) {});
  if (found) there = std::move(*found);
  WriteOptions own = options;
  own.is_visible = true;
  own.may_replace = false;
  if (own.member_format.empty()) own.member_format = there.storage;
  bool is_new = there.version == 0;
  auto made = std::unique_ptr<DirectoryWriter>(
      new DirectoryWriter(target, there, own, session, Kind::joined));
  if (is_first && !is_new) made->require_same_kind(there);
  made->begin_joined(writer, number, own);
  return made;
}

void DirectoryWriter::begin_joined(const std::string& writer, std::uint64_t number,
                                   const WriteOptions& options) {
  constexpr std::uint64_t kTries = 100;
  const Format& format = *find_format(session_.registry(), others_.storage);
  for (number_ = number; !member_; ++number_) {
    name_ = fmt::format("{}_{}_{}{}", base_name(target_), writer, number_, format.extension);
    WriteOptions of_member = options;
    of_member.member_format.clear();
    if (packs_file_) of_member.compression = "none";
    std::string path = join(folder_, name_);
    try {
      member_ = create_by(format, path, of_member, session_);
      is_own_ = true;
      break;
    } catch (const Error& error) {
      // Somebody who looked for leftovers held the new file for a moment.
      bool is_held = error.code() == ErrorCode::busy;
      bool is_taken = error.code() == ErrorCode::exists || is_held;
      if (!is_taken || number_ >= number + kTries) throw;
      if (is_held && files_->is_local()) files_->remove(path);
    }
  }
  put_metadata();
}

void DirectoryWriter::put_joined_metadata() {
  OnWarning on_warning = is_listed_ ? OnWarning() : on_warning_;
  rosbag2::BagMetadata written;
  change_metadata(
      folder_,
      [&](std::optional<rosbag2::BagMetadata> current) {
        auto next = joined_metadata(std::move(current));
        if (next) written = *next;
        return next;
      },
      session_, on_warning);
  is_listed_ = true;
  if (messages_ > 0) warn_of_other_types(written);
}

/// Nothing: metadata.yaml is right already.
std::optional<rosbag2::BagMetadata> DirectoryWriter::joined_metadata(
    std::optional<rosbag2::BagMetadata> current) const {
  ReadOptions lenient;
  lenient.on_problem = [](const Error&) {};
  rosbag2::BagMetadata all;
  bool is_sound = current && current->files.size() == current->paths.size();
  if (is_sound) {
    all = std::move(*current);
  } else if (files_->status(join(folder_, kMetadataName))) {
    all = Store::without_held(folder_, lenient, session_).metadata();
  }
  if (all.paths.empty()) {
    all.storage = others_.storage;
    all.compression_mode = others_.compression_mode;
    all.compression_format = others_.compression_format;
  } else if (!is_listed_) {
    require_same_kind(all);
  }
  all.version = all.version >= kLeastJoined ? all.version : metadata_version_;
  if (auto own = place_of(all, name_)) {
    std::uint64_t counted = all.files[*own].messages;
    remove_file(all, *own);
    rosbag2::BagMetadata mine = all;
    add_own(mine);
    if (counted == 0) return mine;
    bool is_right = is_sound && mine.files.back().messages == counted;
    if (is_right) return std::nullopt;
    return Store::without_held(folder_, lenient, session_).metadata();
  }
  add_own(all);
  return all;
}

void DirectoryWriter::require_same_kind(const rosbag2::BagMetadata& all) const {
  if (all.paths.empty() || KindOfFiles(all) == KindOfFiles(others_)) return;
  auto text = [](const rosbag2::BagMetadata& of) {
    return fmt::format(
        "{}{}{}", of.storage, of.compression_mode.empty() ? "" : ", compressed by ",
        of.compression_mode.empty() ? "" : of.compression_mode + " with " + of.compression_format);
  };
  throw Error(ErrorCode::invalid,
              fmt::format("the files of this directory are {}, and these would be {}; use the same "
                          "format and compression, or another directory",
                          text(all), text(others_)),
              target_);
}

/// A topic of two types is stored as it comes; whoever looks for one type should know.
void DirectoryWriter::warn_of_other_types(const rosbag2::BagMetadata& all) const {
  if (!on_warning_) return;
  for (const Topic& topic : topics_) {
    const rosbag2::BagMetadata::Topic& own = topic.declared;
    auto is_other = [&](const rosbag2::BagMetadata::Topic& other) {
      return other.name == own.name && (other.type != own.type || other.encoding != own.encoding);
    };
    auto other = std::find_if(all.topics.begin(), all.topics.end(), is_other);
    if (other == all.topics.end()) continue;
    on_warning_(Error(ErrorCode::unsupported,
                      fmt::format("topic {} has the type {} ({}) here, and {} ({}) in files of "
                                  "other recorders",
                                  escaped(own.name), escaped(own.type), escaped(own.encoding),
                                  escaped(other->type), escaped(other->encoding)),
                      target_));
  }
}

/// Without messages nothing is left behind.
void DirectoryWriter::give_up() noexcept {
  if (!std::exchange(is_own_, false)) return;
  try {
    member_.reset();
    if (is_listed_) {
      change_metadata(
          folder_,
          [&](std::optional<rosbag2::BagMetadata> all) {
            auto own = all ? place_of(*all, name_) : std::nullopt;
            if (!own || all->files.size() != all->paths.size()) all.reset();
            if (!all || all->files[*own].messages > 0) return std::optional<rosbag2::BagMetadata>();
            remove_file(*all, *own);
            sum_up(*all);
            return all;
          },
          session_);
    }
    files_->remove(join(folder_, name_));
  } catch (const Error&) {
    return;  // an empty file stays, which harms nobody
  }
}

Joined::Joined(const std::string& directory, const WriteOptions& options, const Session& session)
    : path_(without_slash(session.path_of(directory))),
      options_(options),
      session_(session),
      writer_(new_writer_name()) {
  bool names_members = !options.format.empty() && options.format != "directory";
  if (names_members) options_.member_format = options.format;
}

std::unique_ptr<Writer> Joined::next() {
  auto file = DirectoryWriter::joined(path_, writer_, next_, options_, session_);
  if (!lock_) lock_ = lock_as_one_of_several(path_, session_);
  next_ = file->number() + 1;
  options_.member_format = file->storage();
  newest_ = file->path();
  return file;
}

}  // namespace kitbag::directory
