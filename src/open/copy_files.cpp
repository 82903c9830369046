#include "kitbag/copy_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/path.h"
#include "io/copy_file.h"
#include "io/database_logs.h"
#include "kitbag/escape.h"
#include "kitbag/file_system.h"
#include "kitbag/paths.h"

// Who reads a directory of rosbag2 begins with metadata.yaml. So that is the last file to be
// copied: a directory that has one is complete. Other files of a folder have nothing to do with
// each other, and each is a job of its own.
//
// The source is locked as by a program that will replace it: a recorder that still writes to it has
// the only lock, and no other program can append to it meanwhile. File systems without locks do not
// say that a file is being written, but its size or time changes.
//
// A database and its logs are written first, and get their names right after one another: a log
// beside another database would be applied to it, and a database without its log lacks messages.

namespace kitbag {
namespace {

constexpr std::string_view kMetadata = "metadata.yaml";

void require_not_stopped(const std::stop_token& stop) {
  if (stop.stop_requested()) throw Error(ErrorCode::cancelled, "interrupted");
}

bool is_folder_at(const std::string& path, const Session& session) {
  auto status = session.file_system(path)->status(path);
  return status && status->is_folder;
}

std::vector<FoundPath> sources_of(const std::string& source, const Session& session,
                                  const std::stop_token& stop) {
  if (source == "-") {
    throw Error(ErrorCode::invalid, "standard input is no file to copy; use kitbag convert", "-");
  }
  if (is_path_glob(source, session)) {
    std::vector<FoundPath> found = matching_paths(source, session, stop);
    if (found.empty()) throw Error(ErrorCode::not_found, "nothing matches", source);
    return found;
  }
  std::string path = session.path_of(source);
  auto status = session.file_system(path)->status(path);
  if (!status) throw Error(ErrorCode::not_found, "no such file or folder", shown_path(source));
  return {{std::move(path), *status}};
}

/// As FileSystem::visit_below() of `root`, but with links that lead nowhere, whose status is empty.
/// Throws Error (io) for what cannot be looked at. `above` are the folders on the way.
void visit_with_links(const FileSystem& files, const std::string& root, const std::string& folder,
                      std::vector<FileId>& above, const OnEntry& visit) {
  for (const std::string& name : files.list(path_in(root, folder))) {
    if (name.empty()) continue;
    std::string inner = folder.empty() ? name : path_in(folder, name);
    auto status = files.status(path_in(root, inner));
    if (!status || !status->is_folder) {
      visit({inner, status.value_or(FileStatus())});
      continue;
    }
    if (std::find(above.begin(), above.end(), status->id) != above.end()) continue;
    above.push_back(status->id);
    visit_with_links(files, root, inner, above, visit);
    above.pop_back();
  }
}

/// The files below a folder, as jobs; `to` is the folder's new name.
void add_folder(const FoundPath& source, const std::string& to, const CopyPlanOptions& options,
                const Session& session, std::vector<CopyJob>& jobs) {
  std::map<std::string, std::vector<FileToCopy>> folders;  // by their name below the source
  FileSystemPtr place = session.file_system(source.path);
  auto add = [&](const FolderEntry& entry) {
    require_not_stopped(options.stop);
    std::string path = path_in(source.path, entry.name);
    if (!entry.status.is_regular) {
      if (options.on_left_out) options.on_left_out(path);
      return;
    }
    folders[std::string(parent_folder(entry.name))].push_back(
        {std::move(path), path_in(to, entry.name), entry.status.size_bytes});
  };
  if (place->is_local()) {
    std::vector<FileId> above{source.status.id};
    visit_with_links(*place, source.path, "", above, add);
  } else {
    place->visit_below(source.path, add);
  }
  for (auto& [name, files] : folders) {
    auto is_metadata = [](const FileToCopy& file) { return file_name(file.from) == kMetadata; };
    std::ranges::sort(files, {}, [&](const FileToCopy& file) {
      return std::pair(is_metadata(file), std::string_view(file.from));
    });
    if (is_metadata(files.back())) {
      std::string from = name.empty() ? without_slash(source.path) : path_in(source.path, name);
      jobs.push_back({from, name.empty() ? to : path_in(to, name), std::move(files)});
    } else {
      for (FileToCopy& file : files) jobs.push_back({file.from, file.to, {file}});
    }
  }
}

/// The path of the copy of a source in the folder `place`.
std::string name_in(const std::string& place, const FoundPath& source) {
  std::string name = name_at(source.path);
  if (name == "." || name == "..") name.clear();
  if (!name.empty()) return path_in(place, name);
  if (source.status.is_folder) return place;
  throw Error(ErrorCode::invalid, "has no file name; name the copy", shown_path(source.path));
}

void add_jobs(const FoundPath& source, const std::string& to, const CopyPlanOptions& options,
              const Session& session, std::vector<CopyJob>& jobs) {
  if (!source.status.is_folder) {
    jobs.push_back({source.path, to, {{source.path, to, source.status.size_bytes}}});
  } else if (options.is_recursive) {
    add_folder(source, to, options, session, jobs);
  } else {
    throw Error(ErrorCode::invalid, "is a folder; use -r to copy it with all that is in it",
                source.path);
  }
}

/// With a SQLite bag goes its log, which has messages that the bag does not have yet: also one that
/// was named itself, or found in a folder.
void add_logs(std::vector<CopyJob>& jobs, const Session& session) {
  std::map<std::string, std::size_t> single;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (jobs[i].files.size() == 1) single.emplace(jobs[i].from, i);
  }
  std::set<std::size_t> joined;
  for (CopyJob& job : jobs) {
    FileToCopy bag = job.files.back();
    FileSystemPtr files = session.file_system(bag.from);
    if (job.files.size() > 1) continue;
    for (std::string_view ending : kDatabaseLogs) {
      FileToCopy log{bag.from + std::string(ending), bag.to + std::string(ending)};
      auto own = single.find(log.from);
      if (own != single.end()) {
        const FileToCopy& known = jobs[own->second].files.front();
        if (known.to != log.to) continue;
        log.size_bytes = known.size_bytes;
        joined.insert(own->second);
      } else {
        auto status = files->is_local() ? files->status(log.from) : std::nullopt;
        if (!status || !status->is_regular || status->size_bytes == 0) continue;
        log.size_bytes = status->size_bytes;
      }
      // Behind the bag, since a database that appears removes the logs of the one that it replaces.
      job.files.push_back(std::move(log));
      job.is_together = true;
    }
  }
  std::size_t place = 0;
  std::erase_if(jobs, [&](const CopyJob&) { return joined.contains(place++); });
}

void require_different_targets(const std::vector<CopyJob>& jobs) {
  std::map<std::string_view, const FileToCopy*> known;
  for (const CopyJob& job : jobs) {
    for (const FileToCopy& file : job.files) {
      auto [other, is_new] = known.emplace(file.to, &file);
      if (is_new) continue;
      throw Error(ErrorCode::invalid,
                  fmt::format("would be the copy of {} and of {}; copy them one by one",
                              shown_path(other->second->from), shown_path(file.from)),
                  file.to);
    }
  }
}

/// A file of a job while it is copied.
class Copying {
 public:
  Copying(const FileToCopy& file, const CopyJob& job, const CopyOptions& options,
          const Session& session)
      : file_(file),
        job_(job),
        options_(options),
        from_(session.file_system(file.from)),
        to_(session.file_system(file.to)) {}

  /// All of the copying but that the copy appears. `must_write`: what is there is going to be
  /// removed.
  void begin(bool must_write) {
    // Before the status is asked for: from here on, nobody who uses locks writes to the file.
    lock_ = from_->lock(file_.from, LockKind::shared, {});
    auto before = from_->status(file_.from);
    if (!before || !before->is_regular) {
      throw Error(ErrorCode::not_found, "no such file", shown_path(file_.from));
    }
    before_ = *before;
    content_ = from_->open(file_.from);
    auto there = to_->status(file_.to);
    if (there && there->is_folder) throw Error(ErrorCode::io, "is a directory", file_.to);
    bool is_same = there && has_copy(*content_, *there) && !has_log_of_another();
    if (is_same && !must_write) return report(before_.size_bytes);
    if (there && !is_same && !options_.may_replace) {
      throw Error(ErrorCode::exists, "already exists, with another content", file_.to);
    }
    write(is_same);
  }

  bool will_appear() const { return written_ != nullptr; }

  void end(Copied& copied) {
    if (!written_) {
      ++copied.skipped_files;
      return;
    }
    commit();
    verify();
    ++copied.files;
    copied.size_bytes += before_.size_bytes;
  }

 private:
  void report(std::uint64_t bytes) const {
    if (options_.on_bytes) options_.on_bytes(bytes);
    require_not_stopped(options_.stop);
  }

  /// A store that keeps checksums need not send the content to have it compared.
  bool has_copy(const ReadFile& content, const FileStatus& there) const {
    if (!there.is_regular || there.size_bytes != content.size()) return false;
    if (from_->is_local() || !to_->is_local()) return to_->has_content(file_.to, content);
    return from_->has_content(file_.from, *to_->open(file_.to));
  }

  /// A database has a log beside its target that does not come from here, so it has other content.
  bool has_log_of_another() const {
    if (!to_->is_local()) return false;
    return std::any_of(kDatabaseLogs.begin(), kDatabaseLogs.end(), [&](std::string_view ending) {
      std::string log = file_.to + std::string(ending);
      auto is_it = [&](const FileToCopy& file) { return file.to == log; };
      if (std::any_of(job_.files.begin(), job_.files.end(), is_it)) return false;
      auto status = to_->status(log);
      return status && status->is_regular && status->size_bytes > 0;
    });
  }

  void write(bool is_same) {
    make_folders(std::string(parent_folder(file_.to)), *to_);
    written_ = to_->create(file_.to, {.may_replace = options_.may_replace || is_same,
                                      .size_bytes = before_.size_bytes,
                                      .on_warning = options_.on_warning});
    copy_file(*content_, *written_, shown_path(file_.from),
              [&](std::size_t bytes) { report(bytes); });
  }

  /// Where the source was written to meanwhile, no copy appears at all.
  void commit() {
    auto after = from_->status(file_.from);
    bool is_same = after && after->size_bytes == before_.size_bytes &&
                   after->modified == before_.modified && written_->size() == before_.size_bytes;
    if (!is_same) {
      throw Error(ErrorCode::io, "has changed while it was copied; try again",
                  shown_path(file_.from));
    }
    written_->commit();
    written_.reset();
  }

  void verify() const {
    auto there = to_->status(file_.to);
    bool is_equal = there && there->size_bytes == content_->size();
    // Not by checksums of the store, but by reading it.
    if (is_equal && options_.reads_again)
      is_equal = to_->FileSystem::has_content(file_.to, *content_);
    if (is_equal) return;
    to_->remove(file_.to);
    throw Error(ErrorCode::io,
                fmt::format("the copy is not equal to {}; it was removed", shown_path(file_.from)),
                file_.to);
  }

  const FileToCopy& file_;
  const CopyJob& job_;
  const CopyOptions& options_;
  FileSystemPtr from_;
  FileSystemPtr to_;
  std::unique_ptr<FileLock> lock_;
  FileStatus before_;
  std::shared_ptr<const ReadFile> content_;
  std::unique_ptr<WriteFile> written_;  ///< null: the copy was there already, or has appeared
};

}  // namespace

std::uint64_t CopyJob::size_bytes() const {
  std::uint64_t sum = 0;
  for (const FileToCopy& file : files) sum += file.size_bytes;
  return sum;
}

std::vector<CopyJob> plan_copies(const std::vector<std::string>& sources, const std::string& target,
                                 const CopyPlanOptions& options, const Session& session) {
  std::string place = session.path_of(target);
  bool is_into = place.ends_with('/') || is_folder_at(place, session);
  bool are_several = sources.size() > 1 || is_path_glob(sources.front(), session);
  if (are_several && !is_into) {
    throw Error(ErrorCode::invalid, "several files need a folder to go to; end its name with \"/\"",
                shown_path(target));
  }
  std::vector<CopyJob> jobs;
  for (const std::string& source : sources) {
    try {
      for (const FoundPath& each : sources_of(source, session, options.stop)) {
        add_jobs(each, is_into ? name_in(place, each) : place, options, session, jobs);
      }
    } catch (const Error& error) {
      bool is_of_one = error.code() == ErrorCode::not_found || error.code() == ErrorCode::io;
      if (!options.on_failure || !is_of_one) throw;
      options.on_failure(error);
    }
  }
  add_logs(jobs, session);
  require_different_targets(jobs);
  return jobs;
}

Copied copy(const CopyJob& job, const CopyOptions& options, const Session& session) {
  Copied copied;
  std::list<Copying> begun;
  auto end = [&] {
    for (Copying& each : begun) each.end(copied);
    begun.clear();
  };
  bool has_new = false;
  for (const FileToCopy& file : job.files) {
    require_not_stopped(options.stop);
    Copying& copying = begun.emplace_back(file, job, options, session);
    copying.begin(job.is_together && has_new);
    has_new |= copying.will_appear();
    if (!job.is_together) end();
  }
  end();
  return copied;
}

}  // namespace kitbag
