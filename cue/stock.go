package cue

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"voicepool/bank/rules"
	"voicepool/internal/chance"
	"voicepool/internal/loading"
	"voicepool/internal/yaml"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/voice"
)

// byHand is what Start starts from, and what it has come to.
type byHand struct {
	stock   atomic.Pointer[stock] // of the sheet given last
	asked   atomic.Int64          // starts that the mixer was asked for, or is going to be at once
	numbers atomic.Uint64         // starts of several layers
	seed    uint64
	draws   map[string]*draws // by the names of sounds, of all sheets that were given; of the goroutine of Feed
	waiting toCome
}

// toCome is starts by hand of a later frame: a panic cancels them. Any goroutine.
type toCome struct {
	mutex sync.Mutex
	all   []mixer.Handle
}

// note takes the voices of a start.
func (l *toCome) note(voices []mixer.Handle) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if len(l.all)+len(voices) > cap(l.all) {
		l.all = slices.DeleteFunc(l.all, func(h mixer.Handle) bool { return h.State() != mixer.StatePending })
	}
	l.all = append(l.all, voices...)
}

// cancel has those that have not begun never do.
func (l *toCome) cancel() {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	for _, h := range l.all {
		if h.State() == mixer.StatePending {
			_ = h.Stop() // it may have begun meanwhile: then it ends with the rest
		}
	}
	l.all = l.all[:0]
}

// stock is the sounds of a sheet as they are started by hand. It is read only.
type stock struct {
	sheet *Sheet
	wares map[string]*ware
}

// ware is a sound of a stock, or a layer of one.
type ware struct {
	rules   *rules.Sound
	index   int            // in Player.sheet.Sounds
	loaded  *loading.Sound // Player.replaced guards its files
	group   *mixer.Group
	quality voice.Quality
	place   uint64 // of what chance draws for it
	draws   *draws // nil: of a layer

	layers []ware // in the place of files
	delay  int64  // of a layer, in frames
}

// draws is how far chance has come with the starts of a name by hand.
type draws struct {
	mutex  sync.Mutex
	starts uint64   // that were accepted
	files  []filing // of the sound, or of each of its layers
}

// filing is how far a sound has come with its files.
type filing struct {
	picker chance.Picker
	of     int // files
}

// newStock makes the stock of a sheet, whose first sound is at a place in Player.sheet.Sounds. Of the
// goroutine of Feed, or before it.
func (p *Player) newStock(s *Sheet, first int, loaded []loading.Sound, groups []*mixer.Group) *stock {
	out := &stock{sheet: s, wares: make(map[string]*ware, len(s.Sounds))}
	indexes := make(map[string]int, len(s.Sounds))
	one := func(i int) ware {
		sound := &s.Sounds[i]
		return ware{
			rules: sound, index: first + i, loaded: &loaded[i], group: groups[i], quality: p.sheet.QualityOf(sound), place: chance.Name(sound.Name),
		}
	}
	for i := range s.Sounds {
		indexes[s.Sounds[i].Name] = i
	}
	for i := range s.Sounds {
		w := one(i)
		for n, l := range w.rules.Layers {
			layer := one(indexes[l.Sound])
			layer.place, layer.delay = chance.Layer(w.place, n), l.Delay.Frames(s.Rate)
			w.layers = append(w.layers, layer)
		}
		if p.byHand.draws[w.rules.Name] == nil {
			p.byHand.draws[w.rules.Name] = &draws{}
		}
		w.draws = p.byHand.draws[w.rules.Name]
		out.wares[w.rules.Name] = &w
	}
	return out
}

// draw returns what the choices of the next start depend on. Under the mutex.
func (d *draws) draw(w *ware, seed uint64) chance.Draw {
	return chance.Draw{Seed: seed, Place: w.place, Time: d.starts}
}

// file returns which of its files a sound takes, or its layer of a number. Under the mutex.
func (d *draws) file(w *ware, layer int, draw chance.Draw) int {
	for len(d.files) <= layer {
		d.files = append(d.files, filing{})
	}
	f := &d.files[layer]
	if n := len(w.rules.Files); f.of != n { // another sheet's
		*f = filing{of: n}
	}
	return f.picker.Next(w.rules.Pick, f.of, w.place, draw)
}

// undo takes back the last files of some layers, the first ones: they may be asked for again. Under the
// mutex.
func (d *draws) undo(layers int) {
	for i := range d.files[:layers] {
		d.files[i].picker.Undo()
	}
}

// base draws the sound's own part of a start.
func (w *ware) base(d chance.Draw) mixer.Base {
	r := w.rules
	return mixer.Base{Gain: pcm.Decibels(d.In(r.Gain, chance.Gain)), Pitch: pcm.Semitones(d.In(r.Pitch, chance.Pitch)), Speed: r.Speed}
}

// fileOf returns what a start plays of a file of a sound. The error says why it cannot.
func (p *Player) fileOf(w *ware, loop bool, file int) (*voice.Sound, error) {
	p.replaced.Lock()
	files := w.loaded.Files(loop)
	var s *voice.Sound
	if file < len(files) {
		s = files[file]
	}
	p.replaced.Unlock()
	name := yaml.Quote(w.rules.Name)
	switch {
	case s == nil && loop:
		return nil, fmt.Errorf("%w: play: no cue of the sheet loops %s, so it is not prepared for that", ErrAction, name)
	case s == nil:
		return nil, fmt.Errorf("%w: play: the sheet does nothing but loop %s, so it is prepared for nothing else", ErrAction, name)
	case loop && w.rules.Stream && s.Loop().Frames() <= 0:
		return nil, fmt.Errorf("%w: play: the stream %s does not say how long it is, so it cannot loop", ErrAction, name)
	}
	return s, nil
}
