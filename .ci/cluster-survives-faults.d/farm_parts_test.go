package cluster

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"voicepool/cmd/internal/cluster"
	"voicepool/cmd/internal/cluster/blobstore"
	"voicepool/cmd/internal/cluster/renderfarm"
)

func dial(t *testing.T, n *NATS) *cluster.Conn {
	t.Helper()
	c, err := cluster.Dial(t.Context(), cluster.Flags{NATS: n.URL()}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// TestFarmTable checks that a value is replaced only if its revision has not changed since it was read.
func TestFarmTable(t *testing.T) {
	ctx := t.Context()
	kv, err := dial(t, Servers(t, 1)).Bucket(ctx, "table", 1)
	if err != nil {
		t.Fatal(err)
	}
	table := renderfarm.Bucket(kv)
	if _, _, err := table.Get(ctx, "a"); !errors.Is(err, renderfarm.ErrUnknown) {
		t.Errorf("of a key that is not there it says %v", err)
	}
	if err := table.Create(ctx, "a", []byte("one")); err != nil {
		t.Fatal(err)
	}
	value, revision, err := table.Get(ctx, "a")
	if err != nil || string(value) != "one" {
		t.Fatalf("it has %q, %v", value, err)
	}
	if err := table.Update(ctx, "a", []byte("two"), revision); err != nil {
		t.Fatal(err)
	}
	for what, err := range map[string]error{
		"a value that is there is created": table.Create(ctx, "a", []byte("x")),
		"an old revision is replaced":      table.Update(ctx, "a", []byte("x"), revision),
		"a later revision is replaced":     table.Update(ctx, "a", []byte("x"), revision+9),
	} {
		if !errors.Is(err, renderfarm.ErrConflict) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if value, _, _ := table.Get(ctx, "a"); string(value) != "two" {
		t.Errorf("it has %q", value)
	}
}

// TestBlobStore stores files of many sizes on one server and on three, and reads them back unchanged. Existing
// files are not sent again, and incomplete files are not returned.
func TestBlobStore(t *testing.T) {
	for _, servers := range []int{1, 3} {
		n := Servers(t, servers)
		c := dial(t, n)
		ctx, cancel := context.WithTimeout(t.Context(), hangs)
		defer cancel()
		d, err := blobstore.Open(ctx, c)
		if err != nil {
			t.Fatal(err)
		}
		objects, err := n.JetStream().ObjectStore(ctx, cluster.Objects)
		if err != nil {
			t.Fatal(err)
		}
		r := rand.NewChaCha8([32]byte{1})
		for _, size := range []int{0, 1, 1000, 128<<10 - 1, 128 << 10, 128<<10 + 1, 5<<20 + 7} {
			data := make([]byte, size)
			r.Read(data)
			name := sum(data)
			for _, put := range []func() (string, error){
				func() (string, error) { return d.PutBytes(ctx, data) },
				func() (string, error) { s, _, err := d.Add(ctx, bytes.NewReader(data)); return s, err },
				func() (string, error) { return blobsOf(ctx, t, c).PutBytes(ctx, data) },
			} {
				if got, err := put(); err != nil || got != name {
					t.Fatalf("%d bytes are put as %s, %v, want %s", size, got, err, name)
				}
				path := filepath.Join(t.TempDir(), "file")
				if err := d.Get(ctx, name, path); err != nil {
					t.Fatalf("%d bytes: %v", size, err)
				}
				if back, _ := os.ReadFile(path); !bytes.Equal(back, data) {
					t.Fatalf("%d bytes come back as %d others", size, len(back))
				}
				if theirs, err := objects.GetBytes(ctx, name); err != nil || !bytes.Equal(theirs, data) {
					t.Fatalf("%d bytes are %d for the object store, %v", size, len(theirs), err)
				}
			}
			stream, err := n.JetStream().Stream(ctx, "OBJ_"+cluster.Objects)
			if err != nil {
				t.Fatal(err)
			}
			info, err := stream.Info(ctx, jetstream.WithSubjectFilter("$O."+cluster.Objects+".C.>"))
			if err != nil {
				t.Fatal(err)
			}
			chunks := uint64(0)
			for _, n := range info.State.Subjects {
				chunks += n
			}
			if want := uint64((size + 128<<10 - 1) / (128 << 10)); chunks != want {
				t.Errorf("%d bytes, put three times, are %d chunks, want %d", size, chunks, want)
			}
			if err := objects.Delete(ctx, name); err != nil {
				t.Fatal(err)
			}
		}
		// A file with a missing end, and a file stored under another file's name.
		name := sum([]byte("whole"))
		if _, err := objects.PutBytes(ctx, name, []byte("who")); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "file")
		if err := d.Get(ctx, name, path); err == nil || !strings.Contains(err.Error(), "another SHA-256") {
			t.Errorf("of half a file it says %v", err)
		}
		if _, err := os.Stat(path); err == nil {
			t.Error("half a file is there")
		}
		if _, err := blobsOf(ctx, t, c).PutBytes(ctx, []byte("whole")); err != nil {
			t.Fatal(err)
		}
		if err := d.Get(ctx, name, path); err != nil {
			t.Errorf("put again, it says %v", err)
		}
	}
}

// blobsOf returns a depot with an empty cache.
func blobsOf(ctx context.Context, t *testing.T, c *cluster.Conn) *blobstore.Store {
	t.Helper()
	d, err := blobstore.Open(ctx, c)
	if err != nil {
		t.Fatal(err)
	}
	return d
}
