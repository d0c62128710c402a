package steal_test

import (
	"cmp"
	"math"
	"slices"
	"sync"

	"voicepool/cmd/internal/lab/steal"
	"voicepool/internal/loudness"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/sounds/library"
)

// simulator plays a scene with a pool of voices and a custom choice of victims. Like the mixer it works at
// exact frames, with current scores at each choice.
type simulator struct {
	scene  *steal.Scene
	parts  []steal.Part
	sounds []*sounds.Sound
	now    [][]float64 // by sound and hop, the energy of that hop only
	ends   bool        // stolen loops are also lost for good
	plays  bool        // a new loop takes a slot even if it scores lowest
}

const simHop, simTick = steal.Rate / 50, steal.Rate / 100

// score is the policy: the voice with the lowest score is stolen.
type score func(s *simulator, event int, frame int64) float64

// simVoice is a playing voice.
type simVoice struct {
	event int // also its age: older voices have lower numbers
	key   float32
}

// move is a stolen or restored voice.
type move struct {
	event int
	frame int64
	back  bool
}

// newSimulator returns a simulator of a scene of CorpusOne.
func newSimulator(scene *steal.Scene) (*simulator, error) {
	s := &simulator{scene: scene}
	var err error
	if s.parts, err = steal.PartsOne(scene); err != nil {
		return nil, err
	}
	prepared, err := prepareOne()
	s.sounds, s.now = prepared.sounds, prepared.now
	return s, err
}

// preparedSounds holds the sounds of a corpus and their energies.
type preparedSounds struct {
	sounds []*sounds.Sound
	now    [][]float64 // by sound and hop, the energy of that hop only
}

// prepareOne prepares the sounds of CorpusOne once for all simulators.
var prepareOne = sync.OnceValues(func() (s preparedSounds, err error) {
	corpus := steal.CorpusOne()
	for i := range corpus {
		data := make([]float32, len(corpus[i].Samples))
		filter := loudness.NewFilter(steal.Rate)
		now := make([]float64, len(data)/simHop+1)
		for j, x := range corpus[i].Samples {
			data[j] = float32(x) / 32768
			y := filter.Next(float64(data[j]))
			now[j/simHop] += y * y / simHop
		}
		sound, err := library.Prepare(&library.Clip{Name: corpus[i].Name, Rate: steal.Rate, Channels: 1, Samples: data}, library.Options{})
		if err != nil {
			return s, err
		}
		s.sounds, s.now = append(s.sounds, sound), append(s.now, now)
	}
	return s, nil
})

// position returns the frame of an event's sound at a frame of the scene.
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

// power returns left^2 + right^2.
func (s *simulator) power(event int) float64 {
	p := &s.parts[event]
	return float64(p.Left*p.Left) + float64(p.Right*p.Right)
}

// index returns the best average loudness from a frame.
func (s *simulator) index(event int, frame int64) float64 {
	e := &s.scene.Events[event]
	envelope := s.sounds[e.Sound].Envelope()
	return envelope.At(s.position(event, frame), e.Stop > 0)
}

func quietest(s *simulator, event int, frame int64) float64 {
	return float64(s.power(event) * s.level(event, frame))
}

// level returns the index of a voice that would be lost for good. For a loop it returns the level of the next
// 20 ms.
func (s *simulator) level(event int, frame int64) float64 {
	e := &s.scene.Events[event]
	if e.Stop == 0 {
		return s.index(event, frame)
	}
	envelope := s.sounds[e.Sound].Envelope()
	return envelope.NearAt(s.position(event, frame), true)
}

func leastGain(s *simulator, event int, _ int64) float64 { return s.power(event) }

func oldest(*simulator, int, int64) float64 { return 0 }

// game is the state of a scene in play.
type game struct {
	*simulator
	pool             int
	playing, waiting []simVoice // the audible voices and the virtual loops
	moves            []move
}

// run plays the scene and returns the stolen and restored voices.
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

// end removes the voices that have ended at a frame. Loops end earlier by before frames.
func (g *game) end(frame, before int64) {
	over := func(v simVoice) bool {
		if g.scene.Events[v.event].Stop > 0 {
			return g.parts[v.event].To <= frame-before
		}
		return g.parts[v.event].To <= frame
	}
	g.playing, g.waiting = slices.DeleteFunc(g.playing, over), slices.DeleteFunc(g.waiting, over)
}

// rated updates the keys of voices.
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

// without returns voices except v.
func without(voices []simVoice, v simVoice) []simVoice {
	return slices.DeleteFunc(voices, func(w simVoice) bool { return w.event == v.event })
}

// giveWay ends a voice, or makes a loop virtual.
func (g *game) giveWay(v simVoice, frame int64) {
	g.playing = without(g.playing, v)
	if g.scene.Events[v.event].Stop > 0 && !g.ends {
		g.waiting = append(g.waiting, v)
	}
	g.moves = append(g.moves, move{event: v.event, frame: frame})
}

// exchange restores virtual loops: first to free slots, then to up to four slots of voices that are 1 dB
// quieter. Loops that stop at this frame are still included.
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

// mix returns the audible output of the scene and the tolerance at each frame. The mixer approximates the
// fade-in of a restored voice by lines of 8 frames, at most 7e-4 of a sample off.
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
		for len(moves) > 1 { // virtual, and restored
			from, to := moves[1].frame, int64(math.MaxInt32)
			if moves = moves[2:]; len(moves) > 0 {
				to = moves[0].frame
			}
			if from == to {
				continue // it was never audible
			}
			heard := spare[from:min(to+int64(len(tail)), p.To+int64(len(tail)), s.scene.Frames)]
			whole := *p
			if to < p.To { // a tail ignores a later stop
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
