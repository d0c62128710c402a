// Package record makes a cue sheet from the journal of a mixer. The journal is the record of
// the commands that the mixer has executed. A render of the sheet gives the same bits, if all volumes of buses were 0
// dB: they are the player's, so a recording omits them. Other volumes may also change the choice of victims.
//
//	config := mixer.Config{Journal: 4096}
//	m, err := mixer.New(config)
//	head, err := record.RulesOf(config)
//	recorder := record.New(head, source) // source returns the file of each sound
//
//	// From time to time, while m plays:
//	err = recorder.ReadJournal(m)
//
//	// At the end:
//	recorder.End(m.Now())
//	_, err = recorder.WriteTo(file)
//
// A player of package play records itself, see play.Options.Record. Control side, one goroutine at a time.
package record

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"

	"voicepool/bank/rules"
	"voicepool/cue"
	"voicepool/internal/sheet/fields"
	"voicepool/internal/sheet/parse"
	"voicepool/internal/sheet/yaml"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/space"
)

// ErrRecord is wrapped by the errors of a Recorder: a cue sheet cannot express an entry, or the Recorder
// lacks data.
var ErrRecord = errors.New("cue: this cannot be recorded")

// Recorder converts the journal of a mixer, the record of the commands it has executed, into a cue sheet. A render of
// the sheet gives the same bits as the mixer, with one exception. A voice can pass the state of its filters to the
// voice that follows it, see mixer.Handle.Then. The Recorder does not record this state, so in the sheet those
// filters start without history. Control side, one goroutine at a time.
//
// Each start becomes a cue with an id. Gains and pitches that belong to a sound become entries of `sounds`. A
// command for a tag, or for all voices of a sound, becomes one cue per voice.
type Recorder struct {
	head   *rules.Rules
	source func(*sounds.Sound) (rules.Sound, bool)

	sounds     map[soundKey]string
	names      map[string]int // use counts of sound names
	groups     map[*mixer.Group]string
	groupNames map[string]int // use counts of group names
	buses      map[string]bool
	ids        map[uint64]string
	loops      map[string]bool // names of sounds with a loop region
	soundLines []byte          // the lines of `sounds`
	cueLines   []byte          // the lines of `cues`
	count      int
	length     int64
	formatter  *cue.Formatter

	entries []mixer.Entry // buffer of ReadJournal
	err     error         // the first error of ReadJournal

	allStopped bool  // every voice was stopped, and no voice has started since
	stopEnd    int64 // the frame of the end of that stop
}

// soundKey identifies an entry of `sounds`.
type soundKey struct {
	sound    *sounds.Sound
	group    *mixer.Group
	gain     pcm.Decibels
	pitch    pcm.Semitones
	quality  sounds.Quality
	whenFull mixer.WhenFull
	placed   bool
	emitter  space.Emitter // without its Spot
}

// New returns a recorder that has not recorded cues yet. head describes the configuration of the mixer: voices, policy,
// rate, master, outputs and buses; RulesOf makes it. Other parts of head are ignored. head must not change afterwards.
//
// source returns the entry of `sounds` for a sound, with exactly one file, or false if the sound does not come from a
// file. Add calls source once for each combination of a sound with its settings.
func New(head *rules.Rules, source func(*sounds.Sound) (rules.Sound, bool)) *Recorder {
	buses := map[string]bool{}
	for i := range head.Outputs {
		buses[head.Outputs[i].Name] = true
	}
	for i := range head.Buses {
		buses[head.Buses[i].Name] = true
	}
	return &Recorder{
		buses: buses, formatter: cue.NewFormatter(), head: head, source: source,
		sounds: map[soundKey]string{}, names: map[string]int{},
		groups: map[*mixer.Group]string{}, groupNames: map[string]int{}, ids: map[uint64]string{}, loops: map[string]bool{},
	}
}

// Add converts entries, which must be in the order of the journal, to cues and records them. If a cue cannot express an
// entry, it stops there and returns an error that wraps ErrRecord. The remaining entries are not recorded.
func (r *Recorder) Add(entries []mixer.Entry) error {
	for i := range entries {
		if err := r.add(&entries[i]); err != nil {
			return fmt.Errorf("%w: at %v: %s", ErrRecord, rules.FrameTime(entries[i].Frame, r.head.Rate), err)
		}
	}
	return nil
}

// ReadJournal records the new entries of the journal of m, which must be the same mixer in all calls. Call it before
// the journal is full. The error wraps ErrRecord, and later calls return it again. There are two causes. A cue cannot
// express an entry: the sheet lacks this entry and all later ones. Or the journal was full: the sheet lacks the
// commands that the mixer could not add to it.
func (r *Recorder) ReadJournal(m *mixer.Mixer) error {
	if r.entries == nil {
		r.entries = make([]mixer.Entry, 256)
	}
	for n := len(r.entries); n == len(r.entries); {
		if n = m.Engine().Journal(r.entries); r.err == nil {
			r.err = r.Add(r.entries[:n])
		}
	}
	if lost := m.Engine().JournalLost(); r.err == nil && lost > 0 {
		return fmt.Errorf("%w: %d commands came too fast to be recorded", ErrRecord, lost)
	}
	return r.err
}

// Cues returns the number of cues recorded until now.
func (r *Recorder) Cues() int { return r.count }

// add converts the journal entry e to a cue and records it. A stop of all voices that has no effect is left out. If a
// cue cannot express the entry, it returns an error, which does not wrap ErrRecord yet.
func (r *Recorder) add(e *mixer.Entry) error {
	if r.isRedundantStop(e) {
		return nil
	}
	if e.Kind == mixer.EntryPlay {
		return r.play(e)
	}
	target := e.Bus
	switch {
	case e.Kind == mixer.EntryInsert:
		return fmt.Errorf("the insert of bus %s was changed, which no cue can express", yaml.Quote(e.Bus))
	case e.Kind == mixer.EntryPlace && e.Start == 0:
		listener := limitDoppler(e.Listener)
		if _, err := listener.Checked(); err != nil {
			return err
		}
		r.write(e.Frame, &cue.SetListener{Listener: listener}, "")
		return nil
	case e.Start != 0:
		id, ok := r.ids[e.Start]
		if !ok {
			return errors.New("a voice was moved whose start is not in the journal")
		}
		target = id
	case target == "":
		target = "all"
	}
	r.write(e.Frame, r.actionOf(e, cue.Target{Name: target}), "")
	return nil
}

// actionOf returns the action for the journal entry e, which changes the given target. e must not be a start.
func (r *Recorder) actionOf(e *mixer.Entry, target cue.Target) cue.Action {
	over := rules.FrameTime(max(e.Frames, 0), r.head.Rate)
	switch e.Kind {
	case mixer.EntryStop:
		stop := &cue.Stop{Target: target, Over: over, Shape: e.Change.Shape, Cut: e.Frames < 0}
		if stop.Shape == sounds.RaisedCosine || e.Frames <= 0 { // the default, or without a fade
			stop.Shape = sounds.Natural
		}
		return stop
	case mixer.EntryPause:
		return &cue.Pause{Target: target}
	case mixer.EntryResume:
		return &cue.Resume{Target: target}
	case mixer.EntrySeek:
		return &cue.Seek{Target: target, To: rules.FrameTime(e.Place, r.head.Rate)}
	case mixer.EntryResize:
		return &cue.Resize{Voices: e.Voices}
	case mixer.EntryDuck:
		return &cue.SetDuck{Target: target, Duck: *duckOf(e.Duck, r.head.Rate)}
	case mixer.EntryPlace:
		return &cue.Move{Target: target, Spot: e.How.Emitter.Spot}
	case mixer.EntryEffect:
		return &cue.Set{Target: target, Over: over, Effects: []rules.EffectMove{{Effect: e.Effect, Values: e.Values}}}
	case mixer.EntrySend:
		return &cue.Set{Target: target, Over: over, Sends: []mixer.Send{e.Send}}
	}
	c := e.Change
	if c.Shape == sounds.InDecibels || c.Fields&mixer.FieldGain == 0 { // the default, or only a gain has a shape
		c.Shape = sounds.Natural
	}
	c.Filters = limitFilters(c.Filters, r.head.Rate)
	return &cue.Set{Target: target, Over: over, Change: c}
}

// isRedundantStop reports whether e stops all voices without an effect. This is so if an earlier stop of all voices
// ends before the end of e, and no voice has started since. If the two stops end at the same frame, e must also have a
// fade. The method records stops and starts in r, so it must be called for each journal entry in order.
func (r *Recorder) isRedundantStop(e *mixer.Entry) bool {
	switch {
	case e.Kind == mixer.EntryPlay:
		r.allStopped = false
		return false
	case e.Kind != mixer.EntryStop || e.Start != 0 || e.Bus != "":
		return false
	}
	end := e.Frame + max(e.Frames, 0)
	if r.allStopped && (end > r.stopEnd || end == r.stopEnd && e.Frames > 0) {
		return true
	}
	r.allStopped, r.stopEnd = true, end
	return false
}

// play records the start e as a cue with a new id. Later entries for the voice find that id in r.ids. It returns an
// error if a sheet cannot express the sound.
func (r *Recorder) play(e *mixer.Entry) error {
	h := &e.How
	name, err := r.sound(e)
	if err != nil {
		return err
	}
	id := "v" + strconv.Itoa(len(r.ids)+1)
	for r.buses[id] {
		id = "_" + id
	}
	r.ids[e.Start] = id
	rate := r.head.Rate
	p := &cue.Play{
		ID: id, Bus: e.Bus, Loop: h.Loop, Rounds: h.Rounds, Priority: e.Priority, Importance: e.Importance, Protect: e.Protect, Owner: ownerName(e.Owner),
		From: rules.FrameTime(h.From, rate), FadeIn: rules.FrameTime(h.FadeIn, rate), FadeShape: h.FadeShape,
		Gain: h.Gain, Pan: h.Pan, Pitch: h.Pitch, Speed: h.Speed, Filters: limitFilters(h.Filters, rate), Sends: h.Sends,
	}
	if h.Placed {
		p.Spot = &h.Emitter.Spot
	}
	if e.Bus == "master" {
		p.Bus = ""
	}
	if h.Speed == 1 {
		p.Speed = 0
	}
	if h.For > 0 {
		p.For = new(rules.FrameTime(h.For, rate))
	}
	r.write(e.Frame, p, name)
	return nil
}

// ownerName returns the name of an owner in a sheet: its number in decimal, or "" if owner is 0, which means no owner.
func ownerName(owner uint64) string {
	if owner == 0 {
		return ""
	}
	return strconv.FormatUint(owner, 10)
}

// sound returns the name of the `sounds` entry for the sound and the settings of the start e. If the entry is new, it
// is written to r.soundLines. It returns "" and an error if a sheet cannot express the sound.
func (r *Recorder) sound(e *mixer.Entry) (string, error) {
	h := &e.How
	key := soundKey{e.Sound, e.Group, h.BaseGain, h.BasePitch, h.Quality, e.WhenFull, h.Placed, h.Emitter}
	key.emitter.Spot = space.Spot{}
	if name, ok := r.sounds[key]; ok {
		return name, nil
	}
	s, ok := r.source(e.Sound)
	switch {
	case !ok || len(s.Files) != 1:
		return "", fmt.Errorf("the file of the sound %s is unknown", yaml.Quote(e.Sound.Name()))
	case r.lacksMasking(e.Sound):
		return "", fmt.Errorf("the sound %s is not measured for masked, which a sheet needs; give the library library.Options{Masking: true}",
			yaml.Quote(e.Sound.Name()))
	case h.BasePitch < -mixer.MaxPitch || h.BasePitch > mixer.MaxPitch:
		return "", fmt.Errorf("the sound %s is pitched by %v semitones of its own, beyond -%[3]d..%[3]d", yaml.Quote(e.Sound.Name()), h.BasePitch, mixer.MaxPitch)
	}
	name := uniqueName(r.names, e.Sound.Name())
	r.sounds[key] = name
	entry := rules.Sound{
		Gain: rules.Constant(float64(h.BaseGain)), Pitch: rules.Constant(float64(h.BasePitch)),
		Stream: s.Stream, Leveling: s.Leveling, WhenFull: e.WhenFull,
		LoopFrom: s.LoopFrom, LoopTo: s.LoopTo, MaxPitch: s.MaxPitch,
	}
	r.loops[name] = !s.LoopTo.IsZero()
	if s.Stream {
		entry.CountsAs = s.CountsAs
	}
	if h.Quality != r.head.Quality {
		entry.Quality = &h.Quality
	}
	if e.Group != nil {
		r.group(e.Group, &entry)
	}
	var l fields.Line
	l.Raw("file", fields.Quoted(cmp.Or(s.Files[0].Path, s.Files[0].Name)))
	l.Fields(parse.Sound(&entry, nil))
	if h.Placed {
		emitter := h.Emitter
		emitter.Cone.LowPass = limitCutoff(emitter.Cone.LowPass, r.head.Rate)
		writeEmitter(&l, &emitter)
	}
	if c := &entry.Coalesce; !c.Within.IsZero() {
		l.Raw("coalesce", fmt.Sprintf("{within: %v, most: %s}", c.Within, fields.Shortest(float64(c.Most))))
	}
	r.soundLines = fmt.Appendf(r.soundLines, "  %s: {%s}\n", fields.Quoted(name), &l)
	return name, nil
}

// lacksMasking reports whether the mixer steals by masking but s does not have the masking data. A sheet would load the
// sound with that data and then choose other voices to steal, so s cannot be recorded. The result is false for streams
// and empty sounds.
func (r *Recorder) lacksMasking(s *sounds.Sound) bool {
	return r.head.Overflow == mixer.StealMasked && !s.Streamed() && s.Frames() > 0 && s.Envelope().Masks == nil
}

// group fills in the group of entry, the `sounds` entry of a sound. It sets entry.Group to the name of g, and copies
// the limit, cooldown and coalescing of g to entry. A group that r does not know yet gets a unique name, which is kept
// in r.groups.
func (r *Recorder) group(g *mixer.Group, entry *rules.Sound) {
	name, ok := r.groups[g]
	if !ok {
		name = uniqueName(r.groupNames, g.Name())
		r.groups[g] = name
	}
	o, rate := g.Options(), r.head.Rate
	entry.Group, entry.Limit = name, rules.Limit{Voices: o.Voices, PerOwner: o.PerOwner, Full: o.Full}
	entry.Cooldown = rules.FrameTime(pcm.Frames(o.Cooldown, rate), rate)
	entry.Coalesce = rules.Coalesce{Within: rules.FrameTime(pcm.Frames(o.Coalesce, rate), rate), Most: o.Most}
}

// uniqueName returns name, followed by a number if an earlier call has returned name already. An empty name counts as
// "sound". taken must be the same map in all calls; it holds the last number of each name, and uniqueName updates it.
func uniqueName(taken map[string]int, name string) string {
	if name == "" {
		name = "sound"
	}
	unique := name
	for taken[unique] > 0 {
		taken[name]++
		unique = name + " " + strconv.Itoa(taken[name])
	}
	taken[unique] = 1
	return unique
}
