package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"voicepool/cmd/internal/cluster/blobstore"
	"voicepool/cmd/internal/cluster/placement"
	"voicepool/cmd/internal/serve/room"
)

// maxDrift is the maximum clock deviation of a room before its state is written again.
const maxDrift = 20 * time.Millisecond

// clusterRoom is a room played by this node of a cluster.
type clusterRoom struct {
	node   *clusterNode
	room   *room.Room
	folder string

	mutex   sync.Mutex
	entered bool
	sheet   string    // the bundle in the blob store of text
	text    string    // hash of the packed sheet
	file    string    // hash of the file that the room was placed from
	began   time.Time // when its frame 0 was due, as last written
}

// open opens a room on this node for the cluster and adds it to f.clusterRooms. o names the room, its sheet in the blob
// store and its saved state. The room is silent until the method Enter of the result is called. If the room rejects the
// state, open opens it without the state. If the sheet is invalid or the blob store lacks a file, a retry cannot help,
// and the error is a placement.Refusal.
func (f *clusterNode) open(ctx context.Context, o placement.Opening) (placement.Tenant, error) {
	s := f.server
	d := f.blobs.Load()
	b, err := d.Bundle(ctx, o.Sheet)
	if err != nil {
		return nil, permanent(err)
	}
	parent := filepath.Join(s.scratch, "placed")
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp(parent, o.Room+"-")
	if err != nil {
		return nil, err
	}
	t := &clusterRoom{node: f, folder: folder, sheet: o.Sheet, text: hash(b.Text), file: o.File}
	if err := t.open(ctx, &o, b); err != nil {
		os.RemoveAll(folder)
		return nil, permanent(err)
	}
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.clusterRooms[t.room] = t
	return t, nil
}

// permanent marks err if a retry cannot help: it wraps err in a placement.Refusal. That is so for a faulty sheet, or a
// sound that is missing from the blob store. Other errors are returned unchanged.
func permanent(err error) error {
	e, of := errors.AsType[*room.Error](err)
	if of && e.Kind == room.Range && e.Field == "sheet" || errors.Is(err, blobstore.ErrMissing) {
		return placement.Refusal{Err: err}
	}
	return err
}

// open unpacks the bundle b, a sheet with its sounds, into t.folder. It opens the room that o describes and stores it
// in t.room. The time of a saved state is first shifted by o.Skew. If the room rejects the saved state in o, open logs
// the reason and opens the room without the state. A state that is not valid JSON is an error.
func (t *clusterRoom) open(ctx context.Context, o *placement.Opening, b *blobstore.Bundle) error {
	s := t.node.server
	path, err := t.node.blobs.Load().Unpack(ctx, b, t.folder)
	if err != nil {
		return err
	}
	options := room.Options{
		Name: o.Room, Title: b.Name, Text: b.Text, Folder: filepath.Dir(path), Device: s.Device, Limits: s.Limits, Workers: s.workers,
		Lease: t.node.lease, Log: s.roomLog(o.Room),
	}
	if o.State != nil {
		was := &room.Snapshot{}
		if err := json.Unmarshal(o.State, was); err != nil {
			return fmt.Errorf("the saved state of the room cannot be read: %w", err)
		}
		was.Time = was.Time.Add(o.Skew)
		options.Resume = was
	}
	t.room, err = room.Open(ctx, options)
	if err != nil && options.Resume != nil && ctx.Err() == nil { // a bad snapshot must not keep the room from playing
		s.Log(fmt.Sprintf("the room %s restarts without its saved state: %s", o.Room, plain(err)))
		options.Resume = nil
		t.room, err = room.Open(ctx, options)
	}
	return err
}

// clusterRoom returns the clusterRoom of r. It returns nil if r is closed or does not belong to the cluster.
func (f *clusterNode) clusterRoom(r *room.Room) *clusterRoom {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	return f.clusterRooms[r]
}

// State implements placement.Tenant. state is a snapshot of the room as JSON, without the text of the sheet. still is a
// text to compare: the state must be saved again only if still differs from the last call. still changes with each
// setting of the room. It also changes if the room's clock has shifted by more than 20 ms since the last shift that
// State recorded in t.
func (t *clusterRoom) State() (state []byte, still string) {
	snapshot := t.room.Snapshot()
	snapshot.Text = ""
	rate := t.room.Summary().Rate
	began := snapshot.Time.Add(-time.Duration(float64(snapshot.Frame) / float64(rate) * float64(time.Second)))
	t.mutex.Lock()
	if began.Sub(t.began).Abs() > maxDrift {
		t.began = began
	}
	began = t.began
	t.mutex.Unlock()
	state, err := json.Marshal(snapshot)
	if err != nil {
		panic(err) // a snapshot has no infinity, so marshaling cannot fail
	}
	text, _ := json.Marshal(withoutTimes(snapshot))
	return state, string(text) + began.String()
}

// Sheet implements placement.Tenant. sheet is the hash of the bundle with the room's current sheet in the blob store.
// file is the hash of the file that the room was placed from, or "". If the sheet has changed since it was last stored,
// Sheet first stores it in the blob store. If that fails, both results are "", and the error is logged unless ctx has
// ended.
func (t *clusterRoom) Sheet(ctx context.Context) (sheet, file string) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	text := t.room.Text()
	if sum := hash(text); sum != t.text {
		packed, err := t.node.pack(ctx, t.room.Sheet(), text, t.folder)
		if err != nil {
			if ctx.Err() == nil {
				t.node.server.Log(fmt.Sprintf("the room %s: its new sheet cannot be sent to other nodes yet: %s", t.room.Name(), plain(err)))
			}
			return "", ""
		}
		t.text, t.sheet = sum, packed
	}
	return t.sheet, t.file
}

// setFile records file, the hash of the file whose text the room plays now. Sheet returns it from now on.
func (t *clusterRoom) setFile(file string) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.file = file
}

// Enter implements placement.Tenant. It makes the room audible within the time fade, and accepts orders for it over
// NATS. The first call also makes the room available over HTTP. Errors are only logged.
func (t *clusterRoom) Enter(fade time.Duration) {
	s := t.node.server
	t.mutex.Lock()
	first := !t.entered
	t.entered = true
	t.mutex.Unlock()
	if first {
		if err := s.service.Add(t.room); err != nil {
			s.Log(fmt.Sprintf("the room %s plays, but accepts no calls: %s", t.room.Name(), plain(err)))
		}
	}
	t.room.FadeIn(fade)
	if err := t.node.subjects.Begin(t.room.Name()); err != nil {
		s.Log(fmt.Sprintf("the room %s accepts no orders over NATS: %s", t.room.Name(), plain(err)))
	}
}

// Leave implements placement.Tenant. It begins to fade out the room over the time fade and ends the orders over NATS.
// It does not wait for the fade. Afterwards the room keeps playing inaudibly.
func (t *clusterRoom) Leave(fade time.Duration) {
	t.room.FadeOut(fade)
	t.node.subjects.End(t.room.Name())
}

// Done implements placement.Tenant: the channel is closed when the room has ended.
func (t *clusterRoom) Done() <-chan struct{} { return t.room.Done() }

// Close implements placement.Tenant. It silences the room at once and ends it, together with its orders over NATS. It
// waits for the service with waitRemoved, and removes the room's folder. An error of the device is logged.
func (t *clusterRoom) Close() {
	f := t.node
	t.room.FadeOut(0)
	f.mutex.Lock()
	delete(f.clusterRooms, t.room)
	f.mutex.Unlock()
	f.subjects.End(t.room.Name())
	if err := t.room.Close(0); err != nil {
		f.server.Log(plain(err))
	}
	waitRemoved(f.server.service, t.room)
	os.RemoveAll(t.folder)
}
