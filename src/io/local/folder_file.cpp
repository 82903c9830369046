#include "io/local/folder_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "io/local/names.h"
#include "io/output/buffered_output.h"
#include "io/posix.h"
#include "io/sticky.h"

// A sync takes as long as writing a picture, and most of it is waiting for the journal of the file
// system. So each file only begins to be written to the disk when it is complete, and they are
// waited for at the end, when one entry of the journal has them all.

namespace kitbag {
namespace {

namespace fs = std::filesystem;

class FolderFile final : public WriteFile {
 public:
  FolderFile(Descriptor file, const std::string& path)
      : path_(path), output_(std::move(file), path, 0) {}
  ~FolderFile() override {
    if (is_committed_) return;
    output_.abandon();
    ::unlink(path_.c_str());
  }

  std::uint64_t size() const override { return output_.size(); }
  void append(std::span<const ByteView> pieces) override {
    sticky_.run([&] { output_.append(pieces); });
  }
  void rewrite(std::uint64_t offset, ByteView bytes) override {
    sticky_.run([&] { output_.rewrite(offset, bytes); });
  }
  void flush() override {
    sticky_.run([&] { output_.flush(); });
  }
  void sync() override {
    sticky_.run([&] { output_.sync(); });
  }
  void commit() override {
    sticky_.run([&] {
      output_.flush();
      // A hint: what cannot be begun now is done at the end.
      ::sync_file_range(output_.descriptor(), 0, 0, SYNC_FILE_RANGE_WRITE);
      output_.close();
      is_committed_ = true;
    });
  }

 private:
  std::string path_;
  BufferedOutput output_;
  Sticky sticky_;
  bool is_committed_ = false;
};

void sync_one(const std::string& path, int flags) {
  Descriptor file = open_descriptor(path, O_RDONLY | flags);
  if (!file) throw system_error("open the file", errno, path);
  // Some file systems have no sync for folders.
  if (::fsync(file.get()) == 0 || (flags != 0 && errno == EINVAL)) return;
  throw system_error("write to the disk", errno, path);
}

}  // namespace

std::unique_ptr<WriteFile> create_folder_file(const std::string& path) {
  Descriptor file = open_descriptor(path, O_RDWR | O_CREAT | O_EXCL, 0666);
  if (!file && errno == EEXIST) throw Error(ErrorCode::exists, "already exists", path);
  if (!file) throw create_error("create the file", errno, path, path);
  return std::make_unique<FolderFile>(std::move(file), path);
}

void sync_folder_files(const std::string& folder) {
  std::error_code error;
  fs::recursive_directory_iterator end;
  for (fs::recursive_directory_iterator it(folder, error); !error && it != end;
       it.increment(error)) {
    sync_one(it->path().string(), it->is_directory(error) ? O_DIRECTORY : 0);
    if (error) break;
  }
  if (error) throw system_error("list the folder", error.value(), folder);
  sync_one(folder, O_DIRECTORY);
}

}  // namespace kitbag
