#include "export/video/video_sink.h"

#include <utility>

#include "kitbag/picture.h"
#include "kitbag/video.h"

// Files begins another file where the size or form of the frames changes, with a table of times
// beside each. A topic may be called as the second file of another one, /camera.2: then that file
// has the next number. Single has one output and so one video: begin() refuses a second one, and
// what would be in it is left out.
//
// Members of Open stand in the order in which they need each other: the video writes through the
// output, which writes to the file.

namespace kitbag::libav {
namespace {

class Files final : public VideoSink {
 public:
  Files(const std::string& topic, Container container, ExportFolder& folder)
      : topic_(topic),
        container_(container),
        extension_(container == Container::mp4 ? ".mp4" : ".mkv"),
        folder_(folder),
        name_(folder.name_of(topic, extension_)) {
    written_.path = folder.path_of(name_);
    written_.files = 0;
  }

  bool is_streamed() const override { return false; }
  std::uint64_t most_pixels() const override { return PictureOptions().most_pixels; }
  bool begin(const AVCodecParameters& parameters, const About& about) override {
    if (++number_ > 1) name_ = folder_.name_of_another(topic_, number_, extension_);
    std::string base = name_.substr(0, name_.size() - extension_.size());
    open_ = std::make_unique<Open>(folder_.create(name_), folder_.create(base + ".times.csv"),
                                   container_, parameters, about);
    return true;
  }

  void end() override {
    if (!open_) return;
    open_->video.finish();
    for (WriteFile* file : {open_->file.get(), open_->table.get()}) {
      written_.size_bytes += file->size();
      ++written_.files;
      file->commit();
    }
    written_.messages += open_->times.count();
    open_.reset();
  }

  VideoFile* file() override { return open_ ? &open_->video : nullptr; }
  FrameTimes& times() override { return open_->times; }
  Exported written() const override { return written_; }

 private:
  struct Open {
    Open(std::unique_ptr<WriteFile> to, std::unique_ptr<WriteFile> times_to, Container container,
         const AVCodecParameters& parameters, const About& about)
        : file(std::move(to)),
          table(std::move(times_to)),
          output(*file),
          video(container, false, output, parameters, about),
          times(container, table.get()) {}

    std::unique_ptr<WriteFile> file;
    std::unique_ptr<WriteFile> table;
    Output output;
    VideoFile video;
    FrameTimes times;
  };

  std::string topic_;
  Container container_;
  std::string extension_;
  ExportFolder& folder_;
  std::string name_;
  std::uint64_t number_ = 0;  ///< of the file
  std::unique_ptr<Open> open_;
  Exported written_;
};

class Single final : public VideoSink {
 public:
  Single(Container container, BytesOut out)
      : container_(container),
        is_streamed_(true),
        output_(std::move(out)),
        times_(container, nullptr) {}
  Single(Container container, WriteFile& file)
      : container_(container), is_streamed_(false), output_(file), times_(container, nullptr) {}

  bool is_streamed() const override { return is_streamed_; }
  std::uint64_t most_pixels() const override {
    return is_streamed_ ? VideoLimits().most_pixels : PictureOptions().most_pixels;
  }
  bool begin(const AVCodecParameters& parameters, const About& about) override {
    if (file_) return false;
    file_.emplace(container_, is_streamed_, output_, parameters, about);
    return true;
  }
  void end() override {
    if (file_ && !std::exchange(is_over_, true)) file_->finish();
  }

  VideoFile* file() override { return file_ && !is_over_ ? &*file_ : nullptr; }
  FrameTimes& times() override { return times_; }
  Exported written() const override {
    Exported written;
    written.messages = times_.count();
    written.files = file_ ? 1 : 0;
    written.size_bytes = output_.written_bytes();
    return written;
  }

 private:
  Container container_;
  bool is_streamed_;
  Output output_;
  FrameTimes times_;
  std::optional<VideoFile> file_;
  bool is_over_ = false;
};

}  // namespace

std::unique_ptr<VideoSink> video_files(const std::string& topic, Container container,
                                       ExportFolder& folder) {
  return std::make_unique<Files>(topic, container, folder);
}

std::unique_ptr<VideoSink> video_stream(Container container, BytesOut out) {
  return std::make_unique<Single>(container, std::move(out));
}

std::unique_ptr<VideoSink> video_file(Container container, WriteFile& file) {
  return std::make_unique<Single>(container, file);
}

}  // namespace kitbag::libav
