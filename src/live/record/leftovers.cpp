#include "live/record/leftovers.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "kitbag/repair.h"

// Its names are collected before this recording begins its first file, so that the thread never
// meets the recorder's own file. Two recorders with the same pattern may both try to repair a file:
// the lock that repair() takes lets one of them through, and the other gets `busy` and leaves it.

namespace kitbag {

Leftovers::Leftovers(const FileNames& names, const Session& session)
    : names_(names), session_(session) {
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

void Leftovers::settle(const std::string& path, const std::stop_token& stop) {
  Settled settled{path, {}, false};
  try {
    auto status = names_.file_system()->status(path);
    if (!status || !status->is_regular) return;
    settled.closed = status->modified;
    std::string name = path.substr(0, path.size() - std::string_view(kActiveSuffix).size());
    auto tell = [this](const Error& report) {
      std::lock_guard lock(mutex_);
      reports_.push_back(report);
    };
    if (names_.remove_if_empty(path, tell)) return;
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
