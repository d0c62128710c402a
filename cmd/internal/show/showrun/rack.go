package showrun

import "voicepool/mixer"

// BusEffect is an effect of a bus in a State.
type BusEffect struct {
	Effect string `json:"effect"` // its name
	Kind   string `json:"kind"`
	Bypass bool   `json:"bypass"`
}

// BusEffects returns the name, the kind and the bypass state of each effect on the bus b. The effects are in the order
// of processing. For a bus without effects the result is nil.
func BusEffects(b mixer.Bus) (all []BusEffect) {
	effects := b.Effects()
	for i := range effects {
		e := &effects[i]
		all = append(all, BusEffect{e.Name(), e.Kind().Name, e.Value(e.Kind().Find("bypass")) != 0})
	}
	return all
}
