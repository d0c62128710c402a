package rules

import "voicepool/pcm"

// Bus is a named sub-mix.
type Bus struct {
	Name   string
	Parent string // the bus that it goes into; empty: the master
	Gain   pcm.Decibels
	Pan    float64
	Pitch  pcm.Semitones
	Voices int // at most so many; 0: as many as the pool has
	Mute   bool
	Solo   bool
	Duck   *Duck
}

// Duck lowers a bus while any voice that is not paused is on another one.
type Duck struct {
	When                  string
	By                    pcm.Decibels // 0..120
	Attack, Hold, Release Time
}

// Parents returns the bus that each bus goes into, by their names; empty: the master.
func (r *Rules) Parents() map[string]string {
	parents := make(map[string]string, len(r.Buses))
	for i := range r.Buses {
		parents[r.Buses[i].Name] = r.Buses[i].Parent
	}
	return parents
}
