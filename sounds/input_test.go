package sounds

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"testing"
	"testing/fstest"
)

// TestMarks: a file of any length has a bounded number of places.
func TestMarks(t *testing.T) {
	var m marks
	for i := range int64(100000) {
		m.add(mark{frame: i * 10000, at: i})
	}
	if n := len(m.list); n < maxMarks/4 || n > maxMarks {
		t.Errorf("%d places", n)
	}
	for _, frame := range []int64{0, 9999, 123456789, 999990000} {
		x, ok := m.last(func(x mark) bool { return x.frame <= frame })
		if !ok || x.frame > frame || frame-x.frame > 2*m.stride || x.at*10000 != x.frame {
			t.Errorf("frame %d: %+v (%v), a place each %d frames", frame, x, ok, m.stride)
		}
	}
	if _, ok := m.last(func(mark) bool { return false }); ok {
		t.Error("a place before the first")
	}
}

// TestInput: what is read through a window is what is in the file, whatever the
// order; a failed read is kept.
func TestInput(t *testing.T) {
	data := make([]byte, 500000)
	random := rand.New(rand.NewPCG(2, 3))
	for i := range data {
		data[i] = byte(random.Uint32())
	}
	files := fstest.MapFS{"x": {Data: data}}
	for _, seeks := range []bool{true, false} {
		in, err := openInput(func() (io.ReadCloser, error) {
			f, err := files.Open("x")
			if !seeks {
				f = inOrder{f}
			}
			return f, err
		})
		if err != nil {
			t.Fatal(err)
		}
		for range 3000 {
			switch n := random.IntN(40000); random.IntN(4) {
			case 0:
				in.seek(random.Int64N(int64(len(data) + 10)))
			case 1:
				in.skip(int64(n))
			case 2:
				at := min(in.at, in.size)
				if b := in.take(int64(n)); !bytes.Equal(b, data[at:min(at+int64(n), in.size)]) {
					t.Fatalf("%d bytes at %d differ", len(b), at)
				}
			default:
				b := in.peek(n)
				at := min(in.at, in.size)
				if len(b) < n && at+int64(len(b)) < in.size || !bytes.Equal(b, data[at:at+int64(len(b))]) {
					t.Fatalf("%d bytes of %d at %d", len(b), n, at)
				}
			}
			if in.err != nil || in.size != int64(len(data)) || in.left() != max(in.size-in.at, 0) {
				t.Fatalf("%v, size %d", in.err, in.size)
			}
		}
		if n := len(in.store); n > leastWindow+40000 {
			t.Errorf("a window of %d bytes", n)
		}
		_ = in.close()
	}
	failure := errors.New("the disk is gone")
	in := &input{file: io.NopCloser(io.MultiReader(bytes.NewReader(data[:100]), failing{failure})), size: 1000}
	if b := in.peek(500); len(b) != 100 || !errors.Is(in.err, failure) {
		t.Errorf("%d bytes, %v", len(b), in.err)
	}
	in = &input{file: io.NopCloser(bytes.NewReader(data[:100])), size: 1000} // it has become shorter
	if b := in.peek(500); len(b) != 100 || in.left() != 100 || in.err != nil {
		t.Errorf("%d bytes, %d are left, %v", len(b), in.left(), in.err)
	}
}

// inOrder is a file that can be read in order only.
type inOrder struct{ fs.File }

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }
