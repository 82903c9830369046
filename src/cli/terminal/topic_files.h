#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "cli/context.h"
#include "cli/terminal/printing.h"

namespace kitbag::cli {

/// A sink that prints the messages of each topic into a file of its own, in a folder. Names of
/// files consist of the letters of the topic that are safe everywhere, and no two topics have the
/// same.
class TopicFiles final : public Sink {
 public:
  /// Creates the folder if there is none. `context` and `report` must outlive it. Throws Error
  /// (io), and Error (invalid) for a format without files.
  TopicFiles(const std::string& folder, PrintingOptions options, TranscodeReport& report,
             const Context& context);
  ~TopicFiles() override;

  /// Throws Error (exists) if the file of a new topic exists.
  void write(Batch&& batch) override;
  void flush() override;
  void close() override;

  struct File {
    std::string topic;
    std::filesystem::path path;
    std::uint64_t messages = 0;
    std::string waiting = {};
    std::unique_ptr<Sink> printer = nullptr;
  };
  /// By topic.
  const std::map<std::string, std::unique_ptr<File>>& files() const { return files_; }

 private:
  File& file_of(const std::string& topic);
  std::filesystem::path new_path(const std::string& topic);
  void append(File& file);

  std::filesystem::path folder_;
  PrintingOptions options_;
  std::string extension_;
  TranscodeReport& report_;
  const Context& context_;
  std::map<std::string, std::unique_ptr<File>> files_;
  std::set<std::string> names_;  ///< in lower case: some file systems have no other
  std::size_t waiting_bytes_ = 0;
};

}  // namespace kitbag::cli
