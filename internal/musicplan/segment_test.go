package musicplan

import (
	"testing"

	"voicepool/bank/rules"
	"voicepool/pcm"
)

// TestTooManyBeats checks a theme whose segments have too many beats together, as a stream of a huge length has.
func TestTooManyBeats(t *testing.T) {
	one := rules.Segment{Line: 3, Column: 5, Name: "a", Tempo: []rules.TempoChange{{Bar: 1, BPM: 60, Meter: rules.Meter{Beats: 4, Unit: 4}}}}
	two := one
	two.Line, two.Name = 4, "b"
	m := &rules.Music{Segments: []rules.Segment{one, two}}
	frames := int64(1<<19-1) * 8000
	length := func(string) (int64, pcm.Loop) { return frames, pcm.Loop{} }
	if _, err := NewTheme("f", m, 8000, length); err != nil {
		t.Error(err)
	}
	frames += 8000
	want := `f:4:5: the segments up to "b" have more than 1048576 beats, the limit of a theme`
	if _, err := NewTheme("f", m, 8000, length); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
