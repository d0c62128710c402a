package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/term"

	"voicepool/cmd/internal/console"
	"voicepool/device"
	"voicepool/device/null"
	"voicepool/device/oto"
	"voicepool/device/wav"
)

// open opens the device. auto takes the sound card where there is one, else
// null, which it says.
func (d deviceFlag) open(c *console.Console, rate, block int, seed uint64) (device.Device, error) {
	config := wav.Config{Rate: rate, Seed: seed}
	switch d.kind {
	case "oto":
		card, err := oto.Open(oto.Config{Rate: rate})
		if errors.Is(err, device.ErrUnavailable) {
			return nil, fmt.Errorf("--device oto: no sound here (%s)", why(err))
		}
		if err != nil {
			return nil, err
		}
		return card, nil
	case "null":
		return null.NewPaced(null.Config{Rate: rate, Block: block}), nil
	case "wav":
		file, err := wav.Create(d.file, config)
		if err != nil {
			return nil, err
		}
		return wav.NewDevice(file), nil
	case "-":
		if term.IsTerminal(int(os.Stdout.Fd())) {
			return nil, console.Usage("--device -: standard output is a terminal; send it to a file or a pipe")
		}
		sink, err := wav.NewWriter(namedWriter{"standard output", os.Stdout}, config)
		if err != nil {
			return nil, err
		}
		return wav.NewDevice(sink), nil
	}
	card, err := oto.Open(oto.Config{Rate: rate})
	if err == nil {
		return card, nil
	}
	if !errors.Is(err, device.ErrUnavailable) {
		return nil, err
	}
	c.Say("no sound here (%s): playing on silently, with --device null", why(err))
	return null.NewPaced(null.Config{Rate: rate, Block: block}), nil
}

// why returns the reason of a sound card that is not there, without the words
// that all such reasons share.
func why(err error) string {
	return oneLine(strings.TrimSuffix(strings.TrimPrefix(err.Error(), "oto: "), ": "+device.ErrUnavailable.Error()))
}

// namedWriter says in its errors what it writes to. It can seek where the file
// can.
type namedWriter struct {
	name string
	*os.File
}

func (w namedWriter) Write(p []byte) (int, error) {
	n, err := w.File.Write(p)
	if err != nil {
		err = errors.New(w.name + ": " + cause(err).Error())
	}
	return n, err
}
