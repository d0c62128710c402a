package showrun

import "voicepool/mixer"

// Rack is an effect of a bus in a State.
type Rack struct {
	Effect string `json:"effect"` // its name
	Kind   string `json:"kind"`
	Bypass bool   `json:"bypass"`
}

// Racks returns name, kind and bypass of each effect of the bus b, in order of processing. Without effects it returns
// nil.
func Racks(b mixer.Bus) (all []Rack) {
	effects := b.Effects()
	for i := range effects {
		e := &effects[i]
		all = append(all, Rack{e.Name(), e.Kind().Name, e.Value(e.Kind().Find("bypass")) != 0})
	}
	return all
}
