#include "io/local/temporary_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

namespace kitbag {
namespace {

class UnnamedFile final : public ReadFile {
 public:
  UnnamedFile(Descriptor file, std::string folder, std::uint64_t size)
      : file_(std::move(file)), folder_(std::move(folder)), size_(size) {}

  std::uint64_t size() const override { return size_; }

  std::size_t read(std::uint64_t offset, std::span<std::byte> into) const override {
    if (offset >= size_) return 0;
    into = into.first(std::min<std::uint64_t>(into.size(), size_ - offset));
    return read_at(file_.get(), offset, into, folder_);
  }

 private:
  Descriptor file_;
  std::string folder_;
  std::uint64_t size_;
};

}  // namespace

// Where the file system knows no files without a name, one that has it for a moment.
Descriptor open_unnamed(const std::string& folder) {
  Descriptor file = open_descriptor(folder, O_TMPFILE | O_RDWR, 0600);
  if (file || (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT)) return file;
  std::string name = folder + "/kitbag_XXXXXX";
  Descriptor named(::mkostemp(name.data(), O_CLOEXEC));
  if (named) ::unlink(name.c_str());
  return named;
}

std::string temporary_folder() {
  std::error_code error;
  std::filesystem::path folder = std::filesystem::temp_directory_path(error);
  if (error) {
    throw system_error("use the folder for temporary files", error.value(), folder.string());
  }
  return folder.string();
}

TemporaryFile::TemporaryFile() : folder_(temporary_folder()), file_(open_unnamed(folder_)) {
  if (!file_) throw system_error("create a temporary file in this folder", errno, folder_);
}

void TemporaryFile::append(ByteView bytes) {
  if (int number = write_at(file_.get(), size_, bytes)) {
    throw system_error("write a temporary file in this folder", number, folder_);
  }
  size_ += bytes.size();
}

std::shared_ptr<const ReadFile> TemporaryFile::finish() {
  return std::make_shared<UnnamedFile>(std::move(file_), folder_, size_);
}

}  // namespace kitbag
