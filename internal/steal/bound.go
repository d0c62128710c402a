package steal

import "slices"

// Grid is how many frames apart bound and optimum look at the energies of voices:
// 5 ms.
const Grid = Rate / 200

// Bound returns the least K-error that a pool of each size can have, in dB, that
// hears the strongest voices of every 5 ms: no choice can do better, not even one
// that may swap voices at any time, as long as voices add up in power.
func Bound(parts []Part, frames int64, pools []int) []float64 {
	starting := make([][]int, frames/Grid+1)
	for i := range parts {
		starting[parts[i].From/Grid] = append(starting[parts[i].From/Grid], i)
	}
	lost := make([]float64, len(pools))
	total := 0.0
	var living []int
	var energies []float64
	for bin, fresh := range starting {
		from := int64(bin) * Grid
		living = slices.DeleteFunc(append(living, fresh...), func(i int) bool { return parts[i].To <= from })
		energies = energies[:0]
		for _, i := range living {
			energies = append(energies, parts[i].Energy(from, from+Grid))
		}
		slices.Sort(energies)
		for _, e := range energies {
			total += e
		}
		for k, pool := range pools {
			for _, e := range energies[:max(len(energies)-pool, 0)] {
				lost[k] += e
			}
		}
	}
	for k := range lost {
		lost[k] = ratio(lost[k], total)
	}
	return lost
}

// Span is a time in which a part is not heard: frames of the scene.
type Span struct {
	Part     int
	From, To int64
}

// PowerError returns the K-error, in dB, of parts that are unheard for some times,
// as long as voices add up in power and go without a tail: what is to be compared
// with a bound and with Optimum.KError.
func PowerError(parts []Part, unheard []Span, frames int64) float64 {
	lost, total := 0.0, 0.0
	for i := range parts {
		total += parts[i].Energy(0, frames)
	}
	for _, s := range unheard {
		lost += parts[s.Part].Energy(s.From, s.To)
	}
	return ratio(lost, total)
}
