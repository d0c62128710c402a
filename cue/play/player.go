package play

import (
	"context"
	"fmt"
	"path/filepath"

	"voicepool/bank/rules"
	"voicepool/cue"
	"voicepool/cue/internal/bounds"
	"voicepool/cue/internal/pauseclock"
	"voicepool/cue/internal/runsheet"
	"voicepool/cue/record"
	"voicepool/internal/sheet/loading"
	"voicepool/internal/sheet/scenes"
	"voicepool/mixer"
	"voicepool/sounds"
	"voicepool/sounds/library"
)

// Player plays a sheet once: either with Read, faster than real time, or with Prime, Run and, from a device, Render.
// The device calls Render on its own goroutine, the audio side. All other methods belong to the control side, the
// goroutines of the program. Call them from one goroutine at a time, except the methods documented for any goroutine.
//
// Its parts share the state in show. A render uses sender, reporter and renderer; playing in real time uses sender,
// lookahead, reporter and stepper, and output on the audio side.
type Player struct {
	*show
	sender    sender
	lookahead lookahead
	reporter  reporter
	renderer  renderer
	stepper   stepper
	output    output
	voices    int // the largest number of voices of the mixer's pool
}

// NewPlayer creates the mixer of sheet s, loads its sounds with lib and returns the player. It returns once all sounds
// are loaded and resampled; Options.Loading and Preparing report the progress. The sample rate of lib must be the
// sheet's rate. The caller must call Close, or let Read or Run reach their end.
//
// Errors come from LoadSounds or ctx, or wrap mixer.ErrConfig. An error wraps ErrStartPosition if the show cannot begin
// at Options.Cue.
func NewPlayer(ctx context.Context, s *cue.Sheet, lib *library.Library, o Options) (*Player, error) {
	instantiate := runsheet.Scheduled
	if o.Live {
		instantiate = runsheet.New
	}
	run := instantiate(s)
	if lib.Rate() != s.Rate {
		return nil, fmt.Errorf("%w: the sounds are prepared for %d Hz, the sheet plays at %d", mixer.ErrConfig, lib.Rate(), s.Rate)
	}
	config := s.Config()
	most, journal := fewCommands, journalSize
	switch config.Meters = o.Live || o.Meters; { // without Commands the mixer starts small, because a server may have hundreds of them
	case o.Live && len(run.Cues) >= fewCommands/2, !o.Live && !isShort(run):
		config.Commands, most = commands, commands
	case !o.Live:
		journal = 16 * fewCommands
	}
	if err := config.Check(); err != nil { // check before the slow loading
		return nil, fmt.Errorf("cue: %w", err)
	}
	broken := &streamErrors{report: o.StreamError}
	loaded, err := load(ctx, s, lib, o.Loading, broken, o.Live)
	if err != nil {
		return nil, err
	}
	versions := bounds.Variants(run, loaded, o.Live)
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
	from, err := newStartFrom(s, run.Launches, &o)
	if err == nil {
		var p *Player
		if p, err = newPlayer(s, run, m, loaded, broken, o); err == nil {
			p.renderer.startFrom = from
			p.lookahead.maxCommands, p.voices = int64(most), maxPoolSize(&config)
			return p, nil
		}
	}
	m.Close()
	return nil, err
}

// newPlayer returns the player of sheet s with the mixer m and the loaded sounds, in the order of s.Sounds. run is s
// before the first GO, or in a render after all of them.
func newPlayer(s *cue.Sheet, run *runsheet.Sheet, m *mixer.Mixer, loaded []loading.Sound, broken *streamErrors, o Options) (*Player, error) {
	groups, err := s.Groups(m)
	if err != nil {
		return nil, fmt.Errorf("cue: %w", err)
	}
	w := &show{
		options: o, mixer: m, mixerRules: s.Rules, buses: map[string]mixer.Bus{}, outputs: m.Outputs(), rate: s.Rate, cut: never,
		hasTail: bounds.EffectTail(run) > 0, sheet: run, groups: groups, schedule: newSchedule(run, s.Rate, s.Seed), follows: newFollowOns(run),
		parameters: parameterState{rate: s.Rate, values: map[string]ramp{}}, pitches: bounds.PitchesOf(run),
	}
	if s.Length != nil {
		w.cut = s.Length.Frames(s.Rate)
	}
	w.given.Store(s)
	w.sounds.all, w.sounds.streams = loaded, broken
	w.schedule.isOver = w.sounds.areOver
	ids, owners := runsheet.Numbers(s)
	w.live.ids, w.live.owners = newNames(ids), newNames(owners)
	w.live.closed, w.live.onWake, w.live.pauses = make(chan struct{}), o.Wake, pauseclock.New(s.Rate)
	w.manual.seed, w.manual.draws = s.Seed, map[string]*randomState{}
	w.manual.catalogue.Store(w.manual.newCatalogue(s, &run.Rules, 0, loaded, groups))
	w.buses["master"], _ = m.Bus("master")
	for i := range s.Outputs {
		w.buses[s.Outputs[i].Name], _ = m.Bus(s.Outputs[i].Name)
	}
	for i := range s.Buses {
		w.buses[s.Buses[i].Name], _ = m.Bus(s.Buses[i].Name)
	}
	p := &Player{show: w}
	p.sender = sender{show: w, countdowns: map[mixer.Tag]*mixer.Countdown{}}
	p.sender.stage = scenes.NewStage(m, scenes.NewFile(&run.Rules), p.sender.moment)
	p.lookahead = lookahead{show: w, sender: &p.sender}
	p.reporter = reporter{show: w, polled: make([]mixer.Event, 256)}
	if o.Record {
		files := filesOf(s, loaded)
		p.reporter.recorder = record.New(&run.Rules, func(s *sounds.Sound) (rules.Sound, bool) {
			from, ok := files[s]
			return from, ok
		})
	}
	p.output.mixer, p.output.cut, p.output.outputs, p.output.freeze, p.output.mix = m, w.cut, w.outputs, newFreeze(s.Rate, w.outputs), p.output.mixUntilCut
	p.output.meter.setUp(s.Rate, w.outputs, s.Outputs)
	p.renderer = renderer{show: w, sender: &p.sender, lookahead: &p.lookahead, reporter: &p.reporter, output: &p.output}
	p.renderer.tail.enabled, p.renderer.pauseChanges = w.hasTail, pauseChanges(s.Goes, s.Rate)
	p.stepper = stepper{show: w, sender: &p.sender, lookahead: &p.lookahead, reporter: &p.reporter, output: &p.output}
	return p, nil
}

// journalSize is the capacity of the journal: sixteen times the number of commands in flight.
const journalSize = 1 << 16

// filesOf returns the entry of `sounds` of each sound, for a recording, with the absolute path of its file. loaded has
// the sounds in the order of s.Sounds.
func filesOf(s *cue.Sheet, loaded []loading.Sound) map[*sounds.Sound]rules.Sound {
	files := map[*sounds.Sound]rules.Sound{}
	for i := range s.Sounds {
		from := &s.Sounds[i]
		for j, f := range from.Files {
			if f.Path != "" {
				path := s.Source(from, f, false).File
				if whole, err := filepath.Abs(path); err == nil {
					path = whole
				}
				f.Path = filepath.ToSlash(path)
			}
			one := *from
			one.Files = []rules.File{f}
			for _, loop := range [...]bool{false, true} {
				if played := loaded[i].Files(loop); played != nil {
					files[played[j]] = one
				}
			}
		}
	}
	return files
}

// isShort reports whether the sheet has few cues: fewer than 128, counted together with the voices that they start.
// Each cue counts once, even if it repeats. Each voice that it starts counts, too: one per layer and repetition. The
// commands of a render are then expected to fit into a mixer with fewCommands commands.
func isShort(s *runsheet.Sheet) bool {
	n := uint64(len(s.Cues))
	for i := range s.Cues {
		n += min(s.Cues[i].StartCount(), shortSheet)
	}
	return n < shortSheet
}

// Sheet returns the current sheet, which is read-only. It is the sheet of the last successful Change, or of NewPlayer.
// Any goroutine.
func (p *Player) Sheet() *cue.Sheet { return p.given.Load() }

// Mixer returns the mixer, for its Stats and Latency. Do not start sounds on it or poll its events.
func (p *Player) Mixer() *mixer.Mixer { return p.mixer }

// Close closes the mixer: it stops the decoding of streams and releases their files. Read and Run call it at their
// end; call it to end earlier. It may be called twice.
func (p *Player) Close() { p.mixer.Close() }

// Standby returns the index in Sheet.List of the first cue that waits for GO when a live show begins. If no cue waits,
// it is the length of the list. Later GOs do not change the result.
func (p *Player) Standby() int { return p.renderer.startFrom.standby }

// StartFrame returns the frame where the show began. It is 0 unless Options.From or Options.Cue was given. It is valid
// after Prime, or after the first Read that returns frames.
func (p *Player) StartFrame() int64 { return p.startFrame }
