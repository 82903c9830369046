#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "kitbag/file_system.h"
#include "kitbag/session.h"
#include "server/bags/bag_entry.h"

// The bags that a server offers: those in the folders that it was given, and single ones. Folders
// are looked at once at the start and then when somebody asks, at most twice a second, and each bag
// is opened once to see how long it is; so a list of a thousand bags costs a thousand stat(2), and
// an idle server does nothing.
//
// Clients name bags; nothing that they send is ever joined to a path. A name is looked up here, and
// what is found was listed from the folder.

namespace kitbag::server {

/// All bags at some time, the oldest first.
struct BagSnapshot {
  std::uint64_t number = 0;  ///< another one for each change
  std::vector<BagEntryPtr> bags = {};
  /// The bag with that name; null: there is none.
  BagEntryPtr find(std::string_view name) const;
};
using BagSnapshotPtr = std::shared_ptr<const BagSnapshot>;

class BagList {
 public:
  /// `places` are folders with bags, or bags. Throws Error: not_found; invalid if two of them have
  /// bags with the same name. `on_warning` is called, from another thread, for links that are
  /// skipped and for names that occur twice in a folder, or later.
  BagList(std::vector<std::string> places, const Session& session, OnWarning on_warning);
  ~BagList();
  BagList(const BagList&) = delete;
  BagList& operator=(const BagList&) = delete;

  /// The bags as they were half a second ago or later. Where opening new ones takes long, those
  /// come with a later call. Any thread.
  BagSnapshotPtr now();
  /// The bag with that name, also if it was completed just before; null: there is none. Any thread.
  BagEntryPtr find(std::string_view name);
  /// The bag at an address, which is in no place; null: there is none. What was found is taken for
  /// true for five seconds. Throws Error as the file system does. Any thread.
  BagEntryPtr find_at(const std::string& uri);
  /// A recorder writes into the first place. `open_file` gives the final name of its open file, or
  /// nothing; it is called from another thread until it is replaced. Any thread.
  void watch_recorder(std::function<std::string()> open_file);
  /// Whether the bag is at this moment as `entry` says. Any thread.
  bool is_current(const BagEntry& entry) const;

 private:
  struct Found {
    std::string name;
    std::string path;
    std::string root = {};   ///< BagEntry::root
    std::string place = {};  ///< where it was found
    bool is_active = false;
    bool is_remembered = false;  ///< of a remote place that was looked at a moment ago
  };
  /// What was found in a remote place.
  struct Look {
    SteadyTime at{};
    std::vector<Found> found;
  };

  void require_other_names();
  bool is_being_recorded(const Found& found);
  /// Asks for a refresh, and waits until that with this number has ended.
  void await_refresh(std::unique_lock<std::mutex>& lock, std::uint64_t number,
                     std::chrono::milliseconds most);
  void refresh_when_asked(std::stop_token stop);
  void refresh(const std::stop_token& stop);
  std::vector<Found> look();
  std::vector<Found> look_at(const std::string& place);
  void add_folder(const std::string& folder, std::vector<Found>& found);
  void publish(const std::map<std::string, BagEntryPtr>& entries);
  void warn_once(const std::string& text);

  std::vector<std::string> places_;
  Session session_;
  OnWarning on_warning_;
  std::map<std::string, std::string> warned_;

  /// By path: what was described, or null for a file that is no bag, with its version.
  struct Known {
    std::string version;
    BagEntryPtr entry;
  };
  std::map<std::string, Known> known_;  ///< of the refreshing thread alone
  std::map<std::string, Look> looks_;   ///< likewise, by place

  /// Bags at addresses; the one that was asked for last is the first.
  struct Addressed {
    std::string uri;
    BagEntryPtr entry;
    SteadyTime at{};
  };
  std::mutex recorder_mutex_;
  std::function<std::string()> open_file_;  ///< empty: nothing is recorded here

  std::mutex addressed_mutex_;
  std::list<Addressed> addressed_;

  std::mutex mutex_;
  std::condition_variable_any changed_;
  bool is_wanted_ = true;    ///< the first list, which takes longest, is made before anybody asks
  SteadyTime refreshed_{};   ///< when the last refresh() began
  std::uint64_t begun_ = 0;  ///< refreshes
  std::uint64_t refreshes_ = 0;  ///< that have ended
  BagSnapshotPtr snapshot_ = std::make_shared<const BagSnapshot>();
  std::jthread thread_;
};

}  // namespace kitbag::server
