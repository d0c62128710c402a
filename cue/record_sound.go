package cue

import (
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
	l := line{rate: r.sheet.Rate}
	if f := s.Files[0]; f.Path != "" {
		l.text("file", f.Path)
	} else {
		l.text("file", f.Name)
	}
	l.number("gain", float64(h.BaseGain), 0)
	l.number("pitch", float64(h.BasePitch), 0)
	if h.Quality != r.sheet.Quality {
		l.text("quality", h.Quality.String())
	}
	if s.Stream {
		l.raw("stream", "true")
		l.number("level", float64(s.Level), 0)
	}
	l.number("lufs", s.Leveling.LUFS, 0)
	if s.Leveling.Tags {
		l.raw("replaygain", "true")
	}
	r.group(&l, e.Group)
	r.listed = fmt.Appendf(r.listed, "  %s: {%s}\n", quoted(name), l.body)
	return name, nil
}

// group adds what a group asks of its starts.
func (r *Recorder) group(l *line, g *mixer.Group) {
	if g == nil {
		return
	}
	name, ok := r.groups[g]
	if !ok {
		name = unused(r.taken, g.Name())
		r.groups[g] = name
	}
	o := g.Options()
	l.text("group", name)
	l.number("limit", float64(o.Limit), 0)
	l.frames("cooldown", pcm.Frames(o.Cooldown, l.rate))
	if within := pcm.Frames(o.Coalesce, l.rate); within > 0 {
		l.raw("coalesce", fmt.Sprintf("{within: %s, most: %s}", frameTime(within, l.rate), shortest(float64(o.Most))))
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
