#include "transport/ros2/services/recorded_requests.h"

#include <string>
#include <utility>

#include "kitbag/error.h"
#include "kitbag/registry.h"
#include "kitbag/transcode.h"

// An event is {ServiceEventInfo info, Request[<=1] request, Response[<=1] response}. Its request
// cannot be copied as bytes: CDR aligns values from the beginning of the message, and in the event
// the request begins behind the count, at byte 44, which is no multiple of eight. So the event is
// decoded, and what belongs to the request is encoded again. That takes the definition of the type.
//
//   at  0           4    8        12               32               40     44
//       event_type  sec  nanosec  client_gid[16]   sequence_number  count  request

namespace kitbag::ros2 {

namespace {

constexpr const char* kRequestField = "request";

const Type& request_type_in(const Type& event, const std::string& topic) {
  for (const Field& field : event.fields) {
    if (field.name == kRequestField && field.type->kind == Kind::sequence) {
      return *field.type->element;
    }
  }
  throw Error(ErrorCode::unsupported, "its type is not that of the events of a service", topic);
}

}  // namespace

/// Passes the one element of the field `request` on to an encoder, and nothing else.
class RecordedRequests::Reader final : public Visitor {
 public:
  Reader(Encoder& encoder, Arena& arena) : encoder_(encoder), arena_(arena) {}

  void start() {
    depth_ = 0;
    is_request_ = has_request_ = false;
  }
  bool has_request() const { return has_request_; }

  void begin_struct(const Type& type) override {
    if (is_inside()) encoder_.begin_struct(type);
    ++depth_;
  }
  void field(const Field& field) override {
    if (depth_ == 1) {
      is_request_ = field.name == kRequestField;
    } else if (is_inside()) {
      encoder_.field(field);
    }
  }
  void end_struct() override {
    --depth_;
    if (is_inside()) encoder_.end_struct();
  }
  void begin_array(const Type& type, std::size_t count) override {
    if (is_inside()) {
      encoder_.begin_array(type, count);
    } else if (is_request_ && depth_ == 1) {
      if (count > 1) throw Error(ErrorCode::corrupt, "an event has several requests");
      has_request_ = count == 1;
      if (has_request_) encoder_.begin(arena_);
    }
    ++depth_;
  }
  void end_array() override {
    --depth_;
    if (is_inside()) encoder_.end_array();
  }
  void boolean(const Type& type, bool value) override {
    if (is_inside()) encoder_.boolean(type, value);
  }
  void integer(const Type& type, std::int64_t value) override {
    if (is_inside()) encoder_.integer(type, value);
  }
  void unsigned_integer(const Type& type, std::uint64_t value) override {
    if (is_inside()) encoder_.unsigned_integer(type, value);
  }
  void real(const Type& type, double value) override {
    if (is_inside()) encoder_.real(type, value);
  }
  void text(const Type& type, std::string_view value) override {
    if (is_inside()) encoder_.text(type, value);
  }
  void nothing(const Type& type) override {
    if (is_inside()) encoder_.nothing(type);
  }
  void packed(const Type& type, ByteView bytes) override {
    if (is_inside()) encoder_.packed(type, bytes);
  }

 private:
  /// Within the list of requests, which is at depth 2.
  bool is_inside() const { return is_request_ && depth_ >= 2; }

  Encoder& encoder_;
  Arena& arena_;
  std::size_t depth_ = 0;  ///< structures and lists that are open
  bool is_request_ = false;
  bool has_request_ = false;
};

RecordedRequests::RecordedRequests(const Channel& channel, const Session& session)
    : type_(type_of(channel, session)), decoder_(decoder_of(channel, type_, session)) {
  TypePtr request(type_, &request_type_in(*type_, channel.topic));
  encoder_ = find_codec(session.registry(), "cdr")->encoder(request, {});
  reader_ = std::make_unique<Reader>(*encoder_, arena_);
}

RecordedRequests::~RecordedRequests() = default;

RecordedRequest RecordedRequests::read(ByteView event) {
  auto what = call_event(event);
  if (!what) throw Error(ErrorCode::corrupt, "this is no event of a service");
  last_ = {};
  reader_->start();
  arena_.limit_for(event.size());
  decoder_->decode(event, *reader_);
  RecordedRequest request{what->what, std::nullopt};
  if (reader_->has_request()) {
    request.payload = encoder_->end();
    last_ = arena_.release();
  }
  return request;
}

}  // namespace kitbag::ros2
