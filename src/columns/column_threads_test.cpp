#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "base/thread_pool.h"
#include "columns/plan.h"
#include "columns/row_filler.h"
#include "columns/row_run.h"
#include "columns/test_tables.h"
#include "kitbag/columns.h"
#include "kitbag/error.h"
#include "kitbag/session.h"
#include "tests/support/thrown_by.h"

// With several threads, a table is what it is with one: its batches, its errors, its report after
// each batch.

namespace kitbag {
namespace {

using test::Bytes;
using test::Printed;

/// A message as the test makes it. What is sent is freed as soon as nobody holds its batch.
struct Sent {
  std::size_t channel = 0;
  std::string payload;
  bool is_error = false;  ///< of the source, in place of a message
};

class SentSource final : public Source {
 public:
  SentSource(ChannelsPtr channels, std::size_t known, const std::vector<Sent>& messages,
             std::size_t most)
      : channels_(std::move(channels)), known_(known), messages_(messages), most_(most) {}

  ChannelsPtr channels() const override {
    return std::make_shared<Channels>(channels_->begin(),
                                      channels_->begin() + static_cast<std::ptrdiff_t>(known_));
  }
  bool read(Batch& batch, const Wait&) override {
    batch.channels = channels_;
    if (at_ == messages_.size()) return false;
    auto held = std::make_shared<std::vector<std::string>>();
    held->reserve(most_);
    for (; at_ < messages_.size() && held->size() < most_ && !batch.full(); ++at_) {
      const Sent& each = messages_[at_];
      if (each.is_error && !held->empty()) break;
      if (each.is_error) {
        ++at_;
        throw Error(ErrorCode::io, "the disk is away");
      }
      held->push_back(each.payload);
      auto time = from_ns(static_cast<std::int64_t>(at_));
      batch.add({(*channels_)[each.channel].get(), 0, 0, time, time, as_bytes(held->back())});
    }
    batch.keep(held, 1000);
    return true;
  }

 private:
  ChannelsPtr channels_;
  std::size_t known_;
  const std::vector<Sent>& messages_;
  std::size_t most_;
  std::size_t at_ = 0;
};

std::string text_of(const TranscodeReport& report) {
  std::string all;
  for (const auto& [name, topic] : report.topics) {
    all += name + ' ' + std::to_string(topic.skipped) + ' ' + std::to_string(topic.raw) + ' ' +
           std::to_string(topic.replaced_texts) + ' ' + topic.first_error + '\n';
  }
  return all;
}

class ColumnThreads : public ::testing::Test {
 protected:
  ColumnThreads() {
    auto channels = std::make_shared<Channels>();
    const std::vector<std::string> definitions = {"string s\nfloat64[] v\n", "int32 other\n",
                                                  "string s\nuint8[] b\n", "int32 v\n"};
    for (const std::string& definition : definitions) {
      auto channel = std::make_shared<Channel>();
      channel->slot = static_cast<std::uint32_t>(channels->size());
      channel->topic = "/" + std::to_string(channel->slot);
      channel->encoding = "ros1";
      channel->schema = std::make_shared<Schema>(Schema{"test/Type", "ros1msg", definition});
      channels->push_back(channel);
    }
    channels_ = channels;
  }

  std::size_t below(std::size_t end) { return random_() % end; }

  /// `one_in`: how rare what is unusual is; 0: there is nothing unusual.
  std::vector<Sent> messages(std::size_t count, std::size_t one_in) {
    std::vector<Sent> all;
    for (std::size_t i = 0; i < count; ++i) {
      Sent made{.channel = below(channels_->size()), .payload = {}};
      bool is_unusual = one_in > 0 && below(one_in) == 0;
      std::string text(below(20), static_cast<char>('a' + below(26)));
      if (is_unusual && below(3) == 0) text += '\xff';
      if (made.channel == 0) {
        Bytes bytes;
        bytes.text(text).put(static_cast<std::uint32_t>(2)).put(0.5).put(static_cast<double>(i));
        made.payload = bytes;
      } else if (made.channel == 2) {
        made.payload = Bytes().text(text).text(std::string(below(100), 'b'));
      } else {
        made.payload = Bytes().put(static_cast<std::int32_t>(i));
      }
      if (is_unusual && below(3) == 0) made.payload.resize(below(3));
      made.is_error = is_unusual && below(20) == 0;
      all.push_back(std::move(made));
    }
    return all;
  }

  /// All that a reader of the table sees.
  std::vector<std::string> seen(const std::vector<Sent>& made, ColumnsRequest request,
                                unsigned threads, std::size_t known, std::size_t most) {
    TranscodeReport report;
    std::vector<std::string> all;
    request.threads = threads;
    request.report = &report;
    request.on_warning = [&](const Error& warning) { all.push_back(warning.message()); };
    auto table =
        columns(std::make_unique<SentSource>(channels_, known, made, most), request, session_);
    test::Released<ArrowSchema> schema;
    table->schema(&schema);
    for (bool is_end = false; !is_end;) {
      test::Released<ArrowArray> batch;
      try {
        is_end = !table->next(&batch);
        if (!is_end) all.push_back("a batch");
        if (!is_end) std::ranges::copy(Printed(*schema, *batch).rows, std::back_inserter(all));
      } catch (const Error& error) {
        all.emplace_back(error.what());
      }
      all.push_back(text_of(report));
    }
    return all;
  }

  Session session_;
  std::mt19937 random_{23};
  ChannelsPtr channels_;
};

TEST_F(ColumnThreads, TheTableIsThatOfOneThread) {
  for (int i = 0; i < 100; ++i) {
    auto made = messages(below(3000), std::vector<std::size_t>{0, 3, 40, 1000}[below(4)]);
    ColumnsRequest request;
    request.fields = {"s", "v"};
    if (below(3) == 0) request.fields.emplace_back("b");
    request.batch_rows = 1 + below(400);
    request.first_batch_rows = below(3) == 0 ? 1 + below(10) : 0;
    if (below(3) == 0) request.batch_bytes = 1 + below(20'000);
    request.on_error = std::vector{OnError::stop, OnError::skip, OnError::raw}[below(3)];
    std::size_t most = 1 + below(below(2) == 0 ? 20 : 300);
    std::size_t known = below(4) == 0 ? 3 : 4;
    auto expected = seen(made, request, 1, known, most);
    auto actual = seen(made, request, 3, known, most);
    auto differ = std::ranges::mismatch(actual, expected);
    ASSERT_EQ(std::vector(differ.in1, actual.end()), std::vector(differ.in2, expected.end()))
        << "in table " << i << ", from line " << differ.in2 - expected.begin() << " on";
  }
}

// is_done() was true of such a run. If it stopped between the calls of has_stopped() and is_done(),
// its last messages were lost.
TEST_F(ColumnThreads, ARunWithMessagesLeftIsNotDone) {
  auto made = messages(100, 0);
  ColumnsRequest request{.fields = {"s"}, .batch_bytes = 500};
  TableContext context(plan_columns(*channels_, request, session_), request, session_);
  ThreadPool pool(1);
  auto run = std::make_shared<RowRun>(std::make_unique<RowFiller>(context, nullptr), 1000,
                                      std::make_shared<RunState>());
  SentSource source(channels_, 4, made, 10);
  Portion portion;
  Batch batch;
  while (source.read(batch, {})) {
    batch.drop_if([&](const Message& message) { return !run->takes(*message.channel); });
    portion.batch.take_front(batch, batch.messages().size());
    portion.ends.push_back(portion.batch.messages().size());
    batch.clear();
  }
  run->give(std::move(portion), pool);
  run->help();
  run->wait();
  EXPECT_TRUE(run->has_stopped());
  EXPECT_FALSE(run->is_done());
}

TEST_F(ColumnThreads, AStoppedReadGoesOnLater) {
  auto made = messages(2000, 50);
  for (Sent& each : made) each.is_error = false;
  ColumnsRequest request{
      .fields = {"s"}, .batch_rows = 20, .threads = 3, .on_error = OnError::skip};
  auto table = columns(std::make_unique<SentSource>(channels_, 4, made, 7), request, session_);
  test::Released<ArrowSchema> schema;
  table->schema(&schema);
  std::stop_source stop;
  stop.request_stop();
  std::vector<std::string> rows;
  for (;;) {
    test::Released<ArrowArray> batch;
    EXPECT_ERROR(cancelled, table->next(&batch, {stop.get_token(), kNever}));
    if (!table->next(&batch)) break;
    std::ranges::copy(Printed(*schema, *batch).rows, std::back_inserter(rows));
  }
  request.threads = 1;
  auto alone = columns(std::make_unique<SentSource>(channels_, 4, made, 7), request, session_);
  EXPECT_EQ(rows, test::rows_of(*alone));
}

TEST_F(ColumnThreads, NothingIsLeftRunning) {
  auto made = messages(5000, 500);
  for (int taken = 0; taken < 40; ++taken) {
    TranscodeReport report;
    const ColumnsRequest request{.fields = {"s", "v"},
                                 .batch_rows = 50,
                                 .threads = 3,
                                 .on_error = OnError::raw,
                                 .report = &report};
    auto table = columns(std::make_unique<SentSource>(channels_, 4, made, 10), request, session_);
    for (int i = 0; i < taken; ++i) {
      test::Released<ArrowArray> batch;
      try {
        table->next(&batch);
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::io);
      }
    }
  }
}

}  // namespace
}  // namespace kitbag
