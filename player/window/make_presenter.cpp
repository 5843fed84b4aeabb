#include "base/ensure.h"
#include "contexts.h"
#include "player/window.h"
#include "presenter_null.h"

namespace texcast::player {

std::unique_ptr<Presenter> make_presenter(const PresenterSettings& settings) {
  switch (settings.kind) {
    case PresenterKind::window: return make_gl_presenter(make_sdl_context(settings), settings);
    case PresenterKind::offscreen: return make_gl_presenter(make_egl_context(settings), settings);
    case PresenterKind::none: return make_null_presenter();
  }
  ENSURE(!"a presenter kind");
  return nullptr;
}

}  // namespace texcast::player
