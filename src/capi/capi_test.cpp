#include <gmock/gmock.h>

#include <array>
#include <atomic>
#include <string>

#include "kitbag/c.h"
#include "tests/support/temporary_folder.h"

// What C cannot see: that nothing outlives its memory, and that threads do not meet. The sanitizers
// look while these tests run; tests/capi calls every function from C.

namespace {

// Programs have them in arrays and in their own memory (kitbag/c.h).
static_assert(sizeof(kitbag_serialized_data) == 48);
static_assert(sizeof(kitbag_pair) == 16);

class CApi : public testing::Test {
 protected:
  static constexpr std::int64_t kMessages = 2000;

  void SetUp() override {
    path_ = folder_.path("x.mcap");
    kitbag_bag* bag = nullptr;
    ASSERT_EQ(kitbag_open(path_.c_str(), KITBAG_WRITE, nullptr, &bag, nullptr), KITBAG_OK);
    kitbag_connection_header header = KITBAG_CONNECTION_HEADER_INIT;
    header.topic_name = "/a";
    header.topic_type = "my_msgs/msg/A";
    header.message_definition = "uint32 number\nuint8[] data\nstring text\n";
    kitbag_topic* topic = nullptr;
    ASSERT_EQ(kitbag_create_topic(bag, &header, "cdr", 0, nullptr, &topic, nullptr), KITBAG_OK);
    kitbag_value* message = nullptr;
    ASSERT_EQ(kitbag_create_message(topic, &message, nullptr), KITBAG_OK);
    std::string data(1000, 'x');
    kitbag_set_text(message, "data", data.data(), data.size(), nullptr);
    kitbag_set_text(message, "text", "hello", 5, nullptr);
    for (std::int64_t i = 0; i < kMessages; ++i) {
      kitbag_set_int64(message, "number", i, nullptr);
      ASSERT_EQ(kitbag_write(bag, topic, i, message, nullptr, nullptr), KITBAG_OK);
    }
    ASSERT_EQ(kitbag_close(bag, nullptr), KITBAG_OK);
    kitbag_value_free(message);  // after its bag
  }

  kitbag_bag* open() {
    kitbag_bag* bag = nullptr;
    EXPECT_EQ(kitbag_open(path_.c_str(), KITBAG_READ, nullptr, &bag, nullptr), KITBAG_OK);
    return bag;
  }

  static std::int64_t number_of(const kitbag_value* value) {
    std::int64_t number = -1;
    EXPECT_EQ(kitbag_get_int64(value, "number", &number, nullptr), KITBAG_OK);
    return number;
  }

  kitbag::TemporaryFolder folder_;
  std::string path_;
};

TEST_F(CApi, ValuesOutliveTheirBagAndTheirIterator) {
  kitbag_bag* bag = open();
  kitbag_iterator* iterator = nullptr;
  ASSERT_EQ(kitbag_create_iterator(bag, nullptr, KITBAG_BY_TIME, &iterator, nullptr), KITBAG_OK);
  const kitbag_value* first = nullptr;
  ASSERT_EQ(kitbag_read_next(iterator, nullptr, nullptr, &first, nullptr, nullptr), KITBAG_OK);
  kitbag_value* copy = nullptr;
  ASSERT_EQ(kitbag_value_copy(first, &copy, nullptr), KITBAG_OK);
  kitbag_messages* messages = nullptr;
  ASSERT_EQ(kitbag_read(bag, nullptr, KITBAG_BY_TIME, nullptr, &messages, nullptr), KITBAG_OK);
  kitbag_close(bag, nullptr);
  kitbag_serialized_data data;
  EXPECT_EQ(kitbag_read_next_serialized(iterator, nullptr, nullptr, &data, nullptr), KITBAG_OK);
  EXPECT_STREQ(kitbag_topic_name(data.topic), "/a");  // the iterator keeps it
  kitbag_close_iterator(iterator);
  EXPECT_EQ(number_of(copy), 0);
  kitbag_value_free(copy);
  EXPECT_EQ(kitbag_messages_count(messages), kMessages);
  EXPECT_EQ(number_of(kitbag_messages_value(messages, 7)), 7);
  EXPECT_EQ(kitbag_messages_data(messages, 1999)->size, 4 + 4 + 4 + 1000 + 4 + 6);
  kitbag_messages_free(messages);
}

TEST_F(CApi, TextsAndNumbersStayUntilTheNextCall) {
  kitbag_bag* bag = open();
  kitbag_iterator* iterator = nullptr;
  ASSERT_EQ(kitbag_create_iterator(bag, nullptr, KITBAG_BY_TIME, &iterator, nullptr), KITBAG_OK);
  const kitbag_value* value = nullptr;
  ASSERT_EQ(kitbag_read_next(iterator, nullptr, nullptr, &value, nullptr, nullptr), KITBAG_OK);
  const char* text = nullptr;
  ASSERT_EQ(kitbag_get_text(value, "text", &text, nullptr, nullptr), KITBAG_OK);
  EXPECT_STREQ(text, "hello");
  kitbag_kind kind{};
  const void* data = nullptr;
  std::uint64_t count = 0;
  ASSERT_EQ(kitbag_get_numbers(value, "data", &kind, &data, &count, nullptr), KITBAG_OK);
  EXPECT_EQ(std::string(static_cast<const char*>(data), count), std::string(1000, 'x'));
  kitbag_close_iterator(iterator);
  kitbag_close(bag, nullptr);
}

struct Reading {
  std::atomic<std::int64_t> messages = 0;
  std::atomic<kitbag_code> end = KITBAG_OK;
  std::atomic<std::int64_t> most = INT64_MAX;  // of messages, before the callback says no
};

bool count(void* context, const kitbag_serialized_data* messages, const kitbag_value* const* values,
           size_t count, kitbag_code end, const kitbag_error* error) {
  auto& reading = *static_cast<Reading*>(context);
  for (std::size_t i = 0; i < count; ++i) {
    std::int64_t number = -1;
    if (values) kitbag_get_int64(values[i], "number", &number, nullptr);
    if (!values || number == messages[i].time_received) ++reading.messages;
  }
  if (count == 0) reading.end = error ? KITBAG_INVALID : end;
  return reading.messages < reading.most;
}

TEST_F(CApi, AsynchronousReadingsShareABag) {
  kitbag_bag* bag = open();
  std::array<Reading, 4> readings;
  std::array<kitbag_async*, 4> asyncs{};
  for (std::size_t i = 0; i < readings.size(); ++i) {
    auto* read = i % 2 == 0 ? kitbag_read_async : kitbag_read_async_serialized;
    ASSERT_EQ(read(bag, nullptr, KITBAG_BY_TIME, count, &readings[i], &asyncs[i], nullptr),
              KITBAG_OK);
  }
  kitbag_close(bag, nullptr);
  for (std::size_t i = 0; i < readings.size(); ++i) {
    EXPECT_EQ(kitbag_async_wait(asyncs[i]), KITBAG_END);
    kitbag_async_free(asyncs[i]);
    EXPECT_EQ(readings[i].messages, kMessages);
    EXPECT_EQ(readings[i].end, KITBAG_END);
  }
}

TEST_F(CApi, AsynchronousReadingsEndWhenTheyAreCancelled) {
  kitbag_bag* bag = open();
  Reading refusing;
  refusing.most = 1;
  kitbag_async* async = nullptr;
  ASSERT_EQ(kitbag_read_async(bag, nullptr, KITBAG_BY_TIME, count, &refusing, &async, nullptr),
            KITBAG_OK);
  EXPECT_EQ(kitbag_async_wait(async), KITBAG_CANCELLED);
  kitbag_async_free(async);
  EXPECT_LE(refusing.messages, 256);  // a batch
  EXPECT_EQ(refusing.end, KITBAG_CANCELLED);

  Reading abandoned;
  ASSERT_EQ(kitbag_read_async(bag, nullptr, KITBAG_BY_TIME, count, &abandoned, &async, nullptr),
            KITBAG_OK);
  kitbag_async_cancel(async);
  kitbag_async_free(async);
  EXPECT_TRUE(abandoned.end == KITBAG_CANCELLED || abandoned.messages == kMessages);
  kitbag_close(bag, nullptr);
}

TEST_F(CApi, AQueryThatMakesNoSenseFailsAtOnce) {
  kitbag_bag* bag = open();
  kitbag_query query = KITBAG_QUERY_INIT;
  query.where = "number >";
  Reading reading;
  kitbag_async* async = nullptr;
  kitbag_error* error = nullptr;
  EXPECT_EQ(kitbag_read_async(bag, &query, KITBAG_BY_TIME, count, &reading, &async, &error),
            KITBAG_INVALID);
  EXPECT_EQ(kitbag_error_code(error), KITBAG_INVALID);
  EXPECT_EQ(async, nullptr);
  kitbag_error_free(error);
  query.where = "nobody_has_this > 3";
  kitbag_messages* none = nullptr;
  EXPECT_EQ(kitbag_read(bag, &query, KITBAG_BY_TIME, nullptr, &none, &error), KITBAG_NOT_FOUND);
  EXPECT_THAT(kitbag_error_message(error), testing::HasSubstr("nobody_has_this"));
  EXPECT_EQ(none, nullptr);
  kitbag_error_free(error);
  query = KITBAG_QUERY_INIT;
  query.struct_size = offsetof(kitbag_query, where);  // of a version that did not know the rest
  query.count = 3;
  kitbag_messages* messages = nullptr;
  EXPECT_EQ(kitbag_read(bag, &query, KITBAG_BY_TIME, nullptr, &messages, nullptr), KITBAG_OK);
  EXPECT_EQ(kitbag_messages_count(messages), 3);
  kitbag_messages_free(messages);
  kitbag_close(bag, nullptr);
}

TEST_F(CApi, ATopicThatTheBagDoesNotHaveIsNotFound) {
  kitbag_bag* bag = open();
  std::array<const char*, 2> topics = {"/a", "/aa"};
  kitbag_query query = KITBAG_QUERY_INIT;
  query.topics = topics.data();
  query.topic_count = topics.size();
  kitbag_error* error = nullptr;
  auto expect_not_found = [&](kitbag_code code) {
    EXPECT_EQ(code, KITBAG_NOT_FOUND);
    EXPECT_THAT(kitbag_error_message(error), testing::EndsWith(": no topic \"/aa\"; similar: /a"));
    kitbag_error_free(error);
    error = nullptr;
  };
  kitbag_messages* messages = nullptr;
  expect_not_found(kitbag_read(bag, &query, KITBAG_BY_TIME, nullptr, &messages, &error));
  kitbag_iterator* iterator = nullptr;
  expect_not_found(kitbag_create_iterator(bag, &query, KITBAG_BY_TIME, &iterator, &error));
  ArrowArrayStream stream{};
  expect_not_found(kitbag_arrow_stream(bag, &query, nullptr, 0, &stream, &error));
  expect_not_found(kitbag_replay(bag, "demo://", topics.data(), topics.size(), &error));
  topics[1] = "/aa*";  // may match nothing
  EXPECT_EQ(kitbag_read(bag, &query, KITBAG_BY_TIME, nullptr, &messages, nullptr), KITBAG_OK);
  EXPECT_EQ(kitbag_messages_count(messages), kMessages);
  kitbag_messages_free(messages);
  kitbag_close(bag, nullptr);
}

}  // namespace
