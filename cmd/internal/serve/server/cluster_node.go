package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"voicepool/bank/rules"
	"voicepool/cmd/internal/cluster"
	"voicepool/cmd/internal/cluster/blobstore"
	"voicepool/cmd/internal/cluster/natsroom"
	"voicepool/cmd/internal/cluster/placement"
	"voicepool/cmd/internal/serve/boottime"
	"voicepool/cmd/internal/serve/problemjson"
	"voicepool/cmd/internal/serve/room"
	"voicepool/cmd/internal/serve/service"
	"voicepool/cue"
)

// defaultMaxRooms is the default maximum number of rooms on a node.
const defaultMaxRooms = 2000

// clusterNode connects a server to a cluster. It is nil on a server without --nats.
type clusterNode struct {
	server   *server
	conn     *cluster.Conn
	leases   *cluster.Conn // a connection of its own, so that other traffic does not delay lease renewals
	blobs    atomic.Pointer[blobstore.Store]
	node     *placement.Node
	subjects *natsroom.Rooms
	lease    *room.Lease
	joined   atomic.Pointer[placement.Node] // node, once it has a lease

	countedErrors int64 // failed watches already reported to the service

	mutex        sync.Mutex
	clusterRooms map[*room.Room]*clusterRoom
}

// join makes the server a node of the cluster: it connects to NATS and stores the node in s.clusterNode. It retries the
// connection until NATS answers, is too old for the program, or ctx ends. It logs why it waits. An invalid node name is
// an InputError. After an error the connections to NATS are closed, and s.clusterNode is nil.
func (s *server) join(ctx context.Context) error {
	name, err := cluster.NodeName(s.Cluster.Node)
	if err != nil {
		return InputError{fmt.Errorf("--node: %w", err)}
	}
	f := &clusterNode{server: s, lease: room.NewLease(boottime.Now), clusterRooms: map[*room.Room]*clusterRoom{}}
	var bucket placement.Bucket
	if err := s.retry(ctx, func() (err error) {
		if f.conn == nil {
			if f.conn, err = cluster.Dial(ctx, s.Cluster.Flags, f.logConnection); err != nil {
				return err
			}
		}
		if f.leases == nil {
			if f.leases, err = cluster.Dial(ctx, s.Cluster.Flags, nil); err != nil {
				return err
			}
		}
		soon, cancel := context.WithTimeout(ctx, cluster.Patience)
		defer cancel()
		if bucket, err = placement.Open(soon, f.leases); err == nil {
			var d *blobstore.Store
			d, err = blobstore.Open(soon, f.conn)
			f.blobs.Store(d)
		}
		return err
	}); err != nil {
		return errors.Join(err, f.disconnect())
	}
	f.subjects = natsroom.New(f.conn, s.service, s.Log)
	s.clusterNode.Store(f)
	f.node, err = placement.Join(ctx, placement.Options{
		Name: name, Address: s.address(), MaxRooms: cmp.Or(s.config.MaxRooms, defaultMaxRooms), Bucket: bucket, Now: boottime.Now,
		Extend: f.extend, Open: f.open, Log: s.Log,
	})
	if err != nil {
		s.clusterNode.Store(nil)
		return errors.Join(err, f.disconnect())
	}
	f.joined.Store(f.node)
	return nil
}

// disconnect closes the connections to NATS that join has opened. It always returns nil.
func (f *clusterNode) disconnect() error {
	for _, c := range []*cluster.Conn{f.conn, f.leases} {
		if c != nil {
			c.Close()
		}
	}
	return nil
}

// retry calls do until it succeeds, and waits 300 ms after each failure. It logs an error of do, unless the error
// before had the same text. It gives up when ctx ends, and returns the error of ctx. It also gives up at once on
// cluster.ErrTooOld, and returns that error of do.
func (s *server) retry(ctx context.Context, do func() error) error {
	for logged := ""; ; {
		err := do()
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, cluster.ErrTooOld):
			return err
		case logged != plain(err):
			logged = plain(err)
			s.Log("waiting for NATS: " + logged)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(300 * time.Millisecond):
		}
	}
}

// logConnection logs a change of the connection to NATS. If the connection is lost, err is the reason. If the
// connection is back, err is nil.
func (f *clusterNode) logConnection(err error) {
	if err != nil {
		f.server.Log("the connection to NATS is lost (" + plain(err) + "); rooms play until the lease of this node ends")
		return
	}
	f.server.Log("NATS is back")
}

// extend keeps the rooms of this node audible until a later time. The parameter until is a time of the clock
// boottime.Now, which counts from the start of the machine. If until is 0, the rooms become silent at once.
func (f *clusterNode) extend(until time.Duration) {
	if until == 0 {
		f.lease.End()
		return
	}
	f.lease.Extend(until)
}

// close makes the node leave the cluster. Its rooms fade out within the time fade, and other nodes take them over.
// After that, close ends the orders over NATS and closes the connections.
func (f *clusterNode) close(fade time.Duration) {
	if n := f.joined.Load(); n != nil {
		n.Close(fade)
	}
	f.leases.NC.Close()
	f.conn.NC.Close() // closed directly, so that pending calls return
	f.subjects.Close()
}

// count adds a number to the metrics of h: how many watches of the nodes and rooms in NATS have failed since the last
// call of count. It has no effect before the node has joined the cluster. Only one goroutine may call it.
func (f *clusterNode) count(h *service.Server) {
	if n := f.joined.Load(); n != nil {
		failed := n.WatchErrorCount()
		h.CountWatchErrors(int(failed - f.countedErrors))
		f.countedErrors = failed
	}
}

// ready returns nil if this node can play rooms: it has a lease, which permits sound, and it sees the other nodes.
// Otherwise it returns an error with the HTTP status 503 and the reason.
func (f *clusterNode) ready() error {
	if n := f.joined.Load(); n != nil {
		if err := n.WatchError(); err != nil {
			return problemjson.New(http.StatusServiceUnavailable, "%s", plain(err)).WithReason("blind")
		}
	}
	if lost := f.lease.EndReason(); lost != "" {
		return problemjson.New(http.StatusServiceUnavailable, "the rooms are silent because %s", lost).WithReason("silent")
	}
	return nil
}

// endRoom ends the room called name on the whole cluster, because a call ends the room. It fades the room out within
// the time fade and removes the room's placement from NATS. If checkOperable rejects orders at the moment, or NATS
// fails, it returns an error with the HTTP status 503.
func (f *clusterNode) endRoom(ctx context.Context, name string, fade time.Duration) error {
	if err := f.checkOperable(name); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, fade+cluster.Patience)
	defer cancel()
	if err := f.node.Remove(ctx, name, fade); err != nil {
		return problemjson.New(http.StatusServiceUnavailable, "the room %q cannot be removed from NATS: %s", name, plain(cluster.Plain(err))).WithField("room")
	}
	return nil
}

// checkOperable returns nil if the room called name accepts orders. This node plays the room. If the node has lost its
// lease, so that its rooms are silent, it returns an error with the HTTP status 503. It also does so while the room
// moves to another node.
func (f *clusterNode) checkOperable(name string) error {
	switch n := f.joined.Load(); {
	case !f.lease.ValidFor(0):
		return problemjson.New(http.StatusServiceUnavailable, "the room %q is silent because %s", name, f.lease.EndReason()).WithField("room").WithReason("silent")
	case n != nil && n.Moving(name):
		return problemjson.New(http.StatusServiceUnavailable, "the room %q is moving to another node; try again", name).WithField("room").WithReason("moving")
	}
	return nil
}

// locate returns the URL of the other node that plays the room called name. It returns "" if this node plays the room,
// if the room is unknown, or if the server has not joined the cluster yet. A room that no node plays at the moment is
// an error with the HTTP status 503. If nodes have refused the room, the error has the reason.
func (f *clusterNode) locate(name string) (address string, err error) {
	n := f.joined.Load()
	if n == nil {
		return "", nil
	}
	if node, address, known := n.Elsewhere(name); known && node != n.Name() {
		return address, nil
	}
	switch why, orphan := n.Orphan(name); {
	case why != "":
		return "", problemjson.New(http.StatusServiceUnavailable, "no node can play the room %q: %s", name, why).WithField("room").WithReason("refused")
	case orphan:
		return "", problemjson.New(http.StatusServiceUnavailable, "no node plays the room %q at the moment; one takes it within seconds", name).WithField("room").WithReason("moving")
	}
	return "", nil
}

// createRoom makes a room called name on the cluster and returns when this node plays it. text is a sheet. createRoom
// stores text and the sounds uploaded for the room in NATS, and then places the room. Most of its errors have a status
// for the caller: a faulty name or sheet (400), a room on another node (409), or a failure to store in NATS (503).
// Other errors of placing the room are returned unchanged. If the server has not joined the cluster yet, the status is
// 503, too.
func (f *clusterNode) createRoom(ctx context.Context, name string, text []byte) error {
	if err := cluster.CheckName(name); err != nil {
		return problemjson.New(http.StatusBadRequest, "room: %v", err).WithField("room")
	}
	n := f.joined.Load()
	if n == nil {
		return problemjson.New(http.StatusServiceUnavailable, "the server is still opening its rooms")
	}
	s, err := cue.Parse("sheet.yaml", text)
	if err != nil {
		return faultySheet(err)
	}
	sum, err := f.pack(ctx, s, text, filepath.Join(f.server.uploads(), name))
	if err != nil {
		return err
	}
	return f.placeError(n.Place(ctx, name, sum, ""))
}

// placeError converts err, an error of placement.Node.Place, to the error of a call. If the room is on another node,
// the result has the HTTP status 409. Other errors, and nil, are returned unchanged.
func (f *clusterNode) placeError(err error) error {
	if other, is := errors.AsType[*placement.Elsewhere](err); is {
		return problemjson.New(http.StatusConflict, "%s", other.Error()).WithField("room").WithReason("elsewhere")
	}
	return err
}

// faultySheet converts err, a fault in a sheet, to a *room.Error of the kind room.Range, which becomes an HTTP 400. The
// error blames the request field "sheet". err must not be nil.
func faultySheet(err error) error {
	return &room.Error{Kind: room.Range, Field: "sheet", Detail: err.Error()}
}

// pack stores a sheet and its sounds as a bundle in the blob store of the cluster, where other nodes find it. It
// returns the hash of the bundle. s is the parsed sheet, text its source, and folder the folder of its sounds. If the
// first try fails, the bucket in NATS may have been deleted; pack then opens it again, sets f.blobs and retries once.
//
// A fault of the sheet, or a sound that is missing or outside folder, is a *room.Error. A failure of NATS is a
// *problemjson.Problem with the HTTP status 503. If ctx has ended, pack returns the error of ctx.
func (f *clusterNode) pack(ctx context.Context, s *cue.Sheet, text []byte, folder string) (string, error) {
	root, err := os.OpenRoot(folder)
	if err == nil {
		defer root.Close()
	}
	open := func(path string) (io.ReadCloser, error) {
		switch {
		case !fs.ValidPath(path):
			return nil, &fs.PathError{Op: "open", Path: path, Err: errors.New("is outside the folder of the sheet; a room on NATS needs all its sounds in that folder")}
		case err != nil: // the folder does not exist, because the room has received no sounds
			return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
		}
		return root.Open(filepath.FromSlash(path))
	}
	sum, wrong := f.blobs.Load().Pack(ctx, &s.Rules, text, filepath.Base(s.File), open)
	if wrong != nil && ctx.Err() == nil && !isSheetFault(wrong) { // the bucket may have been deleted together with all data of NATS
		if d, err := blobstore.Open(ctx, f.conn); err == nil {
			f.blobs.Store(d)
			sum, wrong = d.Pack(ctx, &s.Rules, text, filepath.Base(s.File), open)
		}
	}
	switch {
	case wrong == nil:
		return sum, nil
	case ctx.Err() != nil:
		return "", ctx.Err()
	case isSheetFault(wrong):
		return "", faultySheet(wrong)
	}
	return "", problemjson.New(http.StatusServiceUnavailable, "the sheet cannot be stored in NATS: %s", plain(cluster.Plain(wrong))).WithReason("nats")
}

// isSheetFault reports whether err is a fault of a sheet or its sounds, and not a failure of NATS. It recognizes the
// fault by the type rules.Errors, which err then wraps.
func isSheetFault(err error) bool {
	_, is := errors.AsType[rules.Errors](err)
	return is
}

// placeRoom places the room c of the configuration on the cluster. The node must have joined the cluster. If another
// node plays the room already, placeRoom only logs that. If the room was placed from the same text of the sheet's file,
// it keeps its placed sheet, with the changes made over the network. Otherwise, if this node plays the room, the room
// changes to the new text. In all other cases the room is placed with the text of the file. If NATS reports that
// another node has the room, placeRoom tries again for up to 20 s. An invalid sheet or file is an InputError.
func (s *server) placeRoom(ctx context.Context, c RoomConfig) error {
	f := s.clusterNode.Load()
	text, err := s.sheetText(&c)
	if err != nil {
		return InputError{err}
	}
	sheet, err := cue.Parse(filepath.Base(c.Sheet), text)
	if err != nil {
		return InputError{fmt.Errorf("room %s: %s", c.Name, plain(err))}
	}
	file := hash(text)
	end := time.Now().Add(20 * time.Second)
	for {
		known, placed, err := f.node.Known(ctx, c.Name)
		if err != nil {
			return fmt.Errorf("room %s: %w", c.Name, err)
		}
		if node, address, elsewhere := f.node.Elsewhere(c.Name); elsewhere {
			s.Log(fmt.Sprintf("the room %s is already placed, and the node %s plays it (%s) with its own sheet", c.Name, node, address))
			return nil
		}
		if placed && known == file {
			return nil // some node will take it
		}
		r := s.service.Room(c.Name)
		if r != nil {
			return s.changeSheet(ctx, r, text, file)
		}
		folder := cmp.Or(c.Folder, filepath.Dir(c.Sheet))
		sum, err := f.pack(ctx, sheet, text, folder)
		if err == nil {
			err = f.node.Place(ctx, c.Name, sum, file)
		}
		if _, elsewhere := errors.AsType[*placement.Elsewhere](err); elsewhere && time.Now().Before(end) && ctx.Err() == nil {
			time.Sleep(time.Second / 20) // the watch has not reported it yet
			continue
		}
		if e, ok := errors.AsType[*room.Error](err); ok && e.Kind == room.Range {
			return InputError{fmt.Errorf("room %s: %s", c.Name, plain(err))}
		}
		if err != nil {
			err = fmt.Errorf("room %s: %w", c.Name, err)
		}
		return err
	}
}

// changeSheet changes the room r to text, because the file of its sheet was edited. file is the hash of text. If the
// change succeeds, changeSheet records file for the cluster. If the room rejects the text, changeSheet logs the reason,
// and the room stays unchanged. It always returns nil.
func (s *server) changeSheet(ctx context.Context, r *room.Room, text []byte, file string) error {
	if err := r.Change(ctx, text); err != nil {
		s.Log(fmt.Sprintf("the room %s keeps its placed sheet: %s", r.Name(), plain(err)))
		return nil
	}
	if t := s.clusterNode.Load().clusterRoom(r); t != nil {
		t.setFile(file)
	}
	return nil
}
