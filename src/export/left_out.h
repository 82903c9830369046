#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "kitbag/error.h"
#include "kitbag/export_messages.h"
#include "kitbag/message.h"
#include "pictures/picture_type.h"

namespace kitbag {

/// Messages of one topic that cannot become files, as the request says: they end the export, or are
/// left out and counted in its report. Those that the format cannot hold (unsupported) are always
/// left out. One thread.
class LeftOut {
 public:
  /// `request` must outlive it.
  LeftOut(std::string topic, const ExportRequest& request)
      : topic_(std::move(topic)), request_(request) {}

  /// Calls `call`, which handles one message. Returns false if it is left out.
  template <class Call>
  bool unless(const Call& call) {
    try {
      call();
      return true;
    } catch (const Error& error) {
      add(error);
      return false;
    }
  }
  /// Leaves one message out, or throws `error`, which has the topic in its sentence.
  void add(const Error& error);

 private:
  std::string topic_;
  const ExportRequest& request_;
};

/// Returns what `call` does; an Error gets the topic and the time of the message.
template <class Call>
auto in_message(const Message& message, const Call& call) {
  try {
    return call();
  } catch (const Error& error) {
    throw located_in(message, error);
  }
}

/// Passes a remark on what was written to the caller.
void remark(const ExportRequest& request, const std::string& sentence);

}  // namespace kitbag
