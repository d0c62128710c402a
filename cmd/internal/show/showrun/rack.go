package showrun

import "voicepool/mixer"

// BusEffect is an effect of a bus in a State.
type BusEffect struct {
	Effect string `json:"effect"` // its name
	Kind   string `json:"kind"`
	Bypass bool   `json:"bypass"`
}

// BusEffects returns name, kind and bypass of each effect of the bus b, in order of processing. Without effects it
// returns nil.
func BusEffects(b mixer.Bus) (all []BusEffect) {
	effects := b.Effects()
	for i := range effects {
		e := &effects[i]
		all = append(all, BusEffect{e.Name(), e.Kind().Name, e.Value(e.Kind().Find("bypass")) != 0})
	}
	return all
}
