#include "pictures/jpeg.h"

// jpeglib.h needs stdio.h and does not include it.
#include <cstdio>

#include <jerror.h>
#include <jpeglib.h>

#include <array>
#include <cstdlib>
#include <memory>
#include <stop_token>
#include <utility>

#include "kitbag/error.h"
#include "pictures/guarded.h"

// libjpeg's way with damage is to go on and fill what is missing with gray. A thumbnail that is
// half gray looks like what the camera saw, so damage within the picture is an error here. Data
// that ends early shows as a sequence of warnings: libjpeg asks for more than there is and invents
// an end mark (JWRN_JPEG_EOF); if the picture was complete by then, nothing else follows, which is
// how cameras without an end mark are accepted; if it was not, it meets that mark within a scan
// (JWRN_HIT_MARKER).
//
// A picture is decoded at an eighth, a quarter or a half, whichever is just not smaller than what
// is wanted: this leaves out most of the inverse transform. The rest is done by averaging.
//
// A progressive JPEG refines all blocks in each scan, so all coefficients are in memory, and a few
// bytes a scan make it pass over all of them again. Both are limited. The size is checked between
// the header and the start, before memory for pixels is taken.

namespace kitbag {
namespace {

constexpr int kQuality = 80;
/// For the coefficients of a JPEG whose scans refine each other; others need that of a few rows.
constexpr long kMostMemory = 256 << 20;
/// Each scan is a pass over all blocks, also if it has nothing in it.
constexpr int kMostScans = 100;

/// What the functions below, which libjpeg calls, know.
struct Jpeg {
  jpeg_error_mgr errors{};
  jpeg_progress_mgr progress{};
  Guard guard{};
  std::stop_token stop = {};
  bool is_at_end = false;  ///< libjpeg has asked for more bytes than there are
};

Jpeg& jpeg_of(j_common_ptr info) {
  return *static_cast<Jpeg*>(info->client_data);
}

[[noreturn]] void give_up(j_common_ptr info, ErrorCode code) {
  std::array<char, JMSG_LENGTH_MAX> text{};
  info->err->format_message(info, text.data());
  jump_back(jpeg_of(info).guard, code, text.data());
}

[[noreturn]] void take_error(j_common_ptr info) {
  int code = info->err->msg_code;
  bool is_memory = code == JERR_OUT_OF_MEMORY || code == JERR_NO_BACKING_STORE;
  if (is_memory) {
    jump_back(jpeg_of(info).guard, ErrorCode::limit, "the JPEG takes too much memory");
  }
  bool is_valid = code == JERR_CONVERSION_NOTIMPL || code == JERR_NOT_COMPILED ||
                  code == JERR_SOF_UNSUPPORTED || code == JERR_BAD_PRECISION;
  if (jpeg_of(info).is_at_end) give_up(info, ErrorCode::truncated);
  give_up(info, is_valid ? ErrorCode::unsupported : ErrorCode::corrupt);
}

/// libjpeg goes on after damage and fills what is missing with gray. Warnings that are none: bytes
/// between the parts, and a missing end of a picture that is complete.
void take_message(j_common_ptr info, int level) {
  if (level >= 0) return;
  Jpeg& jpeg = jpeg_of(info);
  switch (info->err->msg_code) {
    case JWRN_JPEG_EOF:
      jpeg.is_at_end = true;
      return;
    case JWRN_HIT_MARKER:
    case JWRN_HUFF_BAD_CODE:
    case JWRN_MUST_RESYNC:
      give_up(info, jpeg.is_at_end ? ErrorCode::truncated : ErrorCode::corrupt);
    default:
      return;
  }
}

void take_progress(j_common_ptr info) {
  Jpeg& jpeg = jpeg_of(info);
  if (jpeg.stop.stop_requested()) jump_back(jpeg.guard, ErrorCode::cancelled, "stopped");
  bool has_too_many = info->is_decompressor &&
                      reinterpret_cast<j_decompress_ptr>(info)->input_scan_number > kMostScans;
  if (has_too_many) jump_back(jpeg.guard, ErrorCode::limit, "the JPEG has too many scans");
}

void set_up(Jpeg& jpeg) {
  jpeg_std_error(&jpeg.errors);
  jpeg.errors.error_exit = take_error;
  jpeg.errors.emit_message = take_message;
  jpeg.progress.progress_monitor = take_progress;
}

class JpegRows final : public PictureRows {
 public:
  explicit JpegRows(std::stop_token stop) {
    set_up(jpeg_);
    jpeg_.stop = std::move(stop);
    info_.err = &jpeg_.errors;
    info_.client_data = &jpeg_;
  }
  ~JpegRows() override { jpeg_destroy_decompress(&info_); }
  JpegRows(const JpegRows&) = delete;
  JpegRows& operator=(const JpegRows&) = delete;

  void read_header(ByteView bytes) {
    guarded(jpeg_.guard, [this, &bytes] {
      jpeg_create_decompress(&info_);
      info_.mem->max_memory_to_use = kMostMemory;
      info_.progress = &jpeg_.progress;
      jpeg_mem_src(&info_, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
      jpeg_read_header(&info_, TRUE);
    });
  }
  PictureSize whole() const { return {info_.image_width, info_.image_height}; }

  void start(PictureSize least) {
    guarded(jpeg_.guard, [this, &least] {
      info_.out_color_space = info_.jpeg_color_space == JCS_GRAYSCALE ? JCS_GRAYSCALE : JCS_RGB;
      info_.scale_num = 1;
      for (info_.scale_denom = 8; info_.scale_denom > 1; info_.scale_denom /= 2) {
        jpeg_calc_output_dimensions(&info_);
        if (info_.output_width >= least.width && info_.output_height >= least.height) break;
      }
      jpeg_start_decompress(&info_);
    });
  }

  PictureSize size() const override { return {info_.output_width, info_.output_height}; }
  std::uint32_t channels() const override {
    return static_cast<std::uint32_t>(info_.output_components);
  }
  void next(std::span<std::byte> row) override {
    auto* to = reinterpret_cast<JSAMPROW>(row.data());
    guarded(jpeg_.guard, [this, &to] { jpeg_read_scanlines(&info_, &to, 1); });
  }

 private:
  Jpeg jpeg_;
  jpeg_decompress_struct info_{};
};

struct JpegWriter {
  JpegWriter() {
    set_up(jpeg);
    info.err = &jpeg.errors;
    info.client_data = &jpeg;
  }
  ~JpegWriter() {
    jpeg_destroy_compress(&info);
    std::free(bytes);
  }
  JpegWriter(const JpegWriter&) = delete;
  JpegWriter& operator=(const JpegWriter&) = delete;

  void write(const Picture& picture) {
    guarded(jpeg.guard, [this, &picture] {
      jpeg_create_compress(&info);
      jpeg_mem_dest(&info, &bytes, &size);
      info.image_width = picture.width;
      info.image_height = picture.height;
      info.input_components = static_cast<int>(picture.channels);
      info.in_color_space = picture.channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
      jpeg_set_defaults(&info);
      jpeg_set_quality(&info, kQuality, TRUE);
      jpeg_start_compress(&info, TRUE);
      const std::size_t row_bytes = std::size_t{picture.width} * picture.channels;
      while (info.next_scanline < info.image_height) {
        // libjpeg does not write to it.
        auto* row = reinterpret_cast<JSAMPROW>(
            const_cast<std::byte*>(picture.pixels.data() + row_bytes * info.next_scanline));
        jpeg_write_scanlines(&info, &row, 1);
      }
      jpeg_finish_compress(&info);
    });
  }

  Jpeg jpeg;
  jpeg_compress_struct info{};
  unsigned char* bytes = nullptr;
  unsigned long size = 0;
};

}  // namespace

bool is_jpeg(ByteView bytes) {
  return as_text(bytes).starts_with("\xff\xd8\xff");
}

OpenedJpeg open_jpeg(ByteView bytes, const PictureOptions& options, const Wait& wait) {
  auto rows = std::make_unique<JpegRows>(wait.stop);
  rows->read_header(bytes);
  PictureSize whole = rows->whole();
  check_size(whole.width, whole.height, options.most_pixels);
  rows->start(scaled_size(whole, options));
  return {whole, std::move(rows)};
}

std::vector<std::byte> encode_jpeg(const Picture& picture) {
  if (picture.width > JPEG_MAX_DIMENSION || picture.height > JPEG_MAX_DIMENSION) {
    throw Error(ErrorCode::limit, "the picture is too large for JPEG; use PNG, or scale it");
  }
  JpegWriter writer;
  writer.write(picture);
  const auto* begin = reinterpret_cast<const std::byte*>(writer.bytes);
  return {begin, begin + writer.size};
}

}  // namespace kitbag
