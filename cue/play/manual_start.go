package play

import (
	"fmt"
	"slices"
	"time"

	"voicepool/cue"
	"voicepool/internal/sheet/yaml"
	"voicepool/mixer"
	"voicepool/pcm"
)

// manualStart is a call of Player.Start in progress.
type manualStart struct {
	show       *show
	start      *Start
	rate       int
	tag        mixer.Tag
	owner      uint64
	frame      int64  // mixer.Now: the next frame
	number     uint64 // common number of the layers of one start
	handles    []mixer.Handle
	delayed    []delayedStart  // layers that are delayed
	parameters *parameterStart // nil: the sound has no parameters
}

// playerStartBits is set in the start numbers of players. Games and banks use other numbers; see
// mixer.Options.Play.
const playerStartBits = 3 << 62

// Start starts a sound of the sheet at once, or at o.Frame or with o.Batch, like bank.Bank.Play, and returns the
// handles of its voices. It plays one random variation, with gain and pitch drawn from their ranges, under the limits
// of the sound. A layered sound plays all its layers, each with a handle. If a later cue sets parameters of playing
// voices, it also affects these voices. A start is not a cue: its events have Cue -1. A cue that waits for the end of
// the id does not wait for these voices.
//
// The random choices depend on the seed of the sheet, the name, and the number of earlier successful calls of Start
// with this name. Start may be called from NewPlayer to Close; control side, any goroutine. If o is invalid, the error
// wraps cue.ErrAction and suggests a correction. Otherwise it comes from mixer.Moment.Play, such as mixer.ErrBusy. On
// an error no voice has started.
func (p *Player) Start(o Start) ([]mixer.Handle, error) {
	st := p.manual.catalogue.Load()
	w := st.templates[o.Sound]
	if w == nil {
		return nil, fmt.Errorf("%w: play: the sheet has no sound %s%s", cue.ErrAction, yaml.Quote(o.Sound), suggestion(o.Sound, st.templates))
	}
	if err := p.checkStart(&o, st.sheet.Rate); err != nil {
		return nil, fmt.Errorf("%w: %w", cue.ErrAction, err)
	}
	claimed := p.live.claim(o.ID, o.Owner)
	play := &manualStart{show: p.show, start: &o, rate: st.sheet.Rate, tag: mixer.Tag(claimed[0].numberOrZero()), owner: claimed[1].numberOrZero()}
	w.draws.mutex.Lock()
	err := play.play(w)
	w.draws.mutex.Unlock()
	p.live.finishClaim(claimed, play.handles)
	if play.frame != mixer.Now || o.Batch != nil {
		p.manual.pending.add(play.handles)
	}
	if err != nil {
		return nil, err
	}
	play.register(&p.sender)
	p.live.wakeUp()
	return play.handles, nil
}

// play starts the sound w, or all its layers, with random choices, and appends the handles of the voices to h.handles.
// On success it counts the start in w.draws. If one voice fails, play stops the voices that it has started, before
// they sound, and takes back the file choices. The error is of loadedSounds.file or the mixer. The caller holds
// w.draws.mutex.
func (h *manualStart) play(w *soundTemplate) error {
	o := h.start
	h.setFrame(w)
	h.parameters = new(parameterState).newStart(h.tag, o.Gain, o.Pitch, nil, w.rules)
	layers, err := 1, error(nil)
	d, seed := w.draws, h.show.manual.seed
	m := w.addTo(mixer.Options{Pan: o.Pan, Priority: o.Priority, Importance: o.Importance})
	if draw := d.draw(w, seed); w.layers == nil {
		m.Base = w.drawBase(draw)
		err = h.startOne(w, d.chooseFile(w, 0, draw), m)
	} else {
		h.number = playerStartBits | h.show.manual.numbers.Add(1)
		base := w.drawBase(draw)
		for layers = 0; layers < len(w.layers) && err == nil; layers++ {
			l := &w.layers[layers]
			draw := d.draw(l, seed)
			layer := l.addTo(m)
			layer.Base = combineBase(base, l.drawBase(draw))
			err = h.startOne(l, d.chooseFile(l, layers, draw), layer)
		}
	}
	if err == nil {
		d.starts++
		return nil
	}
	d.undo(layers)
	for _, voice := range h.handles {
		_ = voice.Stop(0) // before it sounds
	}
	return err
}

// addTo adds the pan, the priority and the importance of sound w to m, limits the sums to the ranges of the mixer, and
// returns m.
func (w *soundTemplate) addTo(m mixer.Options) mixer.Options {
	m.Pan = min(max(m.Pan+w.rules.Pan, -mixer.MaxPan), mixer.MaxPan)
	m.Priority = min(max(m.Priority+w.rules.Priority, -mixer.MaxPriority), mixer.MaxPriority)
	m.Importance = min(max(m.Importance+w.rules.Importance, -mixer.MaxImportance), mixer.MaxImportance)
	return m
}

// setFrame sets h.frame, the frame when the start acts. If h.start has a batch, the frame is relative to the batch. If
// h.start has a frame, it is that frame. Otherwise a sound without delayed layers gets mixer.Now, the next frame.
// Delayed layers need a known frame, so a sound with them gets the first frame that the mixer can reach in time.
func (h *manualStart) setFrame(w *soundTemplate) {
	switch o := h.start; {
	case o.Batch != nil:
		h.frame = max(o.Frame, 0)
	case o.Frame > 0:
		h.frame = o.Frame
	case slices.ContainsFunc(w.layers, func(l soundTemplate) bool { return l.delay > 0 }):
		m := h.show.mixer
		h.frame = m.Engine().Next() + pcm.Frames(m.Latency().Block+time.Millisecond, h.rate)
	default:
		h.frame = mixer.Now
	}
}

// startOne starts one voice, for a sound or for a layer of a sound, and appends its handle to h.handles. w is the
// template of the sound or layer, and file is the index of its file. m has the base, the pan, the priority and the
// importance of the voice; startOne adds the other values of the sound and of h.start. If startOne returns an error, of
// loadedSounds.file or the mixer, no voice was started.
func (h *manualStart) startOne(w *soundTemplate, file int, m mixer.Options) error {
	s, o, r := h.show, h.start, w.rules
	bus := o.Bus
	if bus == "" {
		bus = r.Bus
	}
	if m.Loop, m.Rounds = r.Loop, r.Rounds; o.Loop != nil {
		m.Loop, m.Rounds = *o.Loop, 0
	}
	sound, err := s.sounds.file(w, m.Loop, file)
	if err != nil {
		return err
	}
	m.Gain, m.Pitch, m.Speed = o.Gain, o.Pitch, o.Speed
	if t := h.parameters; t != nil {
		m.Gain, m.Pitch = pcm.Decibels(t.gain.at(0)), pcm.Semitones(t.pitch.at(0))
	}
	m.Filters = o.Override(r.Filters)
	m.Sends, m.Bus, m.Protect, m.WhenFull = r.Sends, s.buses[bus], o.Protect || r.Protect, r.WhenFull
	m.Group, m.Quality, m.Owner, m.Tag = w.group, w.quality, h.owner, h.tag
	m.Name, m.Play, m.Ref = o.Sound, h.number, manualRef(o.Ref, w.index)
	if m.FadeIn = o.FadeIn; o.For > 0 {
		m.For = max(o.For, pcm.Duration(1, h.rate))
	}
	if m.From = r.From.Duration(h.rate); o.From > 0 {
		m.From = o.From
		wrapIntoLoop(sound, &m)
	}
	frame := h.frame
	if w.delay > 0 {
		frame += w.delay
	}
	at := s.mixer.Engine().At(frame)
	if o.Batch != nil {
		at = o.Batch.At(frame)
	}
	s.manual.requested.Add(1)
	voice, err := at.Play(sound, m)
	if err != nil {
		s.manual.requested.Add(-1)
		return err
	}
	h.handles = append(h.handles, voice)
	if w.delay > 0 && o.Batch == nil {
		h.delayed = append(h.delayed, delayedStart{frame: frame, tag: h.tag, bus: bus, handle: voice})
	}
	return nil
}

// register registers the delayed layers and the parameters of the start with d, so that later cues can change them. It
// queues this for the goroutine of Run and returns at once. Without delayed layers and parameters it has no effect.
func (h *manualStart) register(d *sender) {
	if h.delayed == nil && h.parameters == nil {
		return
	}
	h.show.live.enqueue(func() {
		now := d.nextFrame()
		d.addDelayed(h.delayed, now)
		if h.parameters != nil {
			h.parameters.voices, h.parameters.starts = h.handles, make([]int64, len(h.handles))
			d.parameters.registerManual(h.parameters, d.moment, now)
		}
	})
}
