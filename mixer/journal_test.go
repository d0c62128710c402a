package mixer_test

import (
	"slices"
	"testing"
	"time"

	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
)

func journalSound(t *testing.T) *sounds.Sound {
	t.Helper()
	s, err := sounds.NewSound(sounds.Samples{Name: "s", Rate: 1000, Channels: 1, Data: make([]float32, 5000)})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestJournal checks that a command for voices is recorded for each of them at its frame, and that starts
// that never began are not recorded.
func TestJournal(t *testing.T) {
	m, err := mixer.New(mixer.Config{Rate: 1000, Voices: 4, NoLimiter: true, Journal: 64})
	if err != nil {
		t.Fatal(err)
	}
	s := journalSound(t)
	play := func(frame int64) mixer.Handle {
		h, err := m.Engine().At(frame).Play(s, mixer.Options{Gain: -6, EngineOptions: mixer.EngineOptions{Tag: 1}})
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	one, two := play(3), play(3)
	never := play(90)
	never.Stop(0)
	m.Render(make([]pcm.Frame, 10))
	one.SetGain(-9)
	one.SetPan(0.5)
	m.Engine().At(5).Stop(mixer.TargetTag(1), 20*time.Millisecond) // late
	m.Engine().At(12).Pause(mixer.TargetAll())
	two.Seek(time.Second)
	m.Render(make([]pcm.Frame, 100))
	entries := make([]mixer.Entry, 64)
	entries = entries[:m.Engine().Journal(entries)]
	type line struct {
		frame  int64
		kind   mixer.EntryKind
		voice  int // 1, 2; 0: the mixer
		fields mixer.Fields
		frames int64
		place  int64
	}
	var got []line
	voices := []uint64{0, entries[0].Start, entries[1].Start}
	for _, e := range entries {
		got = append(got, line{frame: e.Frame, kind: e.Kind, voice: slices.Index(voices, e.Start), fields: e.Change.Fields, frames: e.Frames, place: e.Place})
	}
	want := []line{
		{frame: 3, kind: mixer.EntryPlay, voice: 1},
		{frame: 3, kind: mixer.EntryPlay, voice: 2},
		{frame: 10, kind: mixer.EntryStop, voice: 1, frames: 20},
		{frame: 10, kind: mixer.EntryStop, voice: 2, frames: 20},
		{frame: 10, kind: mixer.EntrySet, voice: 1, fields: mixer.FieldGain},
		{frame: 10, kind: mixer.EntrySet, voice: 1, fields: mixer.FieldPan},
		{frame: 10, kind: mixer.EntrySeek, voice: 2, place: 1000},
		{frame: 12, kind: mixer.EntryPause},
	}
	slices.SortStableFunc(got, func(a, b line) int { return int(a.frame - b.frame) })
	if !sameLines(got, want, func(a, b line) bool { return a == b }) {
		t.Errorf("the journal has\n%v, want\n%v", got, want)
	}
	if e := entries[0]; e.Sound != s || e.How.Gain != -6 || e.Bus != "master" {
		t.Errorf("the first start is %+v", e)
	}
}

// sameLines compares two lists, ignoring the order within a frame.
func sameLines[T any](a, b []T, equal func(a, b T) bool) bool {
	if len(a) != len(b) {
		return false
	}
	for _, x := range a {
		if !slices.ContainsFunc(b, func(y T) bool { return equal(x, y) }) {
			return false
		}
	}
	return true
}

// TestJournalLost checks that entries that are not read are counted, and that earlier entries stay.
// Without a journal there are no entries. Neither allocates.
func TestJournalLost(t *testing.T) {
	s := journalSound(t)
	block := make([]pcm.Frame, 8)
	for _, size := range []int{0, 4} {
		m, err := mixer.New(mixer.Config{Rate: 1000, Voices: 2, Journal: size, Commands: 64})
		if err != nil {
			t.Fatal(err)
		}
		h, err := m.Play(s, mixer.Options{})
		if err != nil {
			t.Fatal(err)
		}
		allocated := testing.AllocsPerRun(9, func() {
			h.SetGain(-3)
			m.Render(block)
		})
		if allocated > 0 {
			t.Errorf("with room for %d a block allocates %v times", size, allocated)
		}
		entries := make([]mixer.Entry, 64)
		n, lost := m.Engine().Journal(entries), m.Engine().JournalLost()
		// One start and ten sets.
		if size == 0 && (n != 0 || lost != 0) || size > 0 && (n != size || lost != 11-int64(size) || entries[0].Kind != mixer.EntryPlay) {
			t.Errorf("with room for %d there are %d, and %d are lost", size, n, lost)
		}
	}
	if _, err := mixer.New(mixer.Config{Journal: -1}); err == nil {
		t.Error("a journal of -1 entries is taken")
	}
}
