#pragma once

#include <gtest/gtest.h>

#include <functional>

#include "tests/support/memory_source.h"

namespace kitbag::test {

/// Slots are positions, and a longer table begins with the shorter one.
inline void expect_table_grows(const Channels& before, const Channels& now) {
  ASSERT_GE(now.size(), before.size());
  for (std::size_t slot = 0; slot < now.size(); ++slot) {
    if (now[slot]) {
      EXPECT_EQ(now[slot]->slot, slot);
    }
    if (slot < before.size()) {
      EXPECT_EQ(now[slot], before[slot]);
    }
  }
}

/// A batch is within its bounds, and its messages are on the channels of its table.
inline void expect_good_batch(const Batch& batch) {
  ASSERT_NE(batch.channels, nullptr);
  auto messages = batch.messages();
  EXPECT_LE(messages.size(), kBatchMessages);
  std::size_t payload = 0;
  for (const Message& message : messages) {
    EXPECT_LT(payload, kBatchBytes) << "the batch was full before its last message";
    payload += message.data.size();
    ASSERT_NE(message.channel, nullptr);
    ASSERT_LT(message.channel->slot, batch.channels->size());
    EXPECT_EQ((*batch.channels)[message.channel->slot].get(), message.channel);
  }
  EXPECT_EQ(batch.payload(), payload);
}

/// Every other read() is asked to stop: it returns soon, with or without messages, and the next one
/// goes on. At the end all is there.
inline void expect_stops_end_nothing(Source& source, const Samples& all) {
  std::stop_source stop;
  stop.request_stop();
  Samples given;
  bool is_stopped = true;
  for (Batch batch; source.read(batch, is_stopped ? Wait{stop.get_token(), kNever} : Wait{});
       batch.clear()) {
    for (Sample& sample : samples_of(batch)) given.push_back(std::move(sample));
    is_stopped = !is_stopped;
  }
  EXPECT_EQ(given, all) << "a stop request is not the end";
}

/// What every Source promises (stream.h); `make` gives a new one over the same messages. To be run
/// under a sanitizer: batches are looked at again when the source and its other batches are gone.
inline void expect_source_rules(const std::function<std::unique_ptr<Source>()>& make) {
  auto source = make();
  ASSERT_NE(source->channels(), nullptr);
  ChannelsPtr table = source->channels();
  expect_table_grows({}, *table);
  std::vector<Batch> held;
  std::vector<Samples> seen;
  for (Batch batch; source->read(batch, Wait{}); batch = Batch()) {
    if (batch.empty() && !batch.channels) continue;  // nothing came in time
    ASSERT_NO_FATAL_FAILURE(expect_good_batch(batch));
    ASSERT_NO_FATAL_FAILURE(expect_table_grows(*table, *batch.channels));
    table = batch.channels;
    seen.push_back(samples_of(batch));
    held.push_back(std::move(batch));
  }
  Batch after;
  EXPECT_FALSE(source->read(after, Wait{})) << "the end stays the end";
  EXPECT_TRUE(after.empty());
  table.reset();
  source.reset();
  for (std::size_t i = held.size(); i > 0; --i) {
    EXPECT_EQ(samples_of(held[i - 1]), seen[i - 1]) << "batch " << i - 1 << " after its source";
    held.pop_back();
  }
  auto again = make();
  Samples all;
  for (const Samples& samples : seen) all.insert(all.end(), samples.begin(), samples.end());
  EXPECT_EQ(collect(*again), all) << "the same source gives the same sequence";
  ASSERT_NO_FATAL_FAILURE(expect_stops_end_nothing(*make(), all));
}

}  // namespace kitbag::test
