#include "files/remote/ranges.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "files/remote/identity.h"
#include "files/remote/url.h"
#include "kitbag/escape.h"

// A range is asked for again from where it was cut off. Each answer is compared with what was found
// when the file was opened: the version (ETag), and the place and the whole size in Content-Range.
// So bytes of two versions of a file never meet, whatever a server or a proxy between does.
//
//     206, the version, the place and the size that were expected    bytes
//     206 of another place, 200 instead of a part                    an error of the server
//     412, another version, another size                             the file was replaced
//     anything else                                                  another try, or an error

namespace kitbag::remote {
namespace {

constexpr std::uint64_t kHeadBytes = 64 << 10;
constexpr std::uint64_t kProgressBytes = 64 << 10;  // after which tries are counted anew

/// "bytes 0-99/1000"
struct ContentRange {
  std::uint64_t first = 0;
  std::uint64_t size = 0;  ///< of the whole file
};

std::optional<ContentRange> content_range(const Answer& answer) {
  std::string_view text = answer.header("content-range");
  if (!text.starts_with("bytes ")) return std::nullopt;
  text.remove_prefix(6);
  std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  auto size = number(text.substr(slash + 1));
  auto first = number(text.substr(0, text.find_first_of("-/")));
  // Of an answer that has no bytes: "bytes */1000".
  if (text.starts_with('*')) first = 0;
  if (!size || !first) return std::nullopt;
  return ContentRange{*first, *size};
}

Error changed(const Address& address) {
  return {ErrorCode::io, "the file was replaced while it was read; open it again", address.shown()};
}

class WebAddress final : public Address {
 public:
  WebAddress(std::string url, RemoteRules::Verdict verdict)
      : url_(std::move(url)), verdict_(std::move(verdict)) {}

  Request request(std::uint64_t first, std::optional<std::uint64_t> size,
                  const std::vector<std::string>& headers) const override {
    Request request;
    request.url = request_url(url_);
    request.headers = headers;
    request.is_guarded = verdict_.is_guarded;
    request.literal = verdict_.literal;
    if (size) request.headers.push_back("Range: " + range_value(first, *size));
    return request;
  }
  std::string shown() const override { return shown_path(url_); }
  std::string reason(long /*status*/, std::string_view /*body*/) const override { return {}; }
  std::string identity() const override { return url_identity(url_); }

 private:
  std::string url_;
  RemoteRules::Verdict verdict_;
};

/// The time of "Thu, 26 Nov 2026 10:00:00 GMT"; 0 if it is none.
Time time_of(std::string_view text) {
  std::time_t seconds = curl_getdate(std::string(text).c_str(), nullptr);
  return seconds < 0 ? Time{} : Time(std::chrono::seconds(seconds));
}

/// An ETag can be required by a server only if it is a strong one.
bool is_strong(std::string_view version) {
  return version.starts_with('"');
}

/// A range on its way.
class RangeRequest : public std::enable_shared_from_this<RangeRequest> {
 public:
  /// `client` outlives it: it ends all requests before it ends.
  RangeRequest(AddressPtr address, const Found& found, std::uint64_t first, std::uint64_t size,
               RangeSink sink, std::function<void()> on_change, Client& client,
               const Retries& retries)
      : address_(std::move(address)),
        version_(found.version),
        whole_bytes_(found.size_bytes),
        next_(first),
        end_(first + size),
        sink_(std::move(sink)),
        on_change_(std::move(on_change)),
        client_(client),
        retries_(retries) {}

  void send(std::chrono::milliseconds wait = {}) {
    std::vector<std::string> headers;
    if (is_strong(version_)) headers.push_back("If-Match: " + version_);
    Request request = address_->request(next_, end_ - next_, headers);
    problem_.reset();
    body_.clear();
    request.begin = [self = shared_from_this()](const Answer& answer) {
      self->begin(answer);
      return !self->problem_;
    };
    request.take = [self = shared_from_this()](ByteView bytes) { return self->take(bytes); };
    request.end = [self = shared_from_this()](const Answer& answer) { self->end(answer); };
    client_.start(std::move(request), wait);
  }

 private:
  void begin(const Answer& answer) {
    is_content_ = false;
    if (answer.status == 412) return find_changed();
    if (answer.status != 206 && answer.status != 200) return;
    auto range = content_range(answer);
    bool is_whole = answer.status == 200 && next_ == 0 && end_ == whole_bytes_;
    if (answer.status == 200 && !is_whole) {
      problem_ = Error(ErrorCode::io, "the server sends the whole file instead of a range of it",
                       address_->shown());
      return;
    }
    std::string_view version = answer.header("etag");
    bool is_other = !version_.empty() && !version.empty() && version != version_;
    bool is_elsewhere = !is_whole && (!range || range->first != next_);
    if (is_other || (range && range->size != whole_bytes_)) {
      find_changed();
    } else if (is_elsewhere) {
      problem_ =
          Error(ErrorCode::io, "the server sends another range than the one it was asked for",
                address_->shown());
    }
    is_content_ = !problem_;
  }

  void find_changed() {
    problem_ = changed(*address_);
    if (on_change_) on_change_();
  }

  bool take(ByteView bytes) {
    if (!is_content_) {
      keep(bytes, body_);
      return true;
    }
    bytes =
        bytes.first(static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), end_ - next_)));
    next_ += bytes.size();
    progress_ += bytes.size();
    sink_.take(bytes);
    return true;
  }

  void end(const Answer& answer) {
    if (problem_) return sink_.end(std::make_exception_ptr(*problem_));
    if (next_ == end_) return sink_.end(nullptr);
    Answer ended = answer;
    // Bytes are missing, although the server has ended its answer as if they were not.
    if (is_content_ && answer.failure == CURLE_OK) ended.failure = CURLE_PARTIAL_FILE;
    // A long range over a bad connection may be cut off more often than there are tries. As long as
    // it gets on, it is not given up.
    if (progress_ >= kProgressBytes) tries_ = 0;
    progress_ = 0;
    if (!can_be_tried_again(ended) || ++tries_ >= retries_.most) {
      return sink_.end(std::make_exception_ptr(error_of(ended, *address_, body_)));
    }
    send(delay(tries_, answer, retries_));
  }

  AddressPtr address_;
  std::string version_;
  std::uint64_t whole_bytes_;
  std::uint64_t next_;
  std::uint64_t end_;
  RangeSink sink_;
  std::function<void()> on_change_;
  Client& client_;
  Retries retries_;
  std::optional<Error> problem_;
  std::string body_;  ///< of an answer that is an error
  bool is_content_ = false;
  int tries_ = 0;
  std::uint64_t progress_ = 0;  ///< bytes since the last failure
};

class Ranges final : public RangeReader {
 public:
  Ranges(AddressPtr address, Found found, std::function<void()> on_change,
         std::shared_ptr<Client> client, const Retries& retries)
      : address_(std::move(address)),
        found_(std::move(found)),
        on_change_(std::move(on_change)),
        client_(std::move(client)),
        retries_(retries) {}

  std::uint64_t size() const override { return found_.size_bytes; }
  std::string identity() const override {
    if (!is_strong(found_.version)) return {};
    return fmt::format("{} {} {}", address_->identity(), found_.version, found_.size_bytes);
  }
  void read(std::uint64_t offset, std::uint64_t size, RangeSink sink) const override {
    std::make_shared<RangeRequest>(address_, found_, offset, size, std::move(sink), on_change_,
                                   *client_, retries_)
        ->send();
  }

 private:
  AddressPtr address_;
  Found found_;
  std::function<void()> on_change_;
  std::shared_ptr<Client> client_;
  Retries retries_;
};

}  // namespace

FileStatus status_of(const Found& found) {
  FileStatus status;
  status.is_regular = true;
  status.size_bytes = found.size_bytes;
  status.modified = found.modified;
  status.changed = found.modified;
  // The time has seconds only; two versions within one differ by this.
  if (!found.version.empty()) status.id.number = std::hash<std::string>()(found.version);
  return status;
}

std::string range_value(std::uint64_t first, std::uint64_t size) {
  return fmt::format("bytes={}-{}", first, first + size - 1);
}

AddressPtr web_address(std::string url, RemoteRules::Verdict verdict) {
  return std::make_shared<WebAddress>(std::move(url), std::move(verdict));
}

/// The first 64 KiB tell everything: whether the file is there, its size and its version. They are
/// what is read first anyway, so asking for them is not dearer than HEAD.
std::optional<Found> find(const Address& address, Client& client, const Retries& retries) {
  for (int tries = 1;; ++tries) {
    Found found;
    std::string body;
    Request request = address.request(0, kHeadBytes, {});
    bool is_content = false;
    request.begin = [&](const Answer& answer) {
      is_content = answer.status == 200 || answer.status == 206;
      auto length = number(answer.header("content-length"));
      // A small file that comes as a whole needs no ranges, as its head is all of it.
      found.has_ranges = answer.status == 206 || (length && *length <= kHeadBytes);
      return !is_content || found.has_ranges;
    };
    request.take = [&](ByteView bytes) {
      bool is_within = found.head.size() + bytes.size() <= kHeadBytes;
      if (!is_content) keep(bytes, body);
      if (is_content && is_within) found.head.insert(found.head.end(), bytes.begin(), bytes.end());
      return !is_content || is_within;
    };
    Answer answer = client.run(request);
    auto range = content_range(answer);
    found.version = answer.header("etag");
    found.modified = time_of(answer.header("last-modified"));
    if (is_content && !found.has_ranges) {
      found.size_bytes = number(answer.header("content-length")).value_or(0);
      return found;
    }
    if (answer.failure == CURLE_OK) {
      if (answer.status == 404 || answer.status == 410) return std::nullopt;
      if (answer.status == 416) return found;  // nothing begins at 0: it is empty
      if (answer.status == 200) {
        found.size_bytes = found.head.size();
        return found;
      }
      if (answer.status == 206 && range && range->first == 0 &&
          found.head.size() == std::min(kHeadBytes, range->size)) {
        found.size_bytes = range->size;
        return found;
      }
    }
    if (!can_be_tried_again(answer) || tries >= retries.most) throw error_of(answer, address, body);
    pause(delay(tries, answer, retries));
  }
}

std::shared_ptr<const RangeReader> range_reader(AddressPtr address, const Found& found,
                                                std::function<void()> on_change,
                                                std::shared_ptr<Client> client,
                                                const Retries& retries) {
  return std::make_shared<Ranges>(std::move(address), found, std::move(on_change),
                                  std::move(client), retries);
}

Answer fetch(const Address& address, const std::function<Request()>& make,
             const std::function<void(ByteView)>& take, Client& client, const Retries& retries) {
  for (int tries = 1;; ++tries) {
    std::string body;
    bool is_content = false;
    Request request = make();
    request.begin = [&](const Answer& answer) {
      is_content = answer.status == 200;
      return true;
    };
    request.take = [&](ByteView bytes) {
      is_content ? take(bytes) : keep(bytes, body);
      return true;
    };
    Answer answer = client.run(request);
    if (answer.failure == CURLE_OK && answer.status == 200) return answer;
    // What was taken of a body cannot be given back.
    bool is_begun = is_content && answer.failure != CURLE_OK;
    if (is_begun || !can_be_tried_again(answer) || tries >= retries.most) {
      throw error_of(answer, address, body);
    }
    pause(delay(tries, answer, retries));
  }
}

}  // namespace kitbag::remote
