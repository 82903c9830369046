#pragma once

#include <curl/curl.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "kitbag/bytes.h"
#include "kitbag/file.h"

namespace kitbag::remote {

/// What an HTTP server has answered, without the body.
struct Answer {
  long status = 0;                             ///< of the last response; 0: there was none
  std::map<std::string, std::string> headers;  ///< of that response; names in lower case
  CURLcode failure = CURLE_OK;                 ///< why there is no whole response
  std::string failure_text;                    ///< for people

  /// Returns the value of a header, or nothing.
  std::string_view header(std::string_view name) const;
};

/// One request. The functions are called by the client's thread.
struct Request {
  std::string url;
  std::vector<std::string> headers = {};  ///< "Name: value"
  bool has_body = true;                   ///< of the answer; false: HEAD
  bool follows_redirects = true;          ///< at most three, never from https to http
  std::string method = {};                ///< empty: GET, or HEAD
  /// What is sent with it; null: nothing.
  std::shared_ptr<const ReadFile> content = nullptr;
  /// How long the server may be silent.
  std::chrono::seconds patience{20};
  /// Set to true, and followed by Client::wake(), it ends the request with
  /// CURLE_ABORTED_BY_CALLBACK.
  std::shared_ptr<const std::atomic<bool>> is_cancelled = nullptr;
  /// Called with the headers of the last response, before its body. False: the body is not wanted.
  std::function<bool(const Answer& answer)> begin = nullptr;
  /// Called with the next bytes of the body. False: no more are wanted.
  std::function<bool(ByteView bytes)> take = nullptr;
  /// Called once, at the end.
  std::function<void(const Answer& answer)> end = nullptr;
  /// True: a stranger has named the URL. Only public addresses, and `literal`, are connected to,
  /// also behind redirects; no proxy is used, and no password of ~/.netrc.
  bool is_guarded = false;
  std::string literal = {};  ///< a numeric address; empty: none
};

/// Sends requests, many at a time, by one thread of its own. Connections are kept and used again.
/// Any thread.
class Client {
 public:
  Client();
  /// Ends all requests: with CURLE_ABORTED_BY_CALLBACK.
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  /// Begins a request, not before `delay` has passed.
  void start(Request request, std::chrono::milliseconds delay = {});
  /// The same, and returns the answer when it is complete.
  Answer run(Request request);
  /// Looks for requests that were cancelled.
  void wake();

 private:
  struct Transfer;
  struct Waiting {
    Request request;
    std::chrono::steady_clock::time_point not_before;
  };

  void work();
  void begin_due();
  void begin(Request request);
  void end_cancelled();
  void end_complete();
  void end(std::list<std::unique_ptr<Transfer>>::iterator transfer, CURLcode code);
  int milliseconds_to_wait();

  CURLM* multi_;
  std::mutex mutex_;
  std::vector<Waiting> waiting_;
  bool is_ending_ = false;
  std::list<std::unique_ptr<Transfer>> running_;  ///< of the thread alone
  std::thread thread_;
};

}  // namespace kitbag::remote
