package ogg

// Order returns the channel mapping from Vorbis and Opus to WAVE (Vorbis I, section 4.3.9). Element i is the index,
// in a decoded frame, of channel i in the order of WAVE. channels is 1..8. The result must not be changed.
func Order(channels int) []int {
	return [...][]int{
		1: {0}, 2: {0, 1}, 3: {0, 2, 1}, 4: {0, 1, 2, 3}, 5: {0, 2, 1, 3, 4},
		6: {0, 2, 1, 5, 3, 4}, 7: {0, 2, 1, 6, 5, 3, 4}, 8: {0, 2, 1, 7, 5, 6, 3, 4},
	}[channels]
}
