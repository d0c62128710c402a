package drivers

import (
	"fmt"
	"slices"
	"text/tabwriter"

	"voicepool/cmd/internal/cli/console"
	"voicepool/internal/words"
)

// Command is the command that lists devices and drivers.
type Command struct {
	JSON bool `name:"json" help:"Print JSON."`
}

// Run prints the audio devices that the flag --device accepts to c.Out. The result is a table with a mark at the
// device that auto selects, or JSON if d.JSON is set.
func (d *Command) Run(c *console.Console) error {
	rows := List()
	if d.JSON {
		auto := rows[slices.IndexFunc(rows, func(r Row) bool { return r.Auto })].Name
		return c.JSON(struct {
			Auto    string `json:"auto"`
			Devices []Row  `json:"devices"`
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
			fmt.Fprintf(table, "    %s:%s\t%s\t%s\n", r.Name, name, State(s), about)
		}
		for _, b := range r.Drivers {
			fmt.Fprintf(table, "    %s\t%s\t%s\n", b.Name, found[b.Found], b.Detail)
		}
	}
	fmt.Fprintln(table, "* marks the device that --device auto uses")
	return table.Flush()
}
