#include <chrono>
#include <utility>

#include "kitbag/error.h"
#include "server/slices/slice_form.h"

// A slice leaves piece by piece as the client takes it. While a client does not read, the slice
// keeps only its position.
//
// Limits are for work, not for the time that a client takes: only next() counts. When many slices
// are open, each rests after every piece, so that memory depends on how many are served at the
// moment and not on how many are open.

namespace kitbag::server {
namespace {

constexpr std::size_t kPieceBytes = 128 << 10;
/// A piece that is not empty leaves after this time, however small it is.
constexpr std::chrono::milliseconds kPieceDuration{100};

class SliceStream final : public BodyStream {
 public:
  SliceStream(SliceReader reader, std::unique_ptr<SliceForm> form, const WorkLimits& limits,
              ClockPtr clock)
      : reader_(std::move(reader)),
        form_(std::move(form)),
        limits_(limits),
        clock_(std::move(clock)) {}

  bool next(std::string& text, std::stop_token stop) override {
    if (!std::exchange(has_begun_, true)) form_->begin(text);
    SteadyTime begin = clock_->steady();
    bool more = fill(text, begin, stop);
    worked_ += clock_->steady() - begin;
    if (more && reader_.is_crowded()) rest();
    return more;
  }

  void rest() override {
    reader_.rest();
    form_->rest();
  }
  TextPairs trailers() const override { return form_->trailers(); }

 private:
  bool fill(std::string& text, SteadyTime begin, const std::stop_token& stop) {
    while (text.size() < kPieceBytes) {
      Batch batch;
      if (!reader_.read(batch, stop)) {
        form_->end(reader_, text);
        return false;
      }
      bytes_ += batch.payload();
      Duration spent = clock_->steady() - begin;
      if (bytes_ > limits_.slice_bytes || worked_ + spent > limits_.work) {
        throw Error(ErrorCode::limit, "the slice is too large");
      }
      form_->write(std::move(batch), text);
      if (!text.empty() && spent >= kPieceDuration) break;
    }
    return true;
  }

  SliceReader reader_;
  std::unique_ptr<SliceForm> form_;
  WorkLimits limits_;
  ClockPtr clock_;
  bool has_begun_ = false;
  std::uint64_t bytes_ = 0;  ///< of payload so far
  Duration worked_{};
};

}  // namespace

std::unique_ptr<BodyStream> slice_stream(SliceReader reader, std::unique_ptr<SliceForm> form,
                                         const Served& served) {
  return std::make_unique<SliceStream>(std::move(reader), std::move(form), served.options.limits,
                                       served.session.clock());
}

}  // namespace kitbag::server
