#include "server/bags/bag_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "kitbag/error.h"
#include "kitbag/escape.h"
#include "kitbag/file_system.h"
#include "server/bags/bag_state.h"
#include "server/bags/events.h"

// What costs: a listing and a stat(2) for each bag, twice a second at most and only if somebody
// asks; opening a bag once for each version of it. The version is made of the file's number, size
// and time of modification, so a bag that has not changed is not opened again.
//
// A state is immutable and shared. A request keeps the snapshot that it began with, so a page of a
// list and the next one can be cut from the same order (BagSnapshot::number shows whether they
// are).
//
// Only one thread looks, and requests wait for it for 300 ms at most, or for 2 s if the name is
// unknown so far: a disk that hangs, or a thousand new bags, must not occupy all threads of the
// server. The first list is the exception: there is nothing older to show.
//
// Remote places cost a request each time, so what was found there counts for five seconds.

namespace kitbag::server {
namespace {

using std::chrono::milliseconds;

/// A snapshot that is older than this is refreshed before it is returned.
constexpr milliseconds kMaxAge{500};
/// The same where a name is in none: whoever asks may have written the bag just now.
constexpr milliseconds kMaxMissAge{50};
/// The same for remote places and bags.
constexpr std::chrono::seconds kMaxRemoteAge{5};
constexpr std::size_t kMostAddressed = 64;
/// How long a request waits for that. Opening many new bags takes longer.
constexpr milliseconds kMaxWait{300};
constexpr milliseconds kMaxWaitForMiss{2000};

}  // namespace

BagEntryPtr BagSnapshot::find(std::string_view name) const {
  auto found =
      std::find_if(bags.begin(), bags.end(), [&](const auto& bag) { return bag->name == name; });
  return found == bags.end() ? nullptr : *found;
}

BagList::BagList(std::vector<std::string> places, const Session& session, OnWarning on_warning)
    : places_(std::move(places)), session_(session), on_warning_(std::move(on_warning)) {
  for (std::string& place : places_) {
    place = session_.path_of(place);
    if (!session_.file_system(place)->status(place)) {
      throw Error(ErrorCode::not_found, "there is no such folder or bag", place);
    }
  }
  require_other_names();
  thread_ = std::jthread([this](std::stop_token stop) { refresh_when_asked(std::move(stop)); });
}

BagList::~BagList() = default;

/// Within a folder, two bags have one name when a recording and its repaired file lie there: that
/// happens by itself, so it is a warning of each refresh. That places do is known to their user.
void BagList::require_other_names() {
  std::map<std::string, Found> names;
  for (const Found& each : look()) {
    auto [known, is_new] = names.try_emplace(each.name, each);
    if (is_new) continue;
    if (known->second.path == each.path) {
      throw Error(ErrorCode::invalid, "the bag is named twice", each.path);
    }
    if (known->second.place == each.place) continue;
    throw Error(ErrorCode::invalid,
                fmt::format("the bag has the same name as {}; rename one of them",
                            escaped(known->second.path)),
                each.path);
  }
}

void BagList::watch_recorder(std::function<std::string()> open_file) {
  std::lock_guard lock(recorder_mutex_);
  open_file_ = std::move(open_file);
}

/// Whether the recorder of this server writes it, as far as it has told.
bool BagList::is_being_recorded(const Found& found) {
  if (places_.empty() || found.place != places_.front()) return false;
  std::lock_guard lock(recorder_mutex_);
  return open_file_ && name_of(open_file_()) == found.name;
}

BagSnapshotPtr BagList::now() {
  std::unique_lock lock(mutex_);
  bool is_current = refreshes_ > 0 && session_.clock()->steady() - refreshed_ < kMaxAge;
  // The first caller waits for a list, however long it takes.
  auto most = refreshes_ == 0 ? std::chrono::hours(1) : std::chrono::hours(0) + kMaxWait;
  if (!is_current) await_refresh(lock, refreshes_ + 1, most);
  return snapshot_;
}

BagEntryPtr BagList::find(std::string_view name) {
  if (BagEntryPtr bag = now()->find(name)) return bag;
  // A refresh that has begun may have missed it.
  std::unique_lock lock(mutex_);
  if (session_.clock()->steady() - refreshed_ >= kMaxMissAge) {
    await_refresh(lock, begun_ + 1, kMaxWaitForMiss);
  }
  return snapshot_->find(name);
}

void BagList::await_refresh(std::unique_lock<std::mutex>& lock, std::uint64_t number,
                            milliseconds most) {
  is_wanted_ = true;
  changed_.notify_all();
  changed_.wait_for(lock, most, [&] { return refreshes_ >= number; });
}

void BagList::refresh_when_asked(std::stop_token stop) {
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, stop, [&] { return is_wanted_; })) {
    is_wanted_ = false;
    ++begun_;
    refreshed_ = session_.clock()->steady();
    lock.unlock();
    try {
      refresh(stop);
    } catch (const Error& error) {  // the list stays as it was; the next request tries again
      warn_once(fmt::format("the list of bags cannot be made: {}", error.what()));
    }
    lock.lock();
    ++refreshes_;
    changed_.notify_all();
  }
}

void BagList::refresh(const std::stop_token& stop) {
  std::map<std::string, BagEntryPtr> entries;  // by name
  std::map<std::string, Known> known;
  for (const Found& found : look()) {
    if (stop.stop_requested()) return;
    auto remembered = found.is_remembered ? known_.find(found.path) : known_.end();
    if (remembered != known_.end()) {
      known.insert(*remembered);
      if (remembered->second.entry) {
        entries.try_emplace(remembered->second.entry->name, remembered->second.entry);
      }
      continue;
    }
    std::shared_ptr<BagEntry> state;
    try {
      state = state_of(found.path, found.name, found.is_active, found.root, session_);
    } catch (const Error& error) {
      warn_once(fmt::format("{} is not listed: {}", escaped(found.path), error.message()));
    }
    if (!state) continue;
    auto before = known_.find(found.path);
    bool is_same = before != known_.end() && before->second.version == state->version &&
                   (!before->second.entry || before->second.entry->is_certain);
    // What has stood still for long counts as being recorded no longer, unless it is here.
    bool is_own = is_being_recorded(found);
    bool is_alive = is_own || is_fresh(state->modified, session_.clock()->wall());
    bool has_stopped =
        is_same && before->second.entry && before->second.entry->is_recording && !is_alive;
    BagEntryPtr entry;
    if (is_same && !has_stopped) {
      entry = before->second.entry;
    } else if (describe(*state, is_own, session_)) {
      entry = state;
    }
    known[found.path] = {state->version, entry};
    if (!entry) continue;
    auto [place, is_new] = entries.try_emplace(entry->name, entry);
    if (!is_new) {
      warn_once(fmt::format("{} is not listed: {} has the same name", escaped(entry->path),
                            escaped(place->second->path)));
    }
  }
  known_ = std::move(known);
  publish(entries);
}

void BagList::publish(const std::map<std::string, BagEntryPtr>& entries) {
  auto next = std::make_shared<BagSnapshot>();
  for (const auto& [name, entry] : entries) next->bags.push_back(entry);
  std::stable_sort(next->bags.begin(), next->bags.end(), [](const auto& a, const auto& b) {
    return std::tie(a->start, a->name) < std::tie(b->start, b->name);
  });
  std::lock_guard lock(mutex_);
  if (next->bags == snapshot_->bags && snapshot_->number > 0) return;
  next->number = snapshot_->number + 1;
  snapshot_ = std::move(next);
}

std::vector<BagList::Found> BagList::look() {
  std::vector<Found> found;
  for (const std::string& place : places_) {
    if (session_.file_system(place)->is_local()) {
      for (Found& each : look_at(place)) found.push_back(std::move(each));
      continue;
    }
    SteadyTime now = session_.clock()->steady();
    auto [look, is_new] = looks_.try_emplace(place);
    if (is_new || now - look->second.at >= kMaxRemoteAge) {
      look->second = {now, look_at(place)};
      found.insert(found.end(), look->second.found.begin(), look->second.found.end());
      for (Found& each : look->second.found) each.is_remembered = true;
    } else {
      found.insert(found.end(), look->second.found.begin(), look->second.found.end());
    }
  }
  for (Found& each : found) {
    each.is_active = each.name.ends_with(kActiveSuffix);
    if (each.is_active) each.name.resize(each.name.size() - std::strlen(kActiveSuffix));
  }
  return found;
}

std::vector<BagList::Found> BagList::look_at(const std::string& place) {
  std::vector<Found> found;
  auto status = session_.file_system(place)->status(place);
  if (!status) {  // a disk that was taken out, say
    warn_once(fmt::format("{} cannot be found; its bags are not listed", escaped(place)));
  } else if (status->is_folder && !is_folder_of_bag(place, session_)) {
    add_folder(place, found);
  } else {
    found.push_back({name_of(place), place, status->is_folder ? place : std::string()});
  }
  bool is_local = session_.file_system(place)->is_local();
  for (Found& each : found) {
    each.place = place;
    if (!is_local) each.root.clear();
  }
  return found;
}

void BagList::add_folder(const std::string& folder, std::vector<Found>& found) {
  auto files = session_.file_system(folder);
  std::vector<std::string> names = files->list(folder);
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) {
    if (name.empty() || name.front() == '.' || name.ends_with(kEventsSuffix)) continue;
    std::string path = in_folder(folder, name);
    if (files->is_local() && leads_out_of(folder, path)) {
      warn_once(fmt::format("{} is not listed: it is a link that leads out of the folder",
                            escaped(path)));
      continue;
    }
    std::optional<FileStatus> status;
    try {
      status = files->status(path);
    } catch (const Error& error) {
      warn_once(fmt::format("{} is not listed: {}", escaped(path), error.message()));
    }
    if (!status) continue;
    if (status->is_regular || (status->is_folder && is_folder_of_bag(path, session_))) {
      found.push_back({name, path, folder});
    }
  }
}

BagEntryPtr BagList::find_at(const std::string& uri) {
  BagEntryPtr known;
  SteadyTime now = session_.clock()->steady();
  {
    std::lock_guard lock(addressed_mutex_);
    for (auto each = addressed_.begin(); each != addressed_.end(); ++each) {
      if (each->uri != uri) continue;
      addressed_.splice(addressed_.begin(), addressed_, each);
      if (now - each->at < kMaxRemoteAge) return each->entry;
      known = each->entry;
      break;
    }
  }
  std::shared_ptr<BagEntry> state = state_of(uri, name_of(uri), false, {}, session_);
  BagEntryPtr entry;
  bool is_bag = state && (!state->is_folder || is_folder_of_bag(uri, session_));
  if (is_bag && known && known->version == state->version && known->is_certain) {
    entry = known;
  } else if (is_bag && describe(*state, false, session_)) {
    entry = state;
  }
  std::lock_guard lock(addressed_mutex_);
  addressed_.remove_if([&](const Addressed& each) { return each.uri == uri; });
  if (entry) addressed_.push_front({uri, entry, now});
  if (addressed_.size() > kMostAddressed) addressed_.pop_back();
  return entry;
}

bool BagList::is_current(const BagEntry& entry) const {
  auto state = state_of(entry.path, entry.name, false, entry.root, session_);
  return state && state->state == entry.state;
}

void BagList::warn_once(const std::string& text) {
  if (!warned_.try_emplace(text).second || !on_warning_) return;
  on_warning_(Error(ErrorCode::remark, text));
}

}  // namespace kitbag::server
