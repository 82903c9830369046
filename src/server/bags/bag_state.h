#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "kitbag/session.h"
#include "server/bags/bag_entry.h"

// What is at a path, and what it is when it is opened. All of these throw Error as the file system
// does, and may be called from any thread.

namespace kitbag::server {

/// A bag that its writer has not completed counts as being recorded while its file changes within
/// this time: a recorder hands on what it has about once a second.
constexpr std::chrono::seconds kAlive{60};

/// The path of `name` in `folder`.
std::string in_folder(const std::string& folder, const std::string& name);
/// The last part of a path, of a URL without its parameters.
std::string name_of(std::string path);
/// Whether there is a bag that is a folder.
bool is_folder_of_bag(const std::string& path, const Session& session);
/// Whether `path` is a link that leads out of `folder`. Local paths only.
bool leads_out_of(const std::string& folder, const std::string& path);
/// Whether a file of that age is one that somebody writes. One of the future is not.
bool is_fresh(Time modified, Time now);
/// The state of the file or folder, without what is in it; null: it does not exist. `is_active`: it
/// looks as if it were being recorded. `root` is BagEntry::root.
std::shared_ptr<BagEntry> state_of(const std::string& path, const std::string& name, bool is_active,
                                   const std::string& root, const Session& session);
/// Opens the bag to fill in what its state does not show. Returns false for a file that is no
/// bag. `is_being_recorded`: its writer is known to be alive, however long its file stands still.
bool describe(BagEntry& entry, bool is_being_recorded, const Session& session);

}  // namespace kitbag::server
