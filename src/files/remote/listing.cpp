#include "files/remote/listing.h"

#include <expat.h>

#include <cctype>
#include <charconv>
#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <system_error>
#include <utility>

#include "kitbag/error.h"
#include "kitbag/text.h"

// The answers of stores are flat XML: lists, numbers of uploads, errors. So what is parsed is the
// path of each leaf and its text. A list that was cut off (s3_files.cpp) is not well-formed, and
// thus an error instead of a list that lacks objects. The store is not trusted: the depth is
// limited, and document types are refused.

namespace kitbag::remote {
namespace {

constexpr std::size_t kMostDepth = 32;

/// Receives the text of each element that has no others: its path, such as
/// "ListBucketResult/Contents/Key", and the text.
using OnText = std::function<void(std::string_view path, const std::string& text)>;

struct Walk {
  XML_Parser parser;
  const OnText& on_text;
  std::string path;
  std::string text;
  std::size_t depth = 0;
  std::exception_ptr failure = nullptr;
};

/// Runs a step of a walk. Nothing may be thrown through expat, which is C: it is kept until the
/// parser has returned.
template <class Step>
void take_step(void* data, const Step& step) {
  auto& walk = *static_cast<Walk*>(data);
  if (walk.failure) return;
  try {
    step(walk);
  } catch (...) {
    walk.failure = std::current_exception();
    XML_StopParser(walk.parser, XML_FALSE);
  }
}

void XMLCALL begin(void* data, const XML_Char* name, const XML_Char** /*attributes*/) {
  take_step(data, [&](Walk& walk) {
    if (++walk.depth > kMostDepth) XML_StopParser(walk.parser, XML_FALSE);
    if (!walk.path.empty()) walk.path += '/';
    walk.path += name;
    walk.text.clear();
  });
}

void XMLCALL take(void* data, const XML_Char* text, int size) {
  take_step(data, [&](Walk& walk) { walk.text.append(text, static_cast<std::size_t>(size)); });
}

void XMLCALL end(void* data, const XML_Char* /*name*/) {
  take_step(data, [](Walk& walk) {
    walk.on_text(walk.path, walk.text);
    walk.text.clear();
    walk.path.resize(walk.path.rfind('/') == std::string::npos ? 0 : walk.path.rfind('/'));
    --walk.depth;
  });
}

/// A store sends no document types, and what they can expand to is not taken.
void XMLCALL refuse(void* data, const XML_Char*, const XML_Char*, const XML_Char*, int) {
  XML_StopParser(static_cast<Walk*>(data)->parser, XML_FALSE);
}

bool parse(std::string_view xml, const OnText& on_text) {
  std::unique_ptr<XML_ParserStruct, decltype(&XML_ParserFree)> parser(XML_ParserCreate(nullptr),
                                                                      &XML_ParserFree);
  if (!parser) throw std::bad_alloc();
  Walk walk{parser.get(), on_text, {}, {}};
  XML_SetUserData(parser.get(), &walk);
  XML_SetElementHandler(parser.get(), begin, end);
  XML_SetCharacterDataHandler(parser.get(), take);
  XML_SetStartDoctypeDeclHandler(parser.get(), refuse);
  bool is_whole =
      XML_Parse(parser.get(), xml.data(), static_cast<int>(xml.size()), XML_TRUE) == XML_STATUS_OK;
  if (walk.failure) std::rethrow_exception(walk.failure);
  return is_whole;
}

std::string url_decoded(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    bool is_code = text[i] == '%' && i + 2 < text.size() &&
                   std::isxdigit(static_cast<unsigned char>(text[i + 1])) &&
                   std::isxdigit(static_cast<unsigned char>(text[i + 2]));
    if (is_code) {
      decoded += static_cast<char>(std::stoi(std::string(text.substr(i + 1, 2)), nullptr, 16));
      i += 2;
    } else {
      decoded += text[i] == '+' ? ' ' : text[i];
    }
  }
  return decoded;
}

std::uint64_t number_in(std::string_view text) {
  std::uint64_t number = 0;
  auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc() || end != text.data() + text.size()) {
    throw Error(ErrorCode::io, "malformed list of objects: invalid size of an object");
  }
  return number;
}

/// A store that has no times is none to refuse.
Time time_in(const std::string& text) {
  try {
    return std::chrono::floor<std::chrono::seconds>(parse_time(text).resolve({}, {}));
  } catch (const Error&) {
    return {};
  }
}

}  // namespace

Listing parse_listing(std::string_view xml) {
  Listing listing;
  ListedObject object;
  bool is_listing = false;
  bool is_parsed = parse(xml, [&](std::string_view path, const std::string& text) {
    if (path == "ListBucketResult") is_listing = true;
    if (path == "ListBucketResult/Contents/Key") object.key = url_decoded(text);
    if (path == "ListBucketResult/Contents/Size") object.size_bytes = number_in(text);
    if (path == "ListBucketResult/Contents/LastModified") object.modified = time_in(text);
    if (path == "ListBucketResult/Contents") {
      listing.objects.push_back(std::exchange(object, {}));
    }
    if (path == "ListBucketResult/CommonPrefixes/Prefix") {
      listing.prefixes.push_back(url_decoded(text));
    }
    if (path == "ListBucketResult/NextContinuationToken") listing.next = text;
  });
  if (!is_parsed || !is_listing) {
    throw Error(ErrorCode::io, "malformed list of objects: expected a ListBucketResult in XML");
  }
  return listing;
}

std::optional<std::string> text_at(std::string_view path, std::string_view xml) {
  std::optional<std::string> found;
  bool is_parsed = parse(xml, [&](std::string_view at, const std::string& text) {
    if (at == path) found = text;
  });
  return is_parsed ? found : std::nullopt;
}

StoreError parse_store_error(std::string_view xml) {
  StoreError error;
  parse(xml, [&](std::string_view path, const std::string& text) {
    if (path == "Error/Code") error.code = text;
    if (path == "Error/Message") error.message = text;
  });
  return error;
}

}  // namespace kitbag::remote
