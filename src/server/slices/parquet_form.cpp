#include "server/slices/parquet_form.h"

#include <limits>
#include <utility>

#include "kitbag/columns.h"
#include "kitbag/parquet.h"

// A Parquet file begins to leave when its first row group is complete. So row groups are small: one
// is what a slice holds while its client does not read.
//
// Columns pull from a source, but a slice pushes its batches. GivenBatches turns one into the
// other: write() gives it a batch and lets the columns read until they come back for the next one.
// A wait that is over at once lets them return with nothing where a batch is not enough for a row
// group.

namespace kitbag::server {
namespace {

constexpr std::uint64_t kRowGroupBytes = 4 << 20;
constexpr std::uint64_t kPageBytes = 256 << 10;

/// Gives the batches that a form gets, and then says that nothing more is at hand.
class GivenBatches final : public Source {
 public:
  explicit GivenBatches(ChannelsPtr channels) : channels_(std::move(channels)) {}

  void give(Batch batch) {
    batch_ = std::move(batch);
    has_batch_ = true;
  }
  void end() { is_over_ = true; }
  bool has_batch() const { return has_batch_; }

  ChannelsPtr channels() const override { return channels_; }
  bool read(Batch& batch, const Wait&) override {
    // When its reader comes back, all that was given before has become rows.
    has_batch_ = !batch_.empty();
    if (has_batch_) batch = std::exchange(batch_, Batch());
    batch.channels = channels_;
    return has_batch_ || !is_over_;
  }

 private:
  ChannelsPtr channels_;
  Batch batch_;
  bool has_batch_ = false;
  bool is_over_ = false;
};

class ParquetForm final : public SliceForm {
 public:
  ParquetForm(const FormRequest& asked, const Session& session) : session_(session) {
    request_.fields = asked.fields;
    request_.on_error = OnError::skip;
    request_.report = &report_;
    request_.threads = 1;
    request_.batch_rows = std::numeric_limits<std::uint64_t>::max();
  }

  void begin(std::string&) override {}

  void write(Batch&& batch, std::string& text) override {
    if (batch.empty()) return;
    text_ = &text;
    if (!table_) begin_table(batch.channels);
    given_->give(std::move(batch));
    while (given_->has_batch()) {
      ArrowArray rows{};
      if (!table_->next(&rows, {.stop = {}, .until = SteadyTime::min()})) break;
      Released released{rows};
      if (rows.length > 0) writer_->write(rows);
    }
  }

  void end(const SliceReader& reader, std::string& text) override {
    text_ = &text;
    if (!table_) begin_table(reader.channels());
    writer_->finish();
    damage_ = reader.damage();
    for (std::string& each : left_out(report_)) damage_.push_back(std::move(each));
  }
  TextPairs trailers() const override {
    if (damage_.empty()) return {};
    return {{kDamageHeader, json_list(damage_)}};
  }

 private:
  struct Released {
    ArrowArray& rows;
    ~Released() { rows.release(&rows); }
  };

  void begin_table(const ChannelsPtr& channels) {
    auto given = std::make_unique<GivenBatches>(channels);
    given_ = given.get();
    table_ = columns(std::move(given), request_, session_);
    ArrowSchema schema;
    table_->schema(&schema);
    writer_ = parquet_writer(schema, [this](ByteView bytes) { *text_ += as_text(bytes); },
                             {.row_group_bytes = kRowGroupBytes, .page_bytes = kPageBytes});
    schema.release(&schema);
  }

  Session session_;
  ColumnsRequest request_;
  TranscodeReport report_;
  GivenBatches* given_ = nullptr;
  std::unique_ptr<Columns> table_;
  std::unique_ptr<ParquetWriter> writer_;
  std::string* text_ = nullptr;
  std::vector<std::string> damage_;
};

}  // namespace

std::unique_ptr<SliceForm> parquet_form(const FormRequest& asked, const Session& session) {
  return std::make_unique<ParquetForm>(asked, session);
}

}  // namespace kitbag::server
