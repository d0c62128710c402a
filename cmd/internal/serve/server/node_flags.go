package server

import (
	"errors"
	"fmt"
	"net"
	"os"

	"voicepool/cmd/internal/cluster"
)

// ClusterFlags holds the flags that make a server a node of a cluster.
type ClusterFlags struct {
	cluster.Flags
	Node      string `placeholder:"NAME" help:"Unique name of this node on NATS (the host's name)."`
	Advertise string `placeholder:"HOST:PORT" help:"Address at which other nodes reach this node (the host of --listen or the host's name, with the port)."`
}

// check returns an error if the flags in f are invalid, or cannot be combined with the flags in o. Without --nats, only
// --node and --advertise are checked: they are errors.
func (f *ClusterFlags) check(o *Options) error {
	switch {
	case f.NATS == "" && (f.Node != "" || f.Advertise != ""):
		return errors.New("--node and --advertise need --nats")
	case f.NATS == "":
		return nil
	case o.State != "":
		return errors.New("--state cannot be used with --nats: NATS stores the rooms")
	case o.Voices > 0:
		return errors.New("--voices cannot be used with --nats: write `voices` in the sheet, which moves with the room")
	}
	if _, err := cluster.NodeName(f.Node); err != nil {
		return fmt.Errorf("--node: %w", err)
	}
	if f.Advertise != "" {
		if err := checkAddress(f.Advertise); err != nil {
			return fmt.Errorf("--advertise: %w", err)
		}
	}
	return f.Flags.Check()
}

// checkCluster returns an error if the configuration c has settings that a cluster does not support: state, a device or
// voices of a room, a room without a sheet, or a room name that NATS cannot use. It is for servers with --nats.
func (c *Config) checkCluster() error {
	if c.State != "" {
		return errors.New("state: cannot be used with --nats: NATS stores the rooms")
	}
	for i := range c.Rooms {
		r := &c.Rooms[i]
		switch {
		case r.Voices > 0 || r.Device != "" && r.Device != "none":
			return fmt.Errorf("the room %s has a device or voices, which do not move to other nodes on NATS: write `voices` in the sheet, and use --device for all rooms of a node", r.Name)
		case r.Sheet == "":
			return fmt.Errorf("the room %s has no sheet to be placed on NATS", r.Name)
		}
		if err := cluster.CheckName(r.Name); err != nil {
			return fmt.Errorf("room %w", err)
		}
	}
	return nil
}

// address returns the URL of this node for other nodes, without a slash at the end. Its host and port are from
// --advertise, or else from the socket, with the host name of --listen if it has one, or the name of this machine in
// place of an unspecified address.
func (s *server) address() string {
	scheme := "http://"
	if s.cert != nil {
		scheme = "https://"
	}
	if s.Cluster.Advertise != "" {
		return scheme + s.Cluster.Advertise
	}
	host, port, err := net.SplitHostPort(s.addr.String())
	if err != nil {
		return scheme + s.addr.String()
	}
	if named, _, err := net.SplitHostPort(s.config.Listen); err == nil && named != "" && net.ParseIP(named) == nil {
		host = named
	} else if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		if name, err := os.Hostname(); err == nil {
			host = name
		}
	}
	return scheme + net.JoinHostPort(host, port)
}
