#include "frames/luma_weights.h"

namespace texcast {

LumaWeights luma_weights(ColorMatrix matrix) {
  switch (matrix) {
    case ColorMatrix::bt601: return {0.299, 0.114};
    case ColorMatrix::bt709: return {0.2126, 0.0722};
    case ColorMatrix::bt2020: return {0.2627, 0.0593};
  }
  return {0.2126, 0.0722};
}

}  // namespace texcast
