package catalog

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"voicepool/cue/report"
	"voicepool/internal/words"
	"voicepool/pcm"
	"voicepool/sounds/embedded"
)

// Print prints a table, unless there is nothing to be put into it.
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
			words.OneLine(i.Name), strings.TrimSpace(i.Format+" "+i.Encoding), i.Channels, i.Rate, Length(i.Seconds),
			words.Level(float64(i.TruePeak)), level, loopOf(i), bytesOf(i.Bytes), blocks(r.levels))
	}
	return table.Flush()
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
	TagGain  *report.Level  `json:"tag_gain_db"` // null: it has no tag
	Gain     report.Level   `json:"gain_db"`
	Loop     *pcm.Loop      `json:"loop"`
	Bytes    int64          `json:"bytes"`
	Envelope []report.Level `json:"envelope_db"` // of 16 parts, from start to end
}

// brokenEntry is one that could not be loaded.
type brokenEntry struct {
	Name  string `json:"name"`
	Error string `json:"error"`
}

// JSON returns what is printed of rows as JSON.
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
			LUFS: report.Level(i.Loudness), TruePeak: report.Level(i.TruePeak), TagGain: (*report.Level)(i.TagGain), Gain: report.Level(i.Gain), Loop: i.Loop, Bytes: i.Bytes, Envelope: r.levels,
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

// Length prints a length so that short sounds keep their digits.
func Length(s float64) string {
	if s >= 60 {
		return time.Duration(s * float64(time.Second)).Round(time.Second).String()
	}
	return fmt.Sprintf("%.3fs", s)
}

func bytesOf(n int64) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%d B", n)
	case n < 1<<20:
		return fmt.Sprintf("%d KiB", (n+1<<9)>>10)
	}
	return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
}
