package audiotest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"voicepool/mixer"
	"voicepool/pcm"
)

// take is what was heard, wherever it came from.
type take struct {
	t       testing.TB
	rate    int
	frames  int64
	mix     track
	update  bool // golden files are written
	picture func(focus) string
	around  func(frame int64) string // who sounded there; nil: nobody knows
}

// focus is what a picture has to show, whatever else it leaves out; the zero focus: nothing.
type focus struct {
	stems []mixer.Stem // voices of these
	span  span         // those that lived here
}

// fail fails the test with one line and the picture.
func (k *take) fail(format string, values ...any) {
	k.t.Helper()
	k.failAt(focus{}, format, values...)
}

// failAt is fail with a picture of something.
func (k *take) failAt(f focus, format string, values ...any) {
	k.t.Helper()
	k.t.Errorf("audiotest: %s\n%s", fmt.Sprintf(format, values...), k.picture(f))
}

// when tells a frame as a time.
func (k *take) when(frame int64) string {
	return fmt.Sprintf("%v (frame %d)", pcm.Duration(frame, k.rate).Round(time.Microsecond), frame)
}

// listed is some times, at most five.
func (k *take) listed(frames []int64) string {
	var b strings.Builder
	for i, f := range frames {
		switch {
		case i == 5:
			fmt.Fprintf(&b, " and %d more times", len(frames)-i)
			return b.String()
		case i > 0:
			b.WriteString(", ")
		}
		b.WriteString(k.when(f))
	}
	return b.String()
}

// silenceBound is the least sample that is no silence where audio may have been dithered:
// two steps of 16 bits.
const silenceBound = 2.0 / 32768

// silent is Silent of Audio and of Recording.
func (k *take) silent(from, to time.Duration) {
	k.t.Helper()
	first, last := pcm.Frames(from, k.rate), pcm.Frames(to, k.rate)
	if from < 0 || first >= last || last > k.frames {
		k.fail("from %v to %v is not inside the %v that were heard", from, to, pcm.Duration(k.frames, k.rate))
		return
	}
	if at := firstSound(k.mix.read(first, last), silenceBound); at >= 0 {
		k.failAt(focus{span: span{first, last}}, "it is not silent from %v to %v: the first sound is at %s", from, to, k.when(first+int64(at)))
	}
}

// sound is Sound of Audio and of Recording.
func (k *take) sound() *Heard {
	k.t.Helper()
	h := &Heard{take: k, name: "the mix", track: &k.mix}
	all := k.mix.read(0, k.frames)
	first := firstSound(all, silenceBound)
	if first < 0 {
		k.fail("nothing is heard in %v", pcm.Duration(k.frames, k.rate))
		return h
	}
	last := len(all)
	for firstSound(all[last-1:last], silenceBound) < 0 {
		last--
	}
	h.heard = []hearing{{span: span{int64(first), int64(last)}, begins: []int64{int64(first)}}}
	return h
}
