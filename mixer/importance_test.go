package mixer_test

import (
	"math"
	"slices"
	"testing"

	"voicepool/mixer"
	"voicepool/pcm"
)

// TestImportance checks that importance decides between two voices against their loudness. The event has the compared
// levels and the importance that they include. The audibility of a handle does not include it.
func TestImportance(t *testing.T) {
	s := level(t, 1000, 900, 0.5)
	for policy, victim := range map[mixer.Overflow]uint64{mixer.StealQuietest: 1, mixer.StealGain: 1, mixer.StealOldest: 1, mixer.GrowPool: 1} {
		m := newMixer(t, mixer.Config{Rate: 1000, Voices: 2, Overflow: policy, Grow: mixer.Grow{Max: 2}})
		loud := play(t, m.Engine().At(0), s, mixer.Options{Importance: -10})
		quiet := play(t, m.Engine().At(0), s, mixer.Options{Gain: -6})
		play(t, m.Engine().At(10), s, mixer.Options{Importance: 3.5})
		left(m, 5)
		heard := loud.Audibility()
		if got := quiet.Audibility(); math.Abs(float64(heard-got)-6) > 1e-4 {
			t.Errorf("%v: the voices are at %v and %v, want a distance of 6 dB", policy, heard, got)
		}
		left(m, 10)
		d, stolen := theft(m)
		if stolen != victim || d.Importance != -10 || d.NewcomerImportance != 3.5 {
			t.Errorf("%v: voice %d was stolen with importance %v for %v, want voice %d, -10, 3.5", policy, stolen, d.Importance, d.NewcomerImportance, victim)
		}
		for _, l := range [][2]pcm.Decibels{{d.Audibility, heard - 10}, {d.Newcomer, heard + 3.5}, {d.RunnerUp, heard - 6}} {
			if math.Abs(float64(l[0]-l[1])) > 1e-4 {
				t.Errorf("%v: %v was compared, want %v", policy, l[0], l[1])
			}
		}
	}
}

// theft returns the decision of the first stolen voice, and the number of this voice.
func theft(m *mixer.Mixer) (mixer.Decision, uint64) {
	events := make([]mixer.Event, 99)
	events = events[:m.Events(events)]
	i := slices.IndexFunc(events, func(e mixer.Event) bool { return e.Kind == mixer.EventStolen })
	if i < 0 {
		return mixer.Decision{}, 0
	}
	return events[i].Steal, events[i].Voice
}

// TestImportanceAfterPriority checks that a voice of the lowest priority is stolen, whatever its importance.
func TestImportanceAfterPriority(t *testing.T) {
	s := level(t, 1000, 900, 0.5)
	m := newMixer(t, mixer.Config{Rate: 1000, Voices: 2})
	play(t, m.Engine().At(0), s, mixer.Options{Priority: 1, Importance: -60, Gain: -20})
	play(t, m.Engine().At(0), s, mixer.Options{Importance: 60})
	play(t, m.Engine().At(10), s, mixer.Options{Priority: 1})
	left(m, 20)
	wantEvents(t, m, "0 started 1, 0 started 2, 10 stolen 2 by 3 (pool), 10 started 3")
}

// TestImportanceOfNewcomer checks that the importance of a new sound decides whether RejectQuietest refuses it.
func TestImportanceOfNewcomer(t *testing.T) {
	s := level(t, 1000, 900, 0.5)
	m := newMixer(t, mixer.Config{Rate: 1000, Voices: 1, RejectQuietest: true})
	play(t, m.Engine().At(0), s, mixer.Options{})
	play(t, m.Engine().At(10), s, mixer.Options{Gain: -3, Importance: -3.5})
	play(t, m.Engine().At(20), s, mixer.Options{Gain: -9, Importance: 3.5})
	left(m, 30)
	wantEvents(t, m, "0 started 1, 10 rejected (quieter), 20 stolen 1 by 2 (pool), 20 started 2")
}

// TestImportanceIsNotHeard checks that importance changes no sample and no duck, even one with a threshold.
func TestImportanceIsNotHeard(t *testing.T) {
	s := level(t, 1000, 300, 0.5)
	mix := func(importance pcm.Decibels) []float32 {
		m := at1k(t, mixer.BusConfig{Name: "sfx"}, mixer.BusConfig{Name: "music", Duck: mixer.Duck{When: "sfx", By: 20, Above: -30}})
		play(t, m.Engine().At(0), s, mixer.Options{Bus: busOf(t, m, "music"), Importance: importance})
		play(t, m.Engine().At(40), s, mixer.Options{Bus: busOf(t, m, "sfx"), Gain: -40, Importance: importance})
		play(t, m.Engine().At(90), s, mixer.Options{Bus: busOf(t, m, "sfx"), Gain: -3, Importance: -importance})
		return left(m, 500)
	}
	want := mix(0)
	if !slices.Equal(mix(60), want) || !slices.Equal(mix(-60), want) {
		t.Error("importance changes the mix")
	}
	if want[80] < 0.3 || want[200] > 0.3 { // otherwise the threshold has no effect
		t.Errorf("the music is at %v and %v, want it ducked by the loud sound alone", want[80], want[200])
	}
}

// TestImportanceOutOfRange checks the errors of starts with an invalid importance. Such a start does not reach the
// mixer.
func TestImportanceOutOfRange(t *testing.T) {
	s := level(t, 1000, 900, 0.5)
	m := newMixer(t, mixer.Config{Rate: 1000, Voices: 1})
	for text, x := range map[string]pcm.Decibels{
		"importance: NaN dB is not in -60..60": pcm.Decibels(math.NaN()), "importance: 60.5 dB is not in -60..60": 60.5, "importance: -Inf dB is not in -60..60": pcm.FromPower(0),
	} {
		_, err := m.Play(s, mixer.Options{Importance: x})
		wantError(t, err, mixer.ErrOption, text)
	}
	for _, x := range []pcm.Decibels{-mixer.MaxImportance, mixer.MaxImportance} {
		if _, err := m.Play(s, mixer.Options{Importance: x}); err != nil {
			t.Error(err)
		}
	}
	left(m, 1)
	if got := m.Stats().Asked; got != 2 {
		t.Errorf("%d starts arrived, want 2", got)
	}
}
