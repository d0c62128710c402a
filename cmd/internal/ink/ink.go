// Package ink has the colours and letters of the command's pictures.
package ink

import "image/color"

// The colours that all pictures share, on a dark ground.
var (
	Paper = color.RGBA{0x10, 0x14, 0x1b, 0xff} // the ground
	Field = color.RGBA{0x18, 0x1e, 0x28, 0xff} // what is drawn on
	Lines = color.RGBA{0x2e, 0x38, 0x46, 0xff}
	Wave  = color.RGBA{0x5c, 0xa8, 0xd8, 0xff}
	Words = color.RGBA{0xc8, 0xd0, 0xdc, 0xff}
)
