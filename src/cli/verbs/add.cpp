#include <fmt/format.h>

#include <filesystem>

#include "cli/terminal/output.h"
#include "cli/terminal/print.h"
#include "cli/verbs.h"
#include "kitbag/file.h"
#include "kitbag/open.h"

namespace kitbag::cli {
namespace {

Attachment attachment_of(const AddArguments& arguments, const Clock& clock) {
  const std::string& file = arguments.words.front();
  Attachment attachment;
  attachment.name =
      arguments.name.empty() ? std::filesystem::path(file).filename().string() : arguments.name;
  attachment.media_type =
      arguments.media_type.empty() ? "application/octet-stream" : arguments.media_type;
  attachment.log_time = arguments.log_time.value_or(clock.wall());
  attachment.create_time = arguments.create_time.value_or(attachment.log_time);
  attachment.data = open_file(file);
  return attachment;
}

Metadata metadata_of(const AddArguments& arguments) {
  Metadata metadata{arguments.words.front(), {}};
  for (std::size_t i = 1; i < arguments.words.size(); ++i) {
    const std::string& word = arguments.words[i];
    std::size_t sign = word.find('=');
    if (sign == std::string::npos || sign == 0) {
      throw Error(ErrorCode::invalid,
                  fmt::format("metadata: expected KEY=VALUE, got \"{}\"", word));
    }
    metadata.values[word.substr(0, sign)] = word.substr(sign + 1);
  }
  return metadata;
}

}  // namespace

int add(const AddArguments& arguments, const Context& context) {
  Batch batch;
  batch.channels = std::make_shared<const Channels>();
  if (arguments.what == Named::attachment) {
    batch.extras.push_back(attachment_of(arguments, context.clock));
  } else {
    batch.extras.push_back(metadata_of(arguments));
  }
  WriteOptions options;
  options.on_warning = [](const Error& warning) {
    // To leave out what was to be added is no success.
    if (warning.code() == ErrorCode::unsupported) throw warning;
    print_warning(warning.what());
  };
  // An append without messages: what is added is written behind the bag, and the index comes last.
  auto writer = context.session.append(arguments.bag, options);
  writer->write(std::move(batch));
  writer->close();
  context.out.make_status();
  context.out.line("{}: added", arguments.bag);
  return kDone;
}

}  // namespace kitbag::cli
