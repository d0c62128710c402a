package cue

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"voicepool/bank/rules"
	"voicepool/internal/sheet/chance"
	"voicepool/internal/sheet/loading"
	"voicepool/internal/sheet/yaml"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/voice"
)

// manualStarts is the state of Start.
type manualStarts struct {
	catalogue atomic.Pointer[catalogue] // of the current sheet
	requested atomic.Int64              // starts requested or about to be requested
	numbers   atomic.Uint64             // number of starts with layers
	seed      uint64
	draws     map[string]*randomState // by sound name, over all sheets; the map belongs to the goroutine of Feed
	pending   pendingStarts
}

// pendingStarts holds starts by hand that begin at a later frame, because a panic cancels them. Any goroutine.
type pendingStarts struct {
	mutex sync.Mutex
	all   []mixer.Handle
}

// add registers handles, starts that have not begun, so that cancel can stop them. It takes l.mutex.
func (l *pendingStarts) add(handles []mixer.Handle) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if len(l.all)+len(handles) > cap(l.all) {
		l.all = slices.DeleteFunc(l.all, func(h mixer.Handle) bool { return h.State() != mixer.StatePending })
	}
	l.all = append(l.all, handles...)
}

// cancel stops the registered starts that have not begun, and unregisters all. It takes l.mutex.
func (l *pendingStarts) cancel() {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	for _, h := range l.all {
		if h.State() == mixer.StatePending {
			_ = h.Stop() // if it has just begun, the panic fades it out
		}
	}
	l.all = l.all[:0]
}

// catalogue holds the sounds of a sheet for starts by hand. It is read-only.
type catalogue struct {
	sheet     *Sheet
	templates map[string]*soundTemplate
}

// soundTemplate is a sound of a catalogue, or a layer of a sound.
type soundTemplate struct {
	rules        *rules.Sound
	index        int            // index in Player.sheet.Sounds
	loaded       *loading.Sound // its files are guarded by Player.soundsMutex
	group        *mixer.Group
	quality      voice.Quality
	randomStream uint64       // key for random choices
	draws        *randomState // nil for layers

	layers []soundTemplate // replace the files
	delay  int64           // delay of a layer, in frames
}

// randomState is the state of the random choices of one sound for starts by hand.
type randomState struct {
	mutex  sync.Mutex
	starts uint64     // successful starts
	files  []filePick // of the sound, or of each layer
}

// filePick is the state of the file choices of a sound.
type filePick struct {
	picker chance.Picker
	count  int // number of files
}

// newCatalogue creates the catalogue of sheet s, the templates of its sounds for starts by hand. first is the index of
// the first sound of s in Player.sheet.Sounds. loaded and groups are in the order of s.Sounds; the catalogue keeps
// pointers to their elements. Only for the goroutine of Feed, or before it runs.
func (p *Player) newCatalogue(s *Sheet, first int, loaded []loading.Sound, groups []*mixer.Group) *catalogue {
	out := &catalogue{sheet: s, templates: make(map[string]*soundTemplate, len(s.Sounds))}
	indexes := make(map[string]int, len(s.Sounds))
	one := func(i int) soundTemplate {
		sound := &s.Sounds[i]
		return soundTemplate{
			rules: sound, index: first + i, loaded: &loaded[i], group: groups[i], quality: p.sheet.QualityOf(sound), randomStream: chance.Name(sound.Name),
		}
	}
	for i := range s.Sounds {
		indexes[s.Sounds[i].Name] = i
	}
	for i := range s.Sounds {
		w := one(i)
		for n, l := range w.rules.Layers {
			layer := one(indexes[l.Sound])
			layer.randomStream, layer.delay = chance.Layer(w.randomStream, n), l.Delay.Frames(s.Rate)
			w.layers = append(w.layers, layer)
		}
		if p.manual.draws[w.rules.Name] == nil {
			p.manual.draws[w.rules.Name] = &randomState{}
		}
		w.draws = p.manual.draws[w.rules.Name]
		out.templates[w.rules.Name] = &w
	}
	return out
}

// draw returns the random source of the next start of w, a sound or a layer. The same seed, template and number of
// starts give the same source. The caller holds d.mutex.
func (d *randomState) draw(w *soundTemplate, seed uint64) chance.Draw {
	return chance.Draw{Seed: seed, Stream: w.randomStream, Count: d.starts}
}

// chooseFile chooses a file for a start with the random source draw and returns its index in the files. w is the
// template of the sound or the layer, and layer the number of the layer; 0 for the sound itself. It advances the state
// of the choice, see undo. The caller holds d.mutex.
func (d *randomState) chooseFile(w *soundTemplate, layer int, draw chance.Draw) int {
	for len(d.files) <= layer {
		d.files = append(d.files, filePick{})
	}
	f := &d.files[layer]
	if n := len(w.rules.Files); f.count != n { // the sheet has changed
		*f = filePick{count: n}
	}
	return f.picker.Next(w.rules.Pick, f.count, w.randomStream, draw)
}

// undo takes back the last file choice of each of the first layers, as many as layers gives, after a failed start. The
// caller holds d.mutex.
func (d *randomState) undo(layers int) {
	for i := range d.files[:layers] {
		d.files[i].picker.Undo()
	}
}

// drawBase draws the gain and pitch of a start from the ranges of the sound, with the random source d. The speed is the
// sound's own.
func (w *soundTemplate) drawBase(d chance.Draw) mixer.Base {
	r := w.rules
	return mixer.Base{Gain: pcm.Decibels(d.In(r.Gain, chance.Gain)), Pitch: pcm.Semitones(d.In(r.Pitch, chance.Pitch)), Speed: r.Speed}
}

// fileOf returns the loaded sound of file number file of template w, the looped variant if loop is true. If it was not
// loaded in this variant, or is a stream of unknown length that cannot loop, the sound is nil, and the error wraps
// ErrAction. It takes p.soundsMutex.
func (p *Player) fileOf(w *soundTemplate, loop bool, file int) (*voice.Sound, error) {
	p.soundsMutex.Lock()
	files := w.loaded.Files(loop)
	var s *voice.Sound
	if file < len(files) {
		s = files[file]
	}
	p.soundsMutex.Unlock()
	name := yaml.Quote(w.rules.Name)
	switch {
	case s == nil && loop:
		return nil, fmt.Errorf("%w: play: no cue of the sheet loops %s, so it is not prepared for that", ErrAction, name)
	case s == nil:
		return nil, fmt.Errorf("%w: play: the sheet only loops %s, so it is prepared for loops only", ErrAction, name)
	case loop && w.rules.Stream && s.Loop().Frames() <= 0:
		return nil, fmt.Errorf("%w: play: the stream %s does not declare its length, so it cannot loop", ErrAction, name)
	}
	return s, nil
}
