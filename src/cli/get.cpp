#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "inputs.h"
#include "json.h"
#include "kitbag/file.h"
#include "output.h"
#include "verbs.h"

namespace kitbag::cli {
namespace {

/// A new file that is closed with its object.
class OutputFile {
 public:
  explicit OutputFile(const std::string& path)
      : file_(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666)),
        out_(file_, path) {
    if (file_ < 0) {
      throw Error(errno == EEXIST ? ErrorCode::invalid : ErrorCode::io,
                  errno == EEXIST ? "exists already" : "cannot be written", path);
    }
  }
  ~OutputFile() {
    if (file_ >= 0) ::close(file_);
  }
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  Output& out() { return out_; }

 private:
  int file_;
  Output out_;
};

void copy(const ReadFile& file, Output& out) {
  std::vector<std::byte> bytes(std::size_t{1} << 20);
  for (std::uint64_t at = 0; at < file.size();) {
    std::size_t count = file.read(at, bytes);
    if (count == 0) {
      throw Error(ErrorCode::truncated, fmt::format("{} of {} bytes are there", at, file.size()));
    }
    out.write_content(as_text(ByteView(bytes).first(count)));
    at += count;
  }
}

/// Those of `bag` with that name, of one kind. Throws Error (not_found), naming those there are.
template <class Kind>
Kind find(const GetArguments& arguments, const Bag& bag, const char* kind) {
  std::string names;
  for (const Extra& extra : bag.extras()) {
    const Kind* one = std::get_if<Kind>(&extra);
    if (!one) continue;
    if (one->name == arguments.name) return *one;
    names += (names.empty() ? "" : ", ") + one->name;
  }
  throw Error(ErrorCode::not_found,
              fmt::format("has no {} \"{}\"; {}", kind, arguments.name,
                          names.empty() ? "it has none" : "it has " + names),
              arguments.bag);
}

void write_named(const GetArguments& arguments, const Bag& bag, Output& out) {
  if (arguments.what == Named::attachment) {
    copy(*find<Attachment>(arguments, bag, "attachment").data, out);
  } else {
    out.write(values_json(find<Metadata>(arguments, bag, "metadata").values) + "\n");
  }
}

}  // namespace

int get(const GetArguments& arguments, const Context& context) {
  Inputs inputs({arguments.bag}, arguments.reading, context);
  const Bag& bag = *inputs.bags().front();
  if (arguments.output.empty()) {
    write_named(arguments, bag, context.out);
  } else {
    OutputFile file(arguments.output);
    write_named(arguments, bag, file.out());
    file.out().flush();
  }
  return inputs.warn();
}

}  // namespace kitbag::cli
