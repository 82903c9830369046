#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>

#include "inputs.h"
#include "json.h"
#include "kitbag/file.h"
#include "kitbag/leave.h"
#include "output.h"
#include "verbs.h"

namespace kitbag::cli {
namespace {

/// A file that is there when it is whole, and not before: finish(). What is no regular file is
/// written to as it is.
class OutputFile {
 public:
  OutputFile(const std::string& path, bool may_replace)
      : path_(path),
        name_(staged_name(path, may_replace)),
        is_device_(is_device(path)),
        file_(open_new(path)),
        out_(file_, path) {
    if (!is_device_) on_leave_.emplace([name = name_] { ::unlink(name.c_str()); });
  }
  ~OutputFile() {
    ::close(file_);
    if (!is_finished_ && !is_device_) ::unlink(name_.c_str());
  }
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  Output& out() { return out_; }
  void finish() {
    out_.flush();
    if (name_ != path_ && ::rename(name_.c_str(), path_.c_str()) != 0) {
      throw Error(ErrorCode::io, fmt::format("cannot be replaced: {}", std::strerror(errno)),
                  path_);
    }
    is_finished_ = true;
    on_leave_.reset();
  }

 private:
  static bool is_device(const std::string& path) {
    std::error_code ignored;
    auto type = std::filesystem::status(path, ignored).type();
    using Type = std::filesystem::file_type;
    return type == Type::character || type == Type::fifo || type == Type::block;
  }

  int open_new(const std::string& path) const {
    int flags = is_device_ ? O_WRONLY : O_WRONLY | O_CREAT | O_EXCL;
    int file = ::open(name_.c_str(), flags | O_CLOEXEC, 0666);
    if (file >= 0) return file;
    if (errno == EEXIST) throw Error(ErrorCode::exists, "exists already", path);
    throw Error(ErrorCode::io, fmt::format("cannot be created: {}", std::strerror(errno)), path);
  }

  /// Beside what is replaced; else the file itself, which O_EXCL keeps from being replaced.
  static std::string staged_name(const std::string& path, bool may_replace) {
    std::error_code ignored;
    std::filesystem::path target(path);
    if (!may_replace || !std::filesystem::is_regular_file(target, ignored)) return path;
    return target.parent_path() /
           fmt::format(".{}.{}.part", target.filename().string(), ::getpid());
  }

  std::string path_;
  std::string name_;  ///< while it is written
  bool is_device_;
  int file_;
  Output out_;
  bool is_finished_ = false;
  std::optional<OnLeave> on_leave_;
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
  inputs.read_stream(context.stop);
  const Bag& bag = *inputs.bags().front();
  if (arguments.output.empty()) {
    write_named(arguments, bag, context.out);
  } else {
    OutputFile file(arguments.output, arguments.may_replace);
    write_named(arguments, bag, file.out());
    file.finish();
  }
  return inputs.warn();
}

}  // namespace kitbag::cli
