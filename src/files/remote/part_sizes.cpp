#include "files/remote/part_sizes.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <new>

#include "files/remote/tries.h"
#include "kitbag/error.h"

// An upload of unknown size:
//
//     part      1        2          3         ...    10,000
//     size      5 MiB    8.04 MiB   8.06 MiB         203 MiB      1 TiB in all
//
// The size of a bag is not known when its first part is sent. Equal parts would have to be large
// for small bags, or would end a large one too early.
//
// The ETag of an object says into how many parts it was divided, not how. So a local file is
// compared with it by dividing it in each usual way that gives as many parts, in one pass over the
// file.

namespace kitbag::remote {
namespace {

constexpr std::uint64_t kFirstBytes = kLeastPartBytes;
constexpr std::uint64_t kBaseBytes = std::uint64_t{8} << 20;
constexpr std::uint64_t kGrowthBytes = std::uint64_t{20} << 10;
constexpr std::size_t kPieceBytes = 1 << 20;

/// The number of parts that an ETag tells; 0: it is of one piece.
std::size_t parts_in(std::string_view etag) {
  std::size_t dash = etag.find('-');
  if (dash == std::string_view::npos) return 0;
  return static_cast<std::size_t>(number(etag.substr(dash + 1)).value_or(0));
}

std::size_t parts_of(std::uint64_t bytes, const PartSizes& sizes) {
  std::size_t parts = 0;
  for (std::uint64_t at = 0; at < bytes && parts <= kMostParts; at += sizes.of(++parts)) continue;
  return parts;
}

}  // namespace

std::uint64_t PartSizes::of(std::size_t number) const {
  if (equal_bytes > 0) return equal_bytes;
  return number == 1 ? kFirstBytes : kBaseBytes + kGrowthBytes * number;
}

PartSizes equal_parts(std::uint64_t size_bytes) {
  std::uint64_t part = kBaseBytes;
  while (part < kMostPartBytes && size_bytes / part >= kMostParts) part *= 2;
  return {std::min(part, kMostPartBytes)};
}

struct Md5::State {
  State() : context(EVP_MD_CTX_new()) {
    if (!context) throw std::bad_alloc();
    begin();
  }
  ~State() { EVP_MD_CTX_free(context); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  void begin() const {
    if (EVP_DigestInit_ex(context, EVP_md5(), nullptr) == 1) return;
    throw Error(ErrorCode::unsupported,
                "objects cannot be written: OpenSSL does not allow MD5 here, by which stores find "
                "damage");
  }

  EVP_MD_CTX* context;
};

Md5::Md5() : state_(std::make_unique<State>()) {}
Md5::~Md5() = default;
Md5::Md5(Md5&&) noexcept = default;
Md5& Md5::operator=(Md5&&) noexcept = default;

void Md5::add(ByteView bytes) {
  if (EVP_DigestUpdate(state_->context, bytes.data(), bytes.size()) != 1) throw std::bad_alloc();
}

std::string Md5::take() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> sum{};
  unsigned size = 0;
  if (EVP_DigestFinal_ex(state_->context, sum.data(), &size) != 1) throw std::bad_alloc();
  state_->begin();
  return {reinterpret_cast<const char*>(sum.data()), size};
}

std::string hexadecimal(std::string_view bytes) {
  std::string text;
  for (char byte : bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return text;
}

std::string md5_of(const ReadFile& file) {
  std::vector<std::byte> piece(kPieceBytes);
  Md5 md5;
  for (std::uint64_t at = 0; at < file.size();) {
    std::size_t count = file.read(at, piece);
    if (count == 0) break;
    md5.add(ByteView(piece).first(count));
    at += count;
  }
  return md5.take();
}

std::string etag_of_parts(const std::vector<std::string>& md5s) {
  Md5 all;
  for (const std::string& md5 : md5s) all.add(as_bytes(md5));
  return fmt::format("{}-{}", hexadecimal(all.take()), md5s.size());
}

std::string_view bare_etag(std::string_view etag) {
  if (etag.size() < 2 || !etag.starts_with('"') || !etag.ends_with('"')) return etag;
  return etag.substr(1, etag.size() - 2);
}

void EtagSum::add(ByteView bytes) {
  while (!bytes.empty()) {
    std::uint64_t part = sizes_.of(md5s_.size() + 1);
    if (part_bytes_ == part) {  // another one follows
      md5s_.push_back(md5_.take());
      part_bytes_ = 0;
      continue;
    }
    auto count =
        static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), part - part_bytes_));
    md5_.add(bytes.first(count));
    part_bytes_ += count;
    bytes = bytes.subspan(count);
  }
}

std::string EtagSum::etag() {
  std::string last = md5_.take();
  if (md5s_.empty()) return hexadecimal(last);
  md5s_.push_back(std::move(last));
  return etag_of_parts(md5s_);
}

bool has_etag(const ReadFile& file, std::string_view etag, const PartSizes& sizes) {
  std::size_t parts = parts_in(etag);
  if (parts == 0) return hexadecimal(md5_of(file)) == etag;
  // Ours of known and of unknown size, of which the first are also those of the tools of AWS, and
  // those of rclone.
  std::vector<EtagSum> sums;
  std::uint64_t size_bytes = file.size();
  for (const PartSizes& each :
       {sizes, equal_parts(size_bytes), PartSizes{}, PartSizes{kFirstBytes}}) {
    if (parts_of(size_bytes, each) == parts) sums.emplace_back(each);
  }
  if (sums.empty()) return false;
  std::vector<std::byte> piece(kPieceBytes);
  for (std::uint64_t at = 0; at < size_bytes;) {
    std::size_t count = file.read(at, piece);
    if (count == 0) break;
    for (EtagSum& sum : sums) sum.add(ByteView(piece).first(count));
    at += count;
  }
  return std::any_of(sums.begin(), sums.end(), [&](EtagSum& sum) { return sum.etag() == etag; });
}

}  // namespace kitbag::remote
