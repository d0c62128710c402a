package room_test

import (
	"encoding/binary"
	"io"
	"math"
	"testing"
	"testing/synctest"

	"voicepool/cue"
	"voicepool/cue/play"
	"voicepool/pcm"
	"voicepool/sounds/library"
)

// TestListenersHearTheRender checks that a listener of a room gets the render of its sheet, frame by frame. The
// sheets use several outputs, moves, fades, loops, ducking and tails.
func TestListenersHearTheRender(t *testing.T) {
	const seconds = 3
	for _, text := range []string{
		"cues: [{at: 0s, play: bell}, {at: 100ms, play: coin, gain: -6, pan: -0.5, pitch: 3}, {at: 0.5s, play: explosion, fade_in: 200ms}]\n",
		"rate: 44100\ncues: [{at: 0s, play: rain, loop: true, id: r, for: 2s}, {at: 300ms, fade: r, to: -20, over: 700ms}, {at: 1s, set: r, speed: 1.3}]\n",
		"voices: 2\nbuses: {music: {duck: {when: sfx, by: 9, attack: 20ms}}, sfx: {lowpass: 900}}\ncues:\n- {at: 0s, play: theme, loop: true, bus: music}\n- {at: 333ms, play: coin, bus: sfx, every: 70ms, times: 20}\n",
		"buses: {hall: {effects: [{reverb: {time: 1s}}]}, dry: {sends: {hall: -6}}}\ncues: [{at: 50ms, play: bell, bus: dry}, {at: 1.2345s, play: \"tone:440\", for: 300ms, bus: dry}]\n",
		"outputs: {house: 1-2, fold: 3-4}\nbuses: {a: {output: house}, b: {output: fold}}\ncues: [{at: 0s, play: bell, bus: a}, {at: 400ms, play: coin, bus: b}]\n",
	} {
		t.Run(text[:20], func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, err := cue.Parse("show.yaml", []byte(text))
				if err != nil {
					t.Fatal(err)
				}
				r := open(t, text)
				l, err := r.Listen("")
				if err != nil {
					t.Fatal(err)
				}
				var heard []byte
				for len(heard) < 4*seconds*s.Rate {
					block, err := l.Next(t.Context())
					if err != nil {
						t.Fatal(err)
					}
					heard = append(heard, block...)
				}
				p, err := play.NewPlayer(t.Context(), s, library.NewLibrary(library.Options{Rate: s.Rate}), play.Options{})
				if err != nil {
					t.Fatal(err)
				}
				defer p.Close()
				pairs, late := p.Outputs(), int(p.Mixer().LatencyFrames()) // a render removes the latency
				want := make([]pcm.Frame, seconds*s.Rate*pairs)
				for got := 0; got < len(want); {
					n, err := p.Read(want[got:])
					got += n
					if err == io.EOF { // the rest is silent
						break
					}
					if err != nil {
						t.Fatal(err)
					}
				}
				loud, wrong := 0, 0
				for i := range seconds*s.Rate - late {
					for c := range 2 {
						x := float32(0)
						for pair := range pairs {
							x += want[i*pairs+pair][c]
						}
						got, to := int16(binary.LittleEndian.Uint16(heard[4*(i+late)+2*c:])), int16(math.Round(float64(min(max(x*32768, -32768), 32767))))
						if to != 0 {
							loud++
						}
						if got != to {
							if wrong++; wrong == 1 {
								t.Errorf("frame %d, channel %d is %d, rendered %d", i, c, got, to)
							}
						}
					}
				}
				if wrong > 0 || loud < s.Rate/10 {
					t.Errorf("%d samples differ of %d, of which %d are not silent", wrong, 2*seconds*s.Rate, loud)
				}
			})
		})
	}
}
