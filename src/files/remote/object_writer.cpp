#include "files/remote/object_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "files/remote/listing.h"
#include "files/remote/multipart.h"
#include "files/remote/part_data.h"
#include "kitbag/base64.h"
#include "kitbag/error.h"
#include "kitbag/leave.h"
#include "kitbag/system_error.h"

// An object cannot be changed, so its first part is kept until the end: that is where formats write
// what they learn last. The other parts are sent as they are full:
//
//     | 1: kept | 2: sent | 3: on its way | 4: being filled |
//       ^ rewrite()                          ^ append()
//
// What fits into the first part is sent by one request. The object appears with the last request,
// whole; until then nobody sees anything of it.

namespace kitbag::remote {
namespace {

constexpr std::chrono::seconds kPatienceToAbort{30};
constexpr std::chrono::milliseconds kHasteToAbort{600};  // a person has pressed Ctrl-C

/// Whether something is there, and whether it may be written to, as far as reading tells.
void look_first(const ObjectRequests& object, Store& store, bool may_replace) {
  auto make = [&] { return object.request(0, 1, {}); };
  Reply reply = exchange({make}, store.client(), store.retries());
  StoreError refusal = parse_store_error(reply.body);
  bool is_there = reply.is(200) || reply.is(206) || reply.is(416);
  if (is_there && !may_replace) throw Error(ErrorCode::exists, "already exists", object.shown());
  bool is_absent = reply.is(404) && refusal.code != "NoSuchBucket";
  // Who may write need not be allowed to read.
  bool is_unknown = may_replace && reply.is(403) && refusal.code == "AccessDenied";
  if (is_there || is_absent || is_unknown) return;
  throw error_of(reply.answer, object, reply.body, "written");
}

class ObjectWriter final : public WriteFile {
 public:
  ObjectWriter(ObjectRequestsPtr object, std::shared_ptr<Store> store,
               const UploadSettings& settings, const WriteFileOptions& options,
               std::function<void()> on_written)
      : object_(std::move(object)),
        store_(std::move(store)),
        sizes_(settings.sizes),
        may_replace_(options.may_replace),
        on_warning_(options.on_warning),
        on_written_(std::move(on_written)),
        memory_(std::make_shared<PartMemory>()) {
    memory_->most_bytes = settings.most_memory_bytes;
    look_first(*object_, *store_, may_replace_);
    first_ = std::make_shared<PartData>(memory_, sizes_.of(1));
  }

  ~ObjectWriter() override {
    if (!upload_ || upload_->abort(kPatienceToAbort) || !on_warning_) return;
    try {
      on_warning_(Error(ErrorCode::io,
                        "parts of this upload, which was given up, may remain in the store; see "
                        "\"aws s3api list-multipart-uploads\"",
                        object_->shown()));
    } catch (...) {
      return;  // a destructor
    }
  }
  ObjectWriter(const ObjectWriter&) = delete;
  ObjectWriter& operator=(const ObjectWriter&) = delete;

  std::uint64_t size() const override { return size_; }
  std::uint64_t rewritable_bytes() const override { return sizes_.of(1); }

  void append(std::span<const ByteView> pieces) override {
    run([&] {
      for (ByteView piece : pieces) add(piece);
    });
  }

  void rewrite(std::uint64_t offset, ByteView bytes) override {
    run([&] {
      std::uint64_t first = sizes_.of(1);
      if (offset > first || bytes.size() > first - offset) {
        throw Error(ErrorCode::unsupported,
                    fmt::format("only the first {} bytes of an object can be written again; write "
                                "to a file and copy it",
                                first),
                    object_->shown());
      }
      first_->rewrite(offset, bytes);
    });
  }

  void flush() override {}
  // Nothing of an object is kept if the program dies, and nothing before its end is visible.
  void sync() override {}

  void commit() override {
    run([&] {
      // Again, for stores that do not know "if-none-match": a recording may have taken hours.
      if (!may_replace_) look_first(*object_, *store_, false);
      if (!part_) {
        put();
      } else {
        send_part();
        upload_->send(1, std::move(first_));
        upload_->complete(may_replace_);
      }
      upload_.reset();
      on_leave_.reset();
      on_written_();
    });
  }

 private:
  /// Keeps the first error, and gives it the name of the object if it has none.
  template <class Call>
  void run(Call&& call) {
    if (error_) std::rethrow_exception(error_);
    try {
      call();
    } catch (const Error& error) {
      if (!error.file().empty()) {
        error_ = std::current_exception();
        throw;
      }
      Error named(error.code(), error.message(), object_->shown());
      error_ = std::make_exception_ptr(SystemError(named, errno_of(error)));
      std::rethrow_exception(error_);
    } catch (...) {
      error_ = std::current_exception();
      throw;
    }
  }

  void add(ByteView bytes) {
    while (!bytes.empty()) {
      PartData& part = part_ ? *part_ : *first_;
      auto count =
          static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), part.room_bytes()));
      part.append(bytes.first(count));
      size_ += count;
      bytes = bytes.subspan(count);
      if (bytes.empty()) return;
      if (part_) send_part();
      begin_part();
    }
  }

  void begin_part() {
    if (number_ == kMostParts) {
      throw Error(ErrorCode::limit,
                  fmt::format("an object has at most {} parts, and {} bytes fill them; split the "
                              "bag, or set KITBAG_S3_PART_SIZE to more",
                              kMostParts, size_),
                  object_->shown());
    }
    ++number_;
    part_ = std::make_shared<PartData>(memory_, sizes_.of(number_));
  }

  /// The last one that was begun.
  void send_part() {
    if (!upload_) {
      // Shared with the requests on their way and with Ctrl-C, any of which may be the last to need
      // it.
      upload_ = std::make_shared<MultipartUpload>(object_, store_->client(), store_->retries());
      on_leave_.emplace([upload = upload_] { upload->abort(kHasteToAbort); });
      upload_->begin();
    }
    upload_->send(number_, std::move(part_));
  }

  /// All of it, by one request.
  void put() {
    std::string md5 = md5_of(*first_);
    std::string etag = hexadecimal(md5);
    ObjectCall call{.method = "PUT",
                    .headers = {{"content-md5", encode_base64(as_bytes(md5))}},
                    .content = first_};
    if (!may_replace_) call.headers["if-none-match"] = "*";
    Client& client = store_->client();
    auto make = [object = object_, &call] { return object->request(call); };
    Reply reply = exchange({make, is_worth_another_write}, client, store_->retries());
    if (reply.is(501) && call.headers.erase("if-none-match") > 0) {  // the store does not know it
      reply = exchange({make, is_worth_another_write}, client, store_->retries());
    }
    if (reply.is(200) && bare_etag(reply.answer.header("etag")) == etag) return;
    // A try whose answer was lost may have written the object, which the condition then meets.
    bool was_it_us = reply.is(412) && reply.is_retried;
    if (reply.is(200) || was_it_us) {
      auto there = look_at(*object_, client, store_->retries());
      if (there && there->etag == etag) return;
      if (there && reply.is(200) && there->size_bytes == size_) return;
      if (reply.is(200)) {
        throw Error(ErrorCode::io,
                    fmt::format("cannot be written: {} bytes were sent, and the store has {}",
                                size_, there ? there->size_bytes : 0),
                    object_->shown());
      }
    }
    if (reply.is(412)) {
      throw Error(ErrorCode::exists, "another program has created it in the meantime",
                  object_->shown());
    }
    throw error_of(reply.answer, *object_, reply.body, "written");
  }

  ObjectRequestsPtr object_;
  std::shared_ptr<Store> store_;
  PartSizes sizes_;
  bool may_replace_;
  OnWarning on_warning_;
  std::function<void()> on_written_;
  std::shared_ptr<PartMemory> memory_;
  std::shared_ptr<PartData> first_;
  std::shared_ptr<PartData> part_;  ///< that is being filled; null: the first one is
  std::size_t number_ = 1;          ///< of the part that is being filled
  std::uint64_t size_ = 0;
  std::shared_ptr<MultipartUpload> upload_;
  std::optional<OnLeave> on_leave_;
  std::exception_ptr error_;
};

}  // namespace

std::unique_ptr<WriteFile> write_object(ObjectRequestsPtr object, std::shared_ptr<Store> store,
                                        const UploadSettings& settings,
                                        const WriteFileOptions& options,
                                        std::function<void()> on_written) {
  return std::make_unique<ObjectWriter>(std::move(object), std::move(store), settings, options,
                                        std::move(on_written));
}

}  // namespace kitbag::remote
