package play

import (
	"slices"
	"time"

	"voicepool/bank/rules"
	"voicepool/cue"
	"voicepool/cue/internal/runsheet"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
)

// ramp is a value that moves linearly between two frames of the show: a parameter, a gain in decibels or a
// pitch in semitones.
type ramp struct {
	from, to   float64
	begin, end int64
}

// constantRamp returns a ramp that is constantly x.
func constantRamp(x float64) ramp { return ramp{from: x, to: x} }

// at returns the value of the ramp at frame of the show. Before r.begin it is r.from, and from r.end on it is r.to.
func (r *ramp) at(frame int64) float64 {
	switch {
	case frame >= r.end:
		return r.to
	case frame <= r.begin:
		return r.from
	}
	return r.from + (r.to-r.from)*float64(frame-r.begin)/float64(r.end-r.begin)
}

// moveTo replaces r by a ramp to a new value, the parameter to. The ramp begins at frame of the show with the value
// that r has there. over is its length in frames; at 0 the value jumps.
func (r *ramp) moveTo(to float64, frame, over int64) {
	*r = ramp{from: r.at(frame), to: to, begin: frame, end: frame + over}
}

// crossing returns the frame of the show where the ramp reaches the value x, rounded to the nearest. It returns 0 and
// false if x is not strictly between the two ends of the ramp.
func (r *ramp) crossing(x float64) (int64, bool) {
	if x <= min(r.from, r.to) || x >= max(r.from, r.to) {
		return 0, false
	}
	return r.begin + int64((x-r.from)*float64(r.end-r.begin)/(r.to-r.from)+0.5), true
}

// parameterStart is a playing sound with parameters.
type parameterStart struct {
	tag         mixer.Tag
	rules       *rules.Sound
	voices      []mixer.Handle
	starts      []int64 // start frames of voices
	values      []ramp  // by parameter
	gain, pitch propertyLine
}

// propertyLine is the gain or pitch of a playing sound with parameters: the cue's own value plus the curves of the
// parameters. It is a polyline; its corners are set commands.
type propertyLine struct {
	start    *parameterStart
	field    mixer.Fields
	cueValue ramp
	shape    sounds.Shape   // shape of the fade of cueValue
	curves   []*rules.Curve // by parameter
	corners  []int64        // frames of the remaining corners
	valid    rules.Range    // valid range of the property
}

// at returns the value of the property at frame of the show: a gain in decibels or a pitch in semitones. It is the
// cue's own value plus the curves of all parameters, limited to the valid range. If the cue's own gain is silence, the
// curves do not raise it.
func (l *propertyLine) at(frame int64) float64 {
	sum := l.cueValue.at(frame)
	silent := l.field == mixer.FieldGain && sum <= float64(pcm.Silence)
	for i, c := range l.curves {
		sum += c.Value(l.start.values[i].at(frame))
	}
	if silent {
		sum = min(sum, float64(pcm.Silence))
	}
	return min(max(sum, l.valid.From), l.valid.To)
}

// hasCurves reports whether any parameter of the sound has a curve for this property. Only then do parameters change
// the property, so that it needs set commands.
func (l *propertyLine) hasCurves() bool {
	return slices.ContainsFunc(l.curves, func(c *rules.Curve) bool { return *c != nil })
}

// findCorners sets l.corners to the frames of the show, after frame, that may change the slope of the property. These
// are the end of the cue's own fade, the ends of moving parameters, and the frames when a parameter passes a point of
// its curve. Of corners that are less than least frames apart, only one is kept; the last corner always is. While a
// parameter moves, each later start of a voice adds a corner one frame after it.
func (l *propertyLine) findCorners(frame, least int64) {
	all := []int64{l.cueValue.end}
	moves := false
	for i := range l.start.values {
		v := &l.start.values[i]
		if *l.curves[i] == nil || v.end <= frame {
			continue
		}
		moves, all = true, append(all, v.end)
		for _, p := range *l.curves[i] {
			if at, ok := v.crossing(p.X); ok {
				all = append(all, at)
			}
		}
	}
	slices.Sort(all)
	l.corners = nil
	last, before := all[len(all)-1], frame
	for _, at := range all {
		if at > before && (at == last || at-before >= least && last-at >= least) {
			l.corners, before = append(l.corners, at), at
		}
	}
	if !moves {
		return
	}
	// At the frame of its start a voice takes a set as its initial value, without a ramp. Therefore it gets
	// a corner one frame later.
	for _, at := range l.start.starts {
		if at++; at > frame && at < last {
			l.corners = append(l.corners, at)
		}
	}
	slices.Sort(l.corners)
	l.corners = slices.Compact(l.corners)
}

// nextChange returns c, the command of the mixer that moves the property, from the given frame of the show on, to its
// value at the next corner, where its slope changes. The result over is the length of this move in frames. If no corner
// is left, over is 0, and c sets the value at the given frame. No command is sent.
func (l *propertyLine) nextChange(frame int64) (c mixer.Change, over int64) {
	to, shape := frame, sounds.InDecibels
	if len(l.corners) > 0 {
		to = l.corners[0]
	}
	if len(l.corners) == 1 && l.cueValue.begin == frame && to == l.cueValue.end {
		shape = l.shape
	}
	c = mixer.Change{Fields: l.field, Gain: pcm.Decibels(l.at(to)), Shape: shape}
	if l.field == mixer.FieldPitch {
		c = mixer.Change{Fields: l.field, Pitch: pcm.Semitones(l.at(to))}
	}
	return c, to - frame
}

// parameterState holds all playing sounds with parameters.
type parameterState struct {
	rate   int
	values map[string]ramp // parameters set for all sounds
	starts []*parameterStart
}

// minCornerDistance returns 5 ms in frames. Corners, the changes of slope of a gain or pitch, are merged if they are
// closer together.
func (t *parameterState) minCornerDistance() int64 { return pcm.Frames(5*time.Millisecond, t.rate) }

// newStart returns the state of the parameters of a start that plays sound. tag is the number of its id; gain and pitch
// are its own values. Each parameter begins with its value in own, or else with the value set for all sounds, or else
// with its default. The result is nil if the sound has no parameters. Later cues change the start only after register.
func (t *parameterState) newStart(tag mixer.Tag, gain pcm.Decibels, pitch pcm.Semitones, own []cue.Parameter, sound *rules.Sound) *parameterStart {
	if sound.Parameters == nil {
		return nil
	}
	p := &parameterStart{tag: tag, rules: sound}
	p.gain = propertyLine{start: p, field: mixer.FieldGain, cueValue: constantRamp(float64(gain))}
	p.pitch = propertyLine{start: p, field: mixer.FieldPitch, cueValue: constantRamp(float64(pitch))}
	p.gain.valid = rules.Range{From: mixer.MinGain, To: mixer.MaxGain}
	p.pitch.valid = rules.Range{From: -mixer.MaxPitch, To: mixer.MaxPitch}
	for i := range sound.Parameters {
		one := &sound.Parameters[i]
		x, all := t.values[one.Name]
		if !all {
			x = constantRamp(one.At)
		}
		for _, set := range own {
			if set.Name == one.Name {
				x = constantRamp(set.To)
			}
		}
		p.values = append(p.values, x)
		p.gain.curves, p.pitch.curves = append(p.gain.curves, &one.Gain), append(p.pitch.curves, &one.Pitch)
	}
	return p
}

// register adds p, a start whose voices are known, to the starts that later cues change. It computes the corners of the
// gain and the pitch of p after the given frame of the show, because parameters may be moving already. Starts whose
// voices have all ended are removed from t. register sends no command.
func (t *parameterState) register(p *parameterStart, frame int64) {
	t.starts = append(slices.DeleteFunc(t.starts, (*parameterStart).ended), p)
	p.gain.findCorners(frame, t.minCornerDistance())
	p.pitch.findCorners(frame, t.minCornerDistance())
}

// registerManual registers p, a start by hand, and sends the fades of its gain and pitch to the mixer. From the given
// frame of the show on, each parameter that a cue has set for all sounds replaces the value in p. at converts a frame
// of the show to a moment of the mixer. Errors are ignored, because the next corner corrects the values.
func (t *parameterState) registerManual(p *parameterStart, at func(int64) mixer.Moment, frame int64) {
	for i := range p.values {
		if x, all := t.values[p.rules.Parameters[i].Name]; all {
			p.values[i] = x
		}
	}
	t.register(p, frame)
	_ = p.forEachLine(func(l *propertyLine) error { return l.sendFade(at, frame, t.rate) })
}

// ended reports whether all voices of the start have ended. It is also true if no voice was started.
func (p *parameterStart) ended() bool {
	return !slices.ContainsFunc(p.voices, func(h mixer.Handle) bool { return !h.State().Over() })
}

// forEachLine calls the function do for the gain and then for the pitch of p. It leaves out a property without curves
// of parameters. It stops at the first error of the function and returns it.
func (p *parameterStart) forEachLine(do func(*propertyLine) error) error {
	for _, l := range [...]*propertyLine{&p.gain, &p.pitch} {
		if !l.hasCurves() {
			continue
		}
		if err := do(l); err != nil {
			return err
		}
	}
	return nil
}

// sendFade sends one command to each voice of the sound. The command begins at the given frame of the show. It moves
// the property to its value at the next corner, the next change of its slope. Without a further corner, the command
// sets the value at the given frame. at converts a frame of the show to a moment of the mixer. rate is the sample rate
// in Hz. At the first error of the mixer, sendFade returns it and sends no further command.
func (l *propertyLine) sendFade(at func(int64) mixer.Moment, frame int64, rate int) error {
	c, over := l.nextChange(frame)
	for _, h := range l.start.voices {
		if err := at(frame).Set(mixer.TargetVoice(h), c, pcm.Duration(over, rate)); err != nil {
			return err
		}
	}
	return nil
}

// nextCorner returns the frame of the earliest corner of all playing sounds: a frame of the show where a gain or pitch
// that follows parameters may change its slope. Without a corner it returns the constant never.
func (t *parameterState) nextCorner() int64 {
	frame := int64(never)
	for _, p := range t.starts {
		for _, l := range [...]*propertyLine{&p.gain, &p.pitch} {
			if len(l.corners) > 0 && l.hasCurves() {
				frame = min(frame, l.corners[0])
			}
		}
	}
	return frame
}

// passCorners removes the corners at exactly the given frame of the show from the gains and pitches of all playing
// sounds. A corner is a frame where a property changes its slope. If a property has further corners, passCorners first
// sends the move to the next corner. at converts a frame of the show to a moment of the mixer. At the first error of
// the mixer, passCorners returns it; the corner that failed stays for the next call.
func (t *parameterState) passCorners(at func(int64) mixer.Moment, frame int64) error {
	for _, p := range t.starts {
		if err := p.forEachLine(func(l *propertyLine) error {
			if len(l.corners) == 0 || l.corners[0] != frame {
				return nil
			}
			if len(l.corners) > 1 {
				next := *l
				next.corners = l.corners[1:]
				if err := next.sendFade(at, frame, t.rate); err != nil {
					return err
				}
			}
			l.corners = l.corners[1:]
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}

// reportMissed makes the mixer report cue c, which sets only parameters, as missed if the id of c has no voice. To do
// this, it sets the pitch of the id, at the moment at, to the present value of the pitch at the given frame of the
// show. If several starts have the id, it sets the pitch of the last one; the method apply then gives each start its
// own pitch. If c does not target an id, it has no effect. It returns the error of the mixer.
func (t *parameterState) reportMissed(at mixer.Moment, frame int64, c *runsheet.Cue) error {
	if c.Target().Scope != cue.OnID {
		return nil
	}
	current := mixer.Change{Fields: mixer.FieldPitch}
	for _, p := range t.starts {
		if p.tag == c.Tag {
			current.Pitch = pcm.Semitones(p.pitch.at(frame))
		}
	}
	return at.Set(mixer.TargetTag(c.Tag), current, 0)
}

// apply moves the parameters, gains and pitches of all registered starts as set requests. tag is the number of the id
// that set targets. The moves begin at frame of the show. If set targets all voices, later starts get the parameters,
// too. A set of a bus has no effect. sounds are the sounds of the sheet. apply sends no command. It returns the lines
// that need one.
func (t *parameterState) apply(set *cue.Set, tag mixer.Tag, sounds []rules.Sound, frame int64) (moved []*propertyLine) {
	over, scope := set.Over.Frames(t.rate), set.Target.Scope
	if scope == cue.OnAll {
		for _, one := range set.Parameters {
			v, ok := t.values[one.Name]
			if !ok {
				v = constantRamp(defaultOf(sounds, one.Name))
			}
			v.moveTo(one.To, frame, over)
			t.values[one.Name] = v
		}
	}
	for _, one := range t.starts {
		if scope == cue.OnBus || scope == cue.OnID && one.tag != tag {
			continue
		}
		gain, pitch := one.applySet(set, frame, over)
		parametersOnly := scope == cue.OnID && set.Change.Fields == 0
		if gain && one.gain.hasCurves() {
			moved = append(moved, &one.gain)
		}
		if parametersOnly || pitch && one.pitch.hasCurves() {
			moved = append(moved, &one.pitch)
		}
	}
	for _, l := range moved {
		l.findCorners(frame, t.minCornerDistance())
	}
	return moved
}

// applySet moves the parameters, the gain and the pitch of p as set requests. The moves begin at frame of the show,
// and over is their length in frames. It sends no command. The results gain and pitch report whether the gain and the
// pitch of p move.
func (p *parameterStart) applySet(set *cue.Set, frame, over int64) (gain, pitch bool) {
	for _, parameter := range set.Parameters {
		for i := range p.values {
			if one := &p.rules.Parameters[i]; one.Name == parameter.Name {
				p.values[i].moveTo(parameter.To, frame, over)
				gain, pitch = gain || one.Gain != nil, pitch || one.Pitch != nil
			}
		}
	}
	if set.Change.Fields&mixer.FieldGain != 0 {
		p.gain.cueValue.moveTo(float64(set.Change.Gain), frame, over)
		p.gain.shape, gain = set.Change.Shape, true
	}
	if set.Change.Fields&mixer.FieldPitch != 0 {
		p.pitch.cueValue.moveTo(float64(set.Change.Pitch), frame, over)
		pitch = true
	}
	return gain, pitch
}

// defaultOf returns the default value of the first parameter with the given name among sounds. Without such a
// parameter, which the parser excludes, it returns 0.
func defaultOf(sounds []rules.Sound, name string) float64 {
	for i := range sounds {
		for j := range sounds[i].Parameters {
			if p := &sounds[i].Parameters[j]; p.Name == name {
				return p.At
			}
		}
	}
	return 0
}
