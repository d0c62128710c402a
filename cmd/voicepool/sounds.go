package main

import (
	"image/png"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"voicepool/cmd/internal/cli/catalog"
	"voicepool/cmd/internal/cli/console"
	"voicepool/cmd/internal/cli/outfiles"
	"voicepool/sounds/library"
)

type soundsCommand struct {
	Paths []string `arg:"" predictor:"sound" optional:"" name:"path" help:"Files, folders, names of embedded sounds, or - for standard input. Default: the embedded sounds."`
	JSON  bool     `name:"json" help:"Print JSON."`
	PNG   string   `name:"png" placeholder:"FILE" help:"Draw waveforms and loudness to a PNG file."`

	LUFS       *float64 `name:"lufs" placeholder:"LUFS" help:"Normalize sounds to this loudness in LUFS, -70..-1."`
	ReplayGain bool     `name:"replaygain" help:"Read the loudness of sounds from their ReplayGain or R128 tags, if present."`

	isolateFlag
}

// maxPanels limits the height of a picture.
const maxPanels = 200

// Run prints a table or JSON of the sounds in s.Paths, and with --png draws them. A sound that cannot be loaded does
// not stop the others: its error is printed after the table and gives exit code 1 or 2.
func (s *soundsCommand) Run(c *console.Console) error {
	if err := inRange("lufs", s.LUFS, -70, -1); err != nil {
		return err
	}
	list, skipped, err := catalog.Find(s.Paths)
	if err != nil {
		return err
	}
	for _, line := range skipped {
		c.Say("%s", line)
	}
	switch {
	case s.PNG == "-":
		return console.Usage("--png: standard output is for the table; name a file")
	case slices.Contains(otherPictures, strings.ToLower(filepath.Ext(s.PNG))):
		return console.Usage("--png: %s: want a .png file", oneLine(s.PNG))
	case s.PNG != "" && len(list) > maxPanels:
		return console.Usage("--png: %d sounds are too many for a picture; show at most %d", len(list), maxPanels)
	}
	var inputs []outfiles.Input
	for _, n := range list {
		if n.File != "" {
			inputs = append(inputs, outfiles.Input{Path: n.File, Label: "the sound " + oneLine(n.File)})
		}
	}
	if err := outfiles.Of("--png", " ", s.PNG).CheckDistinct(inputs); err != nil {
		return err
	}
	file, err := outfiles.Create(s.PNG)
	if err != nil {
		return err
	}
	defer file.Discard()
	level := library.Leveling{Tags: s.ReplayGain}
	set(&level.LUFS, s.LUFS)
	rows := catalog.Gather(list, catalog.Options{
		In: c.In, Library: library.Options{Measure: true, Leveling: level, Limits: s.limits(), OnDamage: warnOfDamage(c)}, Portraits: s.PNG != "", Loading: c.Loading(),
	})
	if s.JSON {
		c.JSON(catalog.JSON(rows))
	} else {
		catalog.Print(c.Out, rows)
	}
	for _, line := range catalog.Notes(rows) {
		c.Say("%s", line)
	}
	failed := []error{file.Save(func(w io.Writer) error { return png.Encode(w, catalog.Paint(rows)) })}
	for _, r := range rows {
		failed = append(failed, r.Err)
	}
	return c.Outcome(failed...)
}

// otherPictures are extensions of picture formats other than PNG.
var otherPictures = []string{".jpg", ".jpeg", ".gif", ".svg", ".webp", ".bmp", ".tif", ".tiff", ".avif"}
