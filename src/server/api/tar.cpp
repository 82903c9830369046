#include "server/api/tar.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

//   header, 512 bytes | content | zeros to a multiple of 512 | ... | 1024 zeros
//
// The header's fields are octal texts (POSIX.1-2001, ustar): a name has 100 bytes and a size 8 GiB.
// For more, a header of type "x" with records "LENGTH KEY=VALUE\n" comes before. LENGTH counts its
// own digits, hence the loop. The checksum is the sum of the header's bytes with the checksum field
// as spaces.
//
// Everything but the content depends on names, sizes and times alone. So the length of the tar is
// known before a file is read, and an interrupted download can go on in the middle.

namespace kitbag::server {
namespace {

constexpr std::size_t kBlock = 512;
constexpr std::size_t kNameBytes = 100;
constexpr std::uint64_t kMostOctal = 077777777777;  ///< eleven digits

struct Range {
  std::size_t offset;
  std::size_t size;
};
constexpr Range kMode{100, 8};
constexpr Range kUser{108, 8};
constexpr Range kGroup{116, 8};
constexpr Range kSize{124, 12};
constexpr Range kModified{136, 12};
constexpr Range kChecksum{148, 8};
constexpr std::size_t kType = 156;
constexpr std::size_t kMagic = 257;

void put_octal(std::string& block, Range field, std::uint64_t value) {
  std::string text = fmt::format("{:0{}o}", value, field.size - 1);
  block.replace(field.offset, text.size(), text);
}

std::string block_of(std::string_view path, char type, std::uint64_t size, std::int64_t modified) {
  std::string block(kBlock, '\0');
  std::string_view name = path.substr(0, kNameBytes);
  block.replace(0, name.size(), name);
  put_octal(block, kMode, 0644);
  put_octal(block, kUser, 0);
  put_octal(block, kGroup, 0);
  put_octal(block, kSize, std::min(size, kMostOctal));
  put_octal(block, kModified, static_cast<std::uint64_t>(std::max<std::int64_t>(modified, 0)));
  block[kType] = type;
  block.replace(kMagic, 8, std::string_view("ustar\00000", 8));
  block.replace(kChecksum.offset, kChecksum.size, kChecksum.size, ' ');
  auto sum = std::accumulate(block.begin(), block.end(), 0U, [](unsigned all, char c) {
    return all + static_cast<unsigned char>(c);
  });
  std::string text = fmt::format("{:06o}", sum);
  block.replace(kChecksum.offset, text.size(), text);
  block[kChecksum.offset + 6] = '\0';
  return block;
}

/// "27 path=...\n": a record says its own length.
std::string pax_record(std::string_view key, std::string_view value) {
  std::size_t rest = key.size() + value.size() + 3;  // " ", "=", "\n"
  std::size_t size = rest;
  while (size != rest + fmt::format("{}", size).size()) {
    size = rest + fmt::format("{}", size).size();
  }
  return fmt::format("{} {}={}\n", size, key, value);
}

}  // namespace

std::string tar_header(std::string_view path, std::uint64_t size, Time modified) {
  std::int64_t seconds =
      std::chrono::floor<std::chrono::seconds>(modified).time_since_epoch().count();
  std::string records;
  if (path.size() > kNameBytes) records += pax_record("path", path);
  if (size > kMostOctal) records += pax_record("size", fmt::format("{}", size));
  std::string header;
  if (!records.empty()) {
    header = block_of("pax", 'x', records.size(), seconds);
    header += records;
    header += tar_padding(records.size());
  }
  return header + block_of(path, '0', size, seconds);
}

std::string tar_padding(std::uint64_t size) {
  return std::string((kBlock - size % kBlock) % kBlock, '\0');
}

std::string tar_end() {
  return std::string(2 * kBlock, '\0');
}

}  // namespace kitbag::server
