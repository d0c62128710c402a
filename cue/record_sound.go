package cue

import (
	"cmp"
	"fmt"
	"strconv"

	"voicepool/mixer"
	"voicepool/pcm"
)

// sound returns the name of the entry of `sounds` for a start, and writes it when
// it is a new one.
func (r *Recorder) sound(e *mixer.Entry) (string, error) {
	h := &e.How
	key := soundKey{e.Sound, e.Group, h.BaseGain, h.BasePitch, h.Quality}
	if name, ok := r.sounds[key]; ok {
		return name, nil
	}
	s, ok := r.source(e.Sound)
	switch {
	case !ok || len(s.Files) != 1:
		return "", fmt.Errorf("nobody knows of which file the sound %s is", quote(e.Sound.Name()))
	case h.BasePitch < -48 || h.BasePitch > 48:
		return "", fmt.Errorf("the sound %s is pitched by %v semitones of its own, beyond -48..48", quote(e.Sound.Name()), h.BasePitch)
	}
	name := unused(r.names, e.Sound.Name())
	r.sounds[key] = name
	entry := Sound{
		Gain: Range{float64(h.BaseGain), float64(h.BaseGain)}, Pitch: Range{float64(h.BasePitch), float64(h.BasePitch)},
		Stream: s.Stream, Leveling: s.Leveling,
	}
	if s.Stream {
		entry.Level = s.Level
	}
	if h.Quality != r.sheet.Quality {
		entry.Quality = &h.Quality
	}
	var l line
	l.raw("file", quoted(cmp.Or(s.Files[0].Path, s.Files[0].Name)))
	if g := e.Group; g == nil {
		l.fields(entry.fields())
	} else {
		l.group(r, &entry, g)
	}
	r.listed = fmt.Appendf(r.listed, "  %s: {%s}\n", quoted(name), l.body)
	return name, nil
}

// group writes a sound and what a group asks of its starts.
func (l *line) group(r *Recorder, entry *Sound, g *mixer.Group) {
	name, ok := r.groups[g]
	if !ok {
		name = unused(r.taken, g.Name())
		r.groups[g] = name
	}
	o, rate := g.Options(), r.sheet.Rate
	entry.Group, entry.Limit, entry.Cooldown = name, o.Limit, timeOf(pcm.Frames(o.Cooldown, rate), rate)
	l.fields(entry.fields())
	if within := pcm.Frames(o.Coalesce, rate); within > 0 {
		l.raw("coalesce", fmt.Sprintf("{within: %v, most: %s}", timeOf(within, rate), shortest(float64(o.Most))))
	}
}

// unused returns a name that is not taken, and takes it. taken has, of each name, the last number
// that was put behind it.
func unused(taken map[string]int, name string) string {
	if name == "" {
		name = "sound"
	}
	unique := name
	for taken[unique] > 0 {
		taken[name]++
		unique = name + " " + strconv.Itoa(taken[name])
	}
	taken[unique] = 1
	return unique
}
