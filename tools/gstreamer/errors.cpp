#include "errors.h"

#include <new>
#include <string>

#include "texcast/error.h"

namespace texcast::gstreamer {
namespace {

GstResourceError code_of(ErrorKind kind, Direction direction) {
  switch (kind) {
    case ErrorKind::usage:
    case ErrorKind::misuse: return GST_RESOURCE_ERROR_SETTINGS;
    case ErrorKind::no_device: return GST_RESOURCE_ERROR_NOT_FOUND;
    case ErrorKind::network:
      return direction == Direction::reads ? GST_RESOURCE_ERROR_OPEN_READ : GST_RESOURCE_ERROR_OPEN_WRITE;
    default: return GST_RESOURCE_ERROR_FAILED;
  }
}

// As GST_ELEMENT_ERROR, for a code that is not a constant.
void post(GstElement* element, GstResourceError code, const std::string& message) {
  gst_element_message_full(element, GST_MESSAGE_ERROR, GST_RESOURCE_ERROR, code, g_strdup(message.c_str()), nullptr,
                           __FILE__, __func__, __LINE__);
}

}  // namespace

GstElement* owner_of(gpointer part) {
  GstObject* parent = GST_OBJECT_PARENT(part);
  return GST_ELEMENT(parent != nullptr ? parent : part);
}

std::shared_ptr<GstElement> share_of(gpointer element) {
  return {GST_ELEMENT(gst_object_ref(element)), [](GstElement* shared) { gst_object_unref(shared); }};
}

void post_error(GstElement* element, Direction direction, const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const Error& error) {
    post(element, code_of(error.kind(), direction), error.what());
  } catch (const std::bad_alloc&) {
    post(element, GST_RESOURCE_ERROR_NO_SPACE_LEFT, "there is not enough memory for the stream");
  } catch (const std::exception& error) {
    post(element, GST_RESOURCE_ERROR_FAILED, error.what());
  }
}

}  // namespace texcast::gstreamer
