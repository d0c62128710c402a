package codecs

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestWays checks that the coding of each 5.1 channel is found in its stream, for all packings of earlier
// streams.
func TestWays(t *testing.T) {
	head := append([]byte("OpusHead\x01\x06"), make([]byte, 8)...)
	head = append(head, 1, 4, 2, 0, 4, 1, 2, 3, 5)
	plain, speech, paired := way{}, way{speech: true}, way{paired: true}
	body := func(n int) []byte { return slices.Repeat([]byte{0xff}, n) }
	for _, c := range []struct {
		name    string
		streams [3][]byte // self-delimiting streams
		want    [3]way
	}{
		{
			name: "codes 3, 1 and 2",
			streams: [3][]byte{
				slices.Concat([]byte{31<<3 | 4 | 3, 0xc3, 255, 3, 2, 253, 1, 3}, body(2+257+3), make([]byte, 257)),
				slices.Concat([]byte{28<<3 | 4 | 1, 5}, body(10)),
				slices.Concat([]byte{1<<3 | 2, 4, 255, 0}, body(4+255)),
			},
			want: [3]way{paired, plain, speech},
		},
		{
			name: "codes 0, 3 and 0",
			streams: [3][]byte{
				slices.Concat([]byte{13<<3 | 4, 252, 2}, body(260)),
				slices.Concat([]byte{30<<3 | 4 | 3, 4, 9}, body(36)),
				slices.Concat([]byte{31 << 3, 0}),
			},
			want: [3]way{speech, paired, plain},
		},
	} {
		last := []byte{12 << 3, 1, 2}
		packet := append(slices.Concat(c.streams[:]...), last...)
		var file []byte
		for _, p := range [][]byte{head, []byte("OpusTags"), packet} {
			lacing := append(slices.Repeat([]byte{255}, len(p)/255), byte(len(p)%255))
			file = append(file, append(make([]byte, 26), byte(len(lacing)))...)
			file = append(append(file, lacing...), p...)
		}
		path := filepath.Join(t.TempDir(), "x.opus")
		if err := os.WriteFile(path, file, 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := waysOf(path)
		front, back, middle := c.want[0], c.want[1], c.want[2]
		want := []way{front, front, middle, speech, back, back}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v, %v, want %v", c.name, got, err, want)
		}
	}
}
