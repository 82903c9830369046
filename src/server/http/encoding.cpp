#include "server/http/encoding.h"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "server/http/words.h"

// Each piece ends with a flush. That costs some bytes, but a page can show the first messages of a
// slice before the last ones are read.
//
// The window of zstd is limited, because each client's stream has one in memory.
//
// An ETag names a representation byte by byte (RFC 9110, 8.8.3), so encoded ones get a suffix.
// Clients send it back in conditions; it is cut off there (with_plain_tags()), and put on again in
// a 304, or a cache would take the answer for another representation.

namespace kitbag::server {
namespace {

/// A smaller body fits into one packet as it is.
constexpr std::uint64_t kLeastBytes = 1024;
/// Bodies are encoded while they are sent, so speed matters more than the last percents.
constexpr int kFastestLevel = 1;
/// How far back a stream refers, which is memory for each client.
constexpr int kZstdWindowLog = 17;

bool equal_words(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](unsigned char x, unsigned char y) {
    return std::tolower(x) == std::tolower(y);
  });
}

/// Of ";q=0.5"; 1 without one, 0 for what is malformed.
double quality_of(std::string_view parameters) {
  while (!parameters.empty()) {
    std::string_view each = trimmed(take_until(parameters, ';'));
    if (each.size() < 2 || std::tolower(static_cast<unsigned char>(each[0])) != 'q') continue;
    std::string_view value = trimmed(each.substr(1));
    if (!value.starts_with('=')) continue;
    value = trimmed(value.substr(1));
    double quality = 0;
    auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), quality,
                                        std::chars_format::fixed);
    bool is_sound = error == std::errc() && end == value.data() + value.size();
    return is_sound && quality >= 0 && quality <= 1 ? quality : 0;
  }
  return 1;
}

const char* name_of(Coding coding) {
  return coding == Coding::gzip ? "gzip" : "zstd";
}

/// The end of an ETag of an encoded body.
std::string suffix_of(Coding coding) {
  return std::string("-") + name_of(coding) + '"';
}

class Compressor {
 public:
  virtual ~Compressor() = default;
  /// Appends `text`, compressed, to `out`, so that it can be decoded up to its last byte.
  virtual void add(std::string_view text, bool is_last, std::string& out) = 0;
};

class Gzip final : public Compressor {
 public:
  Gzip() {
    constexpr int kGzipWindow = 15 + 16;  // 16: with the head of gzip
    constexpr int kMemory = 8;
    int result =
        deflateInit2(&stream_, kFastestLevel, Z_DEFLATED, kGzipWindow, kMemory, Z_DEFAULT_STRATEGY);
    if (result != Z_OK) throw std::bad_alloc();
  }
  ~Gzip() override { deflateEnd(&stream_); }
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;

  void add(std::string_view text, bool is_last, std::string& out) override {
    std::array<char, 16 << 10> room;
    // zlib does not write to what it reads, though it takes no const.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream_.avail_in = static_cast<uInt>(text.size());
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(room.data());
      stream_.avail_out = static_cast<uInt>(room.size());
      deflate(&stream_, is_last ? Z_FINISH : Z_SYNC_FLUSH);
      out.append(room.data(), room.size() - stream_.avail_out);
    } while (stream_.avail_out == 0);
  }

 private:
  z_stream stream_{};
};

class Zstd final : public Compressor {
 public:
  Zstd() : context_(ZSTD_createCCtx()) {
    if (!context_) throw std::bad_alloc();
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, kFastestLevel);
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_windowLog, kZstdWindowLog);
  }

  void add(std::string_view text, bool is_last, std::string& out) override {
    std::array<char, 16 << 10> room;
    ZSTD_inBuffer in{text.data(), text.size(), 0};
    for (std::size_t left = 1; left != 0;) {
      ZSTD_outBuffer piece{room.data(), room.size(), 0};
      left = ZSTD_compressStream2(context_.get(), &piece, &in, is_last ? ZSTD_e_end : ZSTD_e_flush);
      if (ZSTD_isError(left)) throw std::bad_alloc();  // nothing else can go wrong
      out.append(room.data(), piece.pos);
    }
  }

 private:
  struct Free {
    void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  };
  std::unique_ptr<ZSTD_CCtx, Free> context_;
};

std::unique_ptr<Compressor> make_compressor(Coding coding) {
  if (coding == Coding::gzip) return std::make_unique<Gzip>();
  return std::make_unique<Zstd>();
}

class EncodedStream final : public BodyStream {
 public:
  EncodedStream(std::unique_ptr<BodyStream> plain, Coding coding)
      : plain_(std::move(plain)), compressor_(make_compressor(coding)) {}

  bool next(std::string& text, std::stop_token stop) override {
    piece_.clear();
    bool more = plain_->next(piece_, std::move(stop));
    // A flush without new bytes would only add the bytes of the flush.
    if (!piece_.empty() || !more) compressor_->add(piece_, !more, text);
    return more;
  }
  void rest() override {
    plain_->rest();
    std::string().swap(piece_);
  }
  TextPairs trailers() const override { return plain_->trailers(); }

 private:
  std::unique_ptr<BodyStream> plain_;
  std::unique_ptr<Compressor> compressor_;
  std::string piece_;
};

std::string* find_header(Response& response, std::string_view name) {
  for (auto& [key, value] : response.headers) {
    if (key == name) return &value;
  }
  return nullptr;
}

bool is_text(std::string_view media_type) {
  return media_type == "application/json" || media_type == "application/x-ndjson" ||
         media_type.starts_with("text/");
}

bool is_worth_it(Response& response) {
  const std::string* type = find_header(response, "Content-Type");
  bool is_encoded = find_header(response, "Content-Encoding");
  if (response.status != 200 || is_encoded || !type || !is_text(*type)) return false;
  const auto& parts = response.content.parts();
  bool is_in_memory = std::all_of(parts.begin(), parts.end(),
                                  [](const Part& part) { return part.text != nullptr; });
  return response.stream || (is_in_memory && response.content.size() >= kLeastBytes);
}

/// A client that has an encoded body already gets the ETag of that one.
void keep_tag(const Request& request, std::string& etag) {
  const std::string* tags = request.header("if-none-match");
  if (!tags || etag.empty()) return;
  for (Coding coding : {Coding::gzip, Coding::zstd}) {
    std::string encoded = etag.substr(0, etag.size() - 1) + suffix_of(coding);
    if (tags->find(encoded) != std::string::npos) etag = encoded;
  }
}

/// How the answer is to be encoded. One without a body gets the ETag of what the client has.
Coding coding_for(const Request& request, Response& response) {
  std::string* etag = find_header(response, "ETag");
  if (response.status == 304 && etag) keep_tag(request, *etag);
  const std::string* accepted = request.header("accept-encoding");
  if (!accepted || !is_worth_it(response)) return Coding::identity;
  return preferred_coding(*accepted);
}

std::shared_ptr<const std::string> encoded(const Content& content, Coding coding) {
  auto bytes = std::make_shared<std::string>();
  auto compressor = make_compressor(coding);
  const auto& parts = content.parts();
  for (const Part& part : parts) {
    std::string_view text = std::string_view(*part.text).substr(part.offset, part.size);
    compressor->add(text, &part == &parts.back(), *bytes);
  }
  return bytes;
}

/// An encoded body has no ranges and a tag of its own.
void note_coding(Coding coding, Response& response) {
  std::erase_if(response.headers, [](const auto& each) { return each.first == "Accept-Ranges"; });
  std::string* etag = find_header(response, "ETag");
  if (etag && etag->ends_with('"')) *etag = etag->substr(0, etag->size() - 1) + suffix_of(coding);
  response.set("Content-Encoding", name_of(coding));
}

void replace_body(Response& response, Coding coding, std::shared_ptr<const std::string> body) {
  response.content = {};
  response.content.add(std::move(body));
  note_coding(coding, response);
}

}  // namespace

/// Of codings that are wanted equally it is zstd, then gzip: the first of `wishes` wins.
Coding preferred_coding(std::string_view accept_encoding) {
  struct Wish {
    Coding coding;
    double quality;
    bool is_named;
  };
  // Without a word identity is accepted, but any coding that is named is wanted more.
  std::array<Wish, 3> wishes = {
      {{Coding::zstd, 0, false}, {Coding::gzip, 0, false}, {Coding::identity, 1e-9, false}}};
  double of_others = -1;
  while (!accept_encoding.empty()) {
    std::string_view rest = take_until(accept_encoding, ',');
    std::string_view name = trimmed(take_until(rest, ';'));
    double quality = quality_of(rest);
    if (name == "*") of_others = quality;
    for (Wish& wish : wishes) {
      bool is_it = wish.coding == Coding::identity
                       ? equal_words(name, "identity")
                       : equal_words(name, name_of(wish.coding)) ||
                             (wish.coding == Coding::gzip && equal_words(name, "x-gzip"));
      if (is_it) wish = {wish.coding, quality, true};
    }
  }
  for (Wish& wish : wishes) {
    if (!wish.is_named && of_others >= 0) wish.quality = of_others;
  }
  const Wish* best = &wishes.back();
  for (const Wish& wish : wishes) {
    if (wish.quality > 0 && (wish.quality > best->quality ||
                             (wish.quality == best->quality && best == &wishes.back()))) {
      best = &wish;
    }
  }
  return best->coding;
}

Request with_plain_tags(Request request) {
  for (auto& [name, value] : request.headers) {
    if (name != "if-none-match" && name != "if-match") continue;
    for (Coding coding : {Coding::gzip, Coding::zstd}) {
      std::string suffix = suffix_of(coding);
      for (std::size_t at = value.find(suffix); at != std::string::npos; at = value.find(suffix)) {
        value.replace(at, suffix.size(), "\"");
      }
    }
  }
  return request;
}

void encode(const Request& request, Response& response) {
  Coding coding = coding_for(request, response);
  if (coding == Coding::identity) return;
  if (response.stream) {
    response.stream = std::make_unique<EncodedStream>(std::move(response.stream), coding);
    note_coding(coding, response);
  } else {
    replace_body(response, coding, encoded(response.content, coding));
  }
}

std::shared_ptr<const std::string> EncodedText::in(Coding coding) {
  std::lock_guard lock(mutex_);
  auto& known = encoded_[coding];
  if (!known) known = encoded(Content().add(plain_), coding);
  return known;
}

void encode(const Request& request, Response& response, EncodedText& text) {
  Coding coding = coding_for(request, response);
  if (coding != Coding::identity) replace_body(response, coding, text.in(coding));
}

}  // namespace kitbag::server
