#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "kitbag/catalog.h"
#include "kitbag/session.h"

// Connections to a catalog for many threads. A Catalog is for one thread at a time, and its
// database may go away and come back.

namespace kitbag::server {

/// Any thread.
class CatalogPool {
 public:
  /// Connects. Throws Error as Catalog does.
  CatalogPool(std::string address, const Session& session);
  /// Ends what the connections are doing.
  ~CatalogPool();
  CatalogPool(const CatalogPool&) = delete;
  CatalogPool& operator=(const CatalogPool&) = delete;

  /// Calls `use` with a connection that nobody else uses. If the connection turns out to be lost,
  /// `use` is called once more, with a new one, so it must begin anew. Throws Refusal (503) if the
  /// database does not answer or has too much to do, and what `use` throws.
  void read(const std::function<void(Catalog& catalog)>& use);
  /// The same, but `use` is called once: what it has stored may be stored although it has failed.
  void write(const std::function<void(Catalog& catalog)>& use);

 private:
  struct Connection {
    std::unique_ptr<Catalog> catalog;
    bool is_new = false;
  };

  Connection take();
  Connection connect();
  void give_back(Connection connection);
  void drop(Connection connection, bool are_all_lost);
  /// Throws Refusal (503) if the database does not answer.
  void require_answer();
  void use_once(Connection connection, const std::function<void(Catalog& catalog)>& use);

  std::string address_;
  Session session_;
  std::stop_source ending_;
  std::mutex mutex_;  ///< for all below
  std::condition_variable_any changed_;
  std::vector<std::unique_ptr<Catalog>> idle_;
  std::size_t open_ = 0;                       ///< connections, idle or not
  std::optional<SteadyTime> connecting_ = {};  ///< since when somebody does
  SteadyTime failed_until_{};                  ///< nobody tries before
};

}  // namespace kitbag::server
