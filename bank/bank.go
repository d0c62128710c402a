package bank

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"sync/atomic"

	"voicepool/bank/rules"
	"voicepool/internal/chance"
	"voicepool/internal/fields"
	"voicepool/internal/loading"
	"voicepool/internal/parse"
	"voicepool/internal/scenes"
	"voicepool/internal/words"
	"voicepool/internal/yaml"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/space"
	"voicepool/voice"
)

// ErrName is wrapped by the errors of calls with a name that the bank does not have. They name
// the nearest one. Nothing has changed.
var ErrName = errors.New("bank: unknown name")

// ErrMixer is wrapped by the errors of a bank that has no mixer yet, or one that does not fit.
var ErrMixer = errors.New("bank: no mixer")

// Bank is a file of sounds and rules, ready to play. Control side, any goroutine.
type Bank struct {
	fsys  fs.FS
	name  string
	lib   *sounds.Library
	named []sounds.Source // besides files

	reloading sync.Mutex
	tried     *rules.Rules // what was read last, whether its sounds could be loaded or not; nil: nothing

	mu      sync.Mutex // of all that follows
	settled sync.Cond  // a claim has ended
	claims  int        // plays that open a stream, for which the mutex is not held
	rules   *rules.Rules
	root    *yaml.Node   // of the file
	made    *rules.Rules // of the mixer
	sounds  map[string]*sound
	mixer   *mixer.Mixer
	moved   []mixer.Handle // of SetPositions, used again
	spots   []space.Spot
	scene   string
	stage   scenes.Stage          // of the mixer, as far as the bank has moved it
	streams atomic.Pointer[error] // the first that broke

	plays  plays
	values map[string]float64 // of parameters that were set for all
}

// sound is a sound of the bank.
type sound struct {
	rules  *rules.Sound
	files  []*voice.Sound
	called string // what its starts are called: of a layer what it is a layer of
	place  uint64 // of its name
	plays  uint64 // that were accepted
	picker chance.Picker
	layers []layer // in the place of files
	then   *sound  // what follows it; nil: nothing

	parts   []*sound // all that a play of it draws for: itself, its layers, and what follows
	streams bool     // one of the parts is a stream
	claimed bool     // a play that opens a stream draws for it

	emitter space.Emitter // of the start under way
	sends   []mixer.Send  // the same
	options
}

// layer is a sound with draws of its own.
type layer struct {
	sound *sound
	delay int64 // frames
}

// options is what the mixer is asked for at every start.
type options struct {
	bus     mixer.Bus
	group   *mixer.Group
	quality voice.Quality
}

// Open reads a bank of a file system, such as an embed.FS or os.DirFS("assets"), and brings its
// sounds into a library. Paths are relative to the folder of the file. The library must have the
// rate of the bank; a file that names none takes the library's.
//
// named are sounds that the file may name without a file. A bank that plays embedded sounds is
// opened with embedded.Sources(); without them a program carries none.
//
// All that is wrong with the file comes as rules.Errors, in the order of the lines, which wrap
// rules.ErrFile; all sounds that cannot be loaded as rules.Errors, which wrap rules.ErrSound.
func Open(fsys fs.FS, name string, lib *sounds.Library, named ...sounds.Source) (*Bank, error) {
	b := &Bank{fsys: fsys, name: name, lib: lib, named: named, values: map[string]float64{}}
	b.settled.L = &b.mu
	r, root, err := b.read()
	if err != nil {
		return nil, err
	}
	if b.sounds, err = b.load(r); err != nil {
		return nil, err
	}
	b.rules, b.root = r, root
	return b, nil
}

// read reads the file, and returns its root too.
func (b *Bank) read() (*rules.Rules, *yaml.Node, error) {
	if b.fsys == nil {
		return nil, nil, fmt.Errorf("bank: %s: no file system; name one, such as os.DirFS(\"assets\")", b.name)
	}
	src, err := fs.ReadFile(b.fsys, b.name)
	if err != nil {
		return nil, nil, fmt.Errorf("bank: %s: %w", b.name, words.Cause(err))
	}
	return parseFile(b.name, src, b.fsys, b.named, b.lib.Rate())
}

// Parse reads and checks the text of a bank. name is its name in messages, and the place from
// which paths are relative: of the operating system, since the text alone knows no file system.
// named and the error are as those of Open.
func Parse(name string, src []byte, named ...sounds.Source) (*rules.Rules, error) {
	r, _, err := parseFile(name, src, nil, named, 0)
	return r, err
}

// parseFile reads a bank for a library of a rate; 0: of any.
func parseFile(name string, src []byte, fsys fs.FS, named []sounds.Source, rate int) (*rules.Rules, *yaml.Node, error) {
	out := &rules.Rules{}
	r := parse.New(out, name, fsys, named)
	var (
		cues, rated *yaml.Pair
		top         *yaml.Node
	)
	no := []fields.Field{
		{Key: "cues", To: func(p *yaml.Pair) bool { cues = p; return true }},
		{Key: "length", To: func(p *yaml.Pair) bool { cues = p; return true }},
	}
	r.Text(src, "bank", no, func(root *yaml.Node) {
		top = root
		if cues != nil {
			r.Fail(cues.Place, "%s belongs to a cue sheet, which `voicepool run` plays; a bank has no times", cues.Key)
		}
		if rated = fields.Given(root, "rate"); rated == nil && rate >= 1000 {
			out.Rate = rate
		}
		if rated != nil && rate != 0 && out.Rate != rate {
			r.Fail(rated.Value.Place, "rate: the library has its sounds at %d Hz; write that, or give the library this rate", rate)
		}
	})
	return out, top, r.Errors()
}

// load brings the sounds of a file into the library.
func (b *Bank) load(r *rules.Rules) (map[string]*sound, error) {
	ctx := context.Background()
	ways := make([]loading.Ways, len(r.Sounds))
	for i := range ways {
		if ways[i] = loading.Once; r.Sounds[i].Loop {
			ways[i] = loading.Looped
		}
	}
	all, missing, err := loading.Sounds(ctx, r, b.lib, ways, loading.Options{OnError: b.broke})
	if err != nil {
		return nil, err
	}
	out := make(map[string]*sound, len(all))
	versions := &loading.Versions{}
	for i := range all {
		s := &r.Sounds[i]
		files := all[i].Files(s.Loop)
		out[s.Name] = &sound{rules: s, files: files, called: s.Name, place: chance.Name(s.Name), options: options{quality: r.QualityOf(s)}}
		for j, f := range files {
			if f != nil && s.Loop && s.Stream && f.Loop().Frames() <= 0 {
				missing.Note(s.Files[j], errors.New("this stream does not say how long it is, so it cannot loop"))
			}
		}
	}
	if err := missing.Err(); err != nil {
		return nil, err
	}
	pitches := map[string]rules.Range{} // what is added to sounds, by parameters and as layers
	for _, s := range out {
		s.then = out[s.rules.Then]
	}
	for _, s := range out {
		own := moves(s.rules)
		if s.rules.Layers == nil {
			pitches[s.rules.Name] = join(pitches[s.rules.Name], own)
		}
		for i, l := range s.rules.Layers {
			one := *out[l.Sound]
			one.called = s.rules.Name
			one.place = chance.Name(fmt.Sprint(s.rules.Name, "\x00", i, "\x00", l.Sound)) // draws of its own
			s.layers = append(s.layers, layer{&one, l.Delay.Frames(r.Rate)})
			pitches[l.Sound] = join(pitches[l.Sound], rules.Range{From: s.rules.Pitch.From + own.From, To: s.rules.Pitch.To + own.To})
		}
	}
	for _, s := range out {
		s.list()
	}
	filters := r.Filters()
	for i := range all {
		if filters {
			versions.Measure(all[i].Files(r.Sounds[i].Loop), r.Sounds[i].Loop)
		}
		if s := &r.Sounds[i]; r.QualityOf(s) == voice.Best {
			speed := float64(pcm.FromRatio(s.Speed))
			add := pitches[s.Name]
			most := max(s.Pitch.To+speed+add.To, float64(s.MaxPitch))
			versions.Need(all[i].Files(s.Loop), s.Loop, s.Pitch.From+speed+add.From, most)
		}
	}
	return out, versions.Make(ctx)
}

// broke keeps what went wrong first in a stream. Any goroutine.
func (b *Bank) broke(_ string, err error) {
	err = fmt.Errorf("bank: the stream %s", strings.TrimPrefix(err.Error(), "sounds: "))
	b.streams.CompareAndSwap(nil, &err)
}

// Err returns what went wrong first in the goroutines that decode streams, or nil. A stream that
// breaks ends as if its file did.
func (b *Bank) Err() error {
	if err := b.streams.Load(); err != nil {
		return *err
	}
	return nil
}

// Rules returns what the file says. It must not be changed.
func (b *Bank) Rules() *rules.Rules {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.rules
}

// Config returns the mixer that the file describes, for a game that changes it: it hands the mixer
// that it makes to Use.
func (b *Bank) Config() mixer.Config { return b.Rules().Config() }

// NewMixer makes the mixer that the file describes, and plays on it from now on. The error wraps
// mixer.ErrConfig.
func (b *Bank) NewMixer() (*mixer.Mixer, error) {
	m, err := mixer.New(b.Config())
	if err != nil {
		return nil, fmt.Errorf("bank: %w", err)
	}
	if err := b.Use(m); err != nil {
		return nil, err
	}
	return m, nil
}

// Use has the bank play on a mixer from now on: one made from Config, or any other that has its
// rate and its buses. The error wraps ErrMixer.
func (b *Bank) Use(m *mixer.Mixer) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if m == nil {
		return fmt.Errorf("%w: Use is given none", ErrMixer)
	}
	if m.Rate() != b.rules.Rate {
		return fmt.Errorf("%w: the mixer has %d Hz, the bank %d", ErrMixer, m.Rate(), b.rules.Rate)
	}
	b.wait()
	for i := range b.rules.Sounds {
		s := &b.rules.Sounds[i]
		if _, err := m.Bus(s.Bus); s.Bus != "" && err != nil {
			return fmt.Errorf("%w: sound %q: %w", ErrMixer, s.Name, err)
		}
	}
	found, err := optionsOn(m, b.rules)
	if err != nil {
		return err
	}
	b.made = b.rules
	b.mixer, b.scene, b.stage = m, "", scenes.NewStage(m, b.rules, m.At)
	equip(b.sounds, found)
	expect(m, b.sounds)
	b.plays = plays{}
	return nil
}

// expect tells a mixer what starts of the sounds are going to be called.
func expect(m *mixer.Mixer, sounds map[string]*sound) {
	for _, s := range sounds {
		for _, l := range append([]layer{{sound: s}}, s.layers...) {
			for _, f := range l.sound.files {
				m.Expect(mixer.Stem{Name: l.sound.called, Sound: f.Name(), File: f.File()})
			}
		}
	}
}

// equip gives sounds and their layers what they are played with.
func equip(sounds map[string]*sound, found map[string]options) {
	for name, s := range sounds {
		s.options = found[name]
		for _, l := range s.layers {
			l.sound.options = found[l.sound.rules.Name]
		}
	}
}

// moves returns what the parameters of a sound add to its pitch at least and at most.
func moves(s *rules.Sound) (sum rules.Range) {
	for i := range s.Parameters {
		span := s.Parameters[i].Pitch.Span()
		sum.From, sum.To = sum.From+span.From, sum.To+span.To
	}
	return sum
}

func join(a, b rules.Range) rules.Range {
	return rules.Range{From: min(a.From, b.From), To: max(a.To, b.To)}
}

// optionsOn returns what the sounds of a file are played with on a mixer.
func optionsOn(m *mixer.Mixer, r *rules.Rules) (map[string]options, error) {
	groups, err := r.Groups(m)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMixer, err)
	}
	out := make(map[string]options, len(r.Sounds))
	for i := range r.Sounds {
		s := &r.Sounds[i]
		out[s.Name] = options{group: groups[i], quality: r.QualityOf(s), bus: above(m, r, s.Bus)}
	}
	return out, nil
}

func noMixer(call string) error { return fmt.Errorf("%w: call NewMixer before %s", ErrMixer, call) }

// find returns the sound of a name. The mutex is held.
func (b *Bank) find(name string) (*sound, error) {
	if s := b.sounds[name]; s != nil {
		return s, nil
	}
	return nil, unknown("sound", name, b.sounds)
}

// unknown says which of some names is nearest to one that none of them is.
func unknown[V any](what, name string, known map[string]V) error {
	if len(known) == 0 {
		return fmt.Errorf("%w: there is no %s %s; the bank has none", ErrName, what, yaml.Quote(name))
	}
	nearest := words.Nearest(name, fields.Sorted(known))
	return fmt.Errorf("%w: there is no %s %s; the nearest is %q", ErrName, what, yaml.Quote(name), nearest)
}
