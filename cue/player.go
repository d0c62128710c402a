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
	"voicepool/internal/sheet/loading"
	"voicepool/internal/sheet/scenes"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
)

// Options configures a Player. The zero value plays the sheet in full.
type Options struct {
	// Watch is called with each event, in the order of frames, by the goroutine that calls Read or Feed.
	Watch func(report.Event)

	// Loading is called with the progress of loading sounds. Preparing is then called with the progress of
	// resampling sounds for pitched voices.
	Loading, Preparing Progress

	// StreamError is called with the error of each stream that breaks while it is decoded, a fraction of a
	// second or more before the break is audible. Calls come from any goroutine, and again if the stream
	// is played again. It may be nil.
	StreamError func(error)

	// Events adds all events to the report.
	Events bool

	// Block is the largest number of frames that Render is called with. Set it if the device calls Render with blocks
	// of more than 1/15 s. Feed sends cues to the mixer 200 ms ahead, or three of these blocks if that is longer.
	Block int

	// From starts the show in the middle. Voices that would be playing there start at their current position, and the
	// output equals the end of the complete output bit for bit. Earlier events are reported as well. Cue instead
	// starts the show at the cue with this number: a list cue that a scheduled GO fires, or a cue in `cues`. If no
	// cue of the sheet has a number, Cue is an index into `cues`, from 0.
	//
	// In a live show, the scheduled GOs before that place count as done. If Cue is a list cue, it becomes
	// the next cue. If no scheduled GO fires it, the cues before it count as finished, and their endless
	// loops start from the beginning.
	From rules.Time
	Cue  string

	// Meters measures every bus for the Levels of mixer.Bus. Live implies it.
	Meters bool

	// Record records the commands of the player; see Recorder.
	Record bool

	// Live makes the cues of the list wait for calls of Fire, and Feed continues until Finish. Scheduled GOs are
	// ignored, except the GOs before From or Cue.
	Live bool

	// Changes allows Player.Change.
	Changes bool

	// Fired is called with the index in Sheet.List and the first frame of each list cue that has begun, by
	// the goroutine of Feed. It may be nil.
	Fired func(list int, frame int64)

	// Send is called with each message of a cue with Verb Send once its frame has been mixed, in the order
	// of frames. The goroutine of Feed calls it and waits for it. Feed continues until the last message.
	// Read sends no messages. It may be nil.
	Send func(m *Message, frame int64)

	// Wake is called after a request such as Do, Fire, Panic, Hold or Start, by the goroutine that made
	// it. Player.Step should be called soon after. Wake must not block or call the player. It may be nil.
	Wake func()
}

// Player plays a sheet once: either with Read, faster than real time, or with Prime, Feed and, from a device, Render.
// The device calls Render on its own goroutine, the audio side. All other methods belong to the control side, the
// goroutines of the program. Call them from one goroutine at a time, except the methods documented for any goroutine.
type Player struct {
	currentSheet atomic.Pointer[Sheet] // the sheet given last
	sheet        *Sheet                // all sheets given so far, with the actions of started list cues
	options      Options
	recording    recording
	mixer        *mixer.Mixer
	maxCommands  int64       // the largest number of commands in flight
	outputs      int         // interleaved outputs
	mixerRules   rules.Rules // the rules that the mixer was made from; read-only
	voices       int         // the largest number of voices of the mixer's pool
	schedule     *Schedule
	follows      followOns
	soundsMutex  sync.Mutex      // guards sounds
	sounds       []loading.Sound // by index in Sheet.Sounds
	groups       []*mixer.Group
	buses        map[string]mixer.Bus

	startFrom        startFrom
	skipMixing       bool         // call Skip of the mixer instead of Render
	cut              int64        // length of the sheet in frames; never: unlimited
	atCut            *mixer.Stats // statistics of the mixer at cut
	held             *Action      // an action that the mixer had no room for
	handedOverTo     int64        // every action before this frame has been handed over
	sent             int64        // number of actions handed over
	acceptedCommands int          // number of commands of held that the mixer has accepted
	nextCommand      int          // index of the next command of held
	parameters       parameterState
	stage            scenes.Stage
	delayed          []delayedStart
	stoppedFrames    []int64 // frames of delayed starts that were stopped before they began
	requested        int64   // starts requested by the sheet
	polled           []mixer.Event
	events           []report.Event
	missed           int64 // missed actions that were not passed to the mixer
	seconds          float64
	rendering        rendering
	meter            outputMeter
	lossMeter        lossMeter
	streamErrors     *streamErrors
	live             live
	stepState        stepState
	manual           manualStarts
	lookahead        lookahead
	outbox           outbox
	pitches          pitchRanges
	freeze           *freeze
	mix              func([]pcm.Frame) []pcm.Frame // mixUntilCut as a function value
}

const never = 1<<63 - 1

// NewPlayer creates the mixer of sheet s, loads its sounds with lib and returns the player. It returns once all sounds
// are loaded and resampled; Options.Loading and Preparing report the progress. The sample rate of lib must be the
// sheet's rate. The caller must call Close, or let Read or Feed reach their end.
//
// Errors come from LoadSounds or ctx, or wrap mixer.ErrConfig. An error wraps ErrStartPosition if the show cannot begin
// at Options.Cue.
func NewPlayer(ctx context.Context, s *Sheet, lib *sounds.Library, o Options) (*Player, error) {
	original := s
	if s = s.withScheduledGoes(); o.Live {
		s = original.playableCopy()
	}
	if lib.Rate() != s.Rate {
		return nil, fmt.Errorf("%w: the sounds are prepared for %d Hz, the sheet plays at %d", mixer.ErrConfig, lib.Rate(), s.Rate)
	}
	config := s.Config()
	most, journal := fewCommands, journalSize
	switch config.Meters = o.Live || o.Meters; { // without Commands the mixer starts small, because a server may have hundreds of them
	case o.Live && len(s.Cues) >= fewCommands/2, !o.Live && !s.isShort():
		config.Commands, most = commands, commands
	case !o.Live:
		journal = 16 * fewCommands
	}
	if err := config.Check(); err != nil { // check before the slow loading
		return nil, fmt.Errorf("cue: %w", err)
	}
	broken := &streamErrors{report: o.StreamError}
	loaded, err := s.load(ctx, lib, o.Loading, broken, o.Live)
	if err != nil {
		return nil, err
	}
	versions := s.variants(loaded, o.Live)
	versions.Progress = o.Preparing
	if err := versions.Compute(ctx); err != nil {
		return nil, err
	}
	if o.Record {
		config.Journal = journal
	}
	m, err := mixer.New(config)
	if err != nil {
		return nil, fmt.Errorf("cue: %w", err)
	}
	if s == original { // later changes append to it
		s = new(*original)
		s.Cues = slices.Clip(s.Cues)
	}
	p := &Player{
		sheet: s, options: o, mixer: m, sounds: loaded, schedule: s.Schedule(s.Rate, s.Seed),
		buses: map[string]mixer.Bus{}, parameters: parameterState{rate: s.Rate, values: map[string]ramp{}},
		cut: never, polled: make([]mixer.Event, 256), streamErrors: broken, maxCommands: int64(most), mixerRules: s.Rules, voices: maxPoolSize(&config),
	}
	p.schedule.isOver = p.soundIsOver
	p.currentSheet.Store(original)
	p.live.ids, p.live.owners, p.live.closed, p.live.onWake = slices.Clone(original.ids), original.owners(), make(chan struct{}), o.Wake
	if s.Length != nil {
		p.cut = s.Length.Frames(s.Rate)
	}
	if p.groups, err = s.Groups(m); err != nil {
		return nil, fmt.Errorf("cue: %w", err)
	}
	p.manual.seed, p.manual.draws = s.Seed, map[string]*randomState{}
	p.manual.catalogue.Store(p.newCatalogue(original, 0, loaded, p.groups))
	p.stage = scenes.NewStage(m, &s.Rules, p.moment)
	p.buses["master"], _ = m.Bus("master")
	for i := range s.Outputs {
		p.buses[s.Outputs[i].Name], _ = m.Bus(s.Outputs[i].Name)
	}
	for i := range s.Buses {
		p.buses[s.Buses[i].Name], _ = m.Bus(s.Buses[i].Name)
	}
	if o.Record {
		p.startRecording()
	}
	p.outputs = m.Outputs()
	p.rendering.tail.enabled = s.effectTail() > 0
	p.meter.setUp(s.Rate, p.outputs, s.Outputs)
	p.freeze, p.mix = newFreeze(s.Rate, p.outputs), p.mixUntilCut
	p.rendering.pauseChanges, p.live.pauses.fade = pauseChanges(s.Goes, s.Rate), fadeFrames(s.Rate)
	p.follows, p.pitches = newFollowOns(s), s.pitches()
	if err := p.initStartFrom(); err != nil {
		m.Close()
		return nil, err
	}
	return p, nil
}

// commands is the maximum number of commands in flight: 200,000 a second if Feed runs every 20 ms. A small
// live show and a short render use fewCommands, the default of the mixer.
const (
	commands    = 4096
	fewCommands = 1024
	shortSheet  = fewCommands / 8
)

// isShort reports whether the sheet has few cues: fewer than 128, counted together with the voices that they start.
// Layers and repetitions of starts count; repetitions of other cues do not. Cues of GOs that are not in s.Cues yet do
// not count either. The commands of a render are then expected to fit into a mixer with fewCommands commands.
func (s *Sheet) isShort() bool {
	n := uint64(len(s.Cues))
	for i := range s.Cues {
		n += min(s.Cues[i].startCount(), shortSheet)
	}
	return n < shortSheet
}

// Mixer returns the mixer, for its Stats and Latency. Do not start sounds on it or poll its events.
func (p *Player) Mixer() *mixer.Mixer { return p.mixer }

// Close closes the mixer: it stops the decoding of streams and releases their files. Read and Feed call it at their
// end; call it to end earlier. It may be called twice.
func (p *Player) Close() { p.mixer.Close() }

// Sheet returns the current sheet, which is read-only. It is the sheet of the last successful Change, or of NewPlayer.
// Any goroutine.
func (p *Player) Sheet() *Sheet { return p.currentSheet.Load() }

// feed hands the next actions to the mixer, up to the frame of the show given by the parameter before, but without that
// frame and never after the sheet's length. It also sends the moves of gain and pitch that follow parameters. If the
// mixer's queue is full, the error is mixer.ErrBusy, and blocked is the frame of the action or move that did not fit.
// Such an action stays in p.held. The next call continues there. Other errors of the mixer are returned in the same
// way. Without an error blocked is 0.
func (p *Player) feed(before int64) (blocked int64, err error) {
	before = min(before, p.cut)
	for {
		if p.held == nil {
			frame, ok := p.schedule.Peek()
			next := p.parameters.nextCorner()
			if next < before && (!ok || next < frame) {
				if err := p.parameters.passCorners(p.moment, next); err != nil {
					return next, err
				}
				p.sent++
				continue
			}
			if !ok || frame >= before {
				return 0, nil
			}
			a, _ := p.schedule.Next()
			if p.follows.subtractSkipped(&a); a.Skipped {
				continue
			}
			p.held = &a
		}
		if err := p.sendHeld(); err != nil {
			return p.held.Frame, err
		}
	}
}

// locateError adds the position of cue c to err: it returns a rules.Errors with the text of err, the name file, and the
// line and column of c. The result does not wrap err. mixer.ErrBusy is returned unchanged, and so is any error if c has
// no line.
func (c *Cue) locateError(file string, err error) error {
	if c.Line == 0 || errors.Is(err, mixer.ErrBusy) {
		return err
	}
	return rules.Errors{&rules.Error{File: file, Line: c.Line, Column: c.Column, Msg: err.Error()}}
}

// sendOnce calls command, unless the mixer accepted this command at an earlier attempt for the same action. It returns
// the error of command. Commands are identified by their order, so each attempt for an action must make the same calls
// of sendOnce.
func (p *Player) sendOnce(command func() error) error {
	if p.nextCommand == p.acceptedCommands {
		if err := command(); err != nil {
			return err
		}
		p.acceptedCommands++
	}
	p.nextCommand++
	return nil
}

// send passes the action a to the mixer, or its message to the queue of messages. If the mixer is full, the error is
// mixer.ErrBusy. The next call for the same action then continues with the step that failed. The commands of a cue with
// several effects or sends are one step, so some of them may be sent again. Other errors are the mixer's, too.
func (p *Player) send(a *Action) error {
	c := &p.sheet.Cues[a.Cue]
	p.nextCommand = 0
	switch c.Verb {
	case Play:
		return p.startCue(a, c)
	case Send:
		p.queueMessage(a, c)
		return nil
	}
	at := p.moment(a.Frame).WithRef(int64(a.Cue))
	if err := p.sendOnce(func() error { return p.applyCue(at, c, p.target(c)) }); err != nil {
		return err
	}
	if err := p.applyToDelayed(at, a.Frame, c); err != nil {
		return err
	}
	if c.Verb == Set || c.Verb == Fade {
		return p.applyParameters(a.Frame, c)
	}
	return nil
}

// poll takes the new events of the mixer. With each event it updates the waits of p.follows and the report, and calls
// Options.Watch. It also records the journal of the mixer. In a render, events are dropped once the sheet's length has
// been mixed.
func (p *Player) poll() {
	p.recording.readJournal(p.mixer)
	for {
		n := p.mixer.Events(p.polled)
		if p.atCut != nil {
			n = 0
		}
		for i := range p.polled[:n] {
			p.follows.processEvent(&p.polled[i])
			p.reportEvent(p.event(&p.polled[i]))
		}
		if n < len(p.polled) {
			return
		}
	}
}

// reportEvent passes e to Options.Watch, if it is set. With Options.Events, it also adds e to the report and prepares
// the measurement of a stolen voice.
func (p *Player) reportEvent(e report.Event) {
	if p.options.Events {
		p.lossMeter.addVictim(len(p.events), &e)
		p.events = append(p.events, e)
	}
	if p.options.Watch != nil {
		p.options.Watch(e)
	}
}

// isQuiet reports whether no voice plays and the mixer has carried out every requested start. A delayed start that was
// stopped before it began counts as carried out. stats are the current counters of the mixer, and must not be older
// than in the last call, because isQuiet drops the delayed starts before stats.Frame. If the result is true, all voices
// and their tails end at stats.SilentFrom or before. Tails of effects may still sound, see endOfSound.
func (p *Player) isQuiet(stats *mixer.Stats) bool {
	return stats.Playing == 0 && stats.Asked+p.stoppedDelayed(stats) >= p.requestedStarts()
}

// endOfSound returns the first frame after the end of all voices and tails. stats are the counters of the mixer. The
// result is valid only if no voice sounds and no start is pending.
func endOfSound(stats *mixer.Stats) int64 { return max(stats.SilentFrom, stats.RingsUntil) }

// requestedStarts returns the number of voices that were requested from the mixer until now, by the sheet and by hand.
// Each layer of a sound counts.
func (p *Player) requestedStarts() int64 { return p.requested + p.manual.requested.Load() }

// finished reports whether no voice plays and no further start will come. Starts can be scheduled, wait for the end of
// a voice or a GO, or be held back by a full mixer. stats are the counters of the mixer. Tails of effects may still
// sound. The result may be false although only other actions, such as fades, are left.
func (p *Player) finished(stats *mixer.Stats) bool {
	return p.isQuiet(stats) && p.schedule.Plays() == 0 && (p.lookahead.on && p.lookahead.idle() || !p.lookahead.on && !p.follows.hasPending()) && (p.held == nil || p.sheet.Cues[p.held.Cue].Verb != Play)
}
