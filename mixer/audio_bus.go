package mixer

import (
	"voicepool/internal/dsp"
	"voicepool/mixer/internal/master"
	"voicepool/pcm"
	"voicepool/voice"
)

// bus is a sub-mix on the audio side. Its voices, and the tails of those that
// gave way, are added up in a block, then what the buses below it give, and all
// that goes on under the bus's insert and gains.
type bus struct {
	limit   int
	playing int // voices on it and below it
	active  int // those of them that are not paused
	paused  bool
	held    bool // it is paused, or one above it is
	muted   bool
	soloed  bool
	faced   bool // heard, if only some are: it is soloed, or one above it is
	quiet   bool // nothing of it is heard: it is muted, or one above it is

	gain   voice.Move // decibels
	pan    voice.Move
	pitch  voice.Move // semitones, of its voices
	mute   voice.Move // a factor
	direct voice.Move // a factor of its own voices: 0 while others are soloed

	reach stereo // the factors that count in scores, down to the master's
	shift bool   // they have moved since scores were fresh

	duck   duck
	insert *insert       // nil: none
	next   *insert       // what is set while insert is faded in
	meter  *master.Meter // nil: none

	mixed []pcm.Frame // one hop
	used  bool        // mixed has something in it

	tails     []pcm.Frame // a ring by frame number
	tailsMask int64
	tailsEnd  int64 // from this frame on it is silent
}

// newBuses makes the buses as they were described.
func newBuses(described []BusConfig, a *audio) []bus {
	size := int64(1)
	for size < a.hop+a.tail {
		size *= 2
	}
	buses := make([]bus, len(described))
	for i, d := range described {
		b := &buses[i]
		*b = bus{
			limit: d.Voices, muted: d.Mute, soloed: d.Solo,
			gain: voice.Rest(float64(d.Gain)), pan: voice.Rest(d.Pan), pitch: voice.Rest(float64(d.Pitch)), mute: voice.Rest(1),
			direct: voice.Rest(1), duck: duck{rules: a.newDucking(&d.Duck), upAt: never},
			mixed: make([]pcm.Frame, a.hop), tails: make([]pcm.Frame, size), tailsMask: size - 1,
		}
		if d.Mute {
			b.mute = voice.Rest(0)
		}
		if d.Insert != nil {
			b.insert = newInsert(d.Insert, a.hop)
		}
		if a.meters != nil {
			b.meter = a.meters[i]
		}
	}
	return buses
}

// count adds to the voices that live, and that sound, on a bus and above it.
func (a *audio) count(bus uint16, playing, active int) {
	for i := int(bus); i >= 0; i = a.tree[i].parent {
		a.buses[i].playing += playing
		a.buses[i].active += active
	}
}

// refresh brings what scores and pauses use up to date, from the master down: of
// each move the larger of present and target. Ducking does not count, or ducked
// voices would flip in and out.
func (a *audio) refresh() {
	for _, i := range a.down {
		b := &a.buses[i]
		was := b.reach
		left, right := voice.Wider(voice.Balance, &b.pan, a.now)
		g := b.gain.Most(a.now)
		b.reach = stereo{float64(g * left), float64(g * right)}
		b.held, b.quiet, b.faced = b.paused, b.muted, b.soloed
		if i > 0 {
			above := &a.buses[a.tree[i].parent]
			b.reach = b.reach.times(above.reach)
			b.held = b.held || above.held
			b.quiet = b.quiet || above.quiet
			b.faced = b.faced || above.faced
		}
		b.shift = b.shift || b.reach != was
	}
}

// face turns the voices of buses to what is soloed now, smoothly where something
// is heard.
func (a *audio) face(over int64) {
	some := false
	for i := range a.buses {
		some = some || a.buses[i].soloed
	}
	for i := range a.buses {
		b := &a.buses[i]
		to := 1.0
		if some && !b.faced {
			to = 0
		}
		if b.direct.To != to {
			frames := over
			if a.sounding(i) {
				frames = max(over, a.smooth)
			}
			b.direct.Turn(a.now, to, frames)
		}
	}
}

// pitchOf returns the pitch that a bus and those above it give to voices, on its
// way as that of the last of them.
func (a *audio) pitchOf(bus uint16) voice.Move {
	sum := voice.Move{Start: a.now}
	for i := int(bus); i >= 0; i = a.tree[i].parent {
		p := &a.buses[i].pitch
		sum.From += p.At(a.now)
		sum.To += p.To
		sum.Frames = max(sum.Frames, p.End()-a.now)
	}
	return sum
}

// setBus moves a bus, and with it the pitch and the scores of the voices that are
// heard through it.
func (a *audio) setBus(index int, c *command) {
	b := &a.buses[index]
	over := c.over
	if a.heard(index) { // what is silent need not be smoothed
		over = max(over, a.smooth)
	}
	set := func(f Fields) bool { return c.change.Fields&f != 0 }
	if set(FieldGain) {
		b.gain.TurnGain(a.now, c.change.Gain, over, c.change.Shape)
	}
	if set(FieldPan) {
		b.pan.Turn(a.now, c.change.Pan, over)
	}
	if set(FieldPitch) {
		b.pitch.Turn(a.now, float64(c.change.Pitch), over)
	}
	if set(FieldMute) {
		b.muted = c.change.Mute
		to := 1.0
		if b.muted {
			to = 0
		}
		b.mute.Turn(a.now, to, over)
	}
	if set(FieldSolo) {
		b.soloed = c.change.Solo
	}
	a.refresh()
	if set(FieldSolo) {
		a.face(c.over)
	}
	for i := a.next(0); i >= 0; i = a.next(i + 1) {
		s := a.at(i)
		if set(FieldPitch) && a.tree.below(int(s.bus), index) {
			s.voice.SetShared(a.now, a.pitchOf(s.bus))
		}
		if set(FieldSolo) || a.tree.below(int(s.bus), index) {
			a.rescore(i)
		}
	}
}

// heard reports whether anything is heard through a bus: a voice that began
// before this frame, a tail, or an insert of which nobody knows.
func (a *audio) heard(index int) bool {
	for i := range a.buses {
		if b := &a.buses[i]; a.tree.below(i, index) && (b.tailsEnd > a.now || b.insert != nil) {
			return true
		}
	}
	for i := a.next(0); i >= 0; i = a.next(i + 1) {
		if s := a.at(i); i < a.base && a.tree.below(int(s.bus), index) && s.sounded && s.paused == 0 {
			return true
		}
	}
	return false
}

// sounding reports whether anything is heard of a bus's own voices.
func (a *audio) sounding(index int) bool {
	if a.buses[index].tailsEnd > a.now {
		return true
	}
	for i := a.next(0); i >= 0; i = a.next(i + 1) {
		if s := a.at(i); i < a.base && int(s.bus) == index && s.sounded && s.paused == 0 {
			return true
		}
	}
	return false
}

// mixBuses takes n frames of all buses down to the master, and reports whether
// those are silent.
func (a *audio) mixBuses(dst []pcm.Frame) (silent bool) {
	n := int64(len(dst))
	silent = true
	for i := range a.buses {
		b := &a.buses[i]
		b.takeTails(a.now, n)
		if b.used && (b.direct.To != 1 || b.direct.End() > a.now) {
			scale(b.mixed[:n], &b.direct, a.now)
		}
	}
	clear(dst)
	for _, i := range a.up {
		b := &a.buses[i]
		a.insert(i, n)
		turn := b.duck.turnsUp(a, n)
		if !b.used {
			if turn < n {
				b.duck.up(a.now + turn)
			}
			if b.meter != nil && i > 0 {
				b.meter.Skip(n)
			}
			continue
		}
		b.used = false
		out := dst
		if i > 0 {
			out = a.buses[a.tree[i].parent].block(n)
		} else {
			silent = false
		}
		sum := out
		if b.meter != nil && i > 0 {
			out = a.metered[:n]
			clear(out)
		}
		b.apply(out[:turn], b.mixed[:turn], a.now)
		if turn < n {
			b.duck.up(a.now + turn)
			b.apply(out[turn:], b.mixed[turn:n], a.now+turn)
		}
		if b.meter != nil && i > 0 {
			b.meter.Feed(out)
			dsp.Sum(sum, out)
		}
	}
	return silent
}

// block returns the n frames into which the bus is being mixed, silent at first.
func (b *bus) block(n int64) []pcm.Frame {
	if !b.used {
		clear(b.mixed[:n])
		b.used = true
	}
	return b.mixed[:n]
}

// apply adds src to dst under the gains of the bus. While something moves they
// are straight lines on the same grid of frames that voices use.
func (b *bus) apply(dst, src []pcm.Frame, frame int64) {
	for len(dst) > 0 {
		n := int64(len(dst))
		left, right := b.factors(frame)
		ramp := dsp.Ramp{Left: float32(left), Right: float32(right)}
		if grid, end := b.moving(frame); end > frame {
			// The line is drawn from the last place on the grid, whatever the
			// blocks, or from where a move began.
			from := max(frame/grid*grid, b.moved(frame))
			to := min((frame/grid+1)*grid, end)
			n = min(n, to-frame)
			left, right = b.factors(from)
			toLeft, toRight := b.factors(to)
			ramp = dsp.Ramp{
				Left: float32(left), Right: float32(right),
				LeftSlope:  float32((toLeft - left) / float64(to-from)),
				RightSlope: float32((toRight - right) / float64(to-from)),
				Start:      int(frame - from),
			}
		}
		dsp.Frames(dst[:n], src[:n], ramp)
		dst, src = dst[n:], src[n:]
		frame += n
	}
}

func (b *bus) moves() [4]*voice.Move {
	return [...]*voice.Move{&b.gain, &b.pan, &b.mute, &b.duck.move}
}

// moving returns the grid and the first end of what moves at a frame; an end at
// or before the frame means that nothing does.
func (b *bus) moving(frame int64) (grid, end int64) {
	grid, end = 64, 0
	for _, m := range b.moves() {
		if e := m.End(); e > frame {
			if end == 0 || e < end {
				end = e
			}
			grid = min(grid, m.Grid())
		}
	}
	return grid, end
}

// moved returns the last frame at which a move began, or ended.
func (b *bus) moved(frame int64) int64 {
	last := int64(0)
	for _, m := range b.moves() {
		last = max(last, m.Start)
		if e := m.End(); e <= frame {
			last = max(last, e)
		}
	}
	return last
}

// factors returns the left and right factors at a frame.
func (b *bus) factors(frame int64) (left, right float64) {
	left, right = voice.Balance(b.pan.At(frame))
	g := float64(b.gain.Gain(frame) * b.mute.At(frame))
	g = float64(g * pcm.Decibels(b.duck.move.At(frame)).Linear())
	return float64(left * g), float64(right * g)
}

// scale multiplies a block by a moving factor: straight lines between the places
// of a grid.
func scale(block []pcm.Frame, m *voice.Move, frame int64) {
	for len(block) > 0 {
		grid := m.Grid()
		from := max(frame/grid*grid, m.Start)
		to := (frame/grid + 1) * grid
		if m.End() > frame {
			to = min(to, m.End())
		} else {
			from = max(from, m.End())
		}
		n := min(int64(len(block)), to-frame)
		a := m.At(from)
		slope := (m.At(to) - a) / float64(to-from)
		for i := range block[:n] {
			g := float32(a + float64(slope*float64(frame-from+int64(i))))
			block[i][0] = float32(block[i][0] * g)
			block[i][1] = float32(block[i][1] * g)
		}
		block = block[n:]
		frame += n
	}
}
