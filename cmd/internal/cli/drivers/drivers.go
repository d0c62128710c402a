// Package drivers lists the audio devices for --device, and which of them auto selects.
package drivers

import (
	"context"
	"fmt"

	"voicepool/device/auto"
	"voicepool/device/oto"
	"voicepool/device/pulse"
	"voicepool/internal/words"
)

// Row is a device for --device.
type Row struct {
	Name    string       `json:"name"` // as in --device
	Found   bool         `json:"found"`
	Auto    bool         `json:"auto"` // auto would select it
	Detail  string       `json:"detail"`
	Sinks   []pulse.Sink `json:"sinks,omitempty"`
	Drivers []Entry      `json:"drivers,omitempty"`
}

// Entry is a driver of the sound card.
type Entry struct {
	Name   string `json:"name"`
	Found  bool   `json:"found"`
	Detail string `json:"detail"`
}

// State describes the sink s, an output of a sound server, in words: its rate, and its number of channels unless that
// is 2. It also mentions whether the sink is the server's default, suspended or muted.
func State(s pulse.Sink) string {
	text := fmt.Sprintf("%d Hz", s.Rate)
	if s.Channels != 2 && s.Channels != 0 {
		text += ", " + words.Count(s.Channels, "channel")
	}
	if s.Default {
		text += ", default"
	}
	if s.Suspended {
		text += ", suspended"
	}
	if s.Muted {
		text += ", muted"
	}
	return text
}

// List returns all audio devices that the flag --device accepts, in the order of the output. The device that auto
// would select is marked. To find that out, List queries the sound server and opens the sound card without playing.
func List() []Row {
	server := Row{Name: "pulse", Detail: "the sound server"}
	sinks, err := pulse.Sinks(context.Background())
	if server.Sinks = sinks; err != nil {
		server.Detail = auto.Reason(err)
	} else if _, where := pulse.Server(); len(sinks) == 0 {
		server.Detail = "the sound server has no output (" + where + ")"
	} else {
		server.Found, server.Detail = true, "the sound server at "+where
	}
	card := Row{Name: "oto", Detail: "the sound card"}
	for _, p := range oto.Probe() {
		card.Drivers = append(card.Drivers, Entry(p))
		card.Found = card.Found || p.Found
	}
	best := auto.New(auto.Config{})
	defer best.Close()
	taken := best.Driver()
	if why := best.Reason(); why != "" {
		card.Found, card.Detail = false, why
	}
	rows := []Row{
		server,
		card,
		{Name: "null", Found: true, Detail: "silent, in real time"},
		{Name: "wav:FILE", Found: true, Detail: "recorded into a WAV file, in real time"},
		{Name: "raw:FILE", Found: true, Detail: "float32 samples without a header; raw16:FILE has int16"},
		{Name: "-", Found: true, Detail: "a WAV on standard output, in real time"},
	}
	for i := range rows {
		rows[i].Auto = rows[i].Name == taken
	}
	return rows
}
