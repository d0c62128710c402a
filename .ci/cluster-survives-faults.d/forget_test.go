package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"voicepool/cmd/internal/cluster"
	"voicepool/cmd/internal/cluster/blobstore"
	"voicepool/cmd/internal/cluster/placement"
	"voicepool/cmd/internal/cluster/renderfarm"
)

// TestForget removes ended jobs, and files that are neither used nor young. Files of a room stay. A removed job
// can be submitted again at once and has the same result.
func TestForget(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	f := newFarm(t, 3)
	conn := dial(t, f.NATS)
	sound := append([]byte("RIFF\x2c\x01\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x40\x1f\x00\x00\x80\x3e\x00\x00\x02\x00\x10\x00data\x08\x01\x00\x00"), strings.Repeat("\x10\x20", 132)...)
	if err := os.WriteFile(filepath.Join(f.folder, "x.wav"), sound, 0o600); err != nil {
		t.Fatal(err)
	}
	kept := f.sheet("kept.yaml", "rate: 8000\nlength: 0.1s\nsounds: {x: x.wav}\ncues: [{at: 0, play: x}]\n")
	gone := f.sheet("gone.yaml", tiny(1))
	ids := f.submit(kept, gone)
	work := func() map[string]farmJob {
		t.Helper()
		if code := f.work("w", "--drain", "-q").Wait(hangs); code != 0 {
			t.Fatalf("the worker ends with %d", code)
		}
		return f.status()
	}
	was := work()
	results := map[string]string{kept: was[ids[0]].Result, gone: was[ids[1]].Result}
	if results[kept] != f.local(kept) || results[gone] != f.local(gone) {
		t.Fatalf("the jobs are %v", was)
	}

	// A room plays one of the sheets.
	b, err := placement.Open(ctx, conn)
	if err != nil {
		t.Fatal(err)
	}
	fa, err := renderfarm.Open(ctx, conn, "a test")
	if err != nil {
		t.Fatal(err)
	}
	bundle := func(id string) string {
		t.Helper()
		j, err := fa.Job(ctx, id)
		if err != nil {
			t.Fatal(err)
		}
		return j.Bundle
	}
	bundles := map[string]string{kept: bundle(ids[0]), gone: bundle(ids[1])}
	record, err := json.Marshal(placement.RoomRecord{Room: "main", Sheet: bundles[kept]})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Put(ctx, "room.main", record, 0); err != nil {
		t.Fatal(err)
	}

	if said := f.call(2, "forget"); !strings.Contains(said, "which jobs? Give IDs, or --older TIME") {
		t.Errorf("it says %s", said)
	}
	for _, step := range []struct{ says, args string }{
		{"0 jobs forgotten, 0 files of 0 bytes removed\n", "--older 1h"},
		{"1 job forgotten, 0 files of 0 bytes removed\n", ids[0]},
		{"1 job forgotten, 0 files of 0 bytes removed\n", "--older 0s"},
		{"0 jobs forgotten, 0 files of 0 bytes removed\n", "--older 0s"},
	} {
		if said := f.call(0, append([]string{"forget"}, strings.Fields(step.args)...)...); said != step.says {
			t.Errorf("forget %s says %q, want %q", step.args, said, step.says)
		}
	}
	if said := f.call(2, "get", ids[0], "-o", "x"); !strings.Contains(said, "no such job") {
		t.Errorf("of a job that is forgotten it says %s", said)
	}
	if files, _, err := fa.Sweep(ctx, 0); files != 3 || err != nil { // both results, and the sheet that no room plays
		t.Errorf("%d files are removed, %v, want 3", files, err)
	}
	d := blobsOf(ctx, t, conn)
	for what, want := range map[string]bool{bundles[kept]: true, sum(sound): true, bundles[gone]: false, results[kept]: false, results[gone]: false} {
		if _, err := d.Size(ctx, what); errors.Is(err, blobstore.ErrMissing) == want || err != nil && want {
			t.Errorf("%s: %v; it should be there: %t", what, err, want)
		}
	}
	stream, err := f.JetStream().Stream(ctx, "OBJ_"+cluster.Objects)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := stream.Info(ctx); err != nil || info.State.Msgs != 4 { // a chunk and a meta record for each of two files
		t.Errorf("%d messages are left of two files, %v, want 4", info.State.Msgs, err)
	}

	// A file that is put again during a sweep stays.
	again := []byte("again")
	if _, err := d.PutBytes(ctx, again); err != nil {
		t.Fatal(err)
	}
	objects, err := f.JetStream().ObjectStore(ctx, cluster.Objects)
	if err != nil {
		t.Fatal(err)
	}
	files, _, err := d.Sweep(ctx, 0, func(ctx context.Context) (map[string]bool, error) {
		_, err := objects.PutBytes(ctx, sum(again), again)
		return map[string]bool{bundles[kept]: true, sum(sound): true}, err
	})
	if _, there := d.Size(ctx, sum(again)); files != 0 || err != nil || there != nil {
		t.Errorf("%d files are removed, %v; what was put meanwhile: %v", files, err, there)
	}

	if now := f.submit(kept, gone); now[0] != ids[0] || now[1] != ids[1] {
		t.Errorf("submitted again they are %v, were %v", now, ids)
	}
	for i, j := range work() {
		if j.State != "done" || j.Result != results[j.File] {
			t.Errorf("again %s is %s, its result %s, was %s: %s", i, j.State, j.Result, results[j.File], j.Reason)
		}
	}
}

// TestTouch checks that a file is not removed while others keep touching it, and that each touch succeeds.
// Touching a removed file fails.
func TestTouch(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), hangs)
	defer cancel()
	n := Servers(t, 3)
	d, text, name := blobsOf(ctx, t, dial(t, n)), []byte("touched"), ""
	Await(t, hangs, "a file is put", func() (put bool) {
		var err error
		name, err = d.PutBytes(ctx, text)
		return err == nil
	})
	var others sync.WaitGroup
	for range 3 {
		c := dial(t, n)
		others.Go(func() {
			mine := blobsOf(ctx, t, c)
			for range 10 {
				if err := mine.Touch(ctx, name); err != nil {
					t.Error(err)
				}
			}
		})
	}
	removed := 0
	for range 20 {
		files, _, err := d.Sweep(ctx, 0, func(ctx context.Context) (map[string]bool, error) { return nil, d.Touch(ctx, name) })
		if err != nil {
			t.Fatal(err)
		}
		removed += files
	}
	others.Wait()
	path := filepath.Join(t.TempDir(), "file")
	if err := d.Get(ctx, name, path); removed != 0 || err != nil {
		t.Errorf("it was removed %d times; %v", removed, err)
	}
	if files, _, err := d.Sweep(ctx, 0, func(context.Context) (map[string]bool, error) { return nil, nil }); files != 1 || err != nil {
		t.Errorf("%d files are removed, %v, want 1", files, err)
	}
	Await(t, hangs, "all servers know that it is gone", func() bool { return errors.Is(d.Touch(ctx, name), blobstore.ErrMissing) })
}
