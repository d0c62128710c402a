package main

import (
	"context"
	"errors"

	"voicepool/cmd/internal/cli/console"
	"voicepool/cmd/internal/serve/remote"
	"voicepool/cmd/internal/view/liveview"
)

type watchCommand struct {
	remote.Flags
	Verbose bool `short:"v" help:"Print every event."`
}

// Run shows the voices and events of a room of a server until the room ends or a signal interrupts the command: as a
// view on a terminal, otherwise as lines.
func (w *watchCommand) Run(c *console.Console) error {
	if w.To == "" {
		return console.Usage("--to is missing; give the address of a server, such as http://127.0.0.1:7700")
	}
	room, err := w.Flags.Room()
	if err != nil {
		return err
	}
	interrupted := c.Listen()
	defer interrupted.Close()
	show := liveview.NewLines(c.Out, w.Verbose).Show
	if c.OutTerminal != nil && !w.Verbose {
		view := liveview.NewView(c.TakeOver(c.OutTerminal), "watch "+oneLine(room.Room()), "")
		show = func(p liveview.Picture, _ bool) { view.Show(p) }
		defer c.Restore()
	}
	if err := room.Watch(interrupted, show); !errors.Is(err, context.Canceled) {
		return err
	}
	return interrupted.Cause()
}
