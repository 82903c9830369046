#pragma once

#include <string_view>

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
/// it. A stream is encoded piece by piece, and each piece can be decoded when it has come.
void encode(const Request& request, Response& response);

}  // namespace kitbag::server
