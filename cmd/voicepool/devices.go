package main

import (
	"fmt"
	"slices"
	"text/tabwriter"

	"voicepool/cmd/internal/console"
	"voicepool/device/auto"
	"voicepool/device/oto"
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
		for _, b := range r.Below {
			fmt.Fprintf(table, "    %s\t%s\t%s\n", b.Name, found[b.Found], b.Detail)
		}
	}
	fmt.Fprintln(table, "* is what --device auto takes")
	return table.Flush()
}

// listDevices opens the sound card, silently: only that tells whether it
// answers.
func listDevices() []deviceRow {
	card := deviceRow{Name: "oto", Detail: "the sound card"}
	for _, p := range oto.Probe() {
		card.Below = append(card.Below, driverEntry(p))
	}
	best := auto.New(auto.Config{})
	if why := best.Reason(); why != "" {
		card.Detail = why
	}
	card.Found = best.Close() == nil && best.Driver() == card.Name
	card.Auto = card.Found
	return []deviceRow{
		card,
		{Name: "null", Found: true, Auto: !card.Found, Detail: "nothing is heard, in real time"},
		{Name: "wav:FILE", Found: true, Detail: "recorded into a WAV file, in real time"},
		{Name: "-", Found: true, Detail: "a WAV on standard output, in real time"},
	}
}
