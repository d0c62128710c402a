// Package roomscmd has the commands that list and move the rooms of a cluster: voicepool rooms and
// voicepool drain.
package roomscmd

import (
	"context"
	"fmt"
	"text/tabwriter"
	"time"

	"voicepool/cmd/internal/cli/console"
	"voicepool/cmd/internal/cluster"
	"voicepool/cmd/internal/cluster/placement"
	"voicepool/internal/words"
)

// maxNodeAge is the maximum age of the last sign of life of a node that counts as up.
var maxNodeAge = placement.DefaultTiming.Lease + placement.DefaultTiming.Margin

// withBucket connects to the NATS cluster of the flags f and calls the function do with the bucket of the rooms'
// placements. Then it closes the connection and returns the error of do. A signal ends the context of do. Invalid flags
// are a usage error. A failed connection is an error.
func withBucket(c *console.Console, f cluster.Flags, do func(context.Context, placement.Bucket) error) error {
	if err := f.Check(); err != nil {
		return console.Usage("%w", err)
	}
	interrupted := c.Listen()
	defer interrupted.Close()
	conn, err := cluster.Dial(interrupted, f, nil)
	if err != nil {
		return err
	}
	defer conn.Close()
	bucket, err := placement.Open(interrupted, conn)
	if err != nil {
		return err
	}
	return do(interrupted, bucket)
}

// list returns the rooms and the nodes of the cluster, as recorded in the bucket b. It takes at most 10 s. An error has
// a message for operators.
func list(ctx context.Context, b placement.Bucket) ([]placement.ListedRoom, []placement.Member, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*cluster.Patience)
	defer cancel()
	rooms, nodes, err := placement.List(ctx, b, maxNodeAge)
	if err != nil {
		return nil, nil, fmt.Errorf("the rooms cannot be read: %w", cluster.Plain(err))
	}
	return rooms, nodes, nil
}

// Rooms is the command that lists the rooms of a cluster.
type Rooms struct {
	cluster.Flags
	JSON bool `name:"json" help:"Print JSON."`
}

// Run prints the rooms and the nodes of the cluster on standard output, as two tables. If r.JSON is set, it prints
// JSON. It does not change a room or a node. Errors are from the connection, and without r.JSON from the output. With
// r.JSON, c.Out keeps an error of the output.
func (r *Rooms) Run(c *console.Console) error {
	return withBucket(c, r.Flags, func(ctx context.Context, b placement.Bucket) error {
		rooms, nodes, err := list(ctx, b)
		if err != nil {
			return err
		}
		if r.JSON {
			c.JSON(struct {
				Rooms []placement.ListedRoom `json:"rooms"`
				Nodes []placement.Member     `json:"nodes"`
			}{append([]placement.ListedRoom{}, rooms...), append([]placement.Member{}, nodes...)})
			return nil
		}
		t := tabwriter.NewWriter(c.Out, 0, 0, 2, ' ', 0)
		fmt.Fprintln(t, "ROOM\tNODE\tSTATE\tREVISION\tSINCE\tADDRESS")
		for _, p := range rooms {
			where := p.Address
			if p.Why != "" {
				where = p.Why
			}
			fmt.Fprintf(t, "%s\t%s\t%s\t%d\t%s\t%s\n", p.Room, dash(p.Node), p.State, p.Revision, p.Since.Local().Format(time.DateTime), dash(where))
		}
		fmt.Fprintln(t, "\nNODE\tSTATE\tROOMS\tADDRESS")
		for _, m := range nodes {
			fmt.Fprintf(t, "%s\t%s\t%d\t%s\n", m.Node, m.State, m.Rooms, dash(m.Address))
		}
		return t.Flush()
	})
}

// dash returns text on one line. If text is empty, it returns "-".
func dash(text string) string {
	if text == "" {
		return "-"
	}
	return words.OneLine(text)
}

// Drain is the command that moves all rooms off a node.
type Drain struct {
	Node string `arg:"" optional:"" help:"The node, as voicepool rooms lists it (default: this host's name)."`
	cluster.Flags
	Undo bool          `help:"Let the node take rooms again."`
	Wait time.Duration `placeholder:"TIME" default:"1m" help:"Maximum time to wait until all have moved (${default})."`
}

// Run makes a node give its rooms to other nodes, and waits until the node has no rooms. d.Node names the node; by
// default it is this host. If the rooms have not moved after the time d.Wait, or after a signal, Run returns an error,
// and the request stays in force.
//
// If d.Undo is set, Run withdraws the request instead and does not wait. An unknown node is an error.
func (d *Drain) Run(c *console.Console) error {
	node, err := cluster.NodeName(d.Node)
	if err != nil {
		return console.Usage("the node: %w", err)
	}
	d.Node = node
	if d.Wait < 0 {
		return console.Usage("--wait: %v is negative", d.Wait)
	}
	return withBucket(c, d.Flags, func(ctx context.Context, b placement.Bucket) error {
		if err := placement.Drain(ctx, b, d.Node, !d.Undo); err != nil || d.Undo {
			return err
		}
		alone := false
		for end := time.Now().Add(d.Wait); ; {
			_, nodes, err := list(ctx, b)
			if ctx.Err() != nil {
				c.Say("%s is still draining; voicepool drain --undo %[1]s cancels it", d.Node)
				return context.Cause(ctx)
			}
			if err != nil {
				return err
			}
			remaining, others := 0, 0
			for _, m := range nodes {
				if m.Node == d.Node {
					remaining = m.Rooms
				} else if m.State == "up" {
					others++
				}
			}
			switch {
			case remaining == 0:
				return nil
			case time.Now().After(end) && others == 0:
				return fmt.Errorf("%s still has %s: no other node is up to take them", d.Node, words.Count(remaining, "room"))
			case time.Now().After(end):
				return fmt.Errorf("%s still has %s after %v", d.Node, words.Count(remaining, "room"), d.Wait)
			}
			if others == 0 && !alone {
				alone = true
				c.Say("no other node is up to take the rooms of %s; waiting for one", d.Node)
			}
			select {
			case <-ctx.Done():
			case <-time.After(100 * time.Millisecond):
			}
		}
	})
}
