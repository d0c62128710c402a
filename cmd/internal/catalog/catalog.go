// Package catalog finds the sounds that a command line names, and tells of each what it is,
// how loud, and how it looks.
package catalog

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"voicepool/cmd/internal/bar"
	"voicepool/cmd/internal/console"
	"voicepool/cue"
	"voicepool/cue/report"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/sounds/embedded"
	"voicepool/voice"
)

// Row is what is told about one sound, or why there is nothing to tell.
type Row struct {
	info sounds.Info
	Err  error

	levels  []report.Level // the envelope
	picture *portrait      // with --png
}

// Options say how sounds are looked at.
type Options struct {
	In        io.Reader      // standard input
	Bank      sounds.Options // of the bank of each
	Portraits bool           // for Paint
	Loading   cue.Loading    // what shows how far it is, or nil
}

// Gather loads sounds, as many at a time as there are processors, each into a bank of its
// own: a folder may hold more than fits into memory.
func Gather(list []Named, o Options) []Row {
	rows := make([]Row, len(list))
	console.Each(len(list), o.Loading, func(i int) { rows[i] = o.look(list[i]) })
	return slices.DeleteFunc(rows, func(r Row) bool { return r.Err == nil && r.levels == nil })
}

// look loads one sound. A guess that is none gives the zero row.
func (o *Options) look(n Named) Row {
	bank := sounds.NewBank(o.Bank)
	source, err := n.source(o.In)
	var loaded []*voice.Sound
	if err == nil {
		loaded, err = bank.Load(context.Background(), source)
	}
	switch {
	case err != nil && n.guess && errors.Is(err, sounds.ErrFormat):
		return Row{}
	case err != nil:
		return Row{info: sounds.Info{Name: n.Name}, Err: err}
	}
	info, _ := bank.Info(loaded[0])
	if n.Name == "-" {
		info.File = n.Name
	}
	row := Row{info: info, levels: levelsOf(loaded[0], 16)}
	if o.Portraits {
		row.picture = portray(loaded[0], loopOf(info) != "-")
	}
	return row
}

// loopOf tells the loop of a sound in a few characters.
func loopOf(i sounds.Info) string {
	switch {
	case i.Loop != nil:
		return fmt.Sprintf("%d..%d", i.Loop[0], i.Loop[1])
	case i.File == "" && embedded.IsLoop(i.Name):
		return "whole"
	}
	return "-"
}

// levelsOf returns how loud a sound is from its start to its end, in so many
// parts: the mean power of each, in dB.
func levelsOf(s *voice.Sound, parts int) []report.Level {
	samples := s.Samples()
	levels := make([]report.Level, parts)
	for i := range levels {
		part := samples[i*len(samples)/parts : (i+1)*len(samples)/parts]
		power := 0.0
		for _, x := range part {
			power += float64(x) * float64(x)
		}
		if len(part) > 0 {
			power /= float64(len(part))
		}
		levels[i] = report.Level(pcm.FromPower(power))
	}
	return levels
}

// blocks draws each in a character; full is -6 dB.
func blocks(levels []report.Level) string {
	var out strings.Builder
	for _, l := range levels {
		out.WriteRune(bar.Block(float64(l) + 6))
	}
	return out.String()
}
