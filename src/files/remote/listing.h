#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kitbag/time.h"

namespace kitbag::remote {

/// An object in a list.
struct ListedObject {
  std::string key;
  std::uint64_t size_bytes = 0;
  Time modified{};  ///< in seconds, as the header Last-Modified has it

  bool operator==(const ListedObject&) const = default;
};

/// An answer of ListObjectsV2.
struct Listing {
  std::vector<ListedObject> objects;
  std::vector<std::string> prefixes;  ///< of what lies deeper, with the delimiter at the end
  std::string next;                   ///< the token of the next page; empty: this is the last one
};

/// Parses the XML of a listing with the encoding "url". Throws Error (io) for what is none.
Listing parse_listing(std::string_view xml);

/// An answer that is an error.
struct StoreError {
  std::string code;     ///< "NoSuchBucket"
  std::string message;  ///< for people
};

/// Returns the text of the element at `path` in an answer in XML, such as
/// "InitiateMultipartUploadResult/UploadId"; nothing: there is none, or the answer is malformed.
std::optional<std::string> text_at(std::string_view path, std::string_view xml);

/// Parses the XML of an error; what is none of it gives empty texts.
StoreError parse_store_error(std::string_view xml);

}  // namespace kitbag::remote
