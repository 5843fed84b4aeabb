// texcast.h — includes all headers of libtexcast. Each header also compiles alone.
#pragma once
