package ogg

// Order returns, for each channel of a sound in the order of WAVE, its index in a frame of a Vorbis or Opus stream
// (Vorbis I, section 4.3.9). channels is 1..8. The result is read-only.
func Order(channels int) []int {
	return [...][]int{
		1: {0}, 2: {0, 1}, 3: {0, 2, 1}, 4: {0, 1, 2, 3}, 5: {0, 2, 1, 3, 4},
		6: {0, 2, 1, 5, 3, 4}, 7: {0, 2, 1, 6, 5, 3, 4}, 8: {0, 2, 1, 7, 5, 6, 3, 4},
	}[channels]
}
