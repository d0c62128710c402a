package bank

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"sync/atomic"

	"voicepool/bank/rules"
	"voicepool/internal/sheet/chance"
	"voicepool/internal/sheet/fields"
	"voicepool/internal/sheet/parse"
	"voicepool/internal/sheet/scenes"
	"voicepool/internal/sheet/yaml"
	"voicepool/internal/words"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/sounds/library"
	"voicepool/space"
)

// ErrName is wrapped by the errors of calls with an unknown name. The message suggests the nearest name. The
// call has no effect.
var ErrName = errors.New("bank: unknown name")

// ErrMixer is wrapped by errors about a missing or unsuitable mixer.
var ErrMixer = errors.New("bank: no mixer")

// Bank holds the sounds and rules of a file, ready to play. Create it with Open. Before the first Play it
// needs a mixer: call NewMixer or Use.
type Bank struct {
	fsys  fs.FS
	name  string
	lib   *library.Library
	named []library.Source // sounds that need no file

	loading  chan struct{} // has an element while Reload or LoadGroup loads sounds
	lastRead *rules.Rules  // the last rules read, even if their sounds could not be loaded; may be nil

	mu          sync.Mutex // guards all fields below
	claimEnded  sync.Cond  // signals the end of a claim
	claims      int        // plays that are opening a stream without holding mu
	rules       *rules.Rules
	root        *yaml.Node   // root of the file
	mixerRules  *rules.Rules // the rules that the mixer was made from
	sounds      map[string]*sound
	groups      map[string]*loadGroup
	loads       []*groupLoad // under way
	job         *loadJob     // the load under way, by LoadGroup or Reload; nil without one
	mixer       *mixer.Mixer
	voiceBuffer mixer.Handles // buffer of SetPositions and Stop
	spotBuffer  []space.Spot  // of SetPositions
	active      []ActiveScene
	lastActive  uint64                // the id of the last ActiveScene
	file        *scenes.File          // of rules
	stage       scenes.Stage          // scene state applied to the mixer
	streams     atomic.Pointer[error] // first error of a stream

	plays  playPool
	values map[string]float64 // parameters set for all sounds
	themes map[string]*Music  // by name, if Music has returned them

	// quantize is nextPoint, or nil before the first call of Music: a game without music does not contain that code.
	quantize func(frame int64, p Point) (int64, error)
}

// sound is a sound of the bank with the state of its random choices.
type sound struct {
	rules     *rules.Sound
	files     []*sounds.Sound // placeholders while they are not loaded; shared with layers of the sound
	users     int             // groups, loaded or loading, that need the files, plus the sounds in no group that do
	startName string          // name of its starts; for a layer the name of its parent
	chanceKey uint64          // key for random choices
	plays     uint64          // number of accepted plays
	picker    chance.Picker
	layers    []layer // replace the files
	then      *sound  // the sound that follows gaplessly; may be nil

	singles singles

	addedPitch rules.Range // semitones that parameters and parent sounds add to the pitch

	parts   []*sound // everything that one play draws for: the sound, its layers, and their followers
	streams bool     // a part is a stream
	claimed bool     // reserved by a play that is opening a stream
	stopped bool     // Bank.Stop has ended the play that has claimed the sound

	claimedFiles []*sounds.Sound // the files at the time of the claim; empty without a claim

	emitter space.Emitter // scratch space of the start in progress
	sends   []mixer.Send
	options
}

// layer is a sound with random choices of its own.
type layer struct {
	sound *sound
	delay int64 // in frames
}

// options holds the mixer options shared by all starts of a sound.
type options struct {
	bus     mixer.Bus
	group   *mixer.Group
	quality sounds.Quality
}

// Open reads the bank called name from fsys, such as an embed.FS or os.DirFS("assets"), and loads its sounds into
// lib. Paths in the file are relative to its folder. If the file states a sample rate, it must be the rate of the
// library.
//
// named lists sounds that the file may use by name instead of by path. To allow the embedded sounds, pass
// embedded.Sources().
//
// With `preload: false` in the file, Open loads only the sounds that no group lists; see LoadGroup.
//
// Errors in the file are returned as rules.Errors in line order, which wrap rules.ErrFile. Sounds that cannot be loaded
// are returned as rules.Errors, which wrap rules.ErrSound. If the sounds need more than `memory` of the file, the error
// is a *MemoryError.
func Open(fsys fs.FS, name string, lib *library.Library, named ...library.Source) (*Bank, error) {
	b := &Bank{fsys: fsys, name: name, lib: lib, named: named, loading: make(chan struct{}, 1), values: map[string]float64{}}
	b.claimEnded.L = &b.mu
	r, root, err := b.read()
	if err != nil {
		return nil, err
	}
	all := b.build(r)
	groups := makeGroups(r, all, nil)
	job, err := b.loadSounds(r, all)
	b.endLoad(job, err == nil)
	if err != nil {
		return nil, err
	}
	b.rules, b.root, b.sounds, b.groups = r, root, all, groups
	return b, nil
}

// read reads and parses the file of the bank. It returns the rules, the root of the YAML tree of the file, and an
// error as Open does. The rules are complete only without an error. The bank is unchanged.
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

// Parse parses and checks the text of a bank. name is the path of its file: messages contain it, and paths
// in the text are relative to its folder. named and the errors are as in Open.
func Parse(name string, src []byte, named ...library.Source) (*rules.Rules, error) {
	r, _, err := parseFile(name, src, nil, named, 0)
	return r, err
}

// parseFile parses src, the text of a bank, for a library with the sample rate rate in Hz; 0 accepts any rate. If the
// text states no rate, the rules get that one. The second result is the root of the YAML tree, nil if src is not
// valid YAML. fsys may be nil; name and named are as in Parse. The error is a rules.Errors.
func parseFile(name string, src []byte, fsys fs.FS, named []library.Source, rate int) (*rules.Rules, *yaml.Node, error) {
	out := &rules.Rules{}
	r := parse.New(out, name, fsys, named)
	var (
		cues, rateKey *yaml.Pair
		tree          *yaml.Node
	)
	bankOnly := []fields.Field{
		{Key: "cues", To: func(p *yaml.Pair) bool { cues = p; return true }},
		{Key: "length", To: func(p *yaml.Pair) bool { cues = p; return true }},
	}
	r.Text(src, "bank", bankOnly, func(root *yaml.Node) {
		tree = root
		if cues != nil {
			r.Fail(cues.Position, "%s belongs to a cue sheet, which `voicepool run` plays; a bank has no times", cues.Key)
		}
		if rateKey = fields.Find(root, "rate"); rateKey == nil && rate >= 1000 {
			out.Rate = rate
		}
		if rateKey != nil && rate != 0 && out.Rate != rate {
			r.Fail(rateKey.Value.Position, "rate: the library has its sounds at %d Hz; write that, or give the library this rate", rate)
		}
	})
	return out, tree, r.Errors()
}

// build makes the sounds of r by name, with placeholders for their files and without mixer options. It does not change
// the bank, and needs no mutex.
func (b *Bank) build(r *rules.Rules) map[string]*sound {
	out := make(map[string]*sound, len(r.Sounds))
	for i := range r.Sounds {
		s := &r.Sounds[i]
		one := &sound{rules: s, files: make([]*sounds.Sound, len(s.Files)), startName: s.Name, chanceKey: chance.Name(s.Name), options: options{quality: r.QualityOf(s)}}
		b.unload(r, one)
		out[s.Name] = one
	}
	for _, s := range out {
		s.then = out[s.rules.Then]
	}
	for _, s := range out {
		added := parameterPitchRange(s.rules)
		if s.rules.Layers == nil {
			s.addedPitch = unionRange(s.addedPitch, added)
		}
		for i, l := range s.rules.Layers {
			one := *out[l.Sound] // shares its files
			one.startName = s.rules.Name
			one.chanceKey = chance.Name(fmt.Sprint(s.rules.Name, "\x00", i, "\x00", l.Sound)) // layers draw independently
			s.layers = append(s.layers, layer{&one, l.Delay.Frames(r.Rate)})
			added := rules.Range{From: s.rules.Pitch.From + added.From, To: s.rules.Pitch.To + added.To}
			out[l.Sound].addedPitch = unionRange(out[l.Sound].addedPitch, added)
		}
	}
	for _, s := range out {
		s.collectParts()
	}
	return out
}

// noteStreamError keeps err for Err if it is the first error of a stream. The first argument is unused. It may be
// called on any goroutine.
func (b *Bank) noteStreamError(_ string, err error) {
	err = fmt.Errorf("bank: the stream %s", strings.TrimPrefix(err.Error(), "sounds: "))
	b.streams.CompareAndSwap(nil, &err)
}

// Err returns the first error of a stream that could not be decoded to its end, or nil. Such a stream ends
// early, as if its file were shorter.
func (b *Bank) Err() error {
	if err := b.streams.Load(); err != nil {
		return *err
	}
	return nil
}

// Rules returns the current rules of the file. Reload replaces them. The caller must not change them.
func (b *Bank) Rules() *rules.Rules {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.rules
}

// Config returns the mixer configuration of the file, a new copy. A game that needs further settings changes the
// result, creates a mixer with it, and passes the mixer to Use.
func (b *Bank) Config() mixer.Config { return b.Rules().Config() }

// NewMixer creates a mixer with Config, and makes later calls of Play use it as Use does. The error wraps
// mixer.ErrConfig, or ErrMixer. The caller closes the mixer.
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

// Use makes later calls of Play use m. The bank assumes that m is in no scene, and leaves all
// scenes. The volumes of the buses of an earlier mixer do not pass to m. m must have the rate and the buses of
// the bank, as a mixer made from Config has. The error wraps ErrMixer; the bank then keeps its mixer. Use waits while
// a Play opens a stream.
func (b *Bank) Use(m *mixer.Mixer) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if m == nil {
		return fmt.Errorf("%w: Use is given none", ErrMixer)
	}
	if m.Rate() != b.rules.Rate {
		return fmt.Errorf("%w: the mixer has %d Hz, the bank %d", ErrMixer, m.Rate(), b.rules.Rate)
	}
	b.waitForClaims()
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
	b.mixerRules = b.rules
	b.file = scenes.NewFile(b.rules)
	b.mixer, b.active, b.stage = m, nil, scenes.NewStage(m, b.file, m.Engine().At)
	setOptions(b.sounds, found)
	expectStems(m, b.sounds)
	b.plays = playPool{}
	for _, s := range b.sounds {
		s.singles = singles{}
	}
	return nil
}

// expectStems declares to m the name and the file of every possible start of sounds and their layers. Thereby a test
// can distinguish a sound that was not played from an unknown name. Without mixer.Config.Stems it has no effect.
func expectStems(m *mixer.Mixer, sounds map[string]*sound) {
	for _, s := range sounds {
		for _, l := range append([]layer{{sound: s}}, s.layers...) {
			for _, f := range l.sound.files {
				m.Engine().Expect(mixer.Stem{Name: l.sound.startName, Sound: f.Name(), File: f.File()})
			}
		}
	}
}

// setOptions sets the mixer options of sounds and their layers to the elements of found, which has them by the name
// of the sound in the file. A layer gets the options of its own sound.
func setOptions(sounds map[string]*sound, found map[string]options) {
	for name, s := range sounds {
		s.options = found[name]
		for _, l := range s.layers {
			l.sound.options = found[l.sound.rules.Name]
		}
	}
}

// pitches returns the lowest and the highest pitch in semitones that a play of s can have, without the options of
// plays.
func (s *sound) pitches() (low, high float64) {
	r, speed := s.rules, float64(pcm.FromRatio(s.rules.Speed))
	return r.Pitch.From + speed + s.addedPitch.From, max(r.Pitch.To+speed+s.addedPitch.To, float64(r.MaxPitch))
}

// parameterPitchRange returns the range of semitones that the parameters of s together can add to its pitch. It is
// zero if s has no parameters.
func parameterPitchRange(s *rules.Sound) (sum rules.Range) {
	for i := range s.Parameters {
		span := s.Parameters[i].Pitch.Span()
		sum.From, sum.To = sum.From+span.From, sum.To+span.To
	}
	return sum
}

// unionRange returns the smallest range that contains a and b.
func unionRange(a, b rules.Range) rules.Range {
	return rules.Range{From: min(a.From, b.From), To: max(a.To, b.To)}
}

// optionsOn returns the group, quality and bus of each sound of r on m, by sound name. It creates new groups in m. A
// sound on a bus that m lacks gets the nearest parent bus. The error wraps ErrMixer.
func optionsOn(m *mixer.Mixer, r *rules.Rules) (map[string]options, error) {
	groups, err := r.Groups(m)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMixer, err)
	}
	out := make(map[string]options, len(r.Sounds))
	for i := range r.Sounds {
		s := &r.Sounds[i]
		out[s.Name] = options{group: groups[i], quality: r.QualityOf(s), bus: busOrParent(m, r, s.Bus)}
	}
	return out, nil
}

// noMixerError returns an error that wraps ErrMixer for a method that needs a mixer before there is one. call is the
// name of the method, for the message.
func noMixerError(call string) error {
	return fmt.Errorf("%w: call NewMixer before %s", ErrMixer, call)
}

// find returns the sound called name, or an error that wraps ErrName. The caller holds mu.
func (b *Bank) find(name string) (*sound, error) {
	if s := b.sounds[name]; s != nil {
		return s, nil
	}
	return nil, unknownError("sound", name, b.sounds)
}

// unknownError returns an error that wraps ErrName because known has no key name. kind is a word such as "sound" for
// the message, which suggests the nearest key of known.
func unknownError[V any](kind, name string, known map[string]V) error {
	if len(known) == 0 {
		return fmt.Errorf("%w: there is no %s %s; the bank has none", ErrName, kind, yaml.Quote(name))
	}
	nearest := words.Nearest(name, fields.Sorted(known))
	return fmt.Errorf("%w: there is no %s %s; the nearest is %q", ErrName, kind, yaml.Quote(name), nearest)
}
