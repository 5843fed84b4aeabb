// transcoding_presenter.h — shows textures that a display's GPU does not take: as the best format that it does, made of
// their blocks on an OpenCL device.
//
// All else goes to the presenter inside as it comes. What is transcoded is the picture on the screen alone: feeds and
// recordings keep the blocks that came.
//
// What does it is made on a thread of its own, which compiles kernels: prepare() begins that as soon as a feed knows
// what it will give, and says that it is not over yet.
//
// A texture is on the device while upload() waits for it. One that the feed has whole before it is due
// (Presenter::upload_ahead) is begun then, and is usually finished when it is shown.
#pragma once

#include <future>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "player/presenter.h"
#include "texcast/transcoder.h"

namespace texcast::stream {

// Whether the display's GPU takes all planes of the format.
bool takes(const player::Presenter& display, TextureFormat format);

// What a texture that it does not take is shown as there: the best that it takes of the same channels, BC1 where there
// is none. BC7 only where a GPU makes it. Nothing where none can be made of it.
std::optional<TextureFormat> shown_as(TextureFormat format, const player::Presenter& display, bool gpu_transcodes);

// How a picture was shown that the display's GPU does not take.
struct Transcoding {
  TextureFormat from{}, to{};
  std::string device{};  // its name
};

class TranscodingPresenter final : public player::Presenter {
 public:
  // `device`: as choose_device() takes it. It is opened with the first texture that needs it.
  TranscodingPresenter(std::unique_ptr<player::Presenter> display, std::string device);
  ~TranscodingPresenter() override;

  // Of textures that have to be transcoded: begins to make what does it, and says so in a line of the log, once a
  // format. Throws Error{no_display} where nothing can be made of them, Error{no_device} where there is no device to do
  // it.
  std::optional<std::string> prepare(const TextureDesc& desc) override;
  // Waits for what prepare() has not finished. Throws what that throws, beside what Presenter::upload() throws.
  void upload(const TextureView& texture, const RowChanges& changes) override;
  void upload_ahead(const TextureView& texture, size_t ready_bytes, const RowChanges& changes) override;
  void drop_ahead() override;

  // Of the current picture; none where it is shown as it came.
  const std::optional<Transcoding>& transcoding() const { return transcoding_; }
  std::string shown_as() const override;

  bool takes(CodingId coding) const override { return display_->takes(coding); }
  std::unique_ptr<player::UploadBuffers> make_upload_buffers(size_t count, size_t bytes) override {
    return display_->make_upload_buffers(count, bytes);
  }
  void clear_picture() override { display_->clear_picture(); }
  void draw(const player::Overlay& overlay) override { display_->draw(overlay); }
  std::optional<player::ShownPicture> read_back() override { return display_->read_back(); }
  void present() override { display_->present(); }
  std::optional<player::UserInput> poll() override { return display_->poll(); }
  void resize(int width, int height) override { display_->resize(width, height); }
  void set_fullscreen(bool fullscreen) override { display_->set_fullscreen(fullscreen); }
  bool fullscreen() const override { return display_->fullscreen(); }
  void next_monitor() override { display_->next_monitor(); }
  void set_scale(player::ScaleMode mode) override { display_->set_scale(mode); }
  void set_pointer_visible(bool visible) override { display_->set_pointer_visible(visible); }
  void set_title(const std::string& title) override { display_->set_title(title); }
  void set_playing(bool playing) override { display_->set_playing(playing); }
  int width() const override { return display_->width(); }
  int height() const override { return display_->height(); }
  std::optional<player::WindowPlace> place() const override { return display_->place(); }
  nanoseconds refresh_period() const override { return display_->refresh_period(); }
  int largest_texture() const override { return display_->largest_texture(); }
  std::string renderer() const override { return display_->renderer(); }

 private:
  bool is_taken(TextureFormat format);
  void begin(const TextureDesc& desc);
  bool is_being_made() const;
  void take_made();
  Transcoder& transcoder_for(const TextureDesc& desc);
  void take_unwanted();

  const std::string device_;
  TextureDesc desc_{};  // of what transcoder_ takes, or what is being made will
  std::unique_ptr<Transcoder> transcoder_;
  std::future<std::unique_ptr<Transcoder>> made_;  // valid while one is being made
  std::set<TextureFormat> told_;                   // formats of which the log has a line
  std::optional<TextureFormat> asked_;             // by is_taken(), and what came back
  bool asked_is_taken_ = false;
  std::optional<Transcoding> transcoding_;
  Bytes ahead_{};                               // what was begun by upload_ahead()
  std::unique_ptr<player::Presenter> display_;  // last: the window is gone while the compiler is waited for
};

}  // namespace texcast::stream
