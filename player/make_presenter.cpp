#include "base/ensure.h"
#include "presenter_gl.h"
#include "presenter_null.h"

namespace texcast::player {

std::unique_ptr<Presenter> make_presenter(const PresenterSettings& settings) {
  switch (settings.kind) {
    case PresenterKind::window: return std::make_unique<GlPresenter>(make_sdl_context(settings), settings);
    case PresenterKind::offscreen: return std::make_unique<GlPresenter>(make_egl_context(settings), settings);
    case PresenterKind::none: return make_null_presenter();
  }
  ENSURE(!"a presenter kind");
  return nullptr;
}

}  // namespace texcast::player
