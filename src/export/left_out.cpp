#include "export/left_out.h"

namespace kitbag {

void LeftOut::add(const Error& error) {
  // What the format has no place for is not damage, and does not end an export that stops at
  // damage.
  bool is_of_format = error.code() == ErrorCode::unsupported;
  bool stops = request_.columns.on_error == OnError::stop && !is_of_format;
  if (is_final(error.code()) || stops) throw error;
  if (!request_.columns.report) return;
  TranscodeReport::Topic& topic = request_.columns.report->topics[topic_];
  if (topic.first_error.empty()) topic.first_error = error.message();
  ++topic.skipped;
}

void remark(const ExportRequest& request, const std::string& sentence) {
  if (request.columns.on_warning) request.columns.on_warning(Error(ErrorCode::remark, sentence));
}

}  // namespace kitbag
