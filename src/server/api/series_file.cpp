#include "server/api/series_file.h"

#include <zstd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "kitbag/time.h"

// A zstd frame with its checksum, so that a damaged or shortened file is recognized without a
// format of our own. Inside, values have the byte order of this machine; the first one shows if it
// is another one's. The members of the buckets follow one another as columns, which compress
// better, and an index is stored as the distance from the one before: mostly 1.
//
// Layout, before compression; numbers have 8 bytes in the order of this machine:
//
//   mark | start | bucket duration | buckets
//   count of sentences, each: length, bytes
//   count of series, each:
//     topic: length, bytes | field: length, bytes | n
//     n distances of indexes | n counts | n mins | n maxs | n means | n lasts
//
// It is a cache, not an exchange format: what does not parse is made again. So a new layout only
// needs a new mark. But a file may have been changed by others, so counts are checked against the
// bytes that are left, and indexes against the number of buckets, before memory is taken or a page
// gets them.

namespace kitbag::server {
namespace {

constexpr std::uint64_t kMark = 0x6b62736572696501;  // the last byte is the version
/// The most series with the most parts take 50 MB, and some texts.
constexpr std::size_t kMostSeriesBytes = 64 << 20;
constexpr std::size_t kMostSentences = 1 << 16;
constexpr int kSeriesLevel = 1;

class Packer {
 public:
  template <class Number>
  void add(Number number) {
    static_assert(std::is_arithmetic_v<Number>);
    bytes_.append(reinterpret_cast<const char*>(&number), sizeof number);
  }
  void add(const std::string& text) {
    add<std::uint64_t>(text.size());
    bytes_ += text;
  }
  template <class Value>
  void add(const std::vector<SeriesBucket>& buckets, Value SeriesBucket::*value) {
    for (const SeriesBucket& each : buckets) add(each.*value);
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

/// Gives what a Packer was given. Once something is wrong, all else is zero or empty.
class Unpacker {
 public:
  explicit Unpacker(std::string_view bytes) : rest_(bytes) {}

  template <class Number>
  Number next() {
    Number number{};
    if (rest_.size() < sizeof number) fail();
    if (is_right_) std::memcpy(&number, rest_.data(), sizeof number);
    if (is_right_) rest_.remove_prefix(sizeof number);
    return number;
  }
  /// The number of things that take at least so many bytes each.
  std::size_t next_count(std::size_t least_bytes) {
    auto count = next<std::uint64_t>();
    if (count > rest_.size() / least_bytes) fail();
    return is_right_ ? static_cast<std::size_t>(count) : 0;
  }
  std::string next_text() {
    std::size_t size = next_count(1);
    std::string text(rest_.substr(0, size));
    rest_.remove_prefix(size);
    return text;
  }
  template <class Value>
  void next(std::vector<SeriesBucket>& buckets, Value SeriesBucket::*value) {
    for (SeriesBucket& each : buckets) each.*value = next<Value>();
  }
  void require(bool is_right) {
    if (!is_right) fail();
  }
  bool is_right() const { return is_right_; }
  /// Whether everything was right and nothing is left.
  bool is_complete() const { return is_right_ && rest_.empty(); }

 private:
  void fail() {
    is_right_ = false;
    rest_ = {};
  }

  std::string_view rest_;
  bool is_right_ = true;
};

void pack(const FieldSeries& field, Packer& packer) {
  packer.add(field.topic);
  packer.add(field.field);
  packer.add<std::uint64_t>(field.buckets.size());
  std::uint64_t after = 0;  // the index before, and 1
  for (const SeriesBucket& each : field.buckets) {
    packer.add(each.index - after);
    after = each.index + 1;
  }
  packer.add(field.buckets, &SeriesBucket::count);
  packer.add(field.buckets, &SeriesBucket::min);
  packer.add(field.buckets, &SeriesBucket::max);
  packer.add(field.buckets, &SeriesBucket::mean);
  packer.add(field.buckets, &SeriesBucket::last);
}

static_assert(sizeof(SeriesBucket) == 6 * sizeof(std::uint64_t), "what one takes in the file");

FieldSeries unpack_field(std::uint64_t most_buckets, Unpacker& unpacker) {
  FieldSeries field{unpacker.next_text(), unpacker.next_text()};
  field.buckets.resize(unpacker.next_count(sizeof(SeriesBucket)));
  std::uint64_t after = 0;
  for (SeriesBucket& each : field.buckets) {
    auto distance = unpacker.next<std::uint64_t>();
    unpacker.require(distance < most_buckets - after);
    each.index = after + distance;
    after = each.index + 1;
  }
  unpacker.next(field.buckets, &SeriesBucket::count);
  unpacker.next(field.buckets, &SeriesBucket::min);
  unpacker.next(field.buckets, &SeriesBucket::max);
  unpacker.next(field.buckets, &SeriesBucket::mean);
  unpacker.next(field.buckets, &SeriesBucket::last);
  return field;
}

/// What a zstd frame holds; absent: it is damaged, or holds too much.
std::optional<std::string> decompressed(std::string_view frame) {
  unsigned long long size = ZSTD_getFrameContentSize(frame.data(), frame.size());
  if (size > kMostSeriesBytes) return std::nullopt;  // both errors, too, are large numbers
  std::string bytes(static_cast<std::size_t>(size), '\0');
  std::size_t made = ZSTD_decompress(bytes.data(), bytes.size(), frame.data(), frame.size());
  if (ZSTD_isError(made) || made != bytes.size()) return std::nullopt;
  return bytes;
}

}  // namespace

std::optional<std::string> series_file(const ReadSeries& read) {
  Packer packer;
  packer.add(kMark);
  packer.add(to_ns(read.series.start));
  packer.add<std::int64_t>(read.series.bucket_duration.count());
  packer.add(read.series.buckets);
  packer.add<std::uint64_t>(read.damage.size());
  for (const std::string& sentence : read.damage) packer.add(sentence);
  packer.add<std::uint64_t>(read.series.fields.size());
  for (const FieldSeries& field : read.series.fields) pack(field, packer);
  const std::string& bytes = packer.bytes();
  if (bytes.size() > kMostSeriesBytes || read.damage.size() > kMostSentences) return std::nullopt;
  std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context(ZSTD_createCCtx(), &ZSTD_freeCCtx);
  if (!context) return std::nullopt;
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, kSeriesLevel);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
  std::string frame(ZSTD_compressBound(bytes.size()), '\0');
  std::size_t size =
      ZSTD_compress2(context.get(), frame.data(), frame.size(), bytes.data(), bytes.size());
  if (ZSTD_isError(size)) return std::nullopt;
  frame.resize(size);
  return frame;
}

std::optional<ReadSeries> parse_series_file(std::string_view frame) {
  auto bytes = decompressed(frame);
  if (!bytes) return std::nullopt;
  Unpacker unpacker(*bytes);
  unpacker.require(unpacker.next<std::uint64_t>() == kMark);
  ReadSeries read;
  read.series.start = from_ns(unpacker.next<std::int64_t>());
  read.series.bucket_duration = Duration(unpacker.next<std::int64_t>());
  read.series.buckets = unpacker.next<std::uint64_t>();
  unpacker.require(read.series.buckets <= SeriesRequest::kMostBuckets);
  std::size_t sentences = unpacker.next_count(sizeof(std::uint64_t));
  if (sentences > kMostSentences) return std::nullopt;
  read.damage.resize(sentences);
  for (std::string& sentence : read.damage) sentence = unpacker.next_text();
  std::size_t fields = unpacker.next_count(3 * sizeof(std::uint64_t));
  unpacker.require(fields <= SeriesRequest::kMostSeries);
  for (std::size_t i = 0; i < fields && unpacker.is_right(); ++i) {
    read.series.fields.push_back(unpack_field(read.series.buckets, unpacker));
  }
  if (!unpacker.is_complete()) return std::nullopt;
  return read;
}

}  // namespace kitbag::server
