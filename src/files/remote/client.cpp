#include "files/remote/client.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <new>
#include <span>
#include <utility>

#include "files/remote/network.h"
#include "files/remote/trimmed.h"

// libcurl does the work; this is its event loop. One thread runs all transfers: they wait for the
// network nearly all the time, and what they bring is handed to the callbacks at once. The other
// threads leave requests in `waiting_` and wake the loop.
//
// Where a stranger has named the URL, what counts is the address that is connected to, not the
// name: a name may lead anywhere, and elsewhere at the next look. It is checked twice: before a
// socket is opened, and before a request is sent, since a connection may be an older one.
//
//     start() -> waiting_ -> running_ -> end() -> Request::end
//                not before its time     on this thread, without the lock
//
// A request may be given with a delay, before another try. Its callbacks may start others.

namespace kitbag::remote {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr long kMostRedirects = 3;
constexpr long kMostConnections = 8;  // to one host
constexpr long kConnectTimeout_ms = 10'000;
constexpr long kSlowestBytesPerSecond = 1;  // a transfer that brings nothing for a while has failed
constexpr std::size_t kMostHeaderBytes = 64 << 10;
constexpr int kIdle_ms = 1000;

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

/// libcurl is initialized once in a process.
void initialize() {
  static const CURLcode code = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (code != CURLE_OK) throw std::bad_alloc();
}

bool was_cancelled(const Request& request) {
  return request.is_cancelled && *request.is_cancelled;
}

}  // namespace

std::string_view Answer::header(std::string_view name) const {
  auto found = headers.find(std::string(name));
  return found == headers.end() ? std::string_view() : std::string_view(found->second);
}

struct Client::Transfer {
  explicit Transfer(Request wanted) : request(std::move(wanted)), easy(curl_easy_init()) {
    if (!easy) throw std::bad_alloc();
    for (const std::string& header : request.headers) {
      headers = curl_slist_append(headers, header.c_str());
    }
    // Without a value, which removes the header that libcurl would add: proxies handle it badly.
    if (request.content) headers = curl_slist_append(headers, "Expect:");
    set(CURLOPT_URL, request.url.c_str());
    set(CURLOPT_PATH_AS_IS, 1L);  // as it was signed
    set(CURLOPT_HTTPHEADER, headers);
    set(CURLOPT_NOBODY, request.has_body ? 0L : 1L);
    if (!request.method.empty()) set(CURLOPT_CUSTOMREQUEST, request.method.c_str());
    if (request.content) {
      set(CURLOPT_UPLOAD, 1L);
      set(CURLOPT_INFILESIZE_LARGE, static_cast<curl_off_t>(request.content->size()));
      set(CURLOPT_UPLOAD_BUFFERSIZE, 512L << 10);
      set(CURLOPT_READFUNCTION, &Transfer::give);
      set(CURLOPT_READDATA, this);
      set(CURLOPT_SEEKFUNCTION, &Transfer::seek);
      set(CURLOPT_SEEKDATA, this);
    }
    set(CURLOPT_USERAGENT, "kitbag");
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_CONNECTTIMEOUT_MS, kConnectTimeout_ms);
    set(CURLOPT_LOW_SPEED_LIMIT, kSlowestBytesPerSecond);
    set(CURLOPT_LOW_SPEED_TIME, static_cast<long>(request.patience.count()));
    set(CURLOPT_PROTOCOLS_STR, "http,https");
    // A redirect must not lead from an encrypted connection to one that is not.
    bool is_secret = request.url.starts_with("https:");
    set(CURLOPT_REDIR_PROTOCOLS_STR, is_secret ? "https" : "http,https");
    set(CURLOPT_FOLLOWLOCATION, request.follows_redirects ? 1L : 0L);
    set(CURLOPT_MAXREDIRS, kMostRedirects);
    // The address of a proxy would be the one that is checked. And a stranger's address must not
    // get the passwords that this user has in .netrc.
    if (request.is_guarded) {
      set(CURLOPT_PROXY, "");
      set(CURLOPT_OPENSOCKETFUNCTION, &Transfer::open_socket);
      set(CURLOPT_OPENSOCKETDATA, this);
      set(CURLOPT_PREREQFUNCTION, &Transfer::check_connection);
      set(CURLOPT_PREREQDATA, this);
    } else {
      set(CURLOPT_NETRC, static_cast<long>(CURL_NETRC_OPTIONAL));
    }
    set(CURLOPT_BUFFERSIZE, 512L << 10);
    set(CURLOPT_ERRORBUFFER, text.data());
    set(CURLOPT_PRIVATE, this);
    set(CURLOPT_HEADERFUNCTION, &Transfer::take_header);
    set(CURLOPT_HEADERDATA, this);
    set(CURLOPT_WRITEFUNCTION, &Transfer::take_body);
    set(CURLOPT_WRITEDATA, this);
  }
  ~Transfer() {
    curl_easy_cleanup(easy);
    curl_slist_free_all(headers);
  }
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  template <class Value>
  void set(CURLoption option, Value value) {
    curl_easy_setopt(easy, option, value);
  }

  static curl_socket_t open_socket(void* self, curlsocktype /*purpose*/,
                                   curl_sockaddr* address) noexcept {
    auto& transfer = *static_cast<Transfer*>(self);
    bool may = is_public(address->addr) || is_same(transfer.request.literal, address->addr);
    transfer.is_refused = !may;
    if (!may) return CURL_SOCKET_BAD;
    return ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
  }

  static int check_connection(void* self, char* address, char*, int, int) noexcept {
    auto& transfer = *static_cast<Transfer*>(self);
    bool may = address && may_be_reached(address, transfer.request.literal);
    transfer.is_refused = !may;
    return may ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT;
  }

  /// A line of a header. Each response begins with a line that has no colon.
  static std::size_t take_header(char* data, std::size_t, std::size_t count, void* self) noexcept {
    auto& transfer = *static_cast<Transfer*>(self);
    std::string_view line(data, count);
    std::size_t colon = line.find(':');
    if (line.starts_with("HTTP/")) {
      transfer.answer.headers.clear();
      transfer.header_bytes = 0;
    } else if (colon != std::string_view::npos) {
      transfer.header_bytes += count;
      if (transfer.header_bytes > kMostHeaderBytes) return 0;
      transfer.answer.headers[lower(line.substr(0, colon))] = trimmed(line.substr(colon + 1));
    }
    return count;
  }

  /// Anything but `count` ends the transfer with CURLE_WRITE_ERROR, which is not tried again.
  static std::size_t take_body(char* data, std::size_t, std::size_t count, void* self) noexcept {
    auto& transfer = *static_cast<Transfer*>(self);
    if (!transfer.begin_body()) return 0;
    ByteView bytes(reinterpret_cast<const std::byte*>(data), count);
    if (transfer.request.take && !transfer.request.take(bytes)) return 0;
    return count;
  }

  static std::size_t give(char* to, std::size_t, std::size_t count, void* self) noexcept {
    auto& transfer = *static_cast<Transfer*>(self);
    try {
      std::size_t read = transfer.request.content->read(
          transfer.sent_bytes, std::as_writable_bytes(std::span(to, count)));
      transfer.sent_bytes += read;
      return read;
    } catch (const std::exception& error) {
      transfer.own_failure = error.what();
      return CURL_READFUNC_ABORT;
    }
  }

  /// On a new connection, the same content is sent once more.
  static int seek(void* self, curl_off_t offset, int /*origin*/) noexcept {
    static_cast<Transfer*>(self)->sent_bytes = static_cast<std::uint64_t>(offset);
    return CURL_SEEKFUNC_OK;
  }

  bool begin_body() {
    if (is_begun) return is_wanted;
    is_begun = true;
    curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &answer.status);
    is_wanted = !request.begin || request.begin(answer);
    return is_wanted;
  }

  Request request;
  CURL* easy;
  curl_slist* headers = nullptr;
  Answer answer;
  std::size_t header_bytes = 0;
  bool is_begun = false;
  bool is_wanted = true;
  std::uint64_t sent_bytes = 0;
  std::string own_failure;  ///< why the content could not be read
  std::array<char, CURL_ERROR_SIZE> text{};
  bool is_refused = false;  ///< the address that it leads to
};

Client::Client() {
  initialize();
  multi_ = curl_multi_init();
  if (!multi_) throw std::bad_alloc();
  curl_multi_setopt(multi_, CURLMOPT_MAX_HOST_CONNECTIONS, kMostConnections);
  thread_ = std::thread([this] { work(); });
}

Client::~Client() {
  {
    std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  curl_multi_wakeup(multi_);
  thread_.join();
  curl_multi_cleanup(multi_);
}

void Client::start(Request request, std::chrono::milliseconds delay) {
  {
    std::lock_guard lock(mutex_);
    waiting_.push_back({std::move(request), SteadyClock::now() + delay});
  }
  curl_multi_wakeup(multi_);
}

Answer Client::run(Request request) {
  struct Result {
    std::mutex mutex;
    std::condition_variable changed;
    bool is_complete = false;
    Answer answer;
  };
  auto result = std::make_shared<Result>();
  request.end = [result](const Answer& answer) {
    std::lock_guard lock(result->mutex);
    result->answer = answer;
    result->is_complete = true;
    result->changed.notify_all();
  };
  start(std::move(request));
  std::unique_lock lock(result->mutex);
  result->changed.wait(lock, [&] { return result->is_complete; });
  return result->answer;
}

void Client::wake() {
  curl_multi_wakeup(multi_);
}

void Client::work() {
  for (;;) {
    {
      std::lock_guard lock(mutex_);
      if (is_ending_) break;
    }
    end_cancelled();
    begin_due();
    int running = 0;
    curl_multi_perform(multi_, &running);
    end_complete();
    // Not lost: a wake-up that came before this call ends it at once.
    curl_multi_poll(multi_, nullptr, 0, milliseconds_to_wait(), nullptr);
  }
  // Whoever waits in run() has to get an answer.
  while (!running_.empty()) end(running_.begin(), CURLE_ABORTED_BY_CALLBACK);
  Answer ended;
  ended.failure = CURLE_ABORTED_BY_CALLBACK;
  for (const Waiting& each : waiting_) {
    if (each.request.end) each.request.end(ended);
  }
}

void Client::begin_due() {
  std::vector<Request> due;
  {
    std::lock_guard lock(mutex_);
    auto now = SteadyClock::now();
    for (auto each = waiting_.begin(); each != waiting_.end();) {
      if (each->not_before > now && !was_cancelled(each->request)) {
        ++each;
        continue;
      }
      due.push_back(std::move(each->request));
      each = waiting_.erase(each);
    }
  }
  for (Request& request : due) begin(std::move(request));
}

void Client::begin(Request request) {
  if (was_cancelled(request)) {
    Answer ended;
    ended.failure = CURLE_ABORTED_BY_CALLBACK;
    if (request.end) request.end(ended);
    return;
  }
  running_.push_back(std::make_unique<Transfer>(std::move(request)));
  CURLMcode code = curl_multi_add_handle(multi_, running_.back()->easy);
  if (code != CURLM_OK) end(std::prev(running_.end()), CURLE_OUT_OF_MEMORY);
}

void Client::end_cancelled() {
  for (auto each = running_.begin(); each != running_.end();) {
    auto next = std::next(each);
    if (was_cancelled((*each)->request)) end(each, CURLE_ABORTED_BY_CALLBACK);
    each = next;
  }
}

void Client::end_complete() {
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(multi_, &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    CURLcode code = message->data.result;
    auto found = std::find_if(running_.begin(), running_.end(), [&](const auto& transfer) {
      return transfer->easy == message->easy_handle;
    });
    if (found != running_.end()) end(found, code);
  }
}

void Client::end(std::list<std::unique_ptr<Transfer>>::iterator transfer, CURLcode code) {
  std::unique_ptr<Transfer> ended = std::move(*transfer);
  if (code != CURLE_OK && ended->is_refused) {
    // For libcurl, a socket could not be opened, which would be worth another try.
    code = CURLE_REMOTE_ACCESS_DENIED;
    std::strcpy(ended->text.data(),
                "it leads to this machine or its network, which is not allowed");
  }
  running_.erase(transfer);
  curl_multi_remove_handle(multi_, ended->easy);
  if (code == CURLE_OK) ended->begin_body();  // a response without a body
  curl_easy_getinfo(ended->easy, CURLINFO_RESPONSE_CODE, &ended->answer.status);
  ended->answer.failure = code;
  ended->answer.failure_text = ended->text[0] ? ended->text.data() : curl_easy_strerror(code);
  if (!ended->own_failure.empty()) {
    ended->answer.failure = CURLE_READ_ERROR;
    ended->answer.failure_text = ended->own_failure;
  }
  if (ended->request.end) ended->request.end(ended->answer);
}

int Client::milliseconds_to_wait() {
  std::lock_guard lock(mutex_);
  int wait = kIdle_ms;
  auto now = SteadyClock::now();
  for (const Waiting& each : waiting_) {
    auto left = std::chrono::ceil<std::chrono::milliseconds>(each.not_before - now).count();
    wait = static_cast<int>(std::clamp<long>(left, 0, wait));
  }
  return wait;
}

}  // namespace kitbag::remote
