package cue

import (
	"errors"
	"fmt"
	"strconv"

	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/voice"
)

// ErrRecord is wrapped by the errors of a Recorder: something has happened that
// no cue sheet can say, or that it was not told of.
var ErrRecord = errors.New("cue: this cannot be recorded")

// Recorder makes a cue sheet of what a mixer has done, entry by entry of its
// journal: one that renders to the same bits. Control side, one goroutine at a
// time.
//
// Starts become cues of their own, each with an id; the parts of gain and pitch
// that belong to a sound, entries of `sounds`. What was said to a tag, or to all
// voices of a sound, is said to each.
type Recorder struct {
	sheet  *Sheet
	source func(*voice.Sound) (Sound, bool)

	sounds  map[soundKey]string
	names   map[string]int // of sounds
	groups  map[*mixer.Group]string
	taken   map[string]int // names of groups
	buses   map[string]bool
	ids     map[uint64]string
	streams map[uint64]bool // starts of streams
	listed  []byte          // the lines of sounds
	cues    []byte          // the lines of cues
	count   int
	last    int64

	silenced bool  // all was stopped, and nothing has started since
	silent   int64 // by then
}

// soundKey tells apart what is one entry of `sounds`.
type soundKey struct {
	sound   *voice.Sound
	group   *mixer.Group
	gain    pcm.Decibels
	pitch   pcm.Semitones
	quality voice.Quality
}

// NewRecorder returns a recorder for a mixer that is as the head of a sheet says:
// its voices, policy, rate, master and buses (see SheetOf); what else is in the
// sheet does not count. source says from which file a sound comes, as an entry of
// `sounds` would: its one file and how that is loaded; false when it is none.
func NewRecorder(head *Sheet, source func(*voice.Sound) (Sound, bool)) *Recorder {
	buses := map[string]bool{}
	for i := range head.Buses {
		buses[head.Buses[i].Name] = true
	}
	return &Recorder{
		buses: buses,
		sheet: head, source: source, sounds: map[soundKey]string{}, names: map[string]int{},
		groups: map[*mixer.Group]string{}, taken: map[string]int{}, ids: map[uint64]string{}, streams: map[uint64]bool{},
	}
}

// SheetOf returns the head of a sheet for a mixer: what NewRecorder wants. The
// error wraps ErrRecord: an insert is nothing that a sheet could name.
func SheetOf(c mixer.Config) (*Sheet, error) {
	s := &Sheet{
		Voices: c.Voices, Virtual: c.Virtual, Overflow: c.Overflow, Refuse: c.RejectQuietest, Rate: c.Rate, Quality: max(c.Quality, voice.Best), Seed: 1,
		Master: Master{Gain: c.MasterGain, Limiter: !c.NoLimiter, SoftClip: c.SoftClip, DCGuard: c.DCGuard},
	}
	if s.Voices == 0 {
		s.Voices = 32
	}
	if s.Rate == 0 {
		s.Rate = 48000
	}
	at := func(frames int64) Time { return timeOf(frames, s.Rate) }
	if c.Overflow == mixer.GrowPool {
		s.Grow = Grow{Step: c.Grow.Step, Max: c.Grow.Max, Idle: at(pcm.Frames(c.Grow.Idle, s.Rate))}
	}
	if c.Insert != nil {
		return nil, fmt.Errorf("%w: the master has an insert", ErrRecord)
	}
	for _, b := range c.Buses {
		if b.Insert != nil {
			return nil, fmt.Errorf("%w: bus %s has an insert", ErrRecord, quote(b.Name))
		}
		bus := Bus{Name: b.Name, Parent: b.Parent, Gain: b.Gain, Pan: b.Pan, Pitch: b.Pitch, Voices: b.Voices, Mute: b.Mute, Solo: b.Solo}
		if d := b.Duck; d != (mixer.Duck{}) {
			bus.Duck = &Duck{
				When: d.When, By: d.By, Attack: at(pcm.Frames(d.Attack, s.Rate)), Hold: at(pcm.Frames(d.Hold, s.Rate)), Release: at(pcm.Frames(d.Release, s.Rate)),
			}
		}
		s.Buses = append(s.Buses, bus)
	}
	return s, nil
}

// timeOf returns a time that is rounded to so many frames.
func timeOf(frames int64, rate int) Time {
	t, err := ParseTime(frameTime(frames, rate))
	if err != nil {
		panic("cue: a count of frames is no time: " + err.Error())
	}
	return t
}

// Add takes entries, which follow those before. The error wraps ErrRecord; the
// entries after the one that it is about are not taken.
func (r *Recorder) Add(entries []mixer.Entry) error {
	for i := range entries {
		if err := r.add(&entries[i]); err != nil {
			return fmt.Errorf("%w: at %s: %s", ErrRecord, frameTime(entries[i].Frame, r.sheet.Rate), err)
		}
	}
	return nil
}

// Cues returns how many cues there are.
func (r *Recorder) Cues() int { return r.count }

func (r *Recorder) add(e *mixer.Entry) error {
	if r.silences(e) {
		return nil
	}
	if e.Kind == mixer.EntryPlay {
		return r.play(e)
	}
	target := e.Bus
	switch {
	case e.Kind == mixer.EntryResize:
		return errors.New("the pool was resized, for which a sheet has no cue")
	case e.Kind == mixer.EntryDuck, e.Kind == mixer.EntryInsert:
		return fmt.Errorf("the duck or the insert of bus %s was set, for which a sheet has no cue", quote(e.Bus))
	case e.Kind == mixer.EntryPlace:
		return errors.New("something moved in space, of which a sheet knows nothing")
	case e.Start != 0:
		id, ok := r.ids[e.Start]
		if !ok {
			return errors.New("a voice was moved whose start is not in the journal")
		}
		target = id
	case target == "":
		target = "all"
	}
	change := e.Change
	if r.streams[e.Start] {
		// It changes nothing, and a sheet must not ask for it.
		if change.Fields &^= mixer.FieldRounds; e.Kind == mixer.EntrySet && change.Fields == 0 {
			return nil
		}
	}
	l := r.begin(e.Frame)
	switch e.Kind {
	case mixer.EntryStop:
		l.text("stop", target)
		l.frames("over", e.Frames)
	case mixer.EntryPause:
		l.text("pause", target)
	case mixer.EntryResume:
		l.text("resume", target)
	case mixer.EntrySeek:
		l.text("seek", target)
		l.raw("to", frameTime(e.Place, r.sheet.Rate))
	case mixer.EntrySet:
		l.text("set", target)
		l.change(&change)
		l.frames("over", e.Frames)
	}
	r.end(l)
	return nil
}

// silences follows when all voices have been stopped, and reports whether a stop
// of all changes nothing: one is under way that is over no later.
func (r *Recorder) silences(e *mixer.Entry) bool {
	switch {
	case e.Kind == mixer.EntryPlay:
		r.silenced = false
		return false
	case e.Kind != mixer.EntryStop || e.Start != 0 || e.Bus != "":
		return false
	}
	end := e.Frame + e.Frames
	if r.silenced && (end > r.silent || end == r.silent && e.Frames > 0) {
		return true
	}
	r.silenced, r.silent = true, end
	return false
}

// play writes a start.
func (r *Recorder) play(e *mixer.Entry) error {
	h := &e.How
	if h.Placed {
		return errors.New("a voice has a place in space, of which a sheet knows nothing")
	}
	name, err := r.sound(e)
	if err != nil {
		return err
	}
	id := "v" + strconv.Itoa(len(r.ids)+1)
	for r.buses[id] {
		id = "_" + id
	}
	r.ids[e.Start] = id
	if e.Sound.Streamed() {
		r.streams[e.Start] = true
	}
	l := r.begin(e.Frame)
	l.text("play", name)
	l.text("id", id)
	if e.Bus != "master" {
		l.text("bus", e.Bus)
	}
	l.number("gain", float64(h.Gain), 0)
	l.number("pan", h.Pan, 0)
	l.number("pitch", float64(h.Pitch), 0)
	if h.Speed != 0 {
		l.number("speed", h.Speed, 1)
	}
	switch {
	case h.Loop && h.Rounds > 0:
		l.raw("loop", strconv.Itoa(h.Rounds))
	case h.Loop:
		l.raw("loop", "true")
	}
	l.frames("from", h.From)
	l.frames("for", h.For)
	l.frames("fade_in", h.FadeIn)
	l.number("priority", float64(e.Priority), 0)
	if e.Protect {
		l.raw("protect", "true")
	}
	r.end(l)
	return nil
}
