package steal_test

import (
	"cmp"
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
	ends   bool        // loops that give way are lost for good, too
	plays  bool        // a loop that is less than all others takes a slot all the same
}

const simHop, simTick = steal.Rate / 50, steal.Rate / 100

// score is what a policy looks at: the voice with the least gives way.
type score func(s *simulator, event int, frame int64) float64

// simVoice is a voice that plays.
type simVoice struct {
	event int // and its number: the older one is less
	key   float32
}

// move is a voice that gives way, or one that comes back.
type move struct {
	event int
	frame int64
	back  bool
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
	return float64(s.power(event) * s.level(event, frame))
}

// level is the index of what is lost for good, and of what comes back the level of the
// next 20 ms.
func (s *simulator) level(event int, frame int64) float64 {
	e := &s.scene.Events[event]
	if e.Stop == 0 {
		return s.index(event, frame)
	}
	envelope := s.sounds[e.Sound].Envelope()
	return envelope.Soon(s.position(event, frame), true)
}

func leastGain(s *simulator, event int, _ int64) float64 { return s.power(event) }

func oldest(*simulator, int, int64) float64 { return 0 }

// game is a scene that is played.
type game struct {
	*simulator
	pool             int
	playing, waiting []simVoice // those that are heard, and the loops that are not
	moves            []move
}

// run plays the scene and returns who gives way and who comes back.
func (s *simulator) run(pool int, least score) []move {
	g := game{simulator: s, pool: pool}
	tick := int64(0)
	for i := range s.scene.Events {
		at := s.scene.Events[i].At
		for ; tick <= at; tick += simTick {
			g.exchange(tick)
		}
		g.end(at, 0)
		if len(g.playing) == pool {
			worst := weakest(s.rated(g.playing, at, least))
			if s.scene.Events[i].Stop > 0 && !s.ends && !s.plays && float32(least(s, i, at)) < worst.key {
				g.waiting = append(g.waiting, simVoice{event: i})
				g.moves = append(g.moves, move{event: i, frame: at})
				continue
			}
			g.giveWay(worst, at)
		}
		g.playing = append(g.playing, simVoice{event: i})
	}
	for ; tick < s.scene.Frames; tick += simTick {
		g.exchange(tick)
	}
	return g.moves
}

// end takes out who has come to an end at a frame, and loops so much before it.
func (g *game) end(frame, before int64) {
	over := func(v simVoice) bool {
		if g.scene.Events[v.event].Stop > 0 {
			return g.parts[v.event].To <= frame-before
		}
		return g.parts[v.event].To <= frame
	}
	g.playing, g.waiting = slices.DeleteFunc(g.playing, over), slices.DeleteFunc(g.waiting, over)
}

// rated brings the keys of voices up to date.
func (s *simulator) rated(voices []simVoice, frame int64, least score) []simVoice {
	for k := range voices {
		voices[k].key = float32(least(s, voices[k].event, frame))
	}
	return voices
}

func weakest(voices []simVoice) simVoice {
	return slices.MinFunc(voices, func(a, b simVoice) int {
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.event, b.event))
	})
}

// without is voices without one.
func without(voices []simVoice, v simVoice) []simVoice {
	return slices.DeleteFunc(voices, func(w simVoice) bool { return w.event == v.event })
}

// giveWay ends a voice, or, of a loop, makes it wait.
func (g *game) giveWay(v simVoice, frame int64) {
	g.playing = without(g.playing, v)
	if g.scene.Events[v.event].Stop > 0 && !g.ends {
		g.waiting = append(g.waiting, v)
	}
	g.moves = append(g.moves, move{event: v.event, frame: frame})
}

// exchange gives free slots to loops that wait, then up to four slots of those that are
// 1 dB quieter. Loops that are stopped at this frame are still there.
func (g *game) exchange(frame int64) {
	g.end(frame, 1)
	g.rated(g.waiting, frame, quietest)
	order := func(a, b simVoice) int { return cmp.Or(cmp.Compare(b.key, a.key), cmp.Compare(a.event, b.event)) }
	slices.SortFunc(g.waiting, order)
	comeBack := func(v simVoice) {
		g.waiting, g.playing = without(g.waiting, v), append(g.playing, v)
		g.moves = append(g.moves, move{event: v.event, frame: frame, back: true})
	}
	for len(g.playing) < g.pool && len(g.waiting) > 0 {
		comeBack(g.waiting[0])
	}
	for range 4 {
		if len(g.waiting) == 0 || g.waiting[0].key == 0 {
			return
		}
		worst := weakest(g.rated(g.playing, frame, quietest))
		best := g.waiting[0]
		if float64(best.key) <= float64(1.2589254*float64(worst.key)) {
			return
		}
		g.giveWay(worst, frame)
		comeBack(best)
		slices.SortFunc(g.waiting, order)
	}
}

// mix is what is heard of the scene, and by how much the mixer may be off at each frame:
// it draws the way back straight over every 8 frames, at most 7e-4 of a sample apart.
func (s *simulator) mix(moves []move) (out []pcm.Frame, slack []float32) {
	out, slack = make([]pcm.Frame, s.scene.Frames), make([]float32, s.scene.Frames)
	tail, rise, spare := steal.Tail(), steal.RaisedCosine(5), make([]pcm.Frame, s.scene.Frames)
	of := make([][]move, len(s.parts))
	for _, m := range moves {
		of[m.event] = append(of[m.event], m)
	}
	for i := range s.parts {
		p, moves := &s.parts[i], of[i]
		cut := p.To
		if len(moves) > 0 {
			cut = moves[0].frame
		}
		p.Add(out, cut, tail)
		for len(moves) > 1 { // away, and back
			from, to := moves[1].frame, int64(math.MaxInt32)
			if moves = moves[2:]; len(moves) > 0 {
				to = moves[0].frame
			}
			if from == to {
				continue // it has not been heard
			}
			heard := spare[from:min(to+int64(len(tail)), p.To+int64(len(tail)), s.scene.Frames)]
			whole := *p
			if to < p.To { // a tail knows nothing of a stop that comes later
				whole.To = to + int64(len(tail))
			}
			whole.Missing(heard, from, math.MaxInt32, nil)
			for j, x := range heard {
				at := from + int64(j)
				if at >= to {
					x[0], x[1] = x[0]*tail[at-to], x[1]*tail[at-to]
				}
				if j < len(rise) {
					slack[at] += 7e-4 * max(x[0], -x[0], x[1], -x[1])
					x[0], x[1] = x[0]*(1-rise[j]), x[1]*(1-rise[j])
				}
				out[at][0], out[at][1] = out[at][0]+x[0], out[at][1]+x[1]
			}
		}
	}
	return out, slack
}
