// presenter_null.h — the presenter of kind none.
#pragma once

#include <memory>

#include "player/presenter.h"

namespace texcast::player {

std::unique_ptr<Presenter> make_null_presenter();

}  // namespace texcast::player
