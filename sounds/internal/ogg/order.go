package ogg

// Order returns which channel of a stream of Vorbis or Opus, at most 8, is at a place of a
// sound's channels.
func Order(channels int) []int {
	return [...][]int{
		1: {0}, 2: {0, 1}, 3: {0, 2, 1}, 4: {0, 1, 2, 3}, 5: {0, 2, 1, 3, 4},
		6: {0, 2, 1, 5, 3, 4}, 7: {0, 2, 1, 6, 5, 3, 4}, 8: {0, 2, 1, 7, 5, 6, 3, 4},
	}[channels]
}
