package room

import (
	"path/filepath"
	"runtime"
	"testing"
)

// TestWithoutFolders checks that folders of a server are removed from messages in every spelling, but relative
// paths kept.
func TestWithoutFolders(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the paths of this test are absolute on Unix only")
	}
	folders := map[string]bool{}
	for _, path := range []string{"/srv/it's/own.wav", "/srv/mü\"sik/a.wav", "/srv/\xff/x.wav", "sheet.yaml", "/x.wav"} {
		addParents(folders, filepath.FromSlash(path))
	}
	for _, c := range []struct{ text, want string }{
		{`ffmpeg -i '/srv/it'\''s/x y.m4a' -vn '/srv/it'\''s/x y.flac'`, `ffmpeg -i 'x y.m4a' -vn 'x y.flac'`},
		{`the file "/srv/it's/own.wav" is there`, `the file "own.wav" is there`},
		{`the file "/SRV/It's/own.wav" is there`, `the file "own.wav" is there`},
		{`the file "/srv/m\u00fc\"sik/a.wav" is there`, `the file "a.wav" is there`},
		{`the file "/srv/mü\"sik/a.wav" is there`, `the file "a.wav" is there`},
		{`the file "/srv/other/a.wav" is there`, `the file "other/a.wav" is there`},
		{"/srv/it's/a.wav,/srv/it's/b.wav", "a.wav,b.wav"},
		{"/srv/\xff/a.wav", "a.wav"},
		{"sounds/srv/x.wav: no such file", "sounds/srv/x.wav: no such file"},
		{"gain 1/2, a / b", "gain 1/2, a / b"},
	} {
		if got := withoutFolders(c.text, folders); got != c.want {
			t.Errorf("%q becomes %q, want %q", c.text, got, c.want)
		}
	}
}
