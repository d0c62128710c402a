package steal_test

import (
	"math"
	"slices"

	"voicepool/internal/loudness"
	"voicepool/internal/steal"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/voice"
)

// simulator plays a scene with a pool of voices whose choice of victim can be
// anything, as the mixer plays it: at exact frames, with scores that are
// fresh at each choice.
type simulator struct {
	scene  *steal.Scene
	parts  []steal.Part
	sounds []*voice.Sound
	now    [][]float64 // by sound and hop, the energy of the hop alone
}

const simHop = steal.Rate / 50

// score is what a policy looks at: the voice with the least gives way.
type score func(s *simulator, event int, frame int64) float64

// simVoice is a voice that plays.
type simVoice struct {
	event  int
	number int
	key    float32
}

func newSimulator(scene *steal.Scene, corpus []steal.Recording) (*simulator, error) {
	s := &simulator{scene: scene}
	var err error
	if s.parts, err = scene.Parts(corpus); err != nil {
		return nil, err
	}
	for i := range corpus {
		data := make([]float32, len(corpus[i].Samples))
		filter := loudness.NewFilter(steal.Rate)
		now := make([]float64, len(data)/simHop+1)
		for j, x := range corpus[i].Samples {
			data[j] = float32(x) / 32768
			y := filter.Next(float64(data[j]))
			now[j/simHop] += y * y / simHop
		}
		sound, err := sounds.Prepare(&sounds.Clip{Name: corpus[i].Name, Rate: steal.Rate, Channels: 1, Samples: data}, sounds.Options{})
		if err != nil {
			return nil, err
		}
		s.sounds, s.now = append(s.sounds, sound), append(s.now, now)
	}
	return s, nil
}

// position returns the frame of its sound at which an event is at a frame.
func (s *simulator) position(event int, frame int64) int64 {
	e := &s.scene.Events[event]
	octaves := float64(pcm.FromRatio(e.Speed)) / 12
	step := int64(math.Floor(float64(pcm.Exp2(octaves)*(1<<32)) + 0.5))
	at := (frame - e.At) * step >> 32
	if e.Stop > 0 {
		at %= s.sounds[e.Sound].Frames()
	}
	return at
}

// power is left^2 + right^2.
func (s *simulator) power(event int) float64 {
	p := &s.parts[event]
	return float64(p.Left*p.Left) + float64(p.Right*p.Right)
}

// index is the best average loudness from a frame on.
func (s *simulator) index(event int, frame int64) float64 {
	e := &s.scene.Events[event]
	envelope := s.sounds[e.Sound].Envelope()
	return envelope.At(s.position(event, frame), e.Stop > 0)
}

func quietest(s *simulator, event int, frame int64) float64 {
	return float64(s.power(event) * s.index(event, frame))
}

func leastGain(s *simulator, event int, _ int64) float64 { return s.power(event) }

func oldest(*simulator, int, int64) float64 { return 0 }

// run plays the scene and returns where each part is cut, and the victims in the
// order of their cuts.
func (s *simulator) run(pool int, least score) (cuts []int64, victims []int) {
	events := s.scene.Events
	cuts = make([]int64, len(events))
	var playing []simVoice
	rate := func(v *simVoice, frame int64) { v.key = float32(least(s, v.event, frame)) }
	for i := range events {
		at := events[i].At
		cuts[i] = s.parts[i].To
		playing = slices.DeleteFunc(playing, func(v simVoice) bool { return s.parts[v.event].To <= at })
		for k := range playing {
			rate(&playing[k], at)
		}
		if len(playing) == pool {
			victim := 0
			for k := range playing {
				a, b := &playing[k], &playing[victim]
				if a.key < b.key || a.key == b.key && a.number < b.number {
					victim = k
				}
			}
			v := playing[victim].event
			cuts[v] = at
			victims = append(victims, v)
			playing = slices.Delete(playing, victim, victim+1)
		}
		v := simVoice{event: i, number: i}
		rate(&v, at)
		playing = append(playing, v)
	}
	return cuts, victims
}
