#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "server/http/message.h"

// Content encodings (RFC 9110, section 8.4): gzip and zstd for texts, which shrink to a tenth.
// Files leave as they are: they have ranges, and are compressed inside. An encoded body is another
// representation, so it has another ETag: that of the text with "-gzip" or "-zstd" in it.

namespace kitbag::server {

enum class Coding { identity, gzip, zstd };

/// What a client wants most of a header Accept-Encoding: the highest q, and of equal ones zstd
/// before gzip before identity.
Coding preferred_coding(std::string_view accept_encoding);

/// The request with the ETags of encoded bodies as those of their texts, so that conditions need
/// not know encodings.
Request with_plain_tags(Request request);

/// Encodes the body of an answer to `request`, as the client sent it, if it is a text that is worth
/// it and not encoded yet. A stream is encoded piece by piece, and each piece can be decoded when
/// it has come.
void encode(const Request& request, Response& response);

/// A text that is the answer to many requests: each encoding of it is made once. Any thread.
class EncodedText {
 public:
  explicit EncodedText(std::string text)
      : plain_(std::make_shared<const std::string>(std::move(text))) {}

  const std::shared_ptr<const std::string>& plain() const { return plain_; }
  /// `coding` is not identity.
  std::shared_ptr<const std::string> in(Coding coding);

 private:
  std::shared_ptr<const std::string> plain_;
  std::mutex mutex_;
  std::map<Coding, std::shared_ptr<const std::string>> encoded_;
};

/// The same for an answer whose body, if it is sent whole, is `text`.
void encode(const Request& request, Response& response, EncodedText& text);

}  // namespace kitbag::server
