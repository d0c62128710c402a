package main

import (
	"errors"
	"fmt"
	"syscall"

	"voicepool/cmd/internal/cli/console"
	"voicepool/cmd/internal/serve/room"
	"voicepool/cmd/internal/serve/server"
)

type serveCommand struct {
	Sheet string `arg:"" optional:"" predictor:"sheet" help:"Cue sheet or bank of the room main. Default: the rooms of --config, or a room with the embedded sounds."`

	Listen    string   `placeholder:"ADDR" help:"Address to listen at (127.0.0.1:7700). :7700 listens at all addresses of this machine."`
	OSC       string   `name:"osc" placeholder:"ADDR" help:"Answer OSC at this address over UDP and TCP, such as 127.0.0.1:53000 (off)."`
	Device    string   `predictor:"device" placeholder:"DEVICE" help:"Device of the room main (auto), or with --nats of all rooms (none): auto, pulse, pulse:SINK, oto, null, or none to play over the network only."`
	Voices    *int     `placeholder:"N" help:"Number of voices in the pool of the room main, 1..65536."`
	Config    string   `predictor:"file" placeholder:"FILE" help:"Configuration (YAML): rooms, addresses, limits. SIGHUP reloads it."`
	State     string   `placeholder:"DIR" help:"Folder that keeps rooms across restarts."`
	TokenFile string   `name:"token-file" predictor:"file" placeholder:"FILE" help:"Access rights: lines ROLE TOKEN [ROOM,ROOM...]; ROLE is read-only, operator or admin."`
	Host      []string `placeholder:"NAME" sep:"none" help:"Another name by which browsers reach the server; localhost and its addresses always work. Repeatable."`
	Cert      string   `predictor:"file" placeholder:"FILE" help:"TLS certificate (PEM); needs --key."`
	Key       string   `predictor:"file" placeholder:"FILE" help:"Private key of the certificate (PEM)."`
	Quiet     bool     `short:"q" help:"Print errors and warnings only."`

	isolateFlag
	server.ClusterFlags
}

// check returns a usage error for an invalid pool size or device.
func (s *serveCommand) check() error {
	if err := pool(s.Voices, nil); err != nil {
		return err
	}
	if err := room.CheckDevice(s.Device); err != nil {
		return console.Usage("--device: %w", err)
	}
	return nil
}

// Run serves rooms until a signal ends the server. SIGTERM gives exit code 0; SIGHUP reloads the configuration. A
// faulty configuration is a usage error.
func (s *serveCommand) Run(c *console.Console) error {
	if err := s.check(); err != nil {
		return err
	}
	console.IgnoreHangups() // SIGHUP reloads the configuration
	interrupted := c.Listen()
	defer interrupted.Close()
	hangups, stop := console.Hangups()
	defer stop()
	o := server.Options{
		Sheet: s.Sheet, Config: s.Config, Listen: s.Listen, OSC: s.OSC, Device: s.Device, State: s.State, TokenFile: s.TokenFile,
		Bank: demoBank(), Hosts: s.Host, Cert: s.Cert, Key: s.Key, Limits: s.limits(), Hangups: hangups, Cluster: s.ClusterFlags,
		Log: func(line string) { c.Say("%s", line) },
		Show: func(line string) {
			if !s.Quiet {
				fmt.Fprintln(c.Out, line)
			}
		},
	}
	if c.OutTerminal != nil { // other outputs may be logged, and the link is secret
		o.Link = o.Show
	}
	if s.Voices != nil {
		o.Voices = *s.Voices
	}
	if err := server.Run(interrupted, o); err != nil {
		if _, faulty := errors.AsType[server.InputError](err); faulty {
			return console.Usage("%w", err)
		}
		return err
	}
	if by, ok := errors.AsType[console.Interruption](interrupted.Cause()); ok && by.Signal != syscall.SIGTERM {
		return by
	}
	return nil
}
