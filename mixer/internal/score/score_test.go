package score

import (
	"math"
	"testing"

	"voicepool/internal/spectrum"
	"voicepool/mixer/internal/publish"
	"voicepool/mixer/internal/victim"
	"voicepool/sounds"
	"voicepool/voice"
)

const slots = 2

// decaying returns a sound of 10 hops at 1 kHz whose loudness halves in each hop.
func decaying(t *testing.T) *sounds.Sound {
	t.Helper()
	e := sounds.Envelope{Hop: 20}
	for i := range 10 {
		e.Once = append(e.Once, float32(math.Pow(0.5, float64(i))))
	}
	s, err := sounds.NewSound(sounds.Samples{Rate: 1000, Channels: 1, Data: make([]float32, 200), Envelope: e})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// newVoice returns a playing voice with a power, at an index.
func newVoice(t *testing.T, index int, power float64) Voice {
	v := Voice{Index: index, State: &State{Power: power}, Playing: &voice.Voice{}, Importance: 1, Published: &publish.FloatPair{}}
	v.Playing.Start(decaying(t), voice.Options{}, 0)
	return v
}

// TestScoresFollowTheVoice advances a voice hop by hop. Its score, the published value and the frame of the next update
// must follow its sound.
func TestScoresFollowTheVoice(t *testing.T) {
	for _, index := range []int{0, slots} {
		scores := New(slots, 3, victim.ByGain, 20)
		v := newVoice(t, index, 0.25)
		a, lacks := v.Measure()
		if lacks || a.Remaining != 0.25 {
			t.Fatalf("index %d: the audibility is %v, want 0.25; the spectrum lacks is %v", index, a.Remaining, lacks)
		}
		scores.Update(&v, a, true, 0, true)
		if scores.Gain[index] != 0.25 || !v.State.Constant() {
			t.Errorf("index %d: the gain is %v, constant is %v", index, scores.Gain[index], v.State.Constant())
		}
		for hop := range int64(9) {
			now, want := 20*hop, float32(0.25*math.Pow(0.5, float64(hop)))
			if hop > 0 {
				v.Playing.Skip(20, now-20)
				a, _ = v.Measure()
				scores.Advance(&v, a, now, true)
			}
			if got := scores.Remaining(index); got != want || scores.Audibility(index) != want || v.Published.First() != want {
				t.Errorf("index %d, hop %d: the scores are %v, %v and %v, want %v", index, hop, got, scores.Audibility(index), v.Published.First(), want)
			}
			if until := scores.ValidUntil(index); until < now || until > now+20 {
				t.Errorf("index %d, hop %d: the scores are valid until frame %d", index, hop, until)
			}
		}
	}
}

// TestMovingGainsAreDueAtOnce checks the schedule of a voice while its power changes, and of a virtual voice with and
// without searches.
func TestMovingGainsAreDueAtOnce(t *testing.T) {
	scores := New(slots, 3, victim.ByAudibility, 20)
	v := newVoice(t, slots+1, 1)
	a, _ := v.Measure()
	scores.Update(&v, a, false, 500, true)
	if scores.ValidUntil(v.Index) != 500 || scores.RemainingUntil(v.Index) != 0 {
		t.Errorf("a moving voice is due at %d and %d, want 500 and 0", scores.ValidUntil(v.Index), scores.RemainingUntil(v.Index))
	}
	scores.Update(&v, a, true, 500, true)
	if scores.RemainingUntil(v.Index) != scores.ValidUntil(v.Index) {
		t.Error("without searches, both scores are due at the same frame")
	}
	scores.NoteSearch(500)
	scores.Update(&v, a, true, 500, true)
	if want := 500 + v.Playing.StableFrames(false); scores.RemainingUntil(v.Index) != want {
		t.Errorf("the audibility in the rest of the sound is due at %d, want %d", scores.RemainingUntil(v.Index), want)
	}
}

// TestVirtualVoicesCompareTheNextHop checks that a voice that can become virtual is compared by its next 20 ms, and
// that a response replaces its power.
func TestVirtualVoicesCompareTheNextHop(t *testing.T) {
	scores := New(slots, 3, victim.ByAudibility, 20)
	v := newVoice(t, 1, 1)
	v.State.Virtualizable = true
	scores.Update(&v, Audibility{Remaining: 0.5, Soon: 0.125}, true, 0, true)
	if scores.Audibility(1) != 0.125 || scores.Remaining(1) != 0.5 {
		t.Errorf("the scores are %v and %v, want 0.125 and 0.5", scores.Audibility(1), scores.Remaining(1))
	}
	response := spectrum.Gains{}
	v.Response, v.State.Shaped = &response, true
	if a, _ := v.Measure(); a != (Audibility{}) {
		t.Errorf("the audibility behind a filter that passes nothing is %+v", a)
	}
}

// TestMaskingIsUpdatedOnTheGrid checks that the energies of a virtual voice are computed at frames where all scores are
// updated, and marked as outdated at others.
func TestMaskingIsUpdatedOnTheGrid(t *testing.T) {
	scores := New(slots, 3, victim.ByMasked, 20)
	v := newVoice(t, slots+2, 1)
	a, _ := v.Measure()
	for _, onGrid := range []bool{true, false, true} {
		if scores.Update(&v, a, true, 0, onGrid); scores.Masking.Stale(2) == onGrid {
			t.Errorf("on the grid is %v: the energies are outdated is %v", onGrid, onGrid)
		}
	}
}
