// The records `primary_images` and `alternate_images` of the binary snapshot.
#pragma once

#include "vt/graphics.h"
#include "vt/snapshot_fields.h"

namespace holdfast::vt::snapshot_format {

Bytes encode_images(const Graphics& graphics);
// Nothing in them is believed; what is wrong poisons the fields.
Graphics decode_images(Fields& f, int cols, int rows);

}  // namespace holdfast::vt::snapshot_format
