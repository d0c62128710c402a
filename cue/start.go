package cue

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"voicepool/internal/fields"
	"voicepool/internal/parse"
	"voicepool/internal/yaml"
	"voicepool/mixer"
	"voicepool/pcm"
)

// Start is a sound that somebody starts by hand. All but Sound may be left at zero: then it plays as the
// sheet says.
type Start struct {
	Sound string // of the sheet, by its name

	Gain     pcm.Decibels  // added to the sound's; -120..+24
	Pan      float64       // added to the sound's, as far as -1..+1; -1 (left) .. +1 (right)
	Pitch    pcm.Semitones // added to the sound's; -48..+48
	Speed    float64       // multiplies the sound's; a ratio, 1/16..16; 0 means 1
	LowPass  *float64      // the cutoff in place of the sound's, in Hz, 20..20,000; 0: off; nil: as the sound says
	HighPass *float64      // the same
	Bus      string        // empty: the sound's
	Priority int           // added to the sound's
	Protect  bool          // it is never stolen; false: as the sound says
	Loop     *bool         // whether it repeats its loop without end; nil: as the sound says

	From   time.Duration // where in the sound it starts, behind the end of a loop that far on in the loop; 0: where the sound says
	For    time.Duration // ends after so long; 0: with the sound
	FadeIn time.Duration // raised cosine

	ID    string // that cues and Tag find its voices by; empty: none
	Owner string // what it belongs to, for limits per owner; empty: nobody

	Frame int64        // of the mixer; 0, or mixer.Now: the next that is mixed
	Salvo *mixer.Salvo // of Player.Mixer: its frame is the 0 of Frame, and it starts nothing unless it is fired; nil: none
	Ref   int64        // the caller's, comes back in report.Event; 0..MaxRef
}

// Start starts a sound of the sheet at once, as bank.Bank.Play does: one of its variations, with the gain
// and pitch that chance draws from their ranges, under its limits, or all of its layers. Each has a handle.
// It is no cue: events of it have the Cue -1, what waits for the end of an id does not wait for it, and
// nothing of it is kept. What a sheet's `set` says of parameters moves it as it does others.
//
// Chance depends on the seed of the sheet, the name, and how many starts of this name by hand have
// returned no error. From NewPlayer to Close; control side, any goroutine. The error wraps ErrAction where
// there is no such start, and says what would be right; or it is that of mixer.Moment.Play, such as
// mixer.ErrBusy. Then nothing has started.
func (p *Player) Start(o Start) ([]mixer.Handle, error) {
	st := p.byHand.stock.Load()
	w := st.wares[o.Sound]
	if w == nil {
		return nil, fmt.Errorf("%w: play: %s is no sound of the sheet%s", ErrAction, yaml.Quote(o.Sound), nearest(o.Sound, st.wares))
	}
	if wrong := p.wrong(&o, st.sheet.Rate); wrong != "" {
		return nil, fmt.Errorf("%w: %s", ErrAction, wrong)
	}
	tag, owner, claimed := p.live.claim(o.ID, o.Owner)
	play := &handPlay{player: p, start: &o, name: o.Sound, rate: st.sheet.Rate, asks: w.cue(&o)}
	play.asks.tag, play.asks.owner = tag, owner
	w.draws.mutex.Lock()
	err := play.play(w)
	w.draws.mutex.Unlock()
	p.live.settle(claimed, play.handles)
	if play.frame != mixer.Now || o.Salvo != nil {
		p.byHand.waiting.note(play.handles)
	}
	if err != nil {
		return nil, err
	}
	play.adopt()
	p.live.rouse()
	return play.handles, nil
}

// nearest suggests one of some names.
func nearest[V any](name string, names map[string]V) string {
	return new(fields.Reader).Suggest(name, func() []string { return slices.Sorted(maps.Keys(names)) })
}

// orOff returns a cutoff, or 0 where nothing is said of it.
func orOff(hz *float64) float64 {
	if hz == nil {
		return 0
	}
	return *hz
}

// wrong says what of a start is wrong at a rate; empty: nothing. p.sheet is the goroutine of Turn's alone.
func (p *Player) wrong(o *Start, rate int) string {
	cutoffs := parse.Cutoffs
	cutoffs.To = min(cutoffs.To, float64(rate)/2)
	for _, v := range [...]struct {
		key    string
		x      float64
		within fields.Limits
	}{
		{"gain", float64(o.Gain), parse.Decibels},
		{"pan", o.Pan, parse.Pans},
		{"pitch", float64(o.Pitch), parse.Semitones},
		{"speed", o.Speed, parse.Ratios},
		{"lowpass", orOff(o.LowPass), cutoffs},
		{"highpass", orOff(o.HighPass), cutoffs},
		{"priority", float64(o.Priority), parse.Priorities},
		{"ref", float64(o.Ref), fields.Limits{To: MaxRef}},
	} {
		if !(v.x >= v.within.From && v.x <= v.within.To) && !((v.key == "speed" || v.within == cutoffs) && v.x == 0) {
			return v.key + ": " + v.within.Refuses(strconv.FormatFloat(v.x, 'f', -1, 64))
		}
	}
	for _, v := range [...]struct {
		key  string
		time time.Duration
	}{{"from", o.From}, {"for", o.For}, {"fade_in", o.FadeIn}} {
		if v.time < 0 {
			return fmt.Sprintf("%s: a time is not negative, as %v is", v.key, v.time)
		}
	}
	_, bus := p.buses[o.Bus]
	_, same := p.buses[o.ID]
	switch {
	case o.Bus != "" && !bus:
		return fmt.Sprintf("bus: there is no bus %s%s", yaml.Quote(o.Bus), nearest(o.Bus, p.buses))
	case o.ID == "all":
		return fmt.Sprintf("id: %q is reserved: it means everything that sounds", o.ID)
	case same:
		return fmt.Sprintf("id: %s is the name of a bus; an id must differ from them", yaml.Quote(o.ID))
	case o.Frame < mixer.Now:
		return fmt.Sprintf("frame: there is no frame %d", o.Frame)
	}
	return ""
}
