#include "transport/iceoryx/header.h"

#include <cstring>

namespace kitbag::iceoryx_transport {

namespace {

constexpr std::string_view kMagic("kitbag\0\1", 8);
constexpr std::size_t kFixedBytes = 24;
constexpr std::size_t kSizesBytes = 8;

struct Sizes {
  std::uint32_t topic;
  std::uint32_t json;
};
static_assert(sizeof(Sizes) == kSizesBytes);

Sizes sizes_of(std::string_view topic, std::string_view json) {
  return {static_cast<std::uint32_t>(topic.size()), static_cast<std::uint32_t>(json.size())};
}

/// The texts behind their sizes. Absent: there are fewer bytes.
std::optional<Description> texts_in(ByteView bytes) {
  Sizes sizes{};
  if (bytes.size() < kSizesBytes) return std::nullopt;
  std::memcpy(&sizes, bytes.data(), kSizesBytes);
  std::string_view text = as_text(bytes).substr(kSizesBytes);
  if (std::uint64_t{sizes.topic} + sizes.json > text.size()) return std::nullopt;
  return Description{text.substr(0, sizes.topic), text.substr(sizes.topic, sizes.json)};
}

}  // namespace

std::size_t size_of(const UserHeader& header) {
  std::size_t bytes = kFixedBytes + header.topic.size() + header.json.size();
  return (bytes + kHeaderAlignment - 1) / kHeaderAlignment * kHeaderAlignment;
}

void put(const UserHeader& header, std::byte* into) {
  std::size_t bytes = size_of(header);
  Sizes sizes = sizes_of(header.topic, header.json);
  std::memset(into + bytes - kHeaderAlignment, 0, kHeaderAlignment);
  std::memcpy(into, kMagic.data(), kMagic.size());
  std::memcpy(into + 8, &header.sent_ns, 8);
  std::memcpy(into + 16, &sizes, kSizesBytes);
  if (!header.topic.empty()) {
    std::memcpy(into + kFixedBytes, header.topic.data(), header.topic.size());
  }
  if (!header.json.empty()) {
    std::memcpy(into + kFixedBytes + header.topic.size(), header.json.data(), header.json.size());
  }
}

std::optional<UserHeader> user_header_in(ByteView bytes) {
  if (!as_text(bytes).starts_with(kMagic) || bytes.size() < kFixedBytes) return std::nullopt;
  auto texts = texts_in(bytes.subspan(16));
  if (!texts) return std::nullopt;
  UserHeader header{0, texts->topic, texts->json};
  std::memcpy(&header.sent_ns, bytes.data() + 8, 8);
  return header;
}

void append(const Description& description, std::string& page) {
  Sizes sizes = sizes_of(description.topic, description.json);
  page.append(reinterpret_cast<const char*>(&sizes), kSizesBytes);
  page.append(description.topic).append(description.json);
}

std::vector<Description> descriptions_in(ByteView page) {
  std::vector<Description> all;
  while (auto description = texts_in(page)) {
    all.push_back(*description);
    page = page.subspan(kSizesBytes + description->topic.size() + description->json.size());
  }
  return all;
}

}  // namespace kitbag::iceoryx_transport
