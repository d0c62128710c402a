package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"slices"

	"github.com/alecthomas/kong"

	"voicepool/bank/rules"
	"voicepool/cmd/internal/cli/catalog"
	"voicepool/cmd/internal/cli/console"
	"voicepool/cmd/internal/cli/flagtype"
	"voicepool/cmd/internal/cli/outfiles"
	"voicepool/cmd/internal/serve/remote"
	"voicepool/cmd/internal/show/liveplay"
	"voicepool/cue"
	"voicepool/mixer"
	"voicepool/sounds/library"
)

type playCommand struct {
	Sounds []string `arg:"" predictor:"sound" name:"sound" help:"Files, names of embedded sounds, - for standard input, or generated sounds: tone:440, tone:440:square (saw, triangle), noise:white, noise:pink. Without --length and --loop, a tone lasts one second, and noise ten."`

	Gain  flagtype.Gain `placeholder:"DB" help:"Gain in dB, -120..24."`
	Pan   float64       `placeholder:"P" help:"Pan, -1 (left) .. 1 (right)."`
	Pitch float64       `placeholder:"ST" help:"Pitch in semitones, -48..48."`
	Speed float64       `placeholder:"X" default:"1" help:"Speed as a ratio, 0.0625..16."`
	Loop  bool          `help:"Repeat until Ctrl-C."`

	liveFlags
	remote.Flags
}

// Run plays the sounds until they end or a signal interrupts them. With --to it plays them in a room instead.
func (p *playCommand) Run(c *console.Console, app *kong.Context) error {
	if err := p.check(); err != nil {
		return err
	}
	if p.To != "" {
		if err := serverFlags(app, "gain", "pan", "pitch", "speed", "loop"); err != nil {
			return err
		}
		return p.playInRoom(c)
	}
	interrupted := c.Listen()
	defer interrupted.Close()
	spooled := ""
	defer func() { os.Remove(spooled) }()
	sheet, inputs, err := p.sheet(c.In, func() (file string, err error) {
		spooled, err = spool(interrupted, c.In, p.limits())
		return spooled, err
	})
	if err != nil {
		return err
	}
	if err := p.outputs().CheckDistinct(inputs); err != nil {
		return err
	}
	err = p.perform(c, interrupted, sheet, liveplay.Options{Title: "play"})
	// The error's line in the generated sheet would confuse the user.
	_, stopped := errors.AsType[console.Interruption](err)
	if at, ok := errors.AsType[*rules.Error](err); ok && at.Sound != nil && !stopped {
		return at.Sound
	}
	return err
}

// playInRoom starts the sounds in the room of --to, by their names in the room, and prints the answers. It stops at
// the first error and does not wait for the end of the sounds.
func (p *playCommand) playInRoom(c *console.Console) error {
	room, err := p.Flags.Room()
	if err != nil {
		return err
	}
	interrupted := c.Listen()
	defer interrupted.Close()
	for _, sound := range p.Sounds {
		body := map[string]any{"sound": sound, "gain": p.Gain, "pan": p.Pan, "pitch": p.Pitch, "speed": p.Speed}
		if p.Loop {
			body["loop"] = true
		}
		answer, err := room.Play(interrupted, body)
		if err := remote.PrintAnswer(c, answer, err); err != nil {
			return err
		}
	}
	return nil
}

// check returns a usage error for invalid flags, and if standard input is named twice. Without it, errors would name
// lines of the generated sheet.
func (p *playCommand) check() error {
	if first := slices.Index(p.Sounds, "-"); first >= 0 && slices.Contains(p.Sounds[first+1:], "-") {
		return console.Usage("standard input can be played only once")
	}
	gain := float64(p.Gain)
	return cmp.Or(inRange("gain", &gain, mixer.MinGain, mixer.MaxGain), inRange("pan", &p.Pan, -mixer.MaxPan, mixer.MaxPan),
		inRange("pitch", &p.Pitch, -mixer.MaxPitch, mixer.MaxPitch), inRange("speed", &p.Speed, mixer.MinSpeed, mixer.MaxSpeed),
		p.liveFlags.check())
}

// sheet returns a generated sheet that plays all of p.Sounds at once, and the input files. in is standard input. For
// the sound "-", sheet calls spool, which copies it to a file and returns the path.
func (p *playCommand) sheet(in io.Reader, spool func() (string, error)) (s *cue.Sheet, inputs []outfiles.Input, err error) {
	type entry map[string]any
	listed := entry{}
	var cues []entry
	for _, argument := range p.Sounds {
		s := catalog.Resolve(argument)
		name := s.Name
		generated, err := s.Tone()
		if err != nil {
			return nil, nil, console.Usage("%v", err)
		}
		switch {
		case s.Name == "-":
			file, err := spool()
			if err != nil {
				return nil, nil, err
			}
			inputs = append(inputs, outfiles.Input{In: in, Label: "the sound on standard input"})
			name = catalog.StandardInput
			listed[name] = entry{"file": file}
		case generated:
			listed[name] = entry{"file": name}
		case s.File == "":
			listed[name] = entry{}
		default:
			if err := catalog.Missing(s.File); err != nil {
				return nil, nil, err
			}
			inputs = append(inputs, outfiles.Input{Path: s.File, Label: "the sound " + oneLine(s.File)})
			listed[name] = entry{"file": s.File}
		}
		cues = append(cues, entry{
			"at": 0, "play": name, "gain": p.Gain, "pan": p.Pan, "pitch": p.Pitch, "speed": p.Speed, "loop": p.Loop || generated && p.Length != nil,
		})
	}
	text, err := json.Marshal(entry{"sounds": listed, "cues": cues})
	if err == nil {
		s, err = cue.Parse("command line", text)
	}
	return s, inputs, err
}

// spool copies a sound from in, standard input, to a temporary file and returns its path, because sheets name files.
// It decodes the sound within limits first, so that an error names standard input. The caller must remove the file.
func spool(ctx context.Context, in io.Reader, limits library.Limits) (string, error) {
	data, err := console.Within(ctx, func() ([]byte, error) { return catalog.ReadInput(in) })
	if err != nil {
		return "", err
	}
	if _, err := console.Within(ctx, func() (*library.Clip, error) {
		return library.Decode(ctx, catalog.StandardInput, bytes.NewReader(data), limits)
	}); err != nil {
		return "", err
	}
	file, err := os.CreateTemp("", "voicepool-*")
	if err != nil {
		return "", err
	}
	file.Close()
	return file.Name(), os.WriteFile(file.Name(), data, 0o600)
}
