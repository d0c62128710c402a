package showrun_test

import (
	"reflect"
	"testing"

	"voicepool/cmd/internal/show/showrun"
	"voicepool/effect"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
)

// TestStateEffects checks that the state shows the effects of a bus, their bypass, and the gain
// reduction of compressors.
func TestStateEffects(t *testing.T) {
	s, p := showOf(t, `
buses: {music: {effects: [{eq: {id: tone, bypass: true}}, {compressor: {threshold: -40, ratio: 100, knee: 0, attack: 0.1ms}}]}}
list: [{cue: 1, play: coin}]`, showrun.Options{})
	bus := func() showrun.Bus {
		t.Helper()
		for _, b := range s.State().Buses {
			if b.Bus == "music" {
				return b
			}
		}
		t.Fatal("there is no bus music")
		return showrun.Bus{}
	}
	want := []showrun.BusEffect{{Effect: "tone", Kind: "eq", Bypass: true}, {Effect: "compressor", Kind: "compressor"}}
	if b := bus(); !reflect.DeepEqual(b.Effects, want) || b.Reduction != 0 {
		t.Errorf("in silence it is %+v", b)
	}
	data := make([]float32, 48000)
	for i := range data {
		data[i] = 0.1 // -20 dB
	}
	sound, err := sounds.NewSound(sounds.Samples{Rate: 48000, Channels: 1, Data: data})
	if err != nil {
		t.Fatal(err)
	}
	m := p.Mixer()
	music, err := m.Bus("music")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Play(sound, mixer.Options{Bus: music}); err != nil {
		t.Fatal(err)
	}
	if err := music.SetEffect("tone", effect.Values{"bypass": 0}, 0); err != nil {
		t.Fatal(err)
	}
	m.Render(make([]pcm.Frame, 24000))
	want[0].Bypass = false
	if b := bus(); !reflect.DeepEqual(b.Effects, want) || b.Reduction < 15 || b.Reduction > 25 {
		t.Errorf("with a sound of -20 dB it is %+v", b)
	}
}
