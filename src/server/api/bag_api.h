#pragma once

#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "kitbag/session.h"
#include "server/bags/bag_list.h"
#include "server/bags/open_bags.h"
#include "server/http/message.h"

// The Bag API: a list of bags, downloads, and the messages of time slices. docs/serving.md
// describes it; what a path means is in handle(), and each kind of answer has a file of its own.

namespace kitbag::server {

struct BagApiOptions {
  std::vector<std::string> places;  ///< folders with bags, or bags
  /// What clients see as the beginning of all URLs, such as "https://robot.local"; empty: the
  /// request's host.
  std::string public_url = {};
  /// Topics whose last message before a slice belongs to it, besides those that are latched
  /// in the bag.
  std::set<std::string> latched_topics = {};
  bool uses_local_time = false;  ///< in the list; else UTC
  /// Answers are for one user only: caches between must not keep them.
  bool is_private = false;
  OnWarning on_warning = {};
};

/// The topics that the document of the Bag API calls latched.
const std::set<std::string>& documented_latched_topics();

/// Any thread.
class BagApi {
 public:
  /// Throws Error as BagList does.
  BagApi(BagApiOptions options, const Session& session);

  /// Answers a request for the API. What is wrong with it becomes an answer, never an exception.
  Response handle(const Request& request);

 private:
  Response dispatch(const Request& request);
  Response list(const Request& request);
  Response download(const Request& request, const BagEntryPtr& bag);
  Response download_folder(const Request& request, const BagEntryPtr& bag);
  Response player(const Request& request, const BagEntryPtr& bag);
  std::string base_url(const Request& request) const;
  std::string cache_control(const BagEntry& bag) const;

  BagApiOptions options_;
  Session session_;
  BagList bags_;
  OpenBags open_;

  /// The last list that was made, for its state and host.
  struct MadeList {
    std::uint64_t number = 0;
    std::string base_url;
    std::shared_ptr<const std::string> text;
    std::string etag;
  };
  std::mutex list_mutex_;
  MadeList made_list_;  ///< guarded by list_mutex_
};

}  // namespace kitbag::server
