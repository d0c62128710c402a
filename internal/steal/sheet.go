package steal

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
)

// cue is one line of a scene's sheet.
type cue struct {
	frame int64
	event int
	stop  bool
}

// cues returns the lines of the sheet. What stops goes before what starts.
func (s *Scene) cues() (all []cue) {
	for i, e := range s.Events {
		if e.Stop > 0 && e.Stop < s.Frames {
			all = append(all, cue{e.Stop, i, true})
		}
	}
	for i, e := range s.Events {
		all = append(all, cue{e.At, i, false})
	}
	slices.SortStableFunc(all, func(a, b cue) int { return cmp.Compare(a.frame, b.frame) })
	return all
}

// Sheet returns the scene as a cue sheet without a limiter; the names of the sounds'
// files begin with folder. It also returns the event of each cue, or -1 where a cue is
// a stop.
func (s *Scene) Sheet(corpus []Recording, folder string) (text []byte, events []int) {
	b := &bytes.Buffer{}
	fmt.Fprintf(b, "# The scene %s, seed %d.\nrate: %d\nlength: %s\nmaster: {limiter: false}\nquality: cubic # as Part.Add reads, so that a voice can be mixed alone\nsounds:\n", s.Name, s.Seed, Rate, seconds(s.Frames))
	for i := range corpus {
		fmt.Fprintf(b, "  %s: {file: %s}", corpus[i].Name, strconv.Quote(folder+corpus[i].Name+".wav"))
		if from := corpus[i].File; from != "" {
			fmt.Fprintf(b, " # %s", strconv.Quote(from))
		}
		fmt.Fprintln(b)
	}
	fmt.Fprintf(b, "cues:\n")
	for _, c := range s.cues() {
		e := &s.Events[c.event]
		if c.stop {
			fmt.Fprintf(b, "  - {at: %s, stop: e%d}\n", seconds(c.frame), c.event)
			events = append(events, -1)
			continue
		}
		fmt.Fprintf(b, "  - {at: %s, play: %s, gain: %g, pan: %g, speed: %g", seconds(c.frame), corpus[e.Sound].Name, float64(e.Gain), e.Pan, e.Speed)
		if e.Stop > 0 {
			fmt.Fprintf(b, ", id: e%d, loop: true", c.event)
		}
		fmt.Fprintf(b, "}\n")
		events = append(events, c.event)
	}
	fmt.Fprintf(b, "  - {at: %s, stop: all}\n", seconds(s.Frames))
	return b.Bytes(), append(events, -1)
}

// seconds writes a frame to the microsecond, which a sheet rounds back to it.
func seconds(frame int64) string {
	us := (frame*1e6 + Rate/2) / Rate
	return fmt.Sprintf("%d.%06d", us/1e6, us%1e6)
}
