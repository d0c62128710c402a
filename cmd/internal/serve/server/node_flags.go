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

// check returns an error if the flags in f are invalid, or cannot be combined with the flags in o. Without --nats it
// only checks that --node and --advertise are not set.
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

// checkCluster returns an error if the configuration c has a setting that a cluster does not support. Call it only with
// --nats. Such settings are the state folder, the voices of a room, and its device, if that is a sound card. A room
// without a sheet, and a room name that NATS cannot use, are errors, too.
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

// address returns the URL of this node for other nodes, without a slash at the end. Host and port come from --advertise
// if it is set. Otherwise the port is the port of the socket. The host is the host name in the listen address, if it
// has a name and not an IP address. Otherwise it is the IP address of the socket, or the name of this machine if the
// server listens on all interfaces and the name is known.
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
