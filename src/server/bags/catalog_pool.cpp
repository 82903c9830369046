#include "server/bags/catalog_pool.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "kitbag/error.h"
#include "server/http/message.h"

// A database that does not answer must not occupy all threads of the server. So one thread at a
// time connects, the others wait for a moment only, and after a failure nobody tries for a second:
// all these requests are refused with 503, and their clients ask again.
//
// A connection that has failed is not used again. If it is an old one, the others are probably
// lost, too: the database was started anew.

namespace kitbag::server {
namespace {

constexpr std::size_t kMostConnections = 8;
/// How long a request waits for a connection that others use.
constexpr std::chrono::seconds kMostWait{5};
/// The same for one that is being made.
constexpr std::chrono::seconds kMostConnecting{2};
constexpr std::chrono::seconds kRetryAfter{1};

[[noreturn]] void refuse_lost() {
  throw Refusal(503, "the catalog cannot be reached; try again");
}

/// Errors of a connection, and not of what it was asked.
bool may_be_lost(const Error& error) {
  return error.code() == ErrorCode::io || error.code() == ErrorCode::cancelled;
}

}  // namespace

CatalogPool::CatalogPool(std::string address, const Session& session)
    : address_(std::move(address)), session_(session) {
  idle_.push_back(std::make_unique<Catalog>(address_, session_, Wait{ending_.get_token()}));
  open_ = 1;
}

CatalogPool::~CatalogPool() {
  ending_.request_stop();
}

CatalogPool::Connection CatalogPool::take() {
  std::unique_lock lock(mutex_);
  SteadyTime begin = session_.clock()->steady();
  auto is_there = [&] { return !idle_.empty() || (!connecting_ && open_ < kMostConnections); };
  auto is_hopeless = [&] {
    SteadyTime now = session_.clock()->steady();
    return idle_.empty() &&
           (now < failed_until_ || (connecting_ && now - *connecting_ > kMostConnecting));
  };
  Wait wait{ending_.get_token(), begin + kMostWait};
  while (!is_there()) {
    if (is_hopeless()) refuse_lost();
    Wait turn = wait;
    if (connecting_) turn.until = std::min(turn.until, *connecting_ + kMostConnecting);
    session_.clock()->wait(lock, changed_, turn, is_there);
    if (is_there()) break;
    if (ending_.stop_requested()) throw Refusal(503, "the server is about to end");
    if (session_.clock()->steady() >= wait.until) {
      throw Refusal(503, "too many requests ask the catalog; try again");
    }
  }
  if (!idle_.empty()) {
    Connection connection{std::move(idle_.back())};
    idle_.pop_back();
    return connection;
  }
  if (is_hopeless()) refuse_lost();
  ++open_;
  connecting_ = session_.clock()->steady();
  lock.unlock();
  return connect();
}

/// What take() has announced.
CatalogPool::Connection CatalogPool::connect() {
  Connection connection{nullptr, true};
  std::exception_ptr failed;
  try {
    connection.catalog = std::make_unique<Catalog>(address_, session_, Wait{ending_.get_token()});
  } catch (...) {  // whatever it is, the others must not wait for it
    failed = std::current_exception();
  }
  {
    std::lock_guard lock(mutex_);
    connecting_.reset();
    if (failed) {
      --open_;
      failed_until_ = session_.clock()->steady() + kRetryAfter;
    }
  }
  changed_.notify_all();
  if (!failed) return connection;
  try {
    std::rethrow_exception(failed);
  } catch (const Error& error) {
    if (may_be_lost(error) || error.code() == ErrorCode::busy) refuse_lost();
    throw;
  }
}

void CatalogPool::give_back(Connection connection) {
  {
    std::lock_guard lock(mutex_);
    idle_.push_back(std::move(connection.catalog));
  }
  changed_.notify_all();
}

void CatalogPool::drop(Connection connection, bool are_all_lost) {
  // Destroyed without the lock: to close a connection may take the time of the network.
  std::vector<std::unique_ptr<Catalog>> lost;
  {
    std::lock_guard lock(mutex_);
    --open_;
    if (are_all_lost) lost.swap(idle_);
    open_ -= lost.size();
  }
  changed_.notify_all();
  connection.catalog.reset();
}

void CatalogPool::require_answer() {
  Connection connection = take();
  try {
    connection.catalog->ping();
  } catch (const Error&) {
    drop(std::move(connection), false);
    refuse_lost();
  }
  give_back(std::move(connection));
}

void CatalogPool::use_once(Connection connection,
                           const std::function<void(Catalog& catalog)>& use) {
  try {
    use(*connection.catalog);
  } catch (const Error& error) {
    if (may_be_lost(error)) {
      drop(std::move(connection), false);
      require_answer();
      throw;
    }
    give_back(std::move(connection));
    if (error.code() == ErrorCode::busy) throw Refusal(503, error.message());
    throw;
  } catch (...) {
    give_back(std::move(connection));
    throw;
  }
  give_back(std::move(connection));
}

void CatalogPool::read(const std::function<void(Catalog& catalog)>& use) {
  Connection connection = take();
  if (connection.is_new) return use_once(std::move(connection), use);
  try {
    use(*connection.catalog);
  } catch (const Error& error) {
    if (!may_be_lost(error)) {
      give_back(std::move(connection));
      if (error.code() == ErrorCode::busy) throw Refusal(503, error.message());
      throw;
    }
    drop(std::move(connection), true);
    return use_once(take(), use);
  } catch (...) {
    give_back(std::move(connection));
    throw;
  }
  give_back(std::move(connection));
}

void CatalogPool::write(const std::function<void(Catalog& catalog)>& use) {
  Connection connection = take();
  // A write may not be repeated as a read is: nobody knows how much of it was done. So an old
  // connection has to answer before it is used.
  if (!connection.is_new) {
    try {
      connection.catalog->ping();
    } catch (const Error&) {
      drop(std::move(connection), true);
      connection = take();
    }
  }
  use_once(std::move(connection), use);
}

}  // namespace kitbag::server
