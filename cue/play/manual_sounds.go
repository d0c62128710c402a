package play

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"voicepool/bank/rules"
	"voicepool/cue"
	"voicepool/internal/sheet/chance"
	"voicepool/internal/sheet/loading"
	"voicepool/internal/sheet/yaml"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
)

// manualStarts is the state of Start.
type manualStarts struct {
	catalogue atomic.Pointer[catalogue] // of the current sheet
	requested atomic.Int64              // starts requested or about to be requested
	numbers   atomic.Uint64             // number of starts with layers
	seed      uint64
	draws     map[string]*randomState // by sound name, over all sheets; the map belongs to the goroutine of Run
	pending   pendingStarts
}

// pendingStarts holds starts by hand that begin at a later frame, because a panic cancels them. Any goroutine.
type pendingStarts struct {
	mutex sync.Mutex
	all   []mixer.Handle
}

// add registers handles of starts that have not begun, so that cancel can stop them. If the list is full, starts that
// have begun are removed from it first. It takes l.mutex.
func (l *pendingStarts) add(handles []mixer.Handle) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if len(l.all)+len(handles) > cap(l.all) {
		l.all = slices.DeleteFunc(l.all, func(h mixer.Handle) bool { return h.State() != mixer.StatePending })
	}
	l.all = append(l.all, handles...)
}

// cancel stops all registered starts that have not begun and empties the list. Voices that have begun continue. It
// takes l.mutex.
func (l *pendingStarts) cancel() {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	for _, h := range l.all {
		if h.State() == mixer.StatePending {
			_ = h.Stop(0) // if it has just begun, the panic fades it out
		}
	}
	l.all = l.all[:0]
}

// catalogue holds the sounds of a sheet for starts by hand. It is read-only.
type catalogue struct {
	sheet     *cue.Sheet
	templates map[string]*soundTemplate
}

// soundTemplate is a sound of a catalogue, or a layer of a sound.
type soundTemplate struct {
	rules        *rules.Sound
	index        int            // index in show.sheet.Sounds
	loaded       *loading.Sound // its files are guarded by loadedSounds.mutex
	group        *mixer.Group
	quality      sounds.Quality
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

// newCatalogue returns the catalogue of sheet s: a template for each of its sounds, by name, for starts by hand. loaded
// and groups are the loaded sounds and mixer groups, in the order of s.Sounds. The catalogue keeps pointers into
// loaded. played has the quality of the mixer. The parameter first is the index of the first sound of s in
// show.sheet.Sounds. Each new name gets a random state in m.draws; a known name keeps its state. Only the goroutine of
// Run may call it, or NewPlayer.
func (m *manualStarts) newCatalogue(s *cue.Sheet, played *rules.Rules, first int, loaded []loading.Sound, groups []*mixer.Group) *catalogue {
	out := &catalogue{sheet: s, templates: make(map[string]*soundTemplate, len(s.Sounds))}
	indexes := make(map[string]int, len(s.Sounds))
	one := func(i int) soundTemplate {
		sound := &s.Sounds[i]
		return soundTemplate{
			rules: sound, index: first + i, loaded: &loaded[i], group: groups[i], quality: played.QualityOf(sound), randomStream: chance.Name(sound.Name),
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
		if m.draws[w.rules.Name] == nil {
			m.draws[w.rules.Name] = &randomState{}
		}
		w.draws = m.draws[w.rules.Name]
		out.templates[w.rules.Name] = &w
	}
	return out
}

// draw returns the random source for the next start of w, a sound or a layer. It depends only on seed, on w, and on
// the number of earlier starts in d. draw does not change d. The caller holds d.mutex.
func (d *randomState) draw(w *soundTemplate, seed uint64) chance.Draw {
	return chance.Draw{Seed: seed, Stream: w.randomStream, Count: d.starts}
}

// chooseFile chooses a file of the template w at random and returns its index. w is for a sound or for a layer. The
// parameter layer is the number of the layer, or 0 for a sound without layers. draw is the random source. The choice is
// remembered in d, so that the next one can depend on it; undo takes it back. If the number of files of w has changed,
// the earlier choices are forgotten. The caller holds d.mutex.
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

// undo takes back the last file choices after a failed start: one choice for each of the first layers. The parameter
// layers is their number. The caller holds d.mutex.
func (d *randomState) undo(layers int) {
	for i := range d.files[:layers] {
		d.files[i].picker.Undo()
	}
}

// drawBase returns the sound's own gain, pitch and speed for one start. The gain in decibels and the pitch in
// semitones are drawn from the ranges of the sound, with the random source d. The speed is fixed.
func (w *soundTemplate) drawBase(d chance.Draw) mixer.Base {
	r := w.rules
	return mixer.Base{Gain: pcm.Decibels(d.In(r.Gain, chance.Gain)), Pitch: pcm.Semitones(d.In(r.Pitch, chance.Pitch)), Speed: r.Speed}
}

// file returns one loaded file of the template w. The parameter file is its index. If loop is true, the result is
// the variant for loops. If that variant was not loaded, the sound is nil, and the error wraps cue.ErrAction. The same
// happens if loop is true and the file is a stream of unknown length.
func (l *loadedSounds) file(w *soundTemplate, loop bool, file int) (*sounds.Sound, error) {
	l.mutex.Lock()
	files := w.loaded.Files(loop)
	var s *sounds.Sound
	if file < len(files) {
		s = files[file]
	}
	l.mutex.Unlock()
	name := yaml.Quote(w.rules.Name)
	switch {
	case s == nil && loop:
		return nil, fmt.Errorf("%w: play: no cue of the sheet loops %s, so it is not prepared for that", cue.ErrAction, name)
	case s == nil:
		return nil, fmt.Errorf("%w: play: the sheet only loops %s, so it is prepared for loops only", cue.ErrAction, name)
	case loop && w.rules.Stream && s.Loop().Frames() <= 0:
		return nil, fmt.Errorf("%w: play: the stream %s does not declare its length, so it cannot loop", cue.ErrAction, name)
	}
	return s, nil
}
