// Package catalog finds the sounds named on a command line, and describes their format, loudness
// and shape.
package catalog

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"voicepool/cmd/internal/cli/console"
	"voicepool/cmd/internal/view/meterbar"
	"voicepool/cue/play"
	"voicepool/cue/report"
	"voicepool/internal/words"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/sounds/embedded"
	"voicepool/sounds/library"
)

// Row describes one sound, or why it could not be loaded.
type Row struct {
	info library.Info
	name string // the displayed name; see setNames
	Err  error

	levels  []report.Level // the envelope
	picture *portrait      // for Paint
}

// Options configure Gather.
type Options struct {
	In        io.Reader       // standard input
	Library   library.Options // of the library of each sound
	Portraits bool            // for Paint
	Loading   play.Progress   // shows the progress; optional
}

// Gather loads the sounds in list, in parallel on all processors, and returns a row for each, in the same order. A
// sound that cannot be loaded has a row with the error in Err. A file from a folder may turn out not to be a sound; it
// has no row. Gather calls o.Loading, unless it is nil, with the number of finished sounds and the number of all
// sounds.
func Gather(list []Named, o Options) []Row {
	rows := make([]Row, len(list))
	console.Each(len(list), o.Loading, func(i int) { rows[i] = o.load(list[i]) })
	rows = slices.DeleteFunc(rows, func(r Row) bool { return r.Err == nil && r.levels == nil })
	setNames(rows)
	return rows
}

// load loads the sound n with a library of its own and returns its row. If the sound cannot be loaded, the row has
// only its name and the error in Err. A file from a folder that turns out not to be a sound gives the zero Row. For
// "-" load reads all of o.In.
func (o *Options) load(n Named) Row {
	lib := library.NewLibrary(o.Library)
	source, err := n.source(o.In)
	var loaded []*sounds.Sound
	if err == nil {
		loaded, err = lib.Load(context.Background(), source)
	}
	switch {
	case err != nil && n.guess && errors.Is(err, library.ErrFormat):
		return Row{}
	case err != nil:
		return Row{info: library.Info{Name: n.Name}, Err: err}
	}
	info, _ := lib.Info(loaded[0])
	switch {
	case n.Name == "-":
		info.File = n.Name
	case n.File == "": // the user has no file of an embedded sound
		info.File = ""
	}
	row := Row{info: info, levels: levelsOf(loaded[0], 16)}
	if o.Portraits {
		row.picture = newPortrait(loaded[0], loopOf(info) != "-")
	}
	return row
}

// loopOf describes the loop of the sound i for a table. If the file has a loop, the result is "from..to" in frames. An
// embedded sound that is meant to loop gives "whole". Other sounds give "-".
func loopOf(i library.Info) string {
	switch {
	case i.Loop != nil:
		return fmt.Sprintf("%d..%d", i.Loop[0], i.Loop[1])
	case i.File == "" && embedded.IsLoop(i.Name):
		return "whole"
	}
	return "-"
}

// levelsOf divides the samples of s into the given number of equal parts. It returns the mean power of each part in
// dB. A silent part has minus infinity.
func levelsOf(s *sounds.Sound, parts int) []report.Level {
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

// blocks draws levels, which are in dB, as text: one block character for each. A full block means -6 dB or more, a
// space -66 dB or less.
func blocks(levels []report.Level) string {
	var out strings.Builder
	for _, l := range levels {
		out.WriteRune(meterbar.Block(float64(l) + 6))
	}
	return out.String()
}

// Print writes a table to w with a line for each of rows that has no error. If all rows have errors, it writes no
// table. Rows with errors are not mentioned. It returns the first error of w.
func Print(w io.Writer, rows []Row) error {
	if len(rows) > 0 && !slices.ContainsFunc(rows, func(r Row) bool { return r.Err == nil }) {
		return nil
	}
	gains := slices.ContainsFunc(rows, func(r Row) bool { return r.info.Gain != 0 || r.info.TagGain != nil })
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	head := "LUFS"
	if gains {
		head = "LUFS\ttag dB\tgain dB"
	}
	fmt.Fprintf(table, "name\tformat\tch\trate\tlength\tpeak dB\t%s\tloop\tmemory\tenvelope\n", head)
	for _, r := range rows {
		if r.Err != nil {
			continue
		}
		i := r.info
		level := words.Level(float64(i.Loudness))
		if gains {
			tag := "-"
			if i.TagGain != nil {
				tag = fmt.Sprintf("%+.1f", *i.TagGain)
			}
			level += fmt.Sprintf("\t%s\t%+.1f", tag, i.Gain)
		}
		fmt.Fprintf(table, "%s\t%s\t%d\t%d\t%s\t%s\t%s\t%s\t%s\t%s\n",
			words.OneLine(r.name), strings.TrimSpace(i.Format+" "+i.Encoding), i.Channels, i.Rate, Length(i.Seconds),
			words.Level(float64(i.TruePeak)), level, loopOf(i), bytesOf(i.Bytes), blocks(r.levels))
	}
	return table.Flush()
}

// Notes returns the remarks about the files of rows, such as an unusual format, one line each. A line begins with
// "note:", followed by the name of the sound.
func Notes(rows []Row) (lines []string) {
	for _, r := range rows {
		for _, note := range r.info.Notes {
			lines = append(lines, "note: "+words.OneLine(r.name+": "+note))
		}
	}
	return lines
}

// soundEntry is a sound in JSON.
type soundEntry struct {
	Name     string         `json:"name"`
	File     *string        `json:"file"`
	Format   string         `json:"format"`
	Encoding string         `json:"encoding,omitempty"`
	Channels int            `json:"channels"`
	Rate     int            `json:"rate"`
	Frames   int64          `json:"frames"`
	Seconds  float64        `json:"seconds"`
	LUFS     report.Level   `json:"lufs"`
	TruePeak report.Level   `json:"true_peak_db"`
	TagGain  *report.Level  `json:"tag_gain_db"` // null: no tag
	Gain     report.Level   `json:"gain_db"`
	Loop     *pcm.Loop      `json:"loop"`
	Bytes    int64          `json:"bytes"`
	Notes    []string       `json:"notes,omitempty"` // remarks about the file
	Envelope []report.Level `json:"envelope_db"`     // of 16 parts, from start to end
}

// brokenEntry is a sound that could not be loaded.
type brokenEntry struct {
	Name  string `json:"name"`
	Error string `json:"error"`
}

// JSON returns the value to encode as JSON for rows: an object with the list "sounds". A row with an error becomes an
// object that has only the name and the error.
func JSON(rows []Row) any {
	entries := make([]any, 0, len(rows))
	for _, r := range rows {
		i := r.info
		if r.Err != nil {
			entries = append(entries, brokenEntry{i.Name, words.Plain(r.Err)})
			continue
		}
		e := soundEntry{
			Name: i.Name, Format: i.Format, Encoding: i.Encoding, Channels: i.Channels, Rate: i.Rate, Frames: i.Frames, Seconds: i.Seconds,
			LUFS: report.Level(i.Loudness), TruePeak: report.Level(i.TruePeak), TagGain: (*report.Level)(i.TagGain), Gain: report.Level(i.Gain), Loop: i.Loop, Bytes: i.Bytes, Notes: i.Notes, Envelope: r.levels,
		}
		if i.File != "" {
			e.File = &i.File
		} else if i.Loop == nil && embedded.IsLoop(i.Name) {
			e.Loop = &pcm.Loop{0, i.Frames}
		}
		entries = append(entries, e)
	}
	return struct {
		Sounds []any `json:"sounds"`
	}{entries}
}

// Length formats s, a duration in seconds. Below a minute it has milliseconds, as in "1.250s". From a minute on it is
// rounded to seconds, as in "1m5s".
func Length(s float64) string {
	if s >= 60 {
		return time.Duration(s * float64(time.Second)).Round(time.Second).String()
	}
	return fmt.Sprintf("%.3fs", s)
}

// bytesOf formats a number of bytes. Below 1 KiB it is in B, below 1 MiB in whole KiB, and above that in MiB with one
// decimal.
func bytesOf(n int64) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%d B", n)
	case n < 1<<20:
		return fmt.Sprintf("%d KiB", (n+1<<9)>>10)
	}
	return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
}
