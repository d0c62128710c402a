package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"

	"github.com/gdamore/tcell/v2"

	"voicepool/cmd/internal/cli/console"
	"voicepool/cmd/internal/show/lineproto"
	"voicepool/cmd/internal/show/operator"
	"voicepool/cmd/internal/show/showtui"
)

type attachCommand struct {
	Show string `arg:"" optional:"" help:"The show: its sheet, or unix:PATH. Default: the running show."`
}

// Run shows the screen of a running show on the terminal until the user leaves it, which does not end the show, or
// the show ends.
func (a *attachCommand) Run(c *console.Console) error {
	conn, err := a.find(c)
	if err != nil {
		return err
	}
	defer conn.Close()
	if c.OutTerminal == nil {
		return console.Usage("attach needs a terminal; voicepool send controls a show without one")
	}
	t, err := tcell.NewScreen()
	if err != nil {
		return fmt.Errorf("cannot draw on this terminal: %w", err)
	}
	operator.DiscardInput()
	err = showtui.Run(context.Background(), t, true, lineproto.Remote(conn))
	if errors.Is(err, showtui.ErrLeft) {
		c.Say("the show continues; voicepool attach returns to it")
		return nil
	}
	return err
}

// find connects to the show that a.Show names: a socket as unix:PATH, the sheet of a running show of this user, or if
// empty the only running show. If several or no shows match, find prints the choices, if any, and returns an error.
// The caller closes the connection.
func (a *attachCommand) find(c *console.Console) (net.Conn, error) {
	if strings.HasPrefix(a.Show, "unix:") {
		return lineproto.Dial(a.Show)
	}
	conn, same, all, err := lineproto.Find(a.Show)
	if conn != nil || err != nil {
		return conn, err
	}
	list := func(shows []lineproto.Running, format string, words ...any) error {
		c.Say(format, words...)
		for _, r := range shows {
			c.Say("  attach %v", r)
		}
		return console.Reported{Code: console.ExitUsage}
	}
	switch {
	case len(all) == 0:
		return nil, errors.New("no show of this user is running; voicepool go SHEET starts one")
	case len(same) == 0:
		return nil, list(all, "no show %s is running; these are:", oneLine(a.Show))
	case a.Show == "":
		return nil, list(all, "%s are running; choose one:", count(len(all), "show"))
	}
	return nil, list(same, "%s play %s; choose one:", count(len(same), "show"), oneLine(a.Show))
}
