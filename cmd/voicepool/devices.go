package main

import (
	"context"
	"fmt"
	"slices"
	"text/tabwriter"

	"voicepool/cmd/internal/console"
	"voicepool/device/auto"
	"voicepool/device/oto"
	"voicepool/device/pulse"
	"voicepool/internal/words"
)

type devicesCommand struct {
	JSON bool `name:"json" help:"Print JSON."`
}

// deviceRow is one thing that --device can name.
type deviceRow struct {
	Name   string        `json:"name"` // as --device takes it
	Found  bool          `json:"found"`
	Auto   bool          `json:"auto"` // auto would take it
	Detail string        `json:"detail"`
	Sinks  []pulse.Sink  `json:"sinks,omitempty"`
	Below  []driverEntry `json:"drivers,omitempty"`
}

// driverEntry is a way to the sound card.
type driverEntry struct {
	Name   string `json:"name"`
	Found  bool   `json:"found"`
	Detail string `json:"detail"`
}

func (d *devicesCommand) Run(c *console.Console) error {
	rows := listDevices()
	if d.JSON {
		auto := rows[slices.IndexFunc(rows, func(r deviceRow) bool { return r.Auto })].Name
		return c.JSON(struct {
			Auto    string      `json:"auto"`
			Devices []deviceRow `json:"devices"`
		}{auto, rows})
	}
	found := map[bool]string{true: "there", false: "not there"}
	table := tabwriter.NewWriter(c.Out, 0, 0, 2, ' ', 0)
	for _, r := range rows {
		mark := " "
		if r.Auto {
			mark = "*"
		}
		fmt.Fprintf(table, "%s %s\t%s\t%s\n", mark, r.Name, found[r.Found], r.Detail)
		for _, s := range r.Sinks {
			name, about := words.OneLine(s.Name), words.OneLine(s.Description)
			fmt.Fprintf(table, "    %s:%s\t%s\t%s\n", r.Name, name, state(s), about)
		}
		for _, b := range r.Below {
			fmt.Fprintf(table, "    %s\t%s\t%s\n", b.Name, found[b.Found], b.Detail)
		}
	}
	fmt.Fprintln(table, "* is what --device auto takes")
	return table.Flush()
}

// state says of a sink how it plays, and whether it is what the server takes unasked. Two
// channels are nothing to tell, and 0 are not known.
func state(s pulse.Sink) string {
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

// listDevices opens the sound card, silently: only that tells whether it
// answers.
func listDevices() []deviceRow {
	server := deviceRow{Name: "pulse", Detail: "the sound server"}
	sinks, err := pulse.Sinks(context.Background())
	if server.Sinks = sinks; err != nil {
		server.Detail = auto.Reason(err)
	} else if _, where := pulse.Server(); len(sinks) == 0 {
		server.Detail = "the sound server has no output (" + where + ")"
	} else {
		server.Found, server.Detail = true, "the sound server at "+where
	}
	card := deviceRow{Name: "oto", Detail: "the sound card"}
	for _, p := range oto.Probe() {
		card.Below = append(card.Below, driverEntry(p))
		card.Found = card.Found || p.Found
	}
	best := auto.New(auto.Config{})
	defer best.Close()
	taken := best.Driver()
	if why := best.Reason(); why != "" {
		card.Found, card.Detail = false, why
	}
	rows := []deviceRow{
		server,
		card,
		{Name: "null", Found: true, Detail: "nothing is heard, in real time"},
		{Name: "wav:FILE", Found: true, Detail: "recorded into a WAV file, in real time"},
		{Name: "raw:FILE", Found: true, Detail: "float32 samples without a header; raw16:FILE has int16"},
		{Name: "-", Found: true, Detail: "a WAV on standard output, in real time"},
	}
	for i := range rows {
		rows[i].Auto = rows[i].Name == taken
	}
	return rows
}
