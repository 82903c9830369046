#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

#include <utility>

#include "transport/framing/framing.h"

// Headers come from strangers, so they are parsed event by event: a document in memory would take
// many times the header's bytes.
//
// A header as it comes, and where the handler is while it goes through it:
//
//   {"encoding": .., "schema": {"name": ..}, "metadata": {"k": ".."}, "other": [{..}]}
//    header                     schema                    metadata              ignored
//
// Every member is optional, and members that are not known are skipped, at any depth up to
// kMostDepth: a later version may add some. A known member of the wrong kind makes the header
// invalid; to guess would put messages on the wrong channel. A whole number that does not fit into
// 64 bits is a double for the parser, and no member takes one.
//
// Bounds: the header's bytes before parsing, the number of metadata values, the depth of what is
// ignored. The parser is iterative, so the stack does not grow with the depth either.

namespace kitbag::framing {

namespace {

/// A value that is neither an object nor an array. Null is std::monostate. A whole number that is
/// no std::int64_t is a double: no member takes it.
using Scalar = std::variant<std::monostate, bool, std::int64_t, double, std::string_view>;

/// The members that are known, of a header or of its schema.
enum class Member {
  unknown,
  channel,
  encoding,
  schema,
  metadata,
  log_time,
  publish_time,
  sequence,
  end,
  name,
  language,
  text
};

Member header_member(std::string_view name) {
  constexpr std::pair<std::string_view, Member> kMembers[] = {
      {"channel", Member::channel},   {"encoding", Member::encoding},
      {"schema", Member::schema},     {"metadata", Member::metadata},
      {"log_time", Member::log_time}, {"publish_time", Member::publish_time},
      {"sequence", Member::sequence}, {"end", Member::end}};
  for (const auto& [known, member] : kMembers) {
    if (name == known) return member;
  }
  return Member::unknown;
}

Member schema_member(std::string_view name) {
  if (name == "name") return Member::name;
  if (name == "language") return Member::language;
  return name == "text" ? Member::text : Member::unknown;
}

bool take_text(const Scalar& value, std::string& into) {
  const auto* text = std::get_if<std::string_view>(&value);
  if (text) into = *text;
  return text != nullptr;
}

/// No sender's clock is before 1970, and formats cannot store it.
bool take_time(const Scalar& value, std::optional<Time>& into) {
  const auto* ns = std::get_if<std::int64_t>(&value);
  if (!ns || *ns < 0) return false;
  into = from_ns(*ns);
  return true;
}

/// Takes what rapidjson finds in a header; false, from any member, ends the parsing.
class HeaderHandler {
 public:
  explicit HeaderHandler(Header& header) : header_(header) {}

  // NOLINTBEGIN(readability-identifier-naming): rapidjson's names
  bool Null() { return value({}); }
  bool Bool(bool given) { return value(given); }
  bool Int(int given) { return value(std::int64_t{given}); }
  bool Uint(unsigned given) { return value(std::int64_t{given}); }
  bool Int64(std::int64_t given) { return value(given); }
  bool Uint64(std::uint64_t given) {
    if (given > INT64_MAX) return value(static_cast<double>(given));
    return value(static_cast<std::int64_t>(given));
  }
  bool Double(double given) { return value(given); }
  bool RawNumber(const char*, rapidjson::SizeType, bool) { return false; }
  bool String(const char* text, rapidjson::SizeType size, bool) {
    return value(std::string_view(text, size));
  }
  bool Key(const char* text, rapidjson::SizeType size, bool) {
    if (place_ == Place::header) member_ = header_member({text, size});
    if (place_ == Place::schema) member_ = schema_member({text, size});
    if (place_ == Place::metadata) key_.assign(text, size);
    return true;
  }
  bool StartObject() {
    if (place_ == Place::outside) return enter(Place::header);
    if (place_ == Place::header && member_ == Member::schema) {
      header_.schema.emplace();
      return enter(Place::schema);
    }
    if (place_ == Place::header && member_ == Member::metadata) return enter(Place::metadata);
    return ignore_nested();
  }
  bool EndObject(rapidjson::SizeType) { return leave(); }
  bool StartArray() { return ignore_nested(); }
  bool EndArray(rapidjson::SizeType) { return leave(); }
  // NOLINTEND(readability-identifier-naming)

 private:
  enum class Place { outside, header, schema, metadata, ignored };

  bool enter(Place place) {
    place_ = place;
    return true;
  }

  /// An object or array where only a member that is not known may have one.
  bool ignore_nested() {
    if (place_ != Place::ignored) {
      bool is_ignorable =
          (place_ == Place::header || place_ == Place::schema) && member_ == Member::unknown;
      if (!is_ignorable) return false;
      around_ = std::exchange(place_, Place::ignored);
    }
    return ++ignored_depth_ <= kMostDepth;
  }

  bool leave() {
    if (place_ == Place::ignored) {
      if (--ignored_depth_ == 0) place_ = around_;
    } else {
      place_ = place_ == Place::header ? Place::outside : Place::header;
    }
    return true;
  }

  bool value(const Scalar& given) {
    switch (place_) {
      case Place::ignored:
        return true;
      case Place::header:
        return take_member(given);
      case Place::schema:
        return take_schema(given);
      case Place::metadata:
        return header_.metadata.size() < kMostMetadata && take_text(given, header_.metadata[key_]);
      case Place::outside:
        return false;
    }
    return false;
  }

  bool take_member(const Scalar& given) {
    switch (member_) {
      case Member::channel:
        return take_text(given, header_.id);
      case Member::encoding:
        return take_text(given, header_.encoding);
      case Member::schema:
        return std::holds_alternative<std::monostate>(given);
      case Member::log_time:
        return take_time(given, header_.log_time);
      case Member::publish_time:
        return take_time(given, header_.publish_time);
      case Member::sequence:
        return take_sequence(given);
      case Member::end:
        return take_end(given);
      case Member::unknown:
        return true;
      default:
        return false;
    }
  }

  bool take_schema(const Scalar& given) {
    Schema& schema = *header_.schema;
    switch (member_) {
      case Member::name:
        return take_text(given, schema.name);
      case Member::language:
        return take_text(given, schema.language);
      case Member::text:
        return take_text(given, schema.text);
      default:
        return true;
    }
  }

  bool take_sequence(const Scalar& given) {
    const auto* number = std::get_if<std::int64_t>(&given);
    if (!number || *number < 0 || *number > UINT32_MAX) return false;
    header_.sequence = static_cast<std::uint32_t>(*number);
    return true;
  }

  bool take_end(const Scalar& given) {
    const auto* is_end = std::get_if<bool>(&given);
    if (is_end) header_.is_end = *is_end;
    return is_end != nullptr;
  }

  Header& header_;
  Place place_ = Place::outside;
  Place around_ = Place::outside;  ///< what is ignored
  int ignored_depth_ = 0;
  Member member_ = Member::unknown;
  std::string key_;  ///< in metadata
};

}  // namespace

std::optional<Header> parse_header(std::string_view json) {
  Header header;
  HeaderHandler handler(header);
  rapidjson::MemoryStream bytes(json.data(), json.size());
  rapidjson::Reader reader;
  // Iterative: recursion on what a stranger nests ends the process.
  if (reader.Parse<rapidjson::kParseIterativeFlag>(bytes, handler).IsError()) return std::nullopt;
  return header;
}

std::string_view describe(Fault fault) {
  switch (fault) {
    case Fault::frames:
      return "expected two or three frames";
    case Fault::topic:
      return "the topic is longer than 64 KiB";
    case Fault::header:
      return "the header is not a JSON object of at most 16 MiB with the documented members";
    case Fault::utf8:
      return "the topic is not UTF-8";
    case Fault::field:
      return "the fields that begin with kitbag- have other values than documented";
  }
  return {};
}

std::variant<Parsed, Fault> parse_frames(std::span<const ByteView> frames) {
  if (frames.size() != kMessageFrames && frames.size() != 2) return Fault::frames;
  if (frames[0].size() > kMostTopicBytes) return Fault::topic;
  if (frames[1].size() > kMostHeaderBytes) return Fault::header;
  std::optional<Header> header = parse_header(as_text(frames[1]));
  if (!header) return Fault::header;
  Parsed parsed;
  parsed.topic = as_text(frames[0]);
  parsed.header = std::move(*header);
  if (frames.size() == kMessageFrames) parsed.payload = frames[2];
  parsed.kind = parsed.header.is_end              ? Parsed::Kind::end
                : frames.size() == kMessageFrames ? Parsed::Kind::message
                                                  : Parsed::Kind::description;
  return parsed;
}

}  // namespace kitbag::framing
