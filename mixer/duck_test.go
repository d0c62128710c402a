package mixer_test

import (
	"testing"

	"voicepool/mixer"
	"voicepool/pcm"
)

// TestDuckHold: the release begins so long after the last voice has ended, was
// stopped or paused; one that comes in between begins it anew.
func TestDuckHold(t *testing.T) {
	duck := func(hold int) []mixer.BusConfig {
		return []mixer.BusConfig{
			{Name: "sfx"}, {Name: "shots", Parent: "sfx"},
			{Name: "music", Duck: mixer.Duck{When: "sfx", By: 20, Attack: 10 * ms, Hold: msOf(hold), Release: 40 * ms}},
		}
	}
	for _, hold := range []int{0, 1, 7, 20, 33} {
		for name, act := range map[string]func(m *mixer.Mixer, h mixer.Handle){
			"ended":   func(*mixer.Mixer, mixer.Handle) {},
			"stopped": func(m *mixer.Mixer, h mixer.Handle) { m.At(150).Stop(mixer.TargetVoice(h), 0) },
			"paused":  func(m *mixer.Mixer, h mixer.Handle) { m.At(150).Pause(mixer.TargetBus(busOf(t, m, "sfx"))) },
		} {
			m := at1k(t, duck(hold)...)
			play(t, m.At(0), level(t, 1000, 900, 1), mixer.Options{Pan: -1, Bus: busOf(t, m, "music")})
			h := play(t, m.At(100), level(t, 1000, 113, 0.5), mixer.Options{Pan: 1, Bus: busOf(t, m, "shots")})
			act(m, h)
			end := 150
			if name == "ended" {
				end = 213
			}
			got := left(m, 400)
			for _, w := range []struct {
				frame int
				want  pcm.Decibels
			}{{100, 0}, {110, -20}, {end + hold, -20}, {end + hold + 40, 0}} {
				wantAbout(t, name+", with a hold", got[w.frame], w.want.Linear())
			}
			if x := got[end+hold+2]; x <= 0.1 || got[end+hold+20] < 0.3 || got[end+hold+20] > 0.33 {
				t.Errorf("%s, with a hold of %d: the release is not under way: %v, %v", name, hold, x, got[end+hold+20])
			}
		}
	}
	m := at1k(t, duck(50)...)
	play(t, m.At(0), level(t, 1000, 900, 1), mixer.Options{Pan: -1, Bus: busOf(t, m, "music")})
	for _, at := range []int64{100, 150, 160} {
		play(t, m.At(at), level(t, 1000, 20, 0.5), mixer.Options{Pan: 1, Bus: busOf(t, m, "sfx")})
	}
	got := left(m, 400)
	for i := 110; i <= 230; i++ {
		wantAbout(t, "held", got[i], 0.1)
	}
	wantAbout(t, "after it", got[270], 1)
}
