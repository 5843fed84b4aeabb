// texcast.h — all of libtexcast at once. Each header stands alone too.
#pragma once
