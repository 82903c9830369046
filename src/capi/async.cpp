#include <atomic>
#include <future>
#include <thread>
#include <utility>

#include "capi/read.h"

// Reading on a thread. The source is opened by the caller's thread, so that what is wrong with the
// query is an error of the call; then the thread owns everything that it needs, and the bag may be
// closed. Nothing is read while the callback runs, so what waits is one batch and what the source
// itself reads ahead.

struct kitbag_async {
  std::stop_source stop;
  std::promise<kitbag_code> promised;
  std::shared_future<kitbag_code> ended = promised.get_future().share();
  std::jthread thread;
};

namespace kitbag::c {

namespace {

struct Callback {
  kitbag_on_messages function;
  void* context;
};

/// Gives all messages, and returns how it ended; an error is left in `failure`.
kitbag_code give_all(MessageReader& reader, bool is_decoded, const Callback& to,
                     const std::stop_token& stop, kitbag_error** failure) {
  return call(failure, [&] {
    Batch batch;
    while (reader.read(batch, {stop})) {
      std::vector<kitbag_serialized_data> data;
      std::deque<kitbag_value> decoded;
      std::vector<const kitbag_value*> values;
      for (const Message& message : std::as_const(batch).messages()) {
        data.push_back(reader.data_of(message));
        if (is_decoded) values.push_back(&decoded.emplace_back(reader.decode(message)));
      }
      bool goes_on = to.function(to.context, data.data(), is_decoded ? values.data() : nullptr,
                                 data.size(), KITBAG_OK, nullptr);
      if (!goes_on || stop.stop_requested()) return KITBAG_CANCELLED;
    }
    return stop.stop_requested() ? KITBAG_CANCELLED : KITBAG_END;
  });
}

std::unique_ptr<kitbag_async> begin(const kitbag_bag& bag, const kitbag_query* query,
                                    kitbag_order order, bool is_decoded, const Callback& to) {
  require(to.function, "callback");
  auto async = std::make_unique<kitbag_async>();
  auto reader = std::make_shared<MessageReader>(bag, Wanted(query, order));
  async->thread = std::jthread([reader, is_decoded, to, stop = async->stop.get_token(),
                                end = std::move(async->promised)]() mutable {
    kitbag_error* failure = nullptr;
    kitbag_code code = give_all(*reader, is_decoded, to, stop, &failure);
    // Before the last call, in which the caller may do what it likes with the files of the bag.
    reader = nullptr;
    to.function(to.context, nullptr, nullptr, 0, code, failure);
    kitbag_error_free(failure);
    end.set_value(code);
  });
  return async;
}

}  // namespace

}  // namespace kitbag::c

kitbag_code kitbag_read_async_serialized(kitbag_bag* bag, const kitbag_query* query,
                                         kitbag_order order, kitbag_on_messages callback,
                                         void* context, kitbag_async** async,
                                         kitbag_error** error) {
  using namespace kitbag::c;
  return call(error, [&] {
    require(async, "async") =
        begin(require(bag, "bag"), query, order, false, {callback, context}).release();
  });
}

kitbag_code kitbag_read_async(kitbag_bag* bag, const kitbag_query* query, kitbag_order order,
                              kitbag_on_messages callback, void* context, kitbag_async** async,
                              kitbag_error** error) {
  using namespace kitbag::c;
  return call(error, [&] {
    require(async, "async") =
        begin(require(bag, "bag"), query, order, true, {callback, context}).release();
  });
}

void kitbag_async_cancel(kitbag_async* async) {
  if (async) async->stop.request_stop();
}

kitbag_code kitbag_async_wait(kitbag_async* async) {
  return async ? async->ended.get() : KITBAG_INVALID;
}

void kitbag_async_free(kitbag_async* async) {
  kitbag_async_cancel(async);
  delete async;  // waits for the thread
}
