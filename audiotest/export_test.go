package audiotest

import (
	"testing"

	"voicepool/pcm"
)

// Update has the files of Golden written, as -audiotest.update does.
func (a *Audio) Update(on bool) { a.update = on }

// Save has a failed test leave what it heard, as -audiotest.save does.
func (a *Audio) Save(dir string) { a.save = dir }

// Recorded returns a recording of some frames.
func Recorded(t testing.TB, rate int, frames []pcm.Frame) *Recording {
	return recording(t, rate, frames)
}
