package audiotest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"voicepool/mixer"
	"voicepool/pcm"
)

// take is the part that Audio and Recording share.
type take struct {
	t       testing.TB
	rate    int
	frames  int64
	mix     track
	update  bool // write golden files instead of comparing
	picture func(focus) string
	around  func(frame int64) string // describes the voices at a frame; nil: unknown
}

// focus selects the voices that a timeline shows first if it cannot show all. The zero focus selects no voices.
type focus struct {
	stems []mixer.Stem // voices of these stems
	span  span         // voices that lived within it
}

// fail fails the test with one line and a timeline.
func (k *take) fail(format string, values ...any) {
	k.t.Helper()
	k.failAt(focus{}, format, values...)
}

// failAt is fail with a focus for the timeline.
func (k *take) failAt(f focus, format string, values ...any) {
	k.t.Helper()
	k.t.Errorf("audiotest: %s\n%s", fmt.Sprintf(format, values...), k.picture(f))
}

// when formats a frame as a time.
func (k *take) when(frame int64) string {
	return fmt.Sprintf("%v (frame %d)", pcm.Duration(frame, k.rate).Round(time.Microsecond), frame)
}

// listed formats at most five frames as times.
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

// silenceBound is the largest amplitude of silence in audio that may be dithered: two 16-bit steps.
const silenceBound = 2.0 / 32768

// silent implements Silent of Audio and Recording.
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

// sound implements Sound of Audio and Recording.
func (k *take) sound() *Heard {
	k.t.Helper()
	h := &Heard{take: k, name: "the mix", track: &k.mix}
	all := k.mix.read(0, k.frames)
	first := firstSound(all, silenceBound)
	if first < 0 {
		k.fail("no sound is audible in %v", pcm.Duration(k.frames, k.rate))
		return h
	}
	last := len(all)
	for firstSound(all[last-1:last], silenceBound) < 0 {
		last--
	}
	h.heard = []hearing{{span: span{int64(first), int64(last)}, begins: []int64{int64(first)}}}
	return h
}
