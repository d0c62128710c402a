package mixer_test

import (
	"errors"
	"testing"

	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/space"
)

// TestTargetsOfAnotherMixer passes buses, voices and groups of one mixer to another with fewer buses:
// each call must fail without an effect.
func TestTargetsOfAnotherMixer(t *testing.T) {
	other := at1k(t, family()...)
	s, _ := whole(t, 900)
	foreign := play(t, other.Engine().At(mixer.Now), level(t, 1000, 900, 1), mixer.Options{})
	group, err := other.NewGroup("g", mixer.GroupOptions{})
	must(t, err)
	master, _ := other.Bus("master")
	last, _ := other.Bus("d")
	for name, target := range map[string]mixer.Target{"the master": mixer.TargetBus(master), "a bus": mixer.TargetBus(last), "a voice": mixer.TargetVoice(foreign)} {
		for _, frame := range []int64{mixer.Now, 5} {
			m := at1k(t)
			h := play(t, m.Engine().At(mixer.Now), level(t, 1000, 900, 1), mixer.Options{})
			stream := play(t, m.Engine().At(mixer.Now), s, mixer.Options{})
			at := m.Engine().At(frame)
			for call, err := range map[string]error{
				"Stop": at.Stop(target, 0), "Pause": at.Pause(target), "Resume": at.Resume(target), "Seek": at.Seek(target, 0),
				"Set": at.Set(target, mixer.Change{Fields: mixer.FieldGain, Gain: -80}, 0),
			} {
				if !errors.Is(err, mixer.ErrOption) {
					t.Errorf("%s of %s of another mixer at %d: %v", call, name, frame, err)
				}
			}
			_, err := m.Play(s, mixer.Options{Bus: last})
			if !errors.Is(err, mixer.ErrOption) {
				t.Errorf("a bus of another mixer: %v", err)
			}
			if _, err = m.Play(s, mixer.Options{Group: group}); !errors.Is(err, mixer.ErrOption) {
				t.Errorf("a group of another mixer: %v", err)
			}
			if err = m.SetPositions([]mixer.Handle{foreign}, make([]space.Spot, 1)); !errors.Is(err, mixer.ErrOption) {
				t.Errorf("a place for a voice of another mixer: %v", err)
			}
			m.Render(make([]pcm.Frame, 100))
			if h.State() != mixer.StatePlaying || stream.State() != mixer.StatePlaying || m.Stats().Pending != 0 {
				t.Errorf("after calls for %s of another mixer the voices are %v and %v", name, h.State(), stream.State())
			}
		}
	}
}
