#include "live/record/leftovers.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "kitbag/file_system.h"
#include "kitbag/open.h"
#include "kitbag/registry.h"
#include "kitbag/repair.h"
#include "storage/directory/files.h"

// Its names are collected before this recording begins its first file, so that the thread never
// meets the recorder's own file. Two recorders with the same pattern may both try to repair a file:
// the lock that repair() takes lets one of them through, and the other gets `busy` and leaves it.

namespace kitbag {

Leftovers::Leftovers(const FileNames& names, const Session& session)
    : names_(names), session_(session) {
  if (names.is_directory()) {
    find_in_directory();
    if (paths_.empty()) return;
    thread_ = std::jthread([this](const std::stop_token& stop) { settle_in_directory(stop); });
    return;
  }
  const std::string suffix = kActiveSuffix;
  for (const std::string& name : names.file_system()->list(names.folder())) {
    if (!name.ends_with(suffix)) continue;
    if (names.is_like(name.substr(0, name.size() - suffix.size()))) {
      paths_.push_back(names.path_of(name));
    }
  }
  if (paths_.empty()) return;
  thread_ = std::jthread([this](const std::stop_token& stop) {
    for (const std::string& path : paths_) {
      if (stop.stop_requested()) return;
      settle(path, stop);
    }
  });
}

void Leftovers::tell(const Error& report) {
  std::lock_guard lock(mutex_);
  reports_.push_back(report);
}

void Leftovers::find_in_directory() {
  FileSystemPtr files = names_.file_system();
  if (!files->status(names_.path())) return;
  auto metadata = directory::read_metadata(*files, names_.path(), [](const Error&) {});
  for (const directory::Member& member : directory::found_members(names_.path(), session_)) {
    auto place = metadata ? directory::place_of(*metadata, member.path) : std::nullopt;
    // An entry is made with zero messages when its file begins, and gets their number when it ends.
    bool is_counted =
        place && *place < metadata->files.size() && metadata->files[*place].messages > 0;
    if (!is_counted) paths_.push_back(member.path);
  }
}

void Leftovers::settle_in_directory(const std::stop_token& stop) {
  bool is_any = false;
  for (const std::string& path : paths_) {
    if (stop.stop_requested()) return;
    try {
      is_any |= repair_in_place(path, stop);
    } catch (const Error& error) {
      bool is_passing = error.code() == ErrorCode::busy || error.code() == ErrorCode::cancelled ||
                        error.code() == ErrorCode::not_found;
      if (is_passing) continue;
      tell(Error(error.code(),
                 "left incomplete by a program that was killed, and cannot be repaired: " +
                     error.message(),
                 path));
    }
  }
  if (!is_any) return;
  try {
    Input input = session_.input_at(names_.path());
    const Format* format = match_format(session_.registry(), input);
    ReadOptions lenient;
    lenient.on_problem = [](const Error&) {};
    if (format && format->rebuild_index) format->rebuild_index(input, lenient, session_);
  } catch (const Error& error) {
    tell(error);
  }
}

/// True: the file is complete now and nobody writes to it. Where there are no locks nobody knows
/// whether its writer lives, so it stays as it is.
bool Leftovers::repair_in_place(const std::string& path, const std::stop_token& stop) {
  bool has_locks = true;
  // Only a look, which is over with this statement: repair() takes the lock itself.
  if (!names_.file_system()->lock(path, LockKind::exclusive,
                                  [&](const Error&) { has_locks = false; })) {
    return false;
  }
  if (!has_locks) return false;
  ReadOptions lenient;
  lenient.on_problem = [](const Error&) {};
  if (session_.open(path, lenient)->growth() == Growth::complete) return true;
  RepairOptions options;
  options.on_problem = [](const Error&) {};
  Repaired repaired = repair(path, path, options, session_, stop);
  {
    std::lock_guard lock(mutex_);
    settled_.push_back({path, {}, true});
  }
  tell(Error(ErrorCode::remark,
             fmt::format("left incomplete by a program that was killed; repaired, with {} messages",
                         repaired.totals.messages),
             path));
  return true;
}

void Leftovers::settle(const std::string& path, const std::stop_token& stop) {
  Settled settled{path, {}, false};
  try {
    auto status = names_.file_system()->status(path);
    if (!status || !status->is_regular) return;
    settled.closed = status->modified;
    std::string name = path.substr(0, path.size() - std::string_view(kActiveSuffix).size());
    if (names_.remove_if_empty(path, [this](const Error& report) { tell(report); })) return;
    RepairOptions options;
    options.on_problem = [](const Error&) {};
    Repaired repaired = repair(path, path, options, session_, stop);
    settled.path = names_.complete_leftover(name);
    settled.is_repaired = true;
    tell(Error(ErrorCode::remark,
               fmt::format("left incomplete by a program that was killed; repaired, with {} "
                           "messages, as {}",
                           repaired.totals.messages, settled.path),
               path));
    std::lock_guard lock(mutex_);
    settled_.push_back(std::move(settled));
  } catch (const Error& error) {
    // A living recorder writes to it, or this one ends.
    if (error.code() == ErrorCode::busy || error.code() == ErrorCode::cancelled) return;
    std::lock_guard lock(mutex_);
    settled_.push_back(std::move(settled));
    reports_.emplace_back(
        error.code(),
        "left incomplete by a program that was killed, and cannot be repaired: " + error.message(),
        path);
  }
}

std::vector<Leftovers::Settled> Leftovers::take_settled() {
  std::lock_guard lock(mutex_);
  return std::exchange(settled_, {});
}

std::vector<Error> Leftovers::take_reports() {
  std::lock_guard lock(mutex_);
  return std::exchange(reports_, {});
}

}  // namespace kitbag
