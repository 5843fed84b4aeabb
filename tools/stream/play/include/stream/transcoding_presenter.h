// transcoding_presenter.h — shows textures in formats that the display's GPU does not support: an OpenCL device
// transcodes their blocks to the best format that it supports.
//
// All other textures go unchanged to the inner presenter. Only the picture on the screen is transcoded: feeds and
// recordings keep the original blocks.
//
// The transcoder is made on another thread, which compiles kernels: prepare() starts it as soon as a feed knows its
// format, and says that it is not ready yet.
//
// upload() waits until the device has transcoded the texture. A texture that is complete before it is due
// (Presenter::upload_ahead) is started early, and is usually finished when it is shown.
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

// The format in which a texture is shown that the display does not take: the best one that it takes with the same
// channels, or else BC1. BC7 only if a GPU transcodes. nullopt if the texture cannot be transcoded.
std::optional<TextureFormat> shown_as(TextureFormat format, const player::Presenter& display, bool gpu_transcodes);

// How a picture is shown that the display's GPU does not take.
struct Transcoding {
  TextureFormat from{}, to{};
  std::string device{};  // name of the device that transcodes
};

class TranscodingPresenter final : public player::Presenter {
 public:
  // `device`: as for choose_device(). It is opened with the first texture that needs it.
  TranscodingPresenter(std::unique_ptr<player::Presenter> display, std::string device);
  ~TranscodingPresenter() override;

  // If the texture needs transcoding: starts to make the transcoder, and logs that once for each format. Throws
  // Error{no_display} if it cannot be transcoded, Error{no_device} if there is no device.
  std::optional<std::string> prepare(const TextureDesc& desc) override;
  // Waits for the transcoder that prepare() has started. Throws what prepare() and Presenter::upload() throw.
  void upload(const TextureView& texture, const RowChanges& changes) override;
  void upload_ahead(const TextureView& texture, size_t ready_bytes, const RowChanges& changes) override;
  void drop_ahead() override;

  // For the current picture; nullopt if it is shown unchanged.
  const std::optional<Transcoding>& transcoding() const { return transcoding_; }
  std::string shown_as() const override;

  bool warm_up_more() override { return display_->warm_up_more(); }
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
  uint64_t uploaded_bytes() const override { return display_->uploaded_bytes(); }
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
  TextureDesc desc_{};  // input of transcoder_, or of the one being made
  std::unique_ptr<Transcoder> transcoder_;
  std::future<std::unique_ptr<Transcoder>> made_;  // valid while a transcoder is being made
  SteadyTime begun_{};                             // when that began
  std::set<TextureFormat> told_;                   // formats that have been logged
  std::optional<TextureFormat> asked_;             // last in is_taken(), with its result:
  bool asked_is_taken_ = false;
  std::optional<Transcoding> transcoding_;
  Bytes ahead_{};                               // the texture that upload_ahead() has started
  std::unique_ptr<player::Presenter> display_;  // last: the window closes before the destructor waits for the compiler
};

}  // namespace texcast::stream
