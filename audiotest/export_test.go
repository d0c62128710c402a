package audiotest

import (
	"testing"

	"voicepool/pcm"
)

// Update makes Golden write its files, as -audiotest.update does.
func (a *Audio) Update(on bool) { a.update = on }

// Save makes a failed test save its output, as -audiotest.save does.
func (a *Audio) Save(dir string) { a.save = dir }

// Recorded returns a recording of frames.
func Recorded(t testing.TB, rate int, frames []pcm.Frame) *Recording {
	return newRecording(t, rate, frames)
}
