package source

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"testing"
	"testing/fstest"
)

// TestMarks checks that a file of any length has a bounded number of seek points.
func TestMarks(t *testing.T) {
	var m Marks
	for i := range int64(100000) {
		m.Add(Mark{Frame: i * 10000, At: i})
	}
	if n := len(m.list); n < maxMarks/4 || n > maxMarks {
		t.Errorf("%d places", n)
	}
	for _, frame := range []int64{0, 9999, 123456789, 999990000} {
		x := m.Last(Mark{Frame: 1 << 60}, func(x Mark) bool { return x.Frame <= frame })
		if x.Frame > frame || frame-x.Frame > 2*m.Stride || x.At*10000 != x.Frame {
			t.Errorf("frame %d: %+v, a place each %d frames", frame, x, m.Stride)
		}
	}
	if start := (Mark{At: 7}); m.Last(start, func(Mark) bool { return false }) != start {
		t.Error("a place before the first")
	}
}

// TestInput checks that reads through a window return the bytes of the file in any order, and that a read error
// persists.
func TestInput(t *testing.T) {
	data := make([]byte, 500000)
	random := rand.New(rand.NewPCG(2, 3))
	for i := range data {
		data[i] = byte(random.Uint32())
	}
	files := fstest.MapFS{"x": {Data: data}}
	for _, seeks := range []bool{true, false} {
		in, err := Open(func() (io.ReadCloser, error) {
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
				in.MoveTo(random.Int64N(int64(len(data) + 10)))
			case 1:
				in.Skip(int64(n))
			case 2:
				at := min(in.At, in.Size)
				if b := in.ReadBytes(int64(n)); !bytes.Equal(b, data[at:min(at+int64(n), in.Size)]) {
					t.Fatalf("%d bytes at %d differ", len(b), at)
				}
			default:
				b := in.Peek(n)
				at := min(in.At, in.Size)
				if len(b) < n && at+int64(len(b)) < in.Size || !bytes.Equal(b, data[at:at+int64(len(b))]) {
					t.Fatalf("%d bytes of %d at %d", len(b), n, at)
				}
			}
			if in.Err != nil || in.Size != int64(len(data)) || in.Remaining() != max(in.Size-in.At, 0) {
				t.Fatalf("%v, size %d", in.Err, in.Size)
			}
		}
		if n := len(in.memory); n > minWindow+40000 {
			t.Errorf("a window of %d bytes", n)
		}
		_ = in.Close()
	}
	failure := errors.New("the disk is gone")
	in := &Input{file: io.NopCloser(io.MultiReader(bytes.NewReader(data[:100]), failing{failure})), Size: 1000}
	if b := in.Peek(500); len(b) != 100 || !errors.Is(in.Err, failure) {
		t.Errorf("%d bytes, %v", len(b), in.Err)
	}
	in = &Input{file: io.NopCloser(bytes.NewReader(data[:100])), Size: 1000} // it has become shorter
	if b := in.Peek(500); len(b) != 100 || in.Remaining() != 100 || in.Err != nil {
		t.Errorf("%d bytes, %d are left, %v", len(b), in.Remaining(), in.Err)
	}
}

// inOrder is a file that can only be read in order.
type inOrder struct{ fs.File }

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }
