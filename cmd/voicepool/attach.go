package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"

	"github.com/gdamore/tcell/v2"

	"voicepool/cmd/internal/booth"
	"voicepool/cmd/internal/console"
	"voicepool/cmd/internal/control"
	"voicepool/cmd/internal/screen"
)

type attachCommand struct {
	Show string `arg:"" optional:"" help:"The show: its sheet, or unix:PATH. Nothing: the one that runs."`
}

func (a *attachCommand) Run(c *console.Console) error {
	conn, err := a.find()
	if err != nil {
		return err
	}
	defer conn.Close()
	if c.OutTerminal == nil {
		return console.Usage("attach needs a terminal; voicepool send runs a show without one")
	}
	t, err := tcell.NewScreen()
	if err != nil {
		return fmt.Errorf("this terminal cannot be drawn on: %w", err)
	}
	booth.Forget()
	err = screen.Run(context.Background(), t, true, control.Remote(conn))
	if errors.Is(err, screen.ErrLeft) {
		c.Say("the show goes on; voicepool attach comes back to it")
		return nil
	}
	return err
}

// find connects to the show that is meant.
func (a *attachCommand) find() (net.Conn, error) {
	if strings.HasPrefix(a.Show, "unix:") {
		return control.Dial(a.Show)
	}
	conn, names, err := control.Find(a.Show)
	if conn != nil || err != nil {
		return conn, err
	}
	switch {
	case len(names) == 0:
		return nil, errors.New("no show of this user runs; voicepool go SHEET begins one")
	case a.Show == "":
		return nil, console.Usage("%s run; name one: %s", count(len(names), "show"), strings.Join(names, ", "))
	}
	return nil, console.Usage("no show %s runs, but %s", oneLine(a.Show), strings.Join(names, ", "))
}
