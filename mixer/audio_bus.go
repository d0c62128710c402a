package mixer

import (
	"voicepool/internal/dsp"
	"voicepool/pcm"
	"voicepool/voice"
)

// bus is a sub-mix on the audio side. Its voices, and the tails of those that
// gave way, are added up in a block, which then goes on under the bus's gains.
type bus struct {
	limit   int
	playing int // voices on it
	active  int // those of them that are not paused
	paused  bool
	muted   bool

	gain  voice.Move // decibels
	pan   voice.Move
	pitch voice.Move // semitones, of its voices
	mute  voice.Move // a factor

	reach stereo // the factors that count in scores

	duck duck

	mixed []pcm.Frame // one hop
	used  bool        // mixed has something in it

	tails     []pcm.Frame // a ring by frame number
	tailsMask int64
	tailsEnd  int64 // from this frame on it is silent
}

// duck is how a bus gives way to another.
type duck struct {
	when            int // index of that bus; 0 with by 0: none
	by              float64
	attack, release int64
	down            bool
	move            voice.Move // decibels
}

func newBuses(described []Bus, a *audio) []bus {
	index := map[string]int{}
	for i, d := range described {
		index[d.Name] = i
	}
	size := int64(1)
	for size < a.hop+a.tail {
		size *= 2
	}
	buses := make([]bus, len(described))
	for i, d := range described {
		b := &buses[i]
		*b = bus{
			limit: d.Voices, muted: d.Mute,
			gain: voice.Rest(float64(d.Gain)), pan: voice.Rest(d.Pan), pitch: voice.Rest(float64(d.Pitch)), mute: voice.Rest(1),
			mixed: make([]pcm.Frame, a.hop), tails: make([]pcm.Frame, size), tailsMask: size - 1,
		}
		if d.Mute {
			b.mute = voice.Rest(0)
		}
		if d.Duck != (Duck{}) {
			b.duck = duck{
				when: index[d.Duck.When], by: float64(d.Duck.By),
				attack:  max(pcm.Frames(d.Duck.Attack, a.rate), a.m.smooth), // nothing is ever cut hard
				release: max(pcm.Frames(d.Duck.Release, a.rate), a.m.smooth),
			}
		}
		b.refresh(0)
	}
	return buses
}

// enter and leave count the voices that sound on the bus.
func (b *bus) enter() { b.active++ }

func (b *bus) leave() { b.active-- }

// refresh brings the factors up to date that scores use: of each move the larger
// of present and target. Ducking does not count, or ducked voices would flip in
// and out.
func (b *bus) refresh(frame int64) {
	left, right := voice.Wider(voice.Balance, &b.pan, frame)
	g := max(b.gain.Gain(frame), pcm.Decibels(b.gain.To).Gain())
	b.reach = stereo{float64(g * left), float64(g * right)}
}

func (b *bus) pitched(frame int64) bool {
	return b.pitch.To != 0 || frame < b.pitch.End()
}

// setBus moves a bus, and with it the pitch and the scores of its voices.
func (a *audio) setBus(index int, c *command) {
	b := &a.buses[index]
	over := c.over
	if a.heard(index) { // what is silent need not be smoothed
		over = max(over, a.m.smooth)
	}
	if c.change.Fields&Gain != 0 {
		b.gain.TurnGain(a.now, c.change.Gain, over)
	}
	if c.change.Fields&Pan != 0 {
		b.pan.Turn(a.now, c.change.Pan, over)
	}
	if c.change.Fields&Pitch != 0 {
		b.pitch.Turn(a.now, float64(c.change.Pitch), over)
	}
	if c.change.Fields&Mute != 0 {
		b.muted = c.change.Mute
		to := 1.0
		if b.muted {
			to = 0
		}
		b.mute.Turn(a.now, to, over)
	}
	b.refresh(a.now)
	for i := a.slots.Next(0); i >= 0; i = a.slots.Next(i + 1) {
		s := a.slots.At(i)
		if int(s.bus) != index && index != 0 {
			continue
		}
		if int(s.bus) == index && c.change.Fields&Pitch != 0 {
			s.voice.SetShared(a.now, b.pitch)
		}
		a.rescore(i)
	}
}

// heard reports whether anything is heard through a bus: a voice that began
// before this frame, or a tail.
func (a *audio) heard(index int) bool {
	for i := range a.buses {
		if b := &a.buses[i]; (i == index || index == 0) && b.tailsEnd > a.now {
			return true
		}
	}
	for i := a.slots.Next(0); i >= 0; i = a.slots.Next(i + 1) {
		if s := a.slots.At(i); (int(s.bus) == index || index == 0) && s.sounded && s.paused == 0 {
			return true
		}
	}
	return false
}

// block returns the n frames into which the bus is being mixed, silent at first.
func (b *bus) block(n int64) []pcm.Frame {
	if !b.used {
		clear(b.mixed[:n])
		b.used = true
	}
	return b.mixed[:n]
}

// addTail adds the end of a voice, from frame on. It may reach one hop and one
// tail beyond the first frame that is not mixed.
func (b *bus) addTail(tail []pcm.Frame, frame int64) {
	for len(tail) > 0 {
		at := frame & b.tailsMask
		n := min(int64(len(tail)), int64(len(b.tails))-at)
		dsp.Sum(b.tails[at:at+n], tail[:n])
		tail = tail[n:]
		frame += n
		b.tailsEnd = max(b.tailsEnd, frame)
	}
}

// takeTails adds n frames of tails to the block, and leaves silence behind.
func (b *bus) takeTails(frame, n int64) {
	n = min(n, b.tailsEnd-frame)
	if n <= 0 {
		return
	}
	dst := b.block(int64(len(b.mixed)))[:n]
	for len(dst) > 0 {
		at := frame & b.tailsMask
		k := min(int64(len(dst)), int64(len(b.tails))-at)
		src := b.tails[at : at+k]
		dsp.Sum(dst[:k], src)
		clear(src)
		dst = dst[k:]
		frame += k
	}
}

// turnDuck lowers or raises the bus when what it gives way to begins or ends.
func (b *bus) turnDuck(buses []bus, frame int64) {
	d := &b.duck
	if d.by == 0 || d.down == (buses[d.when].active > 0) {
		return
	}
	d.down = !d.down
	if d.down {
		d.move.Turn(frame, -d.by, d.attack)
	} else {
		d.move.Turn(frame, 0, d.release)
	}
}

// mixInto adds n frames of the bus to another.
func (b *bus) mixInto(dst *bus, a *audio, n int64) {
	b.takeTails(a.now, n)
	// Voices that end inside these frames may let go of a duck there. Nothing
	// starts inside, so it can happen once.
	released := int64(never)
	if d := &b.duck; d.by != 0 && d.down {
		if trigger := &a.buses[d.when]; trigger.endsBefore(a, d.when, a.now+n) {
			released = trigger.lastEnd(a, d.when)
		}
	}
	if !b.used {
		if released < a.now+n {
			b.turnUp(released)
		}
		return
	}
	b.used = false
	first := n
	if released < a.now+n {
		first = released - a.now
	}
	out := dst.block(n)
	b.apply(out[:first], b.mixed[:first], a.now)
	if first < n {
		b.turnUp(released)
		b.apply(out[first:], b.mixed[first:n], released)
	}
}

func (b *bus) turnUp(frame int64) {
	b.duck.down = false
	b.duck.move.Turn(frame, 0, b.duck.release)
}

// endsBefore reports whether all sounding voices of the bus have come to their
// end before a frame, and lastEnd where the last one did: reap has not counted
// them out yet.
func (b *bus) endsBefore(a *audio, index int, frame int64) bool {
	n := 0
	for _, e := range a.ends {
		if int(a.slots.At(e.slot).bus) == index && e.frame < frame {
			n++
		}
	}
	return b.active > 0 && n == b.active
}

func (b *bus) lastEnd(a *audio, index int) int64 {
	last := a.now
	for _, e := range a.ends {
		if int(a.slots.At(e.slot).bus) == index {
			last = max(last, e.frame)
		}
	}
	return last
}

// finish makes the master's frames, and reports whether they are silent.
func (b *bus) finish(dst []pcm.Frame, a *audio, n int64) (silent bool) {
	b.takeTails(a.now, n)
	clear(dst)
	if !b.used {
		return true
	}
	b.used = false
	b.apply(dst, b.mixed[:n], a.now)
	return false
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
