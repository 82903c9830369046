#include "files/remote/multipart.h"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>

#include "files/remote/listing.h"
#include "files/remote/part_sizes.h"
#include "kitbag/base64.h"
#include "kitbag/error.h"

// Each part carries its MD5, so a store refuses what was damaged on its way, and the part is sent
// again. At the end the store gives the object an ETag that most make of these sums; if it is
// another one, as for encrypted objects, the size has to be right.
//
// An answer to the last request can be lost although the object is there: so the object is looked
// at before that is called a failure.
//
//     begin()      POST ?uploads                    gives the upload a name
//     send(k)      PUT ?partNumber=k&uploadId=...   gives part k an ETag; several on their way
//     complete()   POST ?uploadId=...               with all ETags; the object is there
//     abort()      DELETE ?uploadId=...             the parts are gone

namespace kitbag::remote {
namespace {

constexpr std::chrono::seconds kPatienceToComplete{300};  // a store copies what it has, silently

std::string xml_escaped(std::string_view text) {
  std::string escaped;
  for (char c : text) {
    switch (c) {
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '&':
        escaped += "&amp;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

std::shared_ptr<const ReadFile> text_file(std::string text) {
  auto kept = std::make_shared<const std::string>(std::move(text));
  return memory_file(as_bytes(*kept), kept);
}

}  // namespace

bool is_worth_another_write(const Reply& reply) {
  if (can_be_tried_again(reply.answer)) return true;
  bool may_be_error = reply.is(200) || reply.is(400) || reply.is(409);
  if (!may_be_error) return false;
  // Damaged or cut off on its way; or the store is busy, which it says behind a status of success.
  constexpr std::array<std::string_view, 8> kPassing = {
      "BadDigest",          "IncompleteBody",   "InternalError",
      "RequestTimeout",     "OperationAborted", "ConditionalRequestConflict",
      "ServiceUnavailable", "SlowDown"};
  std::string code = parse_store_error(reply.body).code;
  return std::find(kPassing.begin(), kPassing.end(), code) != kPassing.end();
}

std::optional<WrittenObject> look_at(const ObjectRequests& object, Client& client,
                                     const Retries& retries) {
  auto make = [&] {
    Request request = object.request({.method = "HEAD"});
    request.has_body = false;
    return request;
  };
  Reply reply = exchange({make}, client, retries);
  if (reply.is(404)) return std::nullopt;
  if (!reply.is(200)) throw error_of(reply.answer, object, "", "looked at");
  return WrittenObject{number(reply.answer.header("content-length")).value_or(0),
                       std::string(bare_etag(reply.answer.header("etag")))};
}

MultipartUpload::MultipartUpload(ObjectRequestsPtr object, Client& client, const Retries& retries)
    : object_(std::move(object)), client_(client), retries_(retries) {}

/// While it lives, abort() waits for the upload that is begun: also where that fails.
class MultipartUpload::Beginning {
 public:
  explicit Beginning(MultipartUpload& upload) : upload_(upload) { set(true); }
  ~Beginning() { set(false); }
  Beginning(const Beginning&) = delete;
  Beginning& operator=(const Beginning&) = delete;

 private:
  void set(bool is_beginning) {
    std::lock_guard lock(upload_.mutex_);
    upload_.is_beginning_ = is_beginning;
    upload_.changed_.notify_all();
  }

  MultipartUpload& upload_;
};

void MultipartUpload::begin() {
  Beginning beginning(*this);
  ObjectCall call{.method = "POST", .query = {{"uploads", ""}}, .content = text_file("")};
  // Not cancelled by abort(), which has to know what was begun.
  auto make = [object = object_, call] { return object->request(call); };
  Reply reply = exchange({make, is_worth_another_write}, client_, retries_);
  if (!reply.is(200)) throw error_of(reply.answer, *object_, reply.body, "written");
  auto id = text_at("InitiateMultipartUploadResult/UploadId", reply.body);
  std::lock_guard lock(mutex_);
  if (id) id_ = *id;
  if (id_.empty()) {
    throw Error(ErrorCode::io, "cannot be written: the store does not name the upload it begins",
                object_->shown());
  }
}

void MultipartUpload::send(std::size_t number, std::shared_ptr<const PartData> part) {
  std::string md5 = md5_of(*part);
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return in_flight_ < kMostInFlight || error_; });
    if (error_) std::rethrow_exception(error_);
    ++in_flight_;
    parts_[number] = {md5, "", part->size()};
  }
  ObjectCall call{.method = "PUT",
                  .query = {{"partNumber", std::to_string(number)}, {"uploadId", id_}},
                  .headers = {{"content-md5", encode_base64(as_bytes(md5))}},
                  .content = std::move(part)};
  auto make = [object = object_, call, cancelled = is_cancelled_] {
    Request request = object->request(call);
    request.is_cancelled = cancelled;
    return request;
  };
  exchange(
      {make, is_worth_another_write},
      [self = shared_from_this(), number](const Reply& reply) { self->end_part(number, reply); },
      client_, retries_);
}

void MultipartUpload::end_part(std::size_t number, const Reply& reply) {
  std::lock_guard lock(mutex_);
  --in_flight_;
  std::string_view etag = reply.answer.header("etag");
  if (reply.is(200) && !etag.empty()) {
    parts_[number].etag = etag;
  } else if (!error_) {
    Error error = error_of(reply.answer, *object_, reply.body, "written");
    if (reply.is(200)) {
      error = Error(ErrorCode::io, "cannot be written: the store takes a part without an ETag",
                    object_->shown());
    }
    error_ = std::make_exception_ptr(error);
  }
  changed_.notify_all();
}

/// By number, as stores demand: part 1 comes first, although it was sent last.
std::string MultipartUpload::list_of_parts() const {
  std::string xml = "<CompleteMultipartUpload>";
  for (const auto& [number, part] : parts_) {
    xml += fmt::format("<Part><PartNumber>{}</PartNumber><ETag>{}</ETag></Part>", number,
                       xml_escaped(part.etag));
  }
  return xml + "</CompleteMultipartUpload>";
}

void MultipartUpload::complete(bool may_replace) {
  ObjectCall call{.method = "POST", .query = {{"uploadId", id_}}};
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return in_flight_ == 0; });
    if (error_) std::rethrow_exception(error_);
    call.content = text_file(list_of_parts());
  }
  if (!may_replace) call.headers["if-none-match"] = "*";
  auto make = [object = object_, call, cancelled = is_cancelled_] {
    Request request = object->request(call);
    request.is_cancelled = cancelled;
    request.patience = kPatienceToComplete;
    return request;
  };
  Reply reply = exchange({make, is_worth_another_write}, client_, retries_);
  if (!may_replace && reply.is(501)) {  // the store does not know the condition
    call.headers.erase("if-none-match");
    reply = exchange({make, is_worth_another_write}, client_, retries_);
  }
  judge(reply);
}

/// Whether the object is there, by the answer to complete().
void MultipartUpload::judge(const Reply& reply) const {
  std::vector<std::string> md5s;
  std::uint64_t size_bytes = 0;
  for (const auto& [number, part] : parts_) {
    md5s.push_back(part.md5);
    size_bytes += part.size_bytes;
  }
  std::string expected = etag_of_parts(md5s);
  auto etag = text_at("CompleteMultipartUploadResult/ETag", reply.body);
  if (reply.is(200) && etag && bare_etag(*etag) == expected) return;
  StoreError refusal = parse_store_error(reply.body);
  bool is_refused = reply.answer.failure == CURLE_OK && !refusal.code.empty();
  // An upload that is gone after a try without an answer was completed by that try.
  bool is_gone = reply.is(404) && reply.is_retried;
  // After another try, any answer may be about the object that the first one has made.
  bool is_there_maybe = (reply.is(200) && !is_refused) || is_gone || reply.is_retried;
  if (reply.answer.failure == CURLE_ABORTED_BY_CALLBACK) is_there_maybe = false;
  if (is_there_maybe) {
    auto there = look_at(*object_, client_, retries_);
    if (there && there->etag == expected) return;
    bool is_complete = (reply.is(200) && !is_refused) || is_gone;
    if (there && is_complete && there->size_bytes == size_bytes) return;
    if (is_complete) {
      throw Error(ErrorCode::io,
                  fmt::format("cannot be written: {} bytes were sent, and the store has {}",
                              size_bytes, there ? there->size_bytes : 0),
                  object_->shown());
    }
  }
  if (reply.is(412)) {
    throw Error(ErrorCode::exists, "another program has created it in the meantime",
                object_->shown());
  }
  if (reply.is(200)) {
    throw Error(ErrorCode::io,
                fmt::format("cannot be written: {}", object_->reason(200, reply.body)),
                object_->shown());
  }
  throw error_of(reply.answer, *object_, reply.body, "written");
}

bool MultipartUpload::abort(std::chrono::milliseconds limit) noexcept try {
  auto until = std::chrono::steady_clock::now() + limit;
  *is_cancelled_ = true;
  client_.wake();
  {
    std::unique_lock lock(mutex_);
    // A writer in send() or complete() stops when it looks next.
    if (!error_) error_ = std::make_exception_ptr(Error(ErrorCode::cancelled, "interrupted"));
    changed_.wait_until(lock, until, [&] { return in_flight_ == 0 && !is_beginning_; });
    if (id_.empty()) return !is_beginning_;
  }
  ObjectCall call{.method = "DELETE", .query = {{"uploadId", id_}}};
  auto make = [object = object_, call] { return object->request(call); };
  auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
      until - std::chrono::steady_clock::now());
  auto reply = exchange({make}, client_, retries_, std::max(left, std::chrono::milliseconds(1)));
  return reply && (reply->is(204) || reply->is(200) || reply->is(404));
} catch (...) {
  return false;
}

}  // namespace kitbag::remote
