#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kitbag/print.h"
#include "kitbag/session.h"
#include "kitbag/stream.h"
#include "server/api/served.h"
#include "server/http/message.h"
#include "server/slices/slice.h"

// The forms in which the messages of a slice leave while it is read: JSON, lines of JSON, CSV,
// Parquet, MCAP, MP4. Each says in its own way what the slice leaves out, so that nothing is left
// out silently. A rosbag is made as a file first (server/views/write_slice.h).

namespace kitbag::server {

/// How messages become a body. One thread at a time.
class SliceForm {
 public:
  virtual ~SliceForm() = default;
  virtual void begin(std::string& text) = 0;
  virtual void write(Batch&& batch, std::string& text) = 0;
  /// Releases memory that is not needed until the next write().
  virtual void rest() {}
  /// Says what `reader`, which is at its end, has left out.
  virtual void end(const SliceReader& reader, std::string& text) = 0;
  /// What end() could not say in the body.
  virtual TextPairs trailers() const { return {}; }
};

/// What a form is asked for.
struct FormRequest {
  std::string format = "json";  ///< one of form_names()
  std::string topic = {};       ///< mp4: the only one, as topic_of_video() gives it
  std::string metadata = {};    ///< json: the keys before "messages", with a comma behind each
  bool tells_limit = false;     ///< json: a key "is_limited" behind "messages"
  CodecOptions codec = {.not_a_number = CodecOptions::NotANumber::null};
  std::vector<std::string> fields = {};
  bool quotes_int64 = false;
  std::function<bool(const Channel& channel)> is_latched = {};
};

const std::vector<std::string>& form_names();
/// The value of Content-Type.
std::string media_type_of_form(const std::string& format);
/// The name of the header behind the body in which some forms say what is missing; empty: none.
std::string trailer_of_form(const std::string& format);

/// Throws Error (invalid) if the form cannot hold messages of these channels, or not those options.
void check_form(const FormRequest& asked, const std::vector<ChannelPtr>& channels,
                const Session& session);

std::unique_ptr<SliceForm> make_form(const FormRequest& asked, const Session& session);

/// The messages of `reader` as a body: made while it is sent, within the limits.
std::unique_ptr<BodyStream> slice_stream(SliceReader reader, std::unique_ptr<SliceForm> form,
                                         const Served& served);

}  // namespace kitbag::server
