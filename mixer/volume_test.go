package mixer_test

import (
	"errors"
	"math"
	"testing"
	"time"

	"voicepool/mixer"
	"voicepool/pcm"
)

// TestVolume checks that volumes multiply with gains, down to the output, and that they scale all sends of a bus and of
// its voices once: before the fader, after it, and of voices.
func TestVolume(t *testing.T) {
	db := func(x float64) float64 { return math.Pow(10, x/20) }
	for _, block := range []int{1, 7, 64, 999} {
		m := newMixer(t, mixer.Config{
			Rate: 1000, NoLimiter: true, Outputs: []mixer.Output{{Name: "main", Channel: 1}, {Name: "wet", Channel: 3}},
			Buses: []mixer.BusConfig{
				{Name: "hall", Output: "wet"}, {Name: "room", Output: "wet"}, {Name: "plate", Output: "wet"}, {Name: "top", Gain: -2},
				{Name: "sfx", Parent: "top", Gain: -20, Sends: []mixer.Send{{To: "hall", Gain: -6}, {To: "room", Gain: -12, Pre: true}}},
			},
		})
		volumes := map[string]pcm.Decibels{"sfx": 0, "top": 0, "master": 0}
		play(t, m.Engine().At(0), level(t, 1000, 9000, 1), mixer.Options{Pan: -1, Bus: busOf(t, m, "sfx"), EngineOptions: mixer.EngineOptions{Sends: []mixer.Send{{To: "plate", Gain: -30}}}})
		for _, c := range []struct {
			bus    string
			volume pcm.Decibels
		}{
			{"sfx", 0}, {"sfx", -3}, {"top", -5}, {"master", -7}, {"sfx", 6}, {"sfx", -80}, {"sfx", -1}, {"top", pcm.Decibels(math.Inf(-1))}, {"top", 24}, {"master", 0},
		} {
			must(t, busOf(t, m, c.bus).SetVolume(c.volume))
			volumes[c.bus] = c.volume
			out := inBlocks(m, 200, 2*block)
			sfx, top, master := factor(float64(volumes["sfx"])), factor(float64(volumes["top"])), factor(float64(volumes["master"]))
			main := db(-22) * sfx * top * master
			wet := sfx * top * master * (db(-26) + db(-12) + db(-30))
			if got := out[198:200]; math.Abs(float64(got[0][0])-main) > 1e-6*main || math.Abs(float64(got[1][0])-wet) > 1e-6*wet {
				t.Errorf("blocks of %d, %v: %v, want %v and %v", block, volumes, got, main, wet)
			}
		}
	}
}

// TestVolumeIsCountedInChoices checks that the audibility of a voice follows the volume of its bus on all paths: a
// sound behind a volume is as audible as a sound that is quieter by as much.
func TestVolumeIsCountedInChoices(t *testing.T) {
	audibility := func(sends, voiceSends []mixer.Send, volume, above, gain, dry pcm.Decibels) float64 {
		m := at1k(t, mixer.BusConfig{Name: "hall"}, mixer.BusConfig{Name: "top", Gain: dry}, mixer.BusConfig{Name: "sfx", Parent: "top", Sends: sends})
		must(t, busOf(t, m, "sfx").SetVolume(volume))
		must(t, busOf(t, m, "top").SetVolume(above))
		h := play(t, m.Engine().At(0), level(t, 1000, 900, 1), mixer.Options{Gain: gain, Bus: busOf(t, m, "sfx"), EngineOptions: mixer.EngineOptions{Sends: voiceSends}})
		left(m, 100)
		return float64(h.Audibility())
	}
	for name, c := range map[string]struct {
		sends, voice []mixer.Send
		dry          pcm.Decibels
	}{
		"direct":     {},
		"post-fader": {sends: []mixer.Send{{To: "hall", Gain: -3}}, dry: -120},
		"pre-fader":  {sends: []mixer.Send{{To: "hall", Pre: true}}, dry: -120},
		"voice":      {voice: []mixer.Send{{To: "hall", Gain: -1}}, dry: -120},
		"all":        {sends: []mixer.Send{{To: "hall", Gain: -9, Pre: true}}, voice: []mixer.Send{{To: "hall", Gain: -9}}},
	} {
		if behind, quieter := audibility(c.sends, c.voice, -3, -9, 0, c.dry), audibility(c.sends, c.voice, 0, 0, -12, c.dry); math.Abs(behind-quieter) > 0.001 {
			t.Errorf("%s: behind a volume of -12 dB the audibility is %v dB, want %v", name, behind, quieter)
		}
		if silent := audibility(c.sends, c.voice, 0, -80, 0, c.dry); silent > -200 {
			t.Errorf("%s: behind a volume of silence the audibility is %v dB", name, silent)
		}
	}
}

// TestVolumeAboveASend checks that a volume that both the source and the destination of a send pass through applies to
// the send once, in the mix and in choices: a send is as loud and audible as the send of a sound that is quieter by the
// volume.
func TestVolumeAboveASend(t *testing.T) {
	measure := func(parent, from string, sends, voiceSends []mixer.Send, top, master, gain pcm.Decibels) (amplitude, audibility float64) {
		m := at1k(t, mixer.BusConfig{Name: "top"}, mixer.BusConfig{Name: "hall", Parent: parent}, mixer.BusConfig{Name: "sfx", Parent: from, Sends: sends})
		must(t, busOf(t, m, "top").SetVolume(top))
		must(t, busOf(t, m, "master").SetVolume(master))
		h := play(t, m.Engine().At(0), level(t, 1000, 900, 1), mixer.Options{Gain: gain, Pan: -1, Bus: busOf(t, m, "sfx"), EngineOptions: mixer.EngineOptions{Sends: voiceSends}})
		return float64(left(m, 100)[99]), float64(h.Audibility())
	}
	for name, c := range map[string]struct{ sends, voice []mixer.Send }{
		"post-fader": {sends: []mixer.Send{{To: "hall", Gain: -3}}},
		"pre-fader":  {sends: []mixer.Send{{To: "hall", Gain: -2, Pre: true}}},
		"voice":      {voice: []mixer.Send{{To: "hall", Gain: -1}}},
		"parent":     {sends: []mixer.Send{{To: "top", Gain: -4}}},
	} {
		for _, parent := range []string{"", "top"} {
			if name == "parent" && parent == "" {
				continue
			}
			got, audible := measure(parent, parent, c.sends, c.voice, -5, -7, 0)
			quieter := pcm.Decibels(-7)
			if parent == "top" {
				quieter = -12
			}
			if want, wantAudible := measure(parent, parent, c.sends, c.voice, 0, 0, quieter); math.Abs(got/want-1) > 1e-6 || math.Abs(audible-wantAudible) > 0.001 {
				t.Errorf("%s, below %q: the level is %v and the audibility %v dB, want %v and %v", name, parent, got, audible, want, wantAudible)
			}
		}
	}
	// The hall is beside top, so top's volume applies to the send, and the master's to the hall.
	if got, _ := measure("", "top", []mixer.Send{{To: "hall", Pre: true}}, nil, -5, -7, 0); math.Abs(got/(2*math.Pow(10, -12.0/20))-1) > 1e-6 {
		t.Errorf("the level is %v, want twice -12 dB", got)
	}
}

// TestVolumeIsReadBack checks Bus.Volume, the range, and that the journal omits volumes.
func TestVolumeIsReadBack(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000, Journal: 100, Buses: []mixer.BusConfig{{Name: "sfx", Gain: -6}}})
	sfx := busOf(t, m, "sfx")
	if got := sfx.Volume(); got != 0 {
		t.Errorf("at first the volume is %v", got)
	}
	must(t, sfx.SetVolume(pcm.FromFader(0)))
	if got, gain := sfx.Volume(), sfx.Gain(); got > -80 || gain != -6 {
		t.Errorf("the volume is %v and the gain %v, want silence and -6", got, gain)
	}
	at := m.Engine().At(200)
	must(t, at.Set(mixer.TargetBus(sfx), mixer.Change{Fields: mixer.FieldVolume, Volume: -9}, time.Second))
	must(t, at.Set(mixer.TargetBus(sfx), mixer.Change{Fields: mixer.FieldVolume | mixer.FieldGain, Volume: -8, Gain: -1}, 0))
	left(m, 100)
	if got := sfx.Volume(); got > -80 {
		t.Errorf("100 ms before its frame the volume is %v", got)
	}
	left(m, 100)
	if got := sfx.Volume(); got != -8 {
		t.Errorf("at its frame the volume is %v, want -8", got)
	}
	for _, x := range []pcm.Decibels{25, -121, pcm.Decibels(math.NaN())} {
		if err := sfx.SetVolume(x); !errors.Is(err, mixer.ErrOption) {
			t.Errorf("SetVolume(%v) says %v", x, err)
		}
	}
	if got := sfx.Volume(); got != -8 {
		t.Errorf("after errors the volume is %v, want -8", got)
	}
	if err := (mixer.Bus{}).SetVolume(0); !errors.Is(err, mixer.ErrOption) || (mixer.Bus{}).Volume() != 0 {
		t.Errorf("the zero Bus says %v", err)
	}
	left(m, 10)
	entries := make([]mixer.Entry, 100)
	entries = entries[:m.Engine().Journal(entries)]
	if len(entries) != 1 || entries[0].Change.Fields != mixer.FieldGain || entries[0].Frame != 200 {
		t.Errorf("the journal has %+v", entries)
	}
}
