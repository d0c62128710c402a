package cue

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"voicepool/bank/rules"
	"voicepool/cue/report"
	"voicepool/internal/loading"
	"voicepool/internal/scenes"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
)

// Options is how a sheet is played; the zero value plays it.
type Options struct {
	// Watch is told what happens, in the order of frames, by the goroutine that
	// calls Read or Feed.
	Watch func(report.Event)

	// Loading is told how far the loading of sounds is. Preparing is told then, in the same way, of
	// the versions of sounds that pitched voices read.
	Loading, Preparing Loading

	// Broken is told at once of each stream that breaks while it is decoded, a part of a second or
	// more before that is heard; from any goroutine, and again if it is played again. nil: nobody.
	Broken func(error)

	// Events has the report list all that has happened.
	Events bool

	// Block is the most frames that Render is asked for at a time, where that is
	// more than a fifteenth of a second: Feed stays three blocks ahead.
	Block int

	// From has the show begin in the middle, as if all before it had been: what would be sounding
	// there does, at its place. What is given is the end of what would be given without it, to the
	// bit. What happened before is told as well. Cue has it begin with the cue of a number instead:
	// of the list, where a GO of the sheet fires it, or of `cues`. If no cue of the sheet has a number, Cue is a
	// place in `cues`, from 0. A live show has the GOs of the sheet
	// behind it that come before. A cue of its list stands by; where no GO fires it, those before it
	// count as finished: loops without an end are at their beginning.
	From rules.Time
	Cue  string

	// Meters has every bus measured, for the Levels of mixer.Bus; Live has that too.
	Meters bool

	// Record has the player note what it does; see Recorder.
	Record bool

	// Live has the list wait for Fire: the sheet's own times of GO do not count, and Feed does
	// not end where nothing is left, until Finish.
	Live bool

	// Changes says that Player.Change may be called.
	Changes bool

	// Fired is told of each cue of the list that has begun, by its place in Sheet.List, and at which
	// frame; by the goroutine of Feed. nil: nobody.
	Fired func(list int, frame int64)

	// Send is given each message of a cue with Verb Send once its frame has been mixed, in the order
	// of frames, by the goroutine of Feed, which waits for it. Feed goes on until the last one. Read
	// sends none. nil: nobody.
	Send func(m *Message, frame int64)

	// Wake is called where something has been asked for, as by Do, Fire, Panic, Hold or Start, by the
	// goroutine that asks: Player.Turn is to be called soon. It calls nothing of the player and does not
	// wait. nil: nobody.
	Wake func()
}

// Player plays a sheet once, either by Read, faster than real time, or by
// Prime, Feed and, as the source of a device, Render. Its methods are control
// side and for one goroutine at a time, but for Render, which is the audio side,
// and Levels.
type Player struct {
	given     atomic.Pointer[Sheet] // that was given last
	sheet     *Sheet                // with what its list has begun, and those that were given before
	options   Options
	recording recording
	mixer     *mixer.Mixer
	most      int64       // commands that may be under way
	wide      int         // outputs that are interleaved
	made      rules.Rules // that the mixer was made from; never written again
	voices    int         // that the pool of the mixer can have
	schedule  *Schedule
	follows   follows
	replaced  sync.Mutex      // of sounds
	sounds    []loading.Sound // by sound
	groups    []*mixer.Group
	buses     map[string]mixer.Bus

	begins  beginning
	skips   bool  // what is rendered is not heard
	cut     int64 // frames at which everything is cut; never: nowhere
	atCut   *mixer.Stats
	held    *Action // what the mixer had no room for
	handed  int64   // what is due before it was handed over
	sent    int64   // actions
	done    int     // commands of held that the mixer has taken
	step    int     // of the commands of held: the next
	tuning  tuning
	stage   scenes.Stage
	waiting []waiting
	voids   []int64 // frames of starts that were stopped before they came
	asked   int64   // starts among them, but for those of Start
	polled  []mixer.Event
	events  []report.Event
	missed  int64 // what the mixer did not need to be asked
	seconds float64
	file    rendering
	heard   heard
	beneath beneath
	streams *broken
	live    live
	turning turning
	byHand  byHand
	armed   armed
	outbox  outbox
	pitches pitches
	hold    *hold
	mix     func([]pcm.Frame) []pcm.Frame // mixUntilCut, made once
}

const never = 1<<63 - 1

// NewPlayer makes the mixer that a sheet describes, and loads its sounds. The
// library must have the rate of the sheet. The error is that of LoadSounds, or
// wraps mixer.ErrConfig.
func NewPlayer(ctx context.Context, s *Sheet, lib *sounds.Library, o Options) (*Player, error) {
	given := s
	if s = s.fired(); o.Live {
		s = given.unfired()
	}
	if lib.Rate() != s.Rate {
		return nil, fmt.Errorf("%w: the sounds are prepared for %d Hz, the sheet plays at %d", mixer.ErrConfig, lib.Rate(), s.Rate)
	}
	config := s.Config()
	most := fewCommands
	if config.Meters = o.Live || o.Meters; !o.Live || len(s.Cues) >= fewCommands/2 { // else the mixer begins small: a server has hundreds of them
		config.Commands, most = commands, commands
	}
	if err := config.Check(); err != nil { // before all else that takes time
		return nil, fmt.Errorf("cue: %w", err)
	}
	broken := &broken{tell: o.Broken}
	loaded, err := s.load(ctx, lib, o.Loading, broken, o.Live)
	if err != nil {
		return nil, err
	}
	versions := s.versions(loaded, o.Live)
	versions.Progress = o.Preparing
	if err := versions.Make(ctx); err != nil {
		return nil, err
	}
	if o.Record {
		config.Journal = journalled
	}
	m, err := mixer.New(config)
	if err != nil {
		return nil, fmt.Errorf("cue: %w", err)
	}
	if s == given { // it is added to
		s = new(*given)
		s.Cues = slices.Clip(s.Cues)
	}
	p := &Player{
		sheet: s, options: o, mixer: m, sounds: loaded, schedule: s.Schedule(s.Rate, s.Seed),
		buses: map[string]mixer.Bus{}, tuning: tuning{rate: s.Rate, values: map[string]ramp{}},
		cut: never, polled: make([]mixer.Event, 256), streams: broken, most: int64(most), made: s.Rules, voices: poolMost(&config),
	}
	p.schedule.gone = p.gone
	p.given.Store(given)
	p.live.ids, p.live.owners, p.live.over, p.live.call = slices.Clone(given.ids), given.owners(), make(chan struct{}), o.Wake
	if s.Length != nil {
		p.cut = s.Length.Frames(s.Rate)
	}
	if p.groups, err = s.Groups(m); err != nil {
		return nil, fmt.Errorf("cue: %w", err)
	}
	p.byHand.seed, p.byHand.draws = s.Seed, map[string]*draws{}
	p.byHand.stock.Store(p.newStock(given, 0, loaded, p.groups))
	p.stage = scenes.NewStage(m, &s.Rules, p.moment)
	p.buses["master"], _ = m.Bus("master")
	for i := range s.Outputs {
		p.buses[s.Outputs[i].Name], _ = m.Bus(s.Outputs[i].Name)
	}
	for i := range s.Buses {
		p.buses[s.Buses[i].Name], _ = m.Bus(s.Buses[i].Name)
	}
	if o.Record {
		p.record()
	}
	p.wide = m.Outputs()
	p.file.kept.rings = s.rings() > 0
	p.heard.begin(s.Rate, p.wide, s.Outputs)
	p.hold, p.mix = newHold(s.Rate, p.wide), p.mixUntilCut
	p.file.flips, p.live.held.fade = flipsOf(s.Goes, s.Rate), fadeFrames(s.Rate)
	p.follows, p.pitches = newFollows(s), s.pitches()
	if err := p.newBeginning(); err != nil {
		m.Close()
		return nil, err
	}
	return p, nil
}

// commands is how many commands may be under way: at 20 ms between two looks of
// Feed, 200,000 a second. Of a small live show there are fewCommands, the mixer's own number.
const (
	commands    = 4096
	fewCommands = 1024
)

// Mixer returns the mixer, for its Stats and Latency. What the sheet does not
// know of must not be played on it, nor its events be polled.
func (p *Player) Mixer() *mixer.Mixer { return p.mixer }

// Close ends the decoding of streams. Read calls it at its end, and Feed; who
// gives up before calls it too. Closing twice is harmless.
func (p *Player) Close() { p.mixer.Close() }

// Sheet returns what is played: what Change was given last, or NewPlayer. Any goroutine.
func (p *Player) Sheet() *Sheet { return p.given.Load() }

// feed hands over what is due before a frame. With mixer.ErrBusy it has handed
// over what there was room for, and blocked is the frame of the next.
func (p *Player) feed(before int64) (blocked int64, err error) {
	before = min(before, p.cut)
	for {
		if p.held == nil {
			frame, ok := p.schedule.Peek()
			next := p.tuning.next()
			if next < before && (!ok || next < frame) {
				if err := p.tuning.glide(p.moment, next); err != nil {
					return next, err
				}
				p.sent++
				continue
			}
			if !ok || frame >= before {
				return 0, nil
			}
			a, _ := p.schedule.Next()
			if p.follows.fewer(&a); a.Passed {
				continue
			}
			p.held = &a
		}
		if err := p.sendHeld(); err != nil {
			return p.held.Frame, err
		}
	}
}

// placed returns an error of a cue with its place in a file, as rules.Errors. ErrBusy is no fault of the file.
func (c *Cue) placed(file string, err error) error {
	if c.Line == 0 || errors.Is(err, mixer.ErrBusy) {
		return err
	}
	return rules.Errors{&rules.Error{File: file, Line: c.Line, Column: c.Column, Msg: err.Error()}}
}

// once gives a command of the action that is held, unless the mixer has taken it before it was full.
func (p *Player) once(command func() error) error {
	if p.step == p.done {
		if err := command(); err != nil {
			return err
		}
		p.done++
	}
	p.step++
	return nil
}

// send asks the mixer for one action.
func (p *Player) send(a *Action) error {
	c := &p.sheet.Cues[a.Cue]
	p.step = 0
	switch c.Verb {
	case Play:
		return p.play(a, c)
	case Send:
		p.write(a, c)
		return nil
	}
	at := p.moment(a.Frame).WithRef(int64(a.Cue))
	if err := p.once(func() error { return p.act(at, c, p.target(c)) }); err != nil {
		return err
	}
	if err := p.actLater(at, a.Frame, c); err != nil {
		return err
	}
	if c.Verb == Set || c.Verb == Fade {
		return p.tune(a.Frame, c)
	}
	return nil
}

// poll takes what has happened from the mixer.
func (p *Player) poll() {
	p.recording.note(p.mixer)
	for {
		n := p.mixer.Events(p.polled)
		if p.atCut != nil {
			n = 0
		}
		for i := range p.polled[:n] {
			p.follows.note(&p.polled[i])
			p.tell(p.event(&p.polled[i]))
		}
		if n < len(p.polled) {
			return
		}
	}
}

func (p *Player) tell(e report.Event) {
	if p.options.Events {
		p.beneath.expect(len(p.events), &e)
		p.events = append(p.events, e)
	}
	if p.options.Watch != nil {
		p.options.Watch(e)
	}
}

// quiet reports whether nothing sounds, and nothing that was handed over is
// going to. SilentFrom of the stats is then the end of what has sounded.
func (p *Player) quiet(st *mixer.Stats) bool {
	return st.Playing == 0 && st.Asked+p.toCome(st) >= p.askedFor()
}

// over returns the frame from which on all is silent where nothing sounds and nothing is to come.
func over(st *mixer.Stats) int64 { return max(st.SilentFrom, st.RingsUntil) }

// askedFor returns how many starts were asked for: of the sheet, and by hand.
func (p *Player) askedFor() int64 { return p.asked + p.byHand.asked.Load() }

// finished reports whether nothing will sound any more.
func (p *Player) finished(st *mixer.Stats) bool {
	return p.quiet(st) && p.schedule.Plays() == 0 && (p.armed.on && p.armed.idle() || !p.armed.on && !p.follows.waits()) && (p.held == nil || p.sheet.Cues[p.held.Cue].Verb != Play)
}
