package play

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"voicepool/internal/property"
	"voicepool/internal/sheet/fields"
	"voicepool/internal/sheet/parse"
	"voicepool/internal/sheet/yaml"
	"voicepool/mixer"
	"voicepool/pcm"
)

// Start describes a sound that Player.Start starts. Only Sound is required; other zero fields use the values of the
// sheet.
type Start struct {
	Sound string // name in the sheet

	Gain       pcm.Decibels  // added to the sound's; -120..+24
	Pan        float64       // added to the sound's, -1 (left) .. +1 (right); the sum is clamped to -1..+1
	Pitch      pcm.Semitones // added to the sound's; -48..+48
	Speed      float64       // multiplies the sound's; a ratio, 1/16..16; 0 means 1
	Bus        string        // empty: the sound's bus
	Priority   int           // added to the sound's
	Importance pcm.Decibels  // added to the sound's, and to its audibility when a victim is chosen; -60..+60
	Protect    bool          // never stolen; false: the sound's value
	Loop       *bool         // loops endlessly; nil: the sound's value

	mixer.FilterOverrides // replace the sound's filters

	From   time.Duration // position in the sound; past the end of a loop it wraps into the loop; 0: the sound's value
	For    time.Duration // stops the sound after this time; 0: it plays to its end
	FadeIn time.Duration // raised cosine

	ID    string // id for cues and Tag; may be empty
	Owner string // for limits per owner; may be empty

	Frame int64        // frame of the mixer; 0 or mixer.Now: the next frame
	Batch *mixer.Batch // starts the sound when this batch of Player.Mixer fires; Frame counts from its base; may be nil
	Ref   mixer.Ref    // returned in report.Event; 0..MaxRef
}

// suggestion returns the end of an error message, such as "; did you mean ...?". It suggests the key of names that is
// most similar to name. If no key is similar, it returns "".
func suggestion[V any](name string, names map[string]V) string {
	return new(fields.Reader).Suggest(name, func() []string { return slices.Sorted(maps.Keys(names)) })
}

// checkStart returns an error for the first invalid field of o, or nil if all are valid. Sound and Owner are not
// checked. rate is the sample rate in Hz. checkStart must not use p.sheet, which belongs to the goroutine of Step.
func (p *Player) checkStart(o *Start, rate int) error {
	type value struct {
		id property.ID
		x  float64
	}
	values := make([]value, 0, 6+property.NumFilters)
	values = append(values, value{property.Gain, float64(o.Gain)}, value{property.Pan, o.Pan}, value{property.Pitch, float64(o.Pitch)}, value{property.Speed, cmp.Or(o.Speed, 1)})
	filters := o.Override(mixer.Filters{})
	for i, x := range filters.FilterFields() {
		values = append(values, value{property.LowPass + property.ID(i), *x})
	}
	for _, v := range append(values, value{property.Priority, float64(o.Priority)}, value{property.Importance, float64(o.Importance)}) {
		within := parse.Limits(v.id)
		if within.Cutoff {
			within.To = min(within.To, float64(rate)/2)
		}
		if !(v.x >= within.From && v.x <= within.To || within.Cutoff && v.x == 0) {
			return within.OutOfRange(property.Table[v.id].Key, strconv.FormatFloat(v.x, 'f', -1, 64), v.x)
		}
	}
	if refs := (fields.Limits{To: MaxRef}); o.Ref < 0 || o.Ref > MaxRef {
		return refs.OutOfRange("ref", strconv.FormatInt(int64(o.Ref), 10), float64(o.Ref))
	}
	for _, v := range [...]struct {
		key  string
		time time.Duration
	}{{"from", o.From}, {"for", o.For}, {"fade_in", o.FadeIn}} {
		if v.time < 0 {
			return fmt.Errorf("%s: a time is not negative, as %v is", v.key, v.time)
		}
	}
	_, bus := p.buses[o.Bus]
	_, same := p.buses[o.ID]
	switch {
	case o.Bus != "" && !bus:
		return fmt.Errorf("bus: there is no bus %s%s", yaml.Quote(o.Bus), suggestion(o.Bus, p.buses))
	case o.ID == "all":
		return fmt.Errorf("id: %q is reserved: it means all voices", o.ID)
	case same:
		return fmt.Errorf("id: %s is the name of a bus; an id must differ from them", yaml.Quote(o.ID))
	case o.Frame < mixer.Now:
		return fmt.Errorf("frame: there is no frame %d", o.Frame)
	}
	return nil
}
