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
/// The state of the file or folder, without what is in it; null: it does not exist. `is_active`: it
/// looks as if it were being recorded.
std::shared_ptr<BagEntry> state_of(const std::string& path, const std::string& name, bool is_active,
                                   const Session& session);
/// Opens the bag to fill in what its state does not show. Returns false for a file that is no
/// bag.
bool describe(BagEntry& entry, const Session& session);

}  // namespace kitbag::server
