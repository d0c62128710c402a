package archtest

import (
	"fmt"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"voicepool/effect"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
)

// Buses of every row: tried has the values of the row, calls use the others.
const (
	hall  = "hall"  // target of sends
	group = "group" // possible parent of tried
	plain = "plain" // changed by calls
)

// outputs, as a value of Config.Outputs, is the number of outputs: 0 or 2. The second output has the values
// of the row.
type outputs int

// perMixer returns a value created separately for each mixer.
type perMixer func() any

// doubles is an insert that doubles the left channel.
type doubles struct{}

func (*doubles) Process(block []pcm.Frame) {
	for i := range block {
		block[i][0] *= 2
	}
}

func newInsert() any { return &doubles{} }

// newClock returns a clock that advances by a millisecond per call.
func newClock() any {
	var looks atomic.Int64
	return func() time.Duration { return time.Duration(looks.Add(1)) * time.Millisecond }
}

// newEffect returns an effect of a kind.
func newEffect(kind string, values effect.Values) effect.Effect {
	e, err := effect.New(kind, values)
	if err != nil {
		panic(err)
	}
	return e
}

// configValues returns the values for each field of a mixer.Config in the matrix, the default first. Values
// of Buses are for one bus, values of Outputs for the second output.
func configValues() map[string][]any {
	eq := newEffect("eq", effect.Values{"bands.1.type": effect.Peak, "bands.1.freq": 1000, "bands.1.gain": -6})
	width := newEffect("width", nil)
	truth, cutoffs := []any{false, true}, []any{0.0, 500.0}
	effects, insert := []any{[]effect.Effect(nil), []effect.Effect{eq, width}}, []any{nil, perMixer(newInsert)}
	gain := []any{pcm.Decibels(0), pcm.Decibels(-6)}
	return map[string][]any{
		"Rate": {0, 8000, 44100}, "Voices": {0, 8}, "MaxVoices": {0, 64}, "Virtual": {0, 8},
		"Overflow":  {mixer.StealQuietest, mixer.StealOldest, mixer.StealGain, mixer.Reject, mixer.GrowPool, mixer.StealMasked},
		"Grow.Step": {0, 2}, "Grow.Max": {0, 64}, "Grow.Idle": {time.Duration(0), 10 * time.Millisecond},
		"RejectQuietest": truth, "IgnoreFilters": truth, "MasterGain": gain, "Insert": insert, "Effects": effects,
		"LowPass": cutoffs, "HighPass": cutoffs, "Quality": {sounds.DefaultQuality, sounds.Best, sounds.Cubic},
		"NoLimiter": truth, "SoftClip": truth, "DCGuard": truth,
		"Buses.Name": {"tried", "Größe"}, "Buses.Parent": {"", group}, "Buses.Output": {"", "aux"}, "Buses.Gain": gain,
		"Buses.Pan": {0.0, 0.5}, "Buses.Pitch": {pcm.Semitones(0), pcm.Semitones(3)}, "Buses.Voices": {0, 4},
		"Buses.Mute": truth, "Buses.Solo": truth, "Buses.Duck": {mixer.Duck{}, mixer.Duck{When: plain, By: 6}},
		"Buses.Insert": insert, "Buses.Effects": effects, "Buses.LowPass": cutoffs, "Buses.HighPass": cutoffs,
		"Buses.Sends": {[]mixer.Send(nil), []mixer.Send{{To: hall, Gain: -6, Pre: true}}},
		"Outputs":     {outputs(0), outputs(2)}, "Outputs.Name": {"aux", "other"}, "Outputs.Channel": {0, 5}, "Outputs.Gain": gain,
		"Outputs.Insert": insert, "Outputs.Effects": effects, "Outputs.LowPass": cutoffs, "Outputs.HighPass": cutoffs,
		"Fold": truth, "Meters": truth, "Lead": {time.Duration(0), time.Millisecond},
		"Clock": {nil, perMixer(newClock)}, "Commands": {0, 64}, "Events": {0, 16}, "Journal": {0, 64}, "Stems": truth,
	}
}

// option is a field of a mixer.Config with its values.
type option struct {
	path   string
	values []any
}

func (o option) String() string { return o.path }

// configOptions returns the options of a mixer.Config, found by reflection. A field without values fails the
// test.
func configOptions(t *testing.T) (all []option) {
	t.Helper()
	values := configValues()
	var visit func(typ reflect.Type, prefix string)
	visit = func(typ reflect.Type, prefix string) {
		for i := range typ.NumField() {
			field := typ.Field(i)
			if !field.IsExported() {
				continue
			}
			path := prefix + field.Name
			if list, ok := values[path]; ok {
				all = append(all, option{path, list})
				delete(values, path)
				if len(list) < 2 {
					t.Errorf("configValues has one value for mixer.Config.%s: add another", path)
				}
				if field.Type != reflect.TypeFor[[]mixer.Output]() {
					continue
				}
			}
			inner := field.Type
			if inner.Kind() == reflect.Slice {
				inner = inner.Elem()
			}
			if inner.Kind() != reflect.Struct || inner.PkgPath() != "voicepool/mixer" {
				t.Errorf("configValues has no values for mixer.Config.%s: add some, the default first", path)
				continue
			}
			visit(inner, path+".")
		}
	}
	visit(reflect.TypeFor[mixer.Config](), "")
	for path := range values {
		t.Errorf("configValues has values for %s, which is no field of mixer.Config", path)
	}
	return all
}

// configOf returns the configuration for a row.
func configOf(options []option, row []int) mixer.Config {
	send := []mixer.Send{{To: hall, Gain: -6}}
	eq := []effect.Effect{newEffect("eq", nil)}
	c := mixer.Config{Buses: []mixer.BusConfig{{Name: "tried"}, {Name: hall}, {Name: group}, {Name: plain, Effects: eq, Sends: send}}}
	for i, o := range options {
		if n, ok := o.values[row[i]].(outputs); ok && n > 0 {
			c.Outputs = []mixer.Output{{Name: "main"}, {Name: "aux"}}
		}
	}
	for i, o := range options {
		value, at := o.values[row[i]], reflect.ValueOf(&c).Elem()
		if m, ok := value.(perMixer); ok {
			value = m()
		}
		names := strings.Split(o.path, ".")
		switch {
		case names[0] == "Buses":
			at, names = reflect.ValueOf(&c.Buses[0]).Elem(), names[1:]
		case names[0] == "Outputs" && (len(names) == 1 || len(c.Outputs) == 0):
			continue
		case names[0] == "Outputs":
			at, names = reflect.ValueOf(&c.Outputs[1]).Elem(), names[1:]
		}
		for _, name := range names {
			at = at.FieldByName(name)
		}
		if value != nil {
			at.Set(reflect.ValueOf(value))
		}
	}
	if len(c.Outputs) > 0 && c.Buses[0].Output != "" {
		c.Buses[0].Output = c.Outputs[1].Name
	}
	return c
}

// describe returns the values of a row that differ from the default.
func describe(options []option, row []int) string {
	var parts []string
	for i, o := range options {
		switch value := o.values[row[i]]; {
		case row[i] == 0:
		case reflect.ValueOf(value).Kind() == reflect.Func || reflect.ValueOf(value).Kind() == reflect.Slice:
			parts = append(parts, o.path)
		default:
			parts = append(parts, fmt.Sprintf("%s: %v", o.path, value))
		}
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// configRows returns a pairwise covering array over the fields of a mixer.Config. It leaves out only pairs
// that Config.Check rejects in every row. Every value is in at least one row.
func configRows(t *testing.T) (options []option, rows [][]int) {
	t.Helper()
	options = configOptions(t)
	var values []int
	for _, o := range options {
		values = append(values, len(o.values))
	}
	rows, impossible := coveringArray(values, func(row []int) bool { return configOf(options, row).Check() == nil })
	for _, p := range impossible {
		a, b := options[p[0].factor], options[p[1].factor]
		t.Logf("no mixer has %s: %v and %s: %v", a, a.values[p[0].value], b, b.values[p[1].value])
	}
	if len(impossible) > 20 {
		t.Errorf("%d pairs of values are in no configuration, too many to be all that Config.Check refuses", len(impossible))
	}
	for i, o := range options {
		seen := map[int]bool{}
		for _, row := range rows {
			seen[row[i]] = true
		}
		if len(seen) != len(o.values) {
			t.Errorf("a value of mixer.Config.%s is in no configuration that Config.Check takes", o)
		}
	}
	return options, rows
}
